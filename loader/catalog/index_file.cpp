// SPDX-License-Identifier: BSL-1.0
//
// A false index must not harm a host, so all offsets and counts are checked, even though damage
// changes the checksum.
#include "catalog/index_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/checksum.hpp"
#include "platform/machine.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr std::array<char, 8> magic = {'t', 'e', 'n', 'o', 'n', 'i', 'd', 'x'};
constexpr std::uint32_t format = 1;
/// The version of the library. Files of another one are not read: it may judge manifests
/// differently. A test compares it with that of meson.build.
constexpr std::string_view writer = "0.1.0";

/// A text: its offset in the file, and its size.
struct Text {
  std::uint32_t offset;
  std::uint32_t size;
};

struct Header {
  std::array<char, 8> magic;
  std::uint32_t format;
  std::uint32_t machine;   // e_machine of ELF
  std::uint64_t size;      // of the file
  std::uint64_t checksum;  // of what follows
  Text app;
  Text writer;
  std::uint32_t directories;
  std::uint32_t files;
  std::uint32_t requirements;
  std::uint32_t reserved;
};
static_assert(sizeof(Header) == 64);
constexpr std::size_t summed_from = offsetof(Header, app);

struct StoredDirectory {
  Text path;
  std::uint32_t first;
  std::uint32_t count;
};
static_assert(sizeof(StoredDirectory) == 16);

struct StoredFile {
  std::uint64_t device;
  std::uint64_t inode;
  std::uint64_t size;
  std::int64_t modified;
  std::int64_t changed;
  Text name;
  Text manifest;
};
static_assert(sizeof(StoredFile) == 56);

static_assert(std::endian::native == std::endian::little, "index.md states the byte order");

template <class T>
T at(std::string_view content, std::size_t offset) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, content.data() + offset, sizeof value);
  return value;
}

bool is_inside(std::string_view content, const Text& text) noexcept {
  return text.offset <= content.size() && text.size <= content.size() - text.offset;
}

/// REQUIRED: it is inside.
std::string_view text_at(std::string_view content, const Text& text) noexcept {
  return content.substr(text.offset, text.size);
}

std::string_view text_of(const std::vector<std::byte>& content) noexcept {
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

std::uint64_t checksum_of(std::string_view content) noexcept {
  return checksum(content.substr(summed_from));
}

template <class T>
void append(std::string& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_text(std::string& bytes, std::string_view text) {
  append(bytes, static_cast<std::uint32_t>(text.size()));
  bytes.append(text);
}

/// Reads the encoded manifest of an entry. After a failure all values are empty.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) noexcept : bytes_(bytes) {}

  bool failed() const noexcept { return failed_; }
  bool at_end() const noexcept { return bytes_.empty(); }

  template <class T>
  T take() noexcept {
    if (bytes_.size() < sizeof(T)) return fail<T>();
    const T value = at<T>(bytes_, 0);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view take_text() noexcept {
    const auto size = take<std::uint32_t>();
    if (size > bytes_.size()) return fail<std::string_view>();
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }
  /// Takes the number of elements that follow, each of at least `least` bytes.
  std::size_t take_count(std::size_t least) noexcept {
    const auto count = take<std::uint32_t>();
    return count <= bytes_.size() / least ? count : fail<std::size_t>();
  }

 private:
  template <class T>
  T fail() noexcept {
    failed_ = true;
    bytes_ = {};
    return T();
  }

  std::string_view bytes_;
  bool failed_ = false;
};

/// Takes the value of a text that was empty, as most are. Making a text is faster than assigning to
/// one.
void take_text(Decoder& from, std::string& text) {
  if (const std::string_view taken = from.take_text(); !taken.empty()) text = std::string(taken);
}

void take_provides(Decoder& from, Manifest& manifest) {
  std::size_t count = from.take_count(20);
  for (manifest.provides.reserve(count); count > 0; --count) {
    Provided& plugin = manifest.provides.emplace_back();
    take_text(from, plugin.kind);
    take_text(from, plugin.name);
    plugin.version = from.take<std::int32_t>();
    plugin.fingerprint = from.take<std::uint64_t>();
  }
}

/// Returns whether all numbers of requirements are among the known ones.
bool take_requirements(Decoder& from, std::span<const Requirement> known, Manifest& manifest) {
  const std::size_t count = from.take_count(8);
  if (count == 0) return true;
  manifest.requirements.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::string name(from.take_text());
    const auto number = from.take<std::uint32_t>();
    if (number >= known.size()) return false;
    manifest.requirements.push_back({.name = std::move(name), .versions = known[number]});
  }
  manifest.requirements.sort();
  return true;
}

void take_properties(Decoder& from, Manifest& manifest) {
  for (std::size_t plugins = from.take_count(8); plugins > 0; --plugins) {
    Texts& texts = manifest.properties[std::string(from.take_text())];
    for (std::size_t count = from.take_count(8); count > 0; --count) {
      const std::string_view key = from.take_text();
      texts.emplace_hint(texts.end(), key, from.take_text());
    }
  }
}

void take_state(Decoder& from, Manifest& manifest) {
  if (from.take<std::uint32_t>() == 0) return;
  StateVersions state;
  state.type = from.take_text();
  state.writes = from.take<std::int32_t>();
  state.reads.resize(from.take_count(sizeof state.reads[0]));
  for (std::int32_t& version : state.reads) version = from.take<std::int32_t>();
  manifest.state = std::move(state);
}

bool has_versions(const Manifest& manifest) {
  return !manifest.provides.empty() &&
         std::ranges::all_of(manifest.provides,
                             [](const Provided& plugin) { return plugin.version > 0; });
}

}  // namespace

