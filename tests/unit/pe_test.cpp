// SPDX-License-Identifier: BSL-1.0
//
// DLLs, which are read on every system: good ones from two linkers, faulty, truncated and damaged
// ones. DLLS is the directory of tests/dlls.
#include "binary/pe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binary/bundle.hpp"
#include "binary/manifest_note.hpp"
#include "manifest/module_file.hpp"
#include "unit/faults.hpp"

namespace tenon::detail { namespace {

namespace fs = std::filesystem;
using tests::bytes_of;
using Bytes = tests::Bytes;

fs::path dll(const std::string& name) {
  return fs::path(DLLS) / (name + ".dll");
}

/// Skips a test if its DLL was not built.
#define NEEDS_DLL(name)                                                         \
  if (!fs::exists(dll(name))) {                                                 \
    GTEST_SKIP() << name                                                        \
                 << ".dll was not built: it needs g++-mingw-w64-x86-64-posix, " \
                    "and some DLLs lld-link";                                   \
  }

std::string text_of(const Error& error) {
  EXPECT_FALSE(error.where().empty());
  EXPECT_FALSE(error.needed().empty());
  EXPECT_FALSE(error.fix().empty());
  return std::string(error.code()) + ": " + std::string(error.found());
}

/// A DLL in memory, which a test damages.
class Victim {
 public:
  explicit Victim(const std::string& name = "good") : bytes_(bytes_of(dll(name))) {}
  explicit Victim(Bytes bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  T& at(std::uint64_t offset) {
    EXPECT_LE(offset + sizeof(T), bytes_.size());
    return *reinterpret_cast<T*>(bytes_.data() + offset);
  }
  Bytes& bytes() { return bytes_; }

  std::uint32_t& signature_offset() { return at<std::uint32_t>(pe::signature_offset_at); }
  pe::FileHeader& header() { return at<pe::FileHeader>(signature_offset() + 4); }
  std::uint64_t optional() { return signature_offset() + 24; }
  pe::ImageHeader& image() { return at<pe::ImageHeader>(optional() + pe::image_header_at); }
  std::uint64_t base() { return at<std::uint64_t>(optional() + pe::base_at_64); }
  pe::Directory& directory(std::size_t index) {
    return at<pe::Directory>(optional() + pe::directory_count_at_64 + 4 + index * 8);
  }
  pe::Section& section(std::size_t index) {
    return at<pe::Section>(optional() + header().optional_size + index * sizeof(pe::Section));
  }
  pe::Section& section(std::string_view name) {
    for (std::size_t i = 0; i < header().section_count; ++i) {
      if (std::string_view(section(i).name.data(), name.size()) == name) return section(i);
    }
    throw std::logic_error("no such section");
  }
  /// Returns the offset in the file of an address.
  std::uint64_t place_of(std::uint64_t address) {
    for (std::size_t i = 0; i < header().section_count; ++i) {
      if (address - section(i).address < section(i).file_size) {
        return address - section(i).address + section(i).offset;
      }
    }
    throw std::logic_error("no such address");
  }
  template <class T>
  T& at_address(std::uint64_t address) {
    return at<T>(place_of(address));
  }
  /// Adds a section with this content at the end, and returns its address.
  std::uint32_t add_section(const Bytes& content, std::uint32_t flags = pe::readable) {
    const std::uint32_t address = image().image_size;
    const auto offset = static_cast<std::uint32_t>((bytes_.size() + 511) / 512 * 512);
    bytes_.resize(offset);
    bytes_.insert(bytes_.end(), content.begin(), content.end());
    const auto size = static_cast<std::uint32_t>(content.size());
    const auto number = header().section_count++;
    EXPECT_LE(optional() + header().optional_size + (number + 1) * sizeof(pe::Section),
              image().headers_size);
    section(number) = {{'.', 'n', 'e', 'w'}, size, address, size, offset, 0, 0, 0, 0, flags};
    image().image_size += (size + 4095) / 4096 * 4096;
    return address;
  }

  /// Returns "ok", or the code and what was found. The first reads what hosts read, the second all.
  std::string shallow() const {
    MemorySource source("x.dll", bytes_);
    const auto file = PeFile::open(source);
    if (!file) return text_of(file.error());
    if (const auto text = file->manifest_text(); !text) return text_of(text.error());
    const auto object = file->find_object("tenon_module_v1");
    if (!object) return text_of(object.error());
    return *object ? "ok" : text_of(file->not_exported("tenon_module_v1"));
  }
  std::string deep() const {
    MemorySource source("x.dll", bytes_);
    const auto file = PeFile::open(source);
    if (!file) return text_of(file.error());
    if (const auto imports = file->imports(); !imports) return text_of(imports.error());
    const auto good = file->check_tables();
    return good ? "ok" : text_of(good.error());
  }

 private:
  Bytes bytes_;
};

template <class Damage>
std::string shallow(Damage damage) {
  Victim victim;
  damage(victim);
  return victim.shallow();
}

template <class Damage>
std::string deep(Damage damage) {
  Victim victim;
  damage(victim);
  return victim.deep();
}

template <class T>
void append(Bytes& bytes, const T& value) {
  const auto added = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), added.begin(), added.end());
}

void append_text(Bytes& bytes, std::string_view text) {
  const auto added = std::as_bytes(std::span(text));
  bytes.insert(bytes.end(), added.begin(), added.end());
  bytes.push_back(std::byte{0});
}

std::vector<PeFile::Import> imports_of(const Bytes& bytes) {
  MemorySource source("x.dll", bytes);
  return PeFile::open(source).value().imports().value();
}

// -- Good files --

TEST(Dll, IsReadInCAndInCpp) {
  for (const auto& [name, package] :
       {std::pair("good", "test.example/faults"), std::pair("cpp", "test.example/dll")}) {
    NEEDS_DLL(name);
    const auto read = inspect_module_file(platform::File::open(dll(name)).value());
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(read->image.manifest->name, package);
    EXPECT_EQ(read->image.manifest->version.to_string(), "1.0.0");
    EXPECT_EQ(read->image.prologue.struct_size, sizeof(tenon_module));
    ASSERT_EQ(read->image.manifest->provides.size(), 1U);
    EXPECT_EQ(read->image.manifest->provides[0].kind, "test.example/echo");
    EXPECT_EQ(Victim(name).deep(), "ok");
    const Bytes bytes = bytes_of(dll(name));
    MemorySource source("x.dll", bytes);
    EXPECT_EQ(PeFile::open(source).value().machine(), "x86-64");
  }
}

TEST(Dll, IsNotForThisSystem) {
  NEEDS_DLL("good");
  const fs::path file = dll("good");
  const Bytes bytes = bytes_of(file);
  const std::string expected = "wrong-architecture: a file for Windows on x86-64";
  EXPECT_EQ(text_of(read_module_file(file).error()), expected);
  EXPECT_EQ(text_of(read_module_image(bytes, file).error()), expected);
  EXPECT_EQ(text_of(read_whole_module(bytes, file, {}).error()), expected);
  EXPECT_EQ(read_bundle(bytes, file).error().code(), "not-a-module");
  EXPECT_FALSE(is_library_for_this_machine(file));
  EXPECT_EQ(names_in_manifest(platform::File::open(file).value()),
            (std::vector<std::string>{"test.example/faults", "test.example/echo"}));
}

TEST(Dll, NamesEachFault) {
  NEEDS_DLL("good");
  const auto code_of = [](const std::string& name) {
    const auto read = inspect_module_file(platform::File::open(dll(name)).value());
    return read ? "ok" : std::string(read.error().code());
  };
  EXPECT_EQ(code_of("no-manifest"), "manifest-removed");
  EXPECT_EQ(code_of("broken-manifest"), "broken-manifest");
  EXPECT_EQ(code_of("two-manifests"), "two-manifests");
  EXPECT_EQ(code_of("no-module-object"), "no-module-object");
  EXPECT_EQ(code_of("wrong-magic"), "wrong-magic");
  EXPECT_EQ(code_of("size-too-small"), "size-too-small");
  EXPECT_EQ(code_of("size-past-image"), "size-too-large");
  EXPECT_EQ(code_of("abi-too-new"), "abi-too-new");
  EXPECT_EQ(code_of("differs-manifest-size"), "manifest-differs");
  EXPECT_EQ(code_of("missing-method"), "ok") << "the vtables show it";
}

TEST(Dll, ShowsItsImports) {
  NEEDS_DLL("imports");
  const auto bytes = bytes_of(dll("imports"));
  const auto imports = imports_of(bytes);
  ASSERT_EQ(imports.size(), 2U);
  for (const PeFile::Import& import : imports) {
    EXPECT_EQ(import.library, reinterpret_cast<const char*>(bytes.data() + import.library_at));
  }
  EXPECT_EQ(imports[0].library, "library.dll");
  std::vector<std::string> functions = imports[0].functions;
  std::ranges::sort(functions);
  EXPECT_EQ(functions, (std::vector<std::string>{"#12", "tests_by_name"}));
  EXPECT_FALSE(imports[0].delayed);
  EXPECT_EQ(imports[1].library, "delayed.dll");
  EXPECT_EQ(imports[1].functions, std::vector<std::string>{"tests_later"});
  EXPECT_TRUE(imports[1].delayed);
  EXPECT_EQ(Victim("imports").shallow(), "ok");
  EXPECT_EQ(Victim("imports").deep(), "ok");
}

TEST(Dll, ShowsItsThreadCallbacksAndPointers) {
  NEEDS_DLL("good");
  Victim victim;
  MemorySource source("x.dll", victim.bytes());
  const PeFile file = PeFile::open(source).value();
  EXPECT_FALSE(file.thread_callbacks().value().empty()) << "those of the runtime of MinGW";

  const auto object = file.find_object("tenon_module_v1").value().value();
  const auto pointers = file.pointers().value();
  EXPECT_TRUE(std::ranges::is_sorted(pointers, {}, &ModuleBinary::Pointer::address));
  const auto manifest = std::ranges::find(
      pointers, object.address + offsetof(tenon_module, manifest), &ModuleBinary::Pointer::address);
  ASSERT_NE(manifest, pointers.end());
  EXPECT_EQ(manifest->target, victim.section(".tenon").address + sizeof(ManifestNote));
}

TEST(Dll, RefusesForwardedExports) {
  NEEDS_DLL("forwarded");
  const Bytes bytes = bytes_of(dll("forwarded"));
  MemorySource source("x.dll", bytes);
  const auto object = PeFile::open(source).value().find_object("tenon_module_v1");
  ASSERT_FALSE(object);
  EXPECT_EQ(text_of(object.error()),
            "no-module-object: tenon_module_v1 is forwarded to other.tenon_module_v1");
}

// -- Headers --

TEST(Dll, IsRefusedIfItEndsWithinItsHeaders) {
  for (const std::string name : {"good", "cpp"}) {
    NEEDS_DLL(name);
    Victim victim(name);
    const Bytes whole = victim.bytes();
    for (std::size_t size = 2; size < victim.image().headers_size; ++size) {
      const Victim cut(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
      EXPECT_EQ(cut.shallow(),
                "truncated-file: the file ends after " + std::to_string(size) + " bytes");
    }
    const auto code = [&whole](std::size_t size) {
      return std::string(read_module_image(std::span(whole).first(size), "x.dll").error().code());
    };
    EXPECT_EQ(code(0), "empty-file");
    EXPECT_EQ(code(1), "not-a-module");
    EXPECT_EQ(code(2), "truncated-file");
    EXPECT_EQ(code(whole.size() - 1), "truncated-file");
  }
}

TEST(Dll, NamesItsMachine) {
  NEEDS_DLL("good");
  const auto machine = [](std::uint16_t number) {
    Victim victim;
    victim.header().machine = number;
    EXPECT_EQ(victim.shallow(), "ok");
    MemorySource source("x.dll", victim.bytes());
    return PeFile::open(source).value().machine();
  };
  EXPECT_EQ(machine(0xaa64), "AArch64");
  EXPECT_EQ(machine(0x1c4), "ARM");
  EXPECT_EQ(machine(0x5064), "RISC-V");
  EXPECT_EQ(machine(0x1234), "machine 4660");
}

TEST(Dll, RefusesOtherFilesOfWindows) {
  NEEDS_DLL("good");
  EXPECT_EQ(
      shallow([](Victim& v) { v.header().flags &= static_cast<std::uint16_t>(~pe::is_library); }),
      "not-a-module: a program for Windows");
  EXPECT_EQ(shallow([](Victim& v) {
              v.directory(pe::common_language_runtime) = {4096, 72};
            }),
            "not-a-module: an assembly of .NET");
  EXPECT_EQ(shallow([](Victim& v) { v.at<char>(v.signature_offset()) = 'N'; }),
            "not-a-module: a program for DOS, or a file for Windows without a PE header");
}

TEST(Dll, RefusesDamagedHeaders) {
  NEEDS_DLL("good");
  EXPECT_EQ(shallow([](Victim& v) { v.at<std::uint16_t>(v.optional()) = 0x107; }),
            "broken-file: an optional header of an unknown kind");
  EXPECT_EQ(shallow([](Victim& v) { v.image().section_alignment = 0; }),
            "broken-file: sections with an impossible alignment");
  EXPECT_EQ(shallow([](Victim& v) { v.image().file_alignment = 8192; }),
            "broken-file: sections with an impossible alignment");
  EXPECT_EQ(shallow([](Victim& v) { v.header().section_count = 97; }),
            "broken-file: more than 96 sections");
  EXPECT_EQ(shallow([](Victim& v) { v.section(1).address += 16; }),
            "broken-file: a section that cannot be mapped in whole pages");
  EXPECT_EQ(shallow([](Victim& v) { v.section(1).address = v.section(0).address; }),
            "broken-file: sections that overlap");
  EXPECT_EQ(shallow([](Victim& v) { v.image().headers_size = v.section(0).address + 1; }),
            "broken-file: sections that overlap");
  EXPECT_EQ(shallow([](Victim& v) { v.section(v.header().section_count - 1U).memory_size = ~0U; }),
            "broken-file: a section outside of the image");
  EXPECT_EQ(shallow([](Victim& v) { v.section(0).offset = ~0U; }).substr(0, 14), "truncated-file");
  EXPECT_EQ(shallow([](Victim& v) { v.section(0).file_size = ~0U; }).substr(0, 14),
            "truncated-file");
}

TEST(Dll, RoundsOffsetsOfSectionsLikeWindows) {
  NEEDS_DLL("good");
  EXPECT_EQ(shallow([](Victim& v) { v.section(".tenon").offset += 511; }), "ok");
}

TEST(Dll, FillsSectionsWithZeros) {
  NEEDS_DLL("good");
  Victim victim;
  Bytes content(16, std::byte{7});
  const std::uint32_t address = victim.add_section(content);
  victim.section(victim.header().section_count - 1U).memory_size = 32;
  MemorySource source("x.dll", victim.bytes());
  const PeFile file = PeFile::open(source).value();
  std::array<std::byte, 32> found;
  ASSERT_TRUE(file.read_address(address, found, "the test"));
  content.resize(32);
  EXPECT_TRUE(std::ranges::equal(found, content));
  std::array<std::byte, 4097> more;
  EXPECT_EQ(file.read_address(address, more, "the test").error().found(),
            "the test outside of the sections");
}

/// Returns a module of 32 or 64 bits in which the PE header begins within the DOS header, and
/// addresses are offsets in the file.
Bytes tiny_module(std::uint16_t kind) {
  const bool is_64 = kind == pe::optional_64;
  const std::uint32_t start = 4;
  const std::uint32_t optional = start + 24;
  const auto count_at = optional + static_cast<std::uint32_t>(is_64 ? pe::directory_count_at_64
                                                                    : pe::directory_count_at_32);
  const std::uint32_t sections = count_at + 4 + sizeof(pe::Directory);
  const std::uint32_t headers = (sections + 2 * sizeof(pe::Section) + 7) / 8 * 8;

  Bytes note;
  append(note, ManifestNote{6, 3, 1, {'t', 'e', 'n', 'o', 'n'}});
  append_text(note, "{}");
  note.resize((note.size() + 7) / 8 * 8);
  const auto exports = static_cast<std::uint32_t>(headers + note.size());
  const std::uint32_t tables = exports + sizeof(pe::Exports);
  // Tables: an address, a name, a number; then the name and the object.
  Bytes data;
  append(data, pe::Exports{0, 0, 0, 0, 1, 1, 1, tables, tables + 4, tables + 8});
  append(data, tables + 28);
  append(data, tables + 12);
  append(data, std::uint32_t{0});
  append_text(data, "tenon_module_v1");
  data.resize(data.size() + sizeof(tenon_module));

  Bytes bytes(headers);
  bytes.insert(bytes.end(), note.begin(), note.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  const auto size = static_cast<std::uint32_t>(bytes.size());
  Victim file(std::move(bytes));
  file.at<std::array<char, 2>>(0) = pe::dos_magic;
  file.at<std::array<char, 4>>(start) = pe::signature;
  file.at<pe::FileHeader>(start + 4) = {static_cast<std::uint16_t>(is_64 ? 0x8664 : 0x14c),
                                        2,
                                        0,
                                        0,
                                        0,
                                        static_cast<std::uint16_t>(sections - optional),
                                        pe::is_library};
  file.at<std::uint16_t>(optional) = kind;
  // The alignment of sections is the offset of the PE header as well.
  file.at<pe::ImageHeader>(optional + pe::image_header_at) = {4, 4, {}, 0, size, headers};
  file.at<std::uint32_t>(count_at) = 1;
  file.at<pe::Directory>(count_at + 4) = {exports, sizeof(pe::Exports)};
  const auto note_size = static_cast<std::uint32_t>(note.size());
  const auto data_size = static_cast<std::uint32_t>(data.size());
  file.section(0) = {{'.', 't', 'e', 'n', 'o', 'n'},
                     note_size,
                     headers,
                     note_size,
                     headers,
                     0,
                     0,
                     0,
                     0,
                     pe::readable};
  file.section(1) = {{'.', 'd'}, data_size, exports, data_size, exports, 0, 0, 0, 0, pe::readable};
  return file.bytes();
}

TEST(Dll, MayHaveOverlappingHeaders) {
  EXPECT_EQ(Victim(tiny_module(pe::optional_64)).shallow(), "ok");
  EXPECT_EQ(Victim(tiny_module(pe::optional_64)).deep(), "ok");
}

TEST(Dll, MayHave32Bits) {
  const Bytes bytes = tiny_module(pe::optional_32);
  EXPECT_EQ(Victim(bytes).shallow(), "ok");
  MemorySource source("x.dll", bytes);
  EXPECT_EQ(PeFile::open(source).value().machine(), "x86 (32-bit)");
  EXPECT_EQ(text_of(read_module_image(bytes, "x.dll").error()),
            "wrong-architecture: a file for Windows on x86 (32-bit)");
}

TEST(Dll, WithSmallSectionsIsMappedAsItIs) {
  Victim victim(tiny_module(pe::optional_64));
  victim.section(1).address += 4;
  victim.image().image_size += 4;
  EXPECT_EQ(victim.shallow(),
            "broken-file: sections smaller than a page that are not where they are in the file");
}

// -- The manifest --

TEST(Dll, RefusesDamagedNotes) {
  NEEDS_DLL("good");
  const auto damaged = [](const std::function<void(ManifestNote&)>& damage) {
    return shallow([&](Victim& v) { damage(v.at<ManifestNote>(v.section(".tenon").offset)); });
  };
  EXPECT_EQ(damaged([](ManifestNote& n) { n.name_size = 7; }),
            "broken-manifest: a note with another name or type");
  EXPECT_EQ(damaged([](ManifestNote& n) { n.type = 2; }),
            "broken-manifest: a note with another name or type");
  EXPECT_EQ(damaged([](ManifestNote& n) { n.name[4] = 'm'; }),
            "broken-manifest: a note with another name or type");
  EXPECT_EQ(damaged([](ManifestNote& n) { n.text_size = 1; }), "broken-manifest: an empty note");
  EXPECT_EQ(damaged([](ManifestNote& n) { n.text_size = 100000; }),
            "broken-manifest: a note larger than its section");
  EXPECT_EQ(damaged([](ManifestNote& n) { n.text_size = ~0U; }),
            "broken-manifest: a note of more than 1 MiB");
  EXPECT_EQ(damaged([](ManifestNote& n) { n.text_size += 8; }),
            "broken-manifest: a text whose terminator is missing or not at its end");
  EXPECT_EQ(damaged([](ManifestNote& n) { n = {}; }).substr(0, 15), "broken-manifest")
      << "the rest is no note";
}

TEST(Dll, RefusesOtherSectionsForNotes) {
  NEEDS_DLL("good");
  EXPECT_EQ(
      shallow([](Victim& v) { v.section(".tenon").name = {'.', 't', 'e', 'n', 'o', 'n', '2'}; }),
      "no-manifest: a shared library without a tenon note");
  EXPECT_EQ(shallow([](Victim& v) {
              v.add_section(Bytes(64));
              v.section(v.header().section_count - 1U).name = v.section(".tenon").name;
            }),
            "two-manifests: more than one tenon note");
  EXPECT_EQ(shallow([](Victim& v) {
              v.section(".tenon").name = {};
              v.add_section(Bytes(2 << 20));
              v.section(v.header().section_count - 1U).name = {'.', 't', 'e', 'n', 'o', 'n'};
            }),
            "broken-manifest: a section of more than 1 MiB");
}

TEST(Dll, SkipsPaddingBeforeItsNote) {
  NEEDS_DLL("good");
  Victim victim;
  const auto notes = victim.section(".tenon");
  Bytes padded(64);
  const auto begin = victim.bytes().begin() + notes.offset;
  padded.insert(padded.end(), begin, begin + notes.memory_size);
  victim.section(".tenon").name = {};
  victim.add_section(padded);
  victim.section(victim.header().section_count - 1U).name = notes.name;
  EXPECT_EQ(victim.shallow(), "ok");
}

// -- Tables --

TEST(Dll, RefusesDamagedExports) {
  NEEDS_DLL("good");
  const auto damaged = [](const std::function<void(pe::Exports&)>& damage) {
    Victim victim;
    damage(victim.at_address<pe::Exports>(victim.directory(pe::exports).address));
    const std::string shallow = victim.shallow();
    return shallow == "ok" ? victim.deep() : shallow;
  };
  EXPECT_EQ(damaged([](pe::Exports& e) { e.names = ~0U; }),
            "broken-file: the names of exports outside of the sections");
  EXPECT_EQ(damaged([](pe::Exports& e) { e.numbers = ~0U; }),
            "broken-file: the numbers of exports outside of the sections");
  EXPECT_EQ(damaged([](pe::Exports& e) { e.functions = ~0U; }),
            "broken-file: the addresses of exports outside of the sections");
  EXPECT_EQ(damaged([](pe::Exports& e) { e.function_count = 0; }),
            "broken-file: an export that has no address");
  EXPECT_EQ(damaged([](pe::Exports& e) { e.function_count = ~0U; }),
            "broken-file: the addresses of exports outside of the sections");
  EXPECT_EQ(damaged([](pe::Exports& e) { e.name_count = 0; }),
            "no-module-object: no exported object tenon_module_v1");
  EXPECT_EQ(shallow([](Victim& v) { v.directory(pe::exports) = {}; }),
            "no-module-object: no exported object tenon_module_v1");
  EXPECT_EQ(shallow([](Victim& v) { v.directory(pe::exports).address = ~0U; }),
            "broken-file: the table of exports outside of the sections");
  EXPECT_EQ(shallow([](Victim& v) {
              const auto table = v.at_address<pe::Exports>(v.directory(pe::exports).address);
              v.at_address<std::uint32_t>(table.functions) = v.image().image_size;
            }),
            "broken-file: an export outside of the sections");
}

TEST(Dll, FindsExportsAmongMany) {
  NEEDS_DLL("good");
  Victim victim;
  // Names a00 to a98 in order, of which each second one is exported.
  const std::uint32_t address = victim.image().image_size;
  Bytes content(4096);
  const std::uint32_t tables = address + sizeof(pe::Exports);
  const std::uint32_t count = 50;
  const auto put = [&](std::uint64_t at, const auto& value) {
    std::memcpy(content.data() + (at - address), &value, sizeof value);
  };
  put(address,
      pe::Exports{0, 0, 0, 0, 1, count, count, tables, tables + 4 * count, tables + 8 * count});
  const std::uint32_t names = tables + 10 * count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::array<char, 4> name{'a', static_cast<char>('0' + 2 * i / 10),
                                   static_cast<char>('0' + 2 * i % 10), '\0'};
    put(tables + 4 * i, std::uint32_t{0x1000 + i});
    put(tables + 4 * (count + i), std::uint32_t{names + 4 * i});
    put(tables + 8 * count + 2 * i, static_cast<std::uint16_t>(count - 1 - i));
    put(names + 4 * i, name);
  }
  victim.add_section(content);
  victim.directory(pe::exports) = {address, 4096};
  MemorySource source("x.dll", victim.bytes());
  const PeFile file = PeFile::open(source).value();
  for (std::uint32_t i = 0; i < 2 * count; ++i) {
    const std::string name{'a', static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
    const auto object = file.find_object(name).value();
    ASSERT_EQ(object.has_value(), i % 2 == 0) << name;
    if (object) {
      EXPECT_EQ(object->address, 0x1000 + count - 1 - i / 2) << name;
    }
  }
}

TEST(Dll, RefusesDamagedImports) {
  NEEDS_DLL("good");
  const auto damaged = [](const std::function<void(pe::Imports&)>& damage) {
    return deep(
        [&](Victim& v) { damage(v.at_address<pe::Imports>(v.directory(pe::imports).address)); });
  };
  EXPECT_EQ(damaged([](pe::Imports& i) { i.library = ~0U; }),
            "broken-file: the name of a library outside of the sections");
  EXPECT_EQ(damaged([](pe::Imports& i) { i.names = ~0U; }),
            "broken-file: the names of imports outside of the sections");
  EXPECT_EQ(damaged([](pe::Imports& i) { i.time = 1; }), "ok") << "bound";
  EXPECT_EQ(damaged([](pe::Imports& i) { i.names = 0; }), "ok") << "as some linkers write them";
  EXPECT_EQ(damaged([](pe::Imports& i) {
              i.names = 0;
              i.time = 1;
            }),
            "broken-file: bound imports without their names");
  EXPECT_EQ(deep([](Victim& v) {
              const auto first = v.at_address<pe::Imports>(v.directory(pe::imports).address);
              v.at_address<std::uint64_t>(first.names) = std::uint64_t{1} << 62;
            }),
            "broken-file: the name of an import outside of the sections");
  EXPECT_EQ(deep([](Victim& v) { v.directory(pe::imports).address = ~0U; }),
            "broken-file: the table of imports outside of the sections");
  EXPECT_EQ(deep([](Victim& v) { v.directory(pe::imports) = {}; }), "ok") << "no imports";
}

TEST(Dll, RefusesAnOldFormatOfDelayedImports) {
  NEEDS_DLL("imports");
  Victim victim("imports");
  victim.at_address<pe::DelayedImports>(victim.directory(pe::delayed_imports).address).flags = 0;
  EXPECT_EQ(victim.deep(), "broken-file: delayed imports in the format of 1998");
}

TEST(Dll, BoundsTheWorkForImports) {
  NEEDS_DLL("good");
  Victim victim;
  // A thousand libraries that share one table of a thousand functions with one long name.
  const std::uint32_t address = victim.image().image_size;
  const std::uint32_t count = 1000;
  const std::uint32_t names = address + count * sizeof(pe::Imports) + sizeof(pe::Imports);
  const std::uint32_t name = names + (count + 1) * 8;
  Bytes content;
  for (std::uint32_t i = 0; i < count; ++i) append(content, pe::Imports{names, 0, 0, name, names});
  append(content, pe::Imports{});
  for (std::uint32_t i = 0; i < count; ++i) append(content, std::uint64_t{name});
  append(content, std::uint64_t{0});
  append_text(content, std::string(5000, 'x'));
  victim.add_section(content);
  victim.directory(pe::imports).address = address;
  EXPECT_EQ(victim.deep(), "broken-file: imports that are together longer than the file");
}

TEST(Dll, RefusesTextsWithoutAnEnd) {
  NEEDS_DLL("good");
  for (const std::size_t size : {4096, 200000}) {
    Victim victim;
    const std::uint32_t address = victim.add_section(Bytes(size / 4096 * 4096, std::byte{'x'}));
    victim.at_address<pe::Imports>(victim.directory(pe::imports).address).library = address;
    EXPECT_EQ(victim.deep(), "broken-file: the name of a library without an end");
  }
}

TEST(Dll, RefusesDamagedThreadCallbacks) {
  NEEDS_DLL("good");
  const auto damaged = [](const std::function<void(Victim&, std::uint64_t&)>& damage) {
    return deep([&](Victim& v) {
      const auto table = v.directory(pe::thread_local_storage).address;
      damage(v, v.at_address<std::uint64_t>(table + 24));
    });
  };
  EXPECT_EQ(damaged([](Victim&, std::uint64_t& list) { list = 0; }), "ok") << "none";
  EXPECT_EQ(damaged([](Victim&, std::uint64_t& list) { list = 16; }),
            "broken-file: the thread callbacks outside of the sections");
  EXPECT_EQ(damaged([](Victim& v, std::uint64_t& list) {
              v.at_address<std::uint64_t>(list - v.base()) = v.base() + v.section(".data").address;
            }),
            "broken-file: a thread callback outside of the code");
  EXPECT_EQ(deep([](Victim& v) {
              Bytes content;
              const auto code = v.base() + v.section(".text").address;
              for (int i = 0; i < 1025; ++i) append(content, code);
              const auto table = v.directory(pe::thread_local_storage).address;
              const std::uint64_t list = v.base() + v.add_section(content);
              v.at_address<std::uint64_t>(table + 24) = list;
            }),
            "broken-file: more than 1024 thread callbacks");
}

TEST(Dll, RefusesDamagedRelocations) {
  NEEDS_DLL("good");
  const auto damaged = [](const std::function<void(pe::RelocationBlock&)>& damage) {
    return deep([&](Victim& v) {
      damage(v.at_address<pe::RelocationBlock>(v.directory(pe::relocations).address));
    });
  };
  EXPECT_EQ(damaged([](pe::RelocationBlock& b) { b.size = 0; }),
            "broken-file: a block of relocations with a wrong size");
  EXPECT_EQ(damaged([](pe::RelocationBlock& b) { b.size = ~0U; }),
            "broken-file: a block of relocations with a wrong size");
  EXPECT_EQ(damaged([](pe::RelocationBlock& b) { b.address = ~0U; }),
            "broken-file: a relocated pointer outside of the sections");
  EXPECT_EQ(deep([](Victim& v) { v.directory(pe::relocations).size = ~0U; }).substr(0, 11),
            "broken-file");
  EXPECT_EQ(deep([](Victim& v) { v.directory(pe::relocations) = {}; }), "ok") << "none";
}

TEST(Dll, SurvivesRandomDamage) {
  std::mt19937 random(7);
  for (const std::string name : {"good", "imports"}) {
    NEEDS_DLL(name);
    const Bytes whole = bytes_of(dll(name));
    for (int round = 0; round < 3000; ++round) {
      Victim victim(whole);
      const std::size_t damages = 1 + random() % 4;
      for (std::size_t i = 0; i < damages; ++i) {
        // Most headers and tables are in the first part.
        const std::size_t end = random() % 2 == 0 ? 1024 : whole.size();
        victim.bytes()[random() % end] = static_cast<std::byte>(random());
      }
      EXPECT_FALSE(victim.shallow().empty());
      EXPECT_FALSE(victim.deep().empty());
    }
  }
}

}}  // namespace tenon::detail
