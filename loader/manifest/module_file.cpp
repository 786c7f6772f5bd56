// SPDX-License-Identifier: BSL-1.0
#include "manifest/module_file.hpp"

#include <tenon/abi.h>

#include <array>
#include <cstring>

#include "base/quote.hpp"
#include "binary/byte_source.hpp"
#include "binary/host_binary.hpp"
#include "binary/module_binary.hpp"
#include "package/name.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr std::string_view entry_name = "tenon_module_v1";
constexpr std::uint32_t max_object_size = 65536;
// `start` and `stop`, which follow the registrations, are optional.
constexpr std::uint32_t min_object_size = offsetof(tenon_module, start);

/// The prologue in the file. The pointer to the manifest is not relocated there, and is not used.
struct StoredPrologue {
  std::array<std::uint8_t, 8> magic;
  std::uint32_t struct_size;
  std::uint16_t abi_major;
  std::uint16_t abi_minor;
  std::uint64_t manifest;
  std::uint64_t manifest_size;
};
static_assert(sizeof(StoredPrologue) == offsetof(tenon_module, registrations));
static_assert(offsetof(StoredPrologue, struct_size) == offsetof(tenon_module, struct_size));
static_assert(offsetof(StoredPrologue, abi_major) == offsetof(tenon_module, abi_major));
static_assert(offsetof(StoredPrologue, abi_minor) == offsetof(tenon_module, abi_minor));
static_assert(offsetof(StoredPrologue, manifest_size) == offsetof(tenon_module, manifest_size));

std::string bytes_of(std::uint64_t count) {
  return std::to_string(count) + " bytes";
}

Result<void> check_magic(const ByteSource& source, const StoredPrologue& stored) {
  const std::uint64_t magic = TENON_MAGIC;
  if (std::memcmp(stored.magic.data(), &magic, sizeof magic) == 0) return {};
  const std::string_view found(reinterpret_cast<const char*>(stored.magic.data()), 8);
  return source.problem("wrong-magic", "tenon_module_v1 that starts with " + in_quotes(found),
                        "the bytes of TENON_MAGIC, \"\\xabtenonv1\"",
                        "declare the object with TENON_MODULE or TENON_PLUGIN, not by hand");
}

Result<void> check_size(const ByteSource& source, std::uint32_t size, std::uint64_t available) {
  if (size < min_object_size || size % sizeof(std::uint64_t) != 0) {
    return source.problem(
        "size-too-small", "struct_size " + bytes_of(size),
        "at least " + bytes_of(min_object_size) + ", the size in ABI 1.0, and a multiple of 8",
        "set struct_size to sizeof(tenon_module)");
  }
  if (size > max_object_size || size > available) {
    const bool past_image = size <= max_object_size;
    return source.problem("size-too-large", "struct_size " + bytes_of(size),
                          past_image
                              ? "at most " + bytes_of(available) + ", the rest of the segment"
                              : "at most " + bytes_of(max_object_size),
                          "set struct_size to sizeof(tenon_module)");
  }
  return {};
}

Result<void> check_against_manifest(const ByteSource& source, const StoredPrologue& stored,
                                    const AbiVersion& abi, const Manifest& manifest) {
  constexpr std::string_view fix =
      "write the note and the object from one declaration: TENON_MODULE or TENON_PLUGIN";
  if (stored.manifest_size != manifest.text.size()) {
    return source.problem("manifest-differs",
                          "manifest_size " + bytes_of(stored.manifest_size) + " in the object",
                          bytes_of(manifest.text.size()) +
                              ", the size of the text in the note without its terminator",
                          fix);
  }
  if (abi != manifest.abi) {
    return source.problem("manifest-differs", "ABI " + abi.to_string() + " in the object",
                          manifest.abi.to_string() + ", the version in the manifest", fix);
  }
  return {};
}

Result<Prologue> read_prologue(ByteSource& source, const ModuleBinary& file,
                               const Manifest& manifest) {
  auto object = file.find_object(entry_name);
  if (!object) return std::move(object).error();
  if (!*object) return file.not_exported(entry_name);
  const auto [address, available] = **object;
  StoredPrologue stored;
  if (auto read = file.read_address(address, stored, entry_name); !read) {
    return std::move(read).error();
  }

  const Prologue prologue{stored.struct_size, {stored.abi_major, stored.abi_minor}};
  if (auto good = check_magic(source, stored); !good) return std::move(good).error();
  if (auto good = check_size(source, prologue.struct_size, available); !good) {
    return std::move(good).error();
  }
  if (auto good = check_abi(prologue.abi, entry_name, source.path()); !good) {
    return std::move(good).error();
  }
  auto good = check_against_manifest(source, stored, prologue.abi, manifest);
  if (!good) return std::move(good).error();
  return prologue;
}