IndexFile::Entry IndexFile::Directory::entry(std::size_t i) const noexcept {
  const auto file = at<StoredFile>(content_, first_ + i * sizeof(StoredFile));
  return {.name = text_at(content_, file.name),
          .identity = {.device = file.device,
                       .inode = file.inode,
                       .size = file.size,
                       .modified = file.modified,
                       .changed = file.changed},
          .manifest = text_at(content_, file.manifest)};
}

std::size_t IndexFile::Directory::find(std::string_view name, std::size_t expected) const noexcept {
  const auto name_of = [this](std::size_t i) {
    const std::size_t offset = first_ + i * sizeof(StoredFile) + offsetof(StoredFile, name);
    return text_at(content_, at<Text>(content_, offset));
  };
  if (expected < count_ && name_of(expected) == name) return expected;
  std::size_t begin = 0;
  for (std::size_t end = count_; begin < end;) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (name_of(middle) < name) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin < count_ && name_of(begin) == name ? begin : count_;
}

std::unique_ptr<const IndexFile> IndexFile::read(std::vector<std::byte> content,
                                                 std::string_view app) {
  std::unique_ptr<IndexFile> index(new IndexFile);
  index->content_ = std::move(content);
  if (!index->read_tables(app)) return nullptr;
  return index;
}

