// SPDX-License-Identifier: BSL-1.0
#include "module/module_loader.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "catalog/scan.hpp"
#include "manifest/module_file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Reading is no function of a plugin, but a file system may hang as well.
constexpr std::string_view read_step = "read";

}  // namespace

Result<LoadedCode> ModuleLoader::load_builtin(std::shared_ptr<const Manifest> manifest) {
  auto begun = Generation::begin(std::nullopt, *state_.origin.builtin, *manifest, state_.where,
                                 generation_context());
  if (!begun) return std::move(begun).error();
  return LoadedCode{std::move(*begun), std::move(manifest), {}, nullptr};
}

Result<ModuleLoader::Content> ModuleLoader::read(const std::string& package) const {
  const SupervisedWork::Step step(package, read_step);
  auto file = platform::File::open(state_.origin.file);
  if (!file) return std::move(file).error();
  auto content = file->read_all(max_file_size);
  if (!content) return std::move(content).error();
  if (!file->is_unchanged()) {
    return Error({.code = "file-changed",
                  .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                  .message = "the file was written to while it was read",
                  .where = state_.where});
  }
  return Content{std::move(*content), file->identity(), file->access()};
}

Result<LoadedCode> ModuleLoader::load(Content file, const std::shared_ptr<const Manifest>& before,
                                      bool force) {
  const auto known = [&] {
    const ModuleLock lock(state_.mutex);
    return before == without_text_ ? with_text_ : before;
  }();
  auto read = [&] {
    const SupervisedWork::Step step(before->name, read_step);
    return read_whole_module(std::move(file.bytes), state_.origin.file, *known);
  }();
  if (!read) return std::move(read).error();
  read->bundle[0].access = file.access;
  auto now = before;
  if (read->manifest) {
    set_version_directory(before->version_directory, *read->manifest);
    auto fresh = std::make_shared<const Manifest>(std::move(*read->manifest));
    if (same_manifest(*before, *fresh)) {
      const ModuleLock lock(state_.mutex);
      without_text_ = before;
      with_text_.swap(fresh);
    } else {
      now = std::move(fresh);
    }
  }
  if (now->name != before->name) {
    return Error({.code = "restart-refused",
                  .where = state_.where,
                  .found = "package " + now->name,
                  .needed = "package " + before->name,
                  .fix = "put another package into a file of its own"});
  }
  if (auto loadable = check_loadable(*before, *now, read->bundle); !loadable) {
    return std::move(loadable).error();
  }
  std::unique_ptr<LoadRecord> record;
  if (state_.context->crash_records != nullptr) {
    record = state_.context->crash_records->begin(*now, state_.origin.file, file.identity);
  }
  const LoadRecord::Here here;
  auto image = load_image(std::move(read->bundle), before->name, now->unload, force);
  if (!image) return std::move(image).error();
  const tenon_module& object = image->module();
  auto begun =
      Generation::begin(std::move(*image), object, *now, state_.where, generation_context());
  if (!begun) return std::move(begun).error();
  (*begun)->remember_load(std::move(record));
  std::unique_ptr<CatalogChange> change;
  if (const auto services = state_.context->host.services())
    change = services->prepare(state_.owner, now);
  return LoadedCode{std::move(*begun), std::move(now), file.identity, std::move(change)};
}

/// Checks with the host whether the files may be loaded. Releases the services again, because
/// plugin code that runs next may hang.
Result<void> ModuleLoader::check_loadable(const Manifest& before, const Manifest& fresh,
                                          const Bundle& bundle) {
  const auto services = state_.context->host.services();
  if (services == nullptr) return state_.refused("the host has ended");
  return services->check_loadable(before, fresh, bundle);
}

/// Constructors of the module run inside the dynamic loader, where crashes cannot be contained.
Result<Image> ModuleLoader::load_image(Bundle bundle, const std::string& package,
                                       const UnloadStatement& stated, bool force) {
  lock_order::expect_none();
  auto only = OnlyCopy::make(reload_in_process(bundle, stated), package, force);
  if (!only) return std::move(only).error();
  const SupervisedWork::Step step(package, "load");
  std::optional<Result<Image>> image;
  auto load = [&] {
    image.emplace(
        Image::load(state_.context->images, std::move(bundle), stated, state_.host_state));
  };
  if (state_.context->crash_handlers != nullptr) {
    std::optional<platform::Crash> none;
    platform::call_contained({package, "load", nullptr}, platform::call_body<decltype(load)>, &load,
                             none);
  } else {
    load();
  }
  if (*image) (*image)->is_only_copy(std::move(*only));
  return std::move(*image);
}

GenerationContext ModuleLoader::generation_context() {
  return {.mutex = state_.mutex,
          .file = state_.origin.file,
          .host = state_.context->host,
          .owner = state_.observe(&state_.owner),
          .log = state_.context->log,
          .interception = {state_.context->crash_handlers, state_.context->check_calls,
                           std::filesystem::path(state_.origin.file).filename().string(),
                           state_.host_state},
          .counters = counters_,
          .patience = state_.context->restart.drain_timeout};
}

}}}  // namespace tenon::v0_1::detail