/// Returns the text of the note. If it is missing, the object shows that the file is a module.
Result<std::string> manifest_text(const ByteSource& source, const ModuleBinary& file) {
  auto text = file.manifest_text();
  if (text || text.error().code() != "no-manifest") return text;
  const auto object = file.find_object(entry_name);
  if (!object || !*object) return text;
  return source.problem("manifest-removed", "the object tenon_module_v1 without its tenon note",
                        text.error().needed(),
                        "link with GNU ld, gold, lld or mold, keep the section .note.tenon (.tenon "
                        "in a DLL) in linker scripts, and do not remove it with objcopy or strip");
}

/// Which systems a module may be for.
enum class Systems { this_one, all };

// Reads the manifest before the object, because another ABI version may have another object. Files
// without a manifest are no modules on any system.
Result<ModuleImage> read_image(ByteSource& source, Systems systems = Systems::this_one) {
  const auto file = open_module_binary(source);
  if (!file) return file.error();
  auto text = manifest_text(source, **file);
  if (!text) return std::move(text).error();
  if (systems == Systems::this_one) {
    if (auto good = (*file)->check_system(); !good) return std::move(good).error();
  }
  auto manifest = parse_manifest(std::move(*text), source.path());
  if (!manifest) return std::move(manifest).error();
  const auto prologue = read_prologue(source, **file, *manifest);
  if (!prologue) return prologue.error();
  return ModuleImage{*prologue, std::make_shared<Manifest>(std::move(*manifest))};
}

Result<ModuleFile> read_file(const platform::File& file, Systems systems) {
  FileSource source(file);
  auto image = read_image(source, systems);
  if (!image) return std::move(image).error();
  if (auto good = file.check_size(max_file_size); !good) return std::move(good).error();
  return ModuleFile{file.identity(), std::move(*image)};
}

}  // namespace

Result<platform::File> open_module(const std::filesystem::path& path, bool is_regular) {
  auto file = platform::File::open(path, is_regular);
  if (file) return file;
  std::error_code failed;
  const auto type = std::filesystem::status(path, failed).type();
  using Type = std::filesystem::file_type;
  const bool missing = type == Type::not_found || type == Type::none;
  std::error_code ignored;
  const bool bad_link = missing && std::filesystem::is_symlink(path, ignored);
  if (!bad_link && (missing || type == Type::regular)) return file;
  std::string found(file.error().found());
  if (bad_link && type == Type::not_found) found = "a link to a file that does not exist";
  if (failed == std::errc::too_many_symbolic_link_levels) found = "a link that leads to itself";
  return Error({.code = "not-a-module",
                .where = path.string(),
                .found = std::move(found),
                .needed = "a shared library in the ELF format",
                .fix = bad_link ? "repair the link, or remove it" : "name the file of one module"});
}

Result<ModuleFile> read_module_file(const std::filesystem::path& path) {
  const auto file = open_module(path);
  return file ? read_module_file(*file) : file.error();
}

Result<ModuleFile> read_module_file(const platform::File& file) {
  return read_file(file, Systems::this_one);
}

Result<ModuleFile> inspect_module_file(const platform::File& file) {
  return read_file(file, Systems::all);
}

std::vector<std::string> names_in_manifest(const platform::File& file) {
  std::vector<std::string> names;
  FileSource source(file);
  const auto opened = open_module_binary(source);
  if (!opened) return names;
  const auto text = (*opened)->manifest_text();
  if (!text) return names;
  constexpr std::string_view key = "\"name\"";
  for (auto at = text->find(key); at != std::string::npos; at = text->find(key, at + 1)) {
    const auto begin = text->find_first_not_of(" \t\r\n:", at + key.size());
    if (begin == std::string::npos || (*text)[begin] != '"') continue;
    const auto end = text->find('"', begin + 1);
    if (end == std::string::npos) break;
    std::string name = text->substr(begin + 1, end - begin - 1);
    if (name_problem(name).empty()) names.push_back(std::move(name));
  }
  return names;
}

Result<ModuleImage> read_module_image(std::span<const std::byte> bytes,
                                      const std::filesystem::path& path) {
  const auto where = path.string();
  MemorySource source(where, bytes);
  return read_image(source);
}

Result<WholeModule> read_whole_module(std::vector<std::byte> content,
                                      const std::filesystem::path& path, const Manifest& known) {
  const auto where = path.string();
  MemorySource source(where, content);
  const auto file = HostBinary::open(source);
  // read_image says more about files for other systems.
  if (!file || !file->check_system()) return read_image(source).error();
  auto text = manifest_text(source, *file);
  if (!text) return std::move(text).error();
  std::optional<Manifest> fresh;
  if (*text != known.text) {
    auto manifest = parse_manifest(std::move(*text), where);
    if (!manifest) return std::move(manifest).error();
    fresh = std::move(*manifest);
  }
  const auto prologue = read_prologue(source, *file, fresh ? *fresh : known);
  if (!prologue) return prologue.error();
  auto bundle = read_bundle(*file, std::move(content), path);
  if (!bundle) return std::move(bundle).error();
  return WholeModule{std::move(fresh), std::move(*bundle)};
}

}}}  // namespace tenon::v0_1::detail
