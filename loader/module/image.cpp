// SPDX-License-Identifier: BSL-1.0
#include "module/image.hpp"

#include <string>
#include <utility>

#include "module/log.hpp"
#include "platform/file.hpp"

namespace tenon::detail {

namespace {
constexpr const char* entry_symbol = "tenon_module_v1";
}

ImageFolder::~ImageFolder() {
  if (!folder_.empty()) static_cast<void>(platform::remove(folder_));
}

Result<std::filesystem::path> ImageFolder::new_path(std::string_view stem) {
  std::lock_guard lock(mutex_);
  if (folder_.empty()) {
    std::error_code none;
    auto made =
        platform::create_private_folder(std::filesystem::temp_directory_path(none), "tenon-");
    if (!made) return std::move(made).error();
    folder_ = std::move(*made);
  }
  return folder_ / (std::string(stem) + ".g" + std::to_string(++count_) + ".so");
}

Result<Image> Image::load(ImageFolder& folder, std::span<const std::byte> content,
                          const std::filesystem::path& file) {
  auto path = folder.new_path(file.stem().string());
  if (!path) return std::move(path).error();
  if (auto written = platform::create_file(*path, content); !written) {
    return std::move(written).error();
  }
  Image image;
  image.copy_ = std::move(*path);
  boost::dll::fs::error_code failed;
  image.library_.load(image.copy_, boost::dll::load_mode::rtld_now, failed);
  if (failed) {
    return Error({.code = "load-failed",
                  .where = file.string(),
                  .found = platform::last_load_error(),
                  .needed = "a library whose dependencies and symbols are all found",
                  .fix = "install what is missing, or link it into the plugin"});
  }
  image.map_ = platform::ImageMap::of(image.copy_);
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

Image::Image(Image&& other) noexcept
    : copy_(std::exchange(other.copy_, {})),
      library_(std::move(other.library_)),
      map_(std::move(other.map_)),
      module_(other.module_) {}

Image::~Image() {
  if (copy_.empty()) return;
  library_.unload();
  // The system answers "unloaded" whatever happened; what is still mapped says the truth.
  if (!platform::ImageMap::of(copy_).empty()) {
    log_warning("the code of " + copy_.filename().string() +
                " cannot be unloaded and stays mapped");
  }
  static_cast<void>(platform::remove(copy_));
}

}  // namespace tenon::detail
