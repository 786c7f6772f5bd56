// SPDX-License-Identifier: BSL-1.0
#include "module/image.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "module/log.hpp"
#include "platform/file.hpp"

namespace tenon::detail {

namespace {

namespace fs = std::filesystem;

constexpr const char* entry_symbol = "tenon_module_v1";

/// Numbers of loaded files, which make their names unique in this process.
std::uint64_t take_numbers(std::size_t count) {
  static std::atomic<std::uint64_t> next = 1;
  return next.fetch_add(count);
}

Error no_neighbours(const fs::path& module, const fs::path& library) {
  return Error({.code = "load-failed",
                .where = module.string(),
                .found = library.filename().string() +
                         " beside it, and no folder for temporary files that may be executed from",
                .needed = "a folder in which a copy of the module has copies of its libraries",
                .fix = "set TMPDIR to a folder that is not mounted noexec"});
}

}  // namespace

bool PrivateCopy::is_mapped() const {
  return std::any_of(paths.begin(), paths.end(),
                     [](const fs::path& path) { return !platform::ImageMap::of(path).empty(); });
}

void PrivateCopy::remove() noexcept {
  if (memory) return memory.reset();
  for (const fs::path& path : paths) static_cast<void>(platform::remove(path));
}

ImageFolder::~ImageFolder() {
  sweep();
  for (auto* left : {&lingering_, &retired_}) {
    for (PrivateCopy& copy : *left) {
      if (copy.memory) copy.memory->keep();
    }
  }
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<void> ImageFolder::make_folder() {
  if (!folder_.empty()) return {};
  std::error_code none;
  auto made =
      platform::create_private_folder(fs::absolute(fs::temp_directory_path(none), none), "tenon-");
  if (!made) return std::move(made).error();
  folder_ = std::move(*made);
  if (!platform::may_execute(folder_)) place_ = Place::memory;
  return {};
}

Result<PrivateCopy> ImageFolder::copy(Bundle bundle) {
  std::unique_lock lock(mutex_);
  if (place_ == Place::folder) {
    if (auto made = make_folder(); !made) return std::move(made).error();
  }
  const bool in_memory = place_ == Place::memory;
  const std::string name = bundle[0].path.stem().string() + ".g" + std::to_string(++count_) + ".so";
  lock.unlock();
  return in_memory ? copy_to_memory(bundle, name) : copy_to_folder(bundle, name);
}

Result<PrivateCopy> ImageFolder::copy_to_folder(Bundle& bundle, const std::string& name) const {
  auto names = make_private(bundle, take_numbers(bundle.size()));
  if (!names) return std::move(names).error();
  names->front().insert(names->front().begin(), name);
  PrivateCopy copy{.name = name, .paths = {}, .memory = std::nullopt};
  for (std::size_t i = 0; i < bundle.size(); i++) {
    const fs::path first = folder_ / (*names)[i].front();
    auto written = platform::create_file(first, bundle[i].content);
    for (const std::string& each : (*names)[i]) {
      copy.paths.push_back(folder_ / each);
      if (!written || copy.paths.back() == first) continue;
      written = platform::link_file(first, copy.paths.back());
    }
    if (!written) {
      copy.remove();
      return std::move(written).error();
    }
  }
  return copy;
}

Result<PrivateCopy> ImageFolder::copy_to_memory(Bundle& bundle, const std::string& name) {
  if (bundle.size() > 1) return no_neighbours(bundle[0].path, bundle[1].path);
  if (auto names = make_private(bundle, take_numbers(1)); !names) return std::move(names).error();
  auto memory = platform::MemoryFile::create(name, bundle[0].content);
  if (!memory) return std::move(memory).error();
  PrivateCopy copy{.name = name, .paths = {memory->path()}, .memory = std::nullopt};
  copy.memory = std::move(*memory);
  return copy;
}

bool ImageFolder::leave(PrivateCopy copy, bool retired) noexcept {
  // The system answers "unloaded" whatever happened; what is still mapped says the truth.
  if (!copy.is_mapped()) {
    copy.remove();
    return true;
  }
  std::lock_guard lock(mutex_);
  (retired ? retired_ : lingering_).push_back(std::move(copy));
  return false;
}

std::size_t ImageFolder::sweep() noexcept {
  // Outside of the lock: images run code when they go.
  std::vector<PrivateCopy> looked_at;
  {
    std::lock_guard lock(mutex_);
    looked_at.swap(lingering_);
    under_sweep_ += looked_at.size();
  }
  const std::size_t count = looked_at.size();
  std::erase_if(looked_at, [](PrivateCopy& copy) {
    for (const fs::path& path : copy.paths) platform::release_image(path);
    if (copy.is_mapped()) return false;
    copy.remove();
    return true;
  });
  std::lock_guard lock(mutex_);
  under_sweep_ -= count;
  std::move(looked_at.begin(), looked_at.end(), std::back_inserter(lingering_));
  return count - looked_at.size();
}

std::size_t ImageFolder::lingering() const noexcept {
  std::lock_guard lock(mutex_);
  return lingering_.size() + under_sweep_;
}

std::size_t ImageFolder::retired() const noexcept {
  std::lock_guard lock(mutex_);
  return retired_.size();
}

Result<Image> Image::load(std::shared_ptr<ImageFolder> folder, std::vector<std::byte> content,
                          const fs::path& file, bool joins_threads) {
  auto bundle = read_bundle(std::move(content), file);
  if (!bundle) return std::move(bundle).error();
  Image image;
  image.reload_ = reload_of(*bundle, joins_threads);
  auto copy = folder->copy(std::move(*bundle));
  if (!copy) return std::move(copy).error();
  image.copy_ = std::move(*copy);
  image.folder_ = std::move(folder);

  const fs::path& path = image.copy_.paths.front();
  boost::dll::fs::error_code failed;
  image.library_.load(path, boost::dll::load_mode::rtld_now, failed);
  if (failed) {
    return Error({.code = "load-failed",
                  .where = file.string(),
                  .found = platform::last_load_error(),
                  .needed = "a library whose dependencies and symbols are all found",
                  .fix = "install what is missing, or link it into the plugin"});
  }
  image.map_ = platform::ImageMap::of(path);
  if (!image.library_.has(entry_symbol)) {
    return Error({.code = "no-entry",
                  .where = file.string(),
                  .found = "no exported object tenon_module_v1",
                  .needed = "the object that the TENON_MODULE or TENON_PLUGIN macro makes",
                  .fix = "build the plugin with the macro, and export the object"});
  }
  image.module_ = &image.library_.get<const tenon_module>(entry_symbol);
  return image;
}

Image::~Image() {
  end();
}

bool Image::end() noexcept {
  if (folder_ == nullptr) return true;
  if (reload_.stays_mapped) platform::pin_image(copy_.paths.front());
  library_.unload();
  const auto folder = std::exchange(folder_, nullptr);
  return folder->leave(std::move(copy_), reload_.stays_mapped);
}

}  // namespace tenon::detail