bool IndexFile::read_tables(std::string_view app) {
  const std::string_view content = text_of(content_);
  if (content.size() < sizeof(Header) || content.size() > max_index_size) return false;
  const auto header = at<Header>(content, 0);
  if (header.magic != magic || header.format != format ||
      header.machine != platform::host_machine || header.size != content.size() ||
      header.checksum != checksum_of(content))
    return false;
  if (!is_inside(content, header.app) || text_at(content, header.app) != app ||
      !is_inside(content, header.writer) || text_at(content, header.writer) != writer)
    return false;
  const std::uint64_t end_of_tables = sizeof(Header) +
                                      std::uint64_t{header.directories} * sizeof(StoredDirectory) +
                                      std::uint64_t{header.files} * sizeof(StoredFile) +
                                      std::uint64_t{header.requirements} * sizeof(Text);
  if (end_of_tables > content.size()) return false;
  const std::size_t files = sizeof(Header) + header.directories * sizeof(StoredDirectory);
  for (std::size_t i = 0; i < header.directories; ++i) {
    const auto stored = at<StoredDirectory>(content, sizeof(Header) + i * sizeof(StoredDirectory));
    if (!is_inside(content, stored.path) || stored.first > header.files ||
        stored.count > header.files - stored.first)
      return false;
    Directory& directory = directories_.emplace_back();
    directory.path_ = text_at(content, stored.path);
    directory.content_ = content;
    directory.first_ = files + stored.first * sizeof(StoredFile);
    directory.count_ = stored.count;
  }
  for (std::size_t i = 0; i < header.files; ++i) {
    const auto file = at<StoredFile>(content, files + i * sizeof(StoredFile));
    if (!is_inside(content, file.name) || !is_inside(content, file.manifest)) return false;
  }
  const std::size_t requirements = files + header.files * sizeof(StoredFile);
  requirements_.reserve(header.requirements);
  for (std::size_t i = 0; i < header.requirements; ++i) {
    const auto text = at<Text>(content, requirements + i * sizeof(Text));
    if (!is_inside(content, text)) return false;
    auto requirement = Requirement::parse(text_at(content, text));
    if (!requirement) return false;
    requirements_.push_back(std::move(*requirement));
  }
  return true;
}

const IndexFile::Directory* IndexFile::find(std::string_view path) const noexcept {
  const auto found = std::ranges::find(directories_, path, &Directory::path);
  return found != directories_.end() ? &*found : nullptr;
}

std::shared_ptr<Manifest> IndexFile::decode(const Entry& entry) const {
  Decoder from(entry.manifest);
  auto manifest = std::make_shared<Manifest>();
  manifest->abi.major = from.take<std::uint16_t>();
  manifest->abi.minor = from.take<std::uint16_t>();
  take_text(from, manifest->name);
  manifest->version.major = from.take<std::uint64_t>();
  manifest->version.minor = from.take<std::uint64_t>();
  manifest->version.patch = from.take<std::uint64_t>();
  take_text(from, manifest->version.prerelease);
  take_text(from, manifest->version.build);
  take_provides(from, *manifest);
  for (std::string* text : {&manifest->summary, &manifest->description, &manifest->author,
                            &manifest->license, &manifest->homepage}) {
    take_text(from, *text);
  }
  if (!take_requirements(from, requirements_, *manifest)) return nullptr;
  take_properties(from, *manifest);
  take_state(from, *manifest);
  manifest->unload.joins_threads = from.take<std::uint8_t>() != 0;
  manifest->unload.handled.resize(from.take_count(4));
  for (std::string& library : manifest->unload.handled) library = from.take_text();
  if (from.failed() || !from.at_end() || !has_versions(*manifest)) return nullptr;
  return manifest;
}

void IndexWriter::begin_directory(std::string_view path) {
  directories_.push_back({std::string(path), {}});
  size_ += sizeof(StoredDirectory) + path.size();
}

void IndexWriter::add(std::string_view name, const platform::FileIdentity& identity,
                      const Manifest* manifest) {
  std::vector<File>& files = directories_.back().files;
  files.push_back({std::string(name), identity, manifest != nullptr ? encode(*manifest) : ""});
  size_ += sizeof(StoredFile) + name.size() + files.back().manifest.size();
}

std::size_t IndexWriter::size() const noexcept {
  return sizeof(Header) + size_;
}

std::string IndexWriter::encode(const Manifest& manifest) {
  std::string bytes;
  const auto count = [&bytes](const auto& list) {
    append(bytes, static_cast<std::uint32_t>(list.size()));
  };
  append(bytes, manifest.abi.major);
  append(bytes, manifest.abi.minor);
  append_text(bytes, manifest.name);
  append(bytes, manifest.version.major);
  append(bytes, manifest.version.minor);
  append(bytes, manifest.version.patch);
  append_text(bytes, manifest.version.prerelease);
  append_text(bytes, manifest.version.build);
  count(manifest.provides);
  for (const Provided& plugin : manifest.provides) {
    append_text(bytes, plugin.kind);
    append_text(bytes, plugin.name);
    append(bytes, plugin.version);
    append(bytes, plugin.fingerprint);
  }
  for (const std::string* text : {&manifest.summary, &manifest.description, &manifest.author,
                                  &manifest.license, &manifest.homepage}) {
    append_text(bytes, *text);
  }
  count(manifest.requirements);
  for (const Dependency& required : manifest.requirements) {
    const std::string text = required.versions.to_string();
    const auto fresh = static_cast<std::uint32_t>(requirements_.size());
    const auto [number, is_new] = requirements_.try_emplace(text, fresh);
    if (is_new) size_ += sizeof(Text) + text.size();
    append_text(bytes, required.name);
    append(bytes, number->second);
  }
  count(manifest.properties);
  for (const auto& [plugin, texts] : manifest.properties) {
    append_text(bytes, plugin);
    count(texts);
    for (const auto& [key, value] : texts) {
      append_text(bytes, key);
      append_text(bytes, value);
    }
  }
  append(bytes, std::uint32_t{manifest.state ? 1U : 0U});
  if (manifest.state) {
    append_text(bytes, manifest.state->type);
    append(bytes, manifest.state->writes);
    count(manifest.state->reads);
    for (const std::int32_t version : manifest.state->reads) append(bytes, version);
  }
  append(bytes, std::uint8_t{manifest.unload.joins_threads ? std::uint8_t{1} : std::uint8_t{0}});
  count(manifest.unload.handled);
  for (const std::string& library : manifest.unload.handled) append_text(bytes, library);
  return bytes;
}

std::string IndexWriter::finish(std::string_view app) {
  std::size_t files = 0;
  for (Directory& directory : directories_) {
    files += directory.files.size();
    if (!std::ranges::is_sorted(directory.files, {}, &File::name))
      std::ranges::sort(directory.files, {}, &File::name);
  }
  std::string tables;
  std::string texts;
  const std::size_t begin = sizeof(Header) + directories_.size() * sizeof(StoredDirectory) +
                            files * sizeof(StoredFile) + requirements_.size() * sizeof(Text);
  texts.reserve(size_);
  const auto add_text = [&](std::string_view text) {
    const Text stored{static_cast<std::uint32_t>(begin + texts.size()),
                      static_cast<std::uint32_t>(text.size())};
    texts.append(text);
    return stored;
  };
  Header header{.magic = magic,
                .format = format,
                .machine = platform::host_machine,
                .size = 0,
                .checksum = 0,
                .app = add_text(app),
                .writer = add_text(writer),
                .directories = static_cast<std::uint32_t>(directories_.size()),
                .files = static_cast<std::uint32_t>(files),
                .requirements = static_cast<std::uint32_t>(requirements_.size()),
                .reserved = 0};
  std::uint32_t first = 0;
  for (const Directory& directory : directories_) {
    const auto count = static_cast<std::uint32_t>(directory.files.size());
    append(tables, StoredDirectory{add_text(directory.path), first, count});
    first += count;
  }
  for (const Directory& directory : directories_) {
    for (const File& file : directory.files) {
      const auto& [device, inode, size, modified, changed] = file.identity;
      append(tables, StoredFile{device, inode, size, modified, changed, add_text(file.name),
                                add_text(file.manifest)});
    }
  }
  std::vector<std::string_view> by_number(requirements_.size());
  for (const auto& [text, number] : requirements_) by_number[number] = text;
  for (const std::string_view text : by_number) append(tables, add_text(text));

  std::string content;
  content.reserve(begin + texts.size());
  append(content, header);
  content.append(tables).append(texts);
  header.size = content.size();
  header.checksum = checksum_of(content);
  std::memcpy(content.data(), &header, sizeof header);
  return content;
}

}}}  // namespace tenon::v0_1::detail
