// SPDX-License-Identifier: BSL-1.0
//
// tenon/supervisor.hpp: calls of plugins with a deadline after which the caller continues, even if
// the plugin hangs:
//
//   tenon::Supervisor supervisor(host);
//   auto blur = supervisor.create<photo::Filter>("me.example/blur", 10s).value();
//   auto name = blur.call("title", 1s, [](photo::Filter& filter, tenon::Call& call) {
//     return filter.title();
//   });
#pragma once

#include <tenon/call_thread.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/host.hpp>
#include <tenon/mutex.hpp>
#include <tenon/result.hpp>
#include <tenon/stream.hpp>
#include <tenon/values.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon { inline namespace v0_1 {

/// The reaction to a call that did not return in time.
enum class Overdue {
  fail,               // return the error
  restart_and_retry,  // restart the module and make the call once more
};

namespace detail {

/// True if a T owns its value: it is no view, buffer, stream or pointer. The members of structs are
/// not checked.
template <class T>
inline constexpr bool is_owned = !std::is_pointer_v<T>;
template <>
inline constexpr bool is_owned<std::string_view> = false;
template <>
inline constexpr bool is_owned<BytesView> = false;
template <>
inline constexpr bool is_owned<Buffer> = false;
template <>
inline constexpr bool is_owned<Reader> = false;
template <>
inline constexpr bool is_owned<Writer> = false;
template <class T>
inline constexpr bool is_owned<ListView<T>> = false;
template <class T>
inline constexpr bool is_owned<MapView<T>> = false;
template <class T>
inline constexpr bool is_owned<std::optional<T>> = is_owned<T>;
template <class T>
inline constexpr bool is_owned<std::vector<T>> = is_owned<T>;

}  // namespace detail

template <class K>
class SupervisedHandle;

/// Runs functions of plugins on threads of their own. A function that does not return in time is
/// abandoned together with its thread: the caller gets an error, and the function may return later
/// or never; its result is then dropped. Each function gets a new thread, which starting and ending
/// costs some 50 us. Thread-safe.
///
/// The host must outlive the Supervisor and its handles, and the Supervisor its handles. Abandoned
/// functions may outlive all of them, and keep the modules of the host alive. They may run while
/// the process exits, so a program with abandoned functions should end with std::_Exit. In a forked
/// child, every function returns the error `host-forked`.
class TENON_API Supervisor {
 public:
  explicit Supervisor(Host& host);
  /// REQUIRED: no function of the Supervisor or of a handle is in progress.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Creates an instance like Host::create, which may load its module. `timeout` is the time for
  /// that, and later for the destruction of the instance.
  /// Errors: those of Host::create; call-abandoned (500 ms after the timeout), no-thread,
  /// cancelled; failed-precondition, if configure must run on the main thread.
  template <class K>
  Result<SupervisedHandle<K>> create(std::string_view reference, std::chrono::nanoseconds timeout,
                                     Overdue then = Overdue::fail) {
    return make<K>(reference, std::nullopt, timeout, then);
  }
  template <class K>
  Result<SupervisedHandle<K>> create(std::string_view reference, const TextMap& config,
                                     std::chrono::nanoseconds timeout,
                                     Overdue then = Overdue::fail) {
    return make<K>(reference, config, timeout, then);
  }

  /// Cancels the functions in progress, and refuses others until `resume`: they return the error
  /// `cancelled`. A call that does not return 5 s after it was cancelled is abandoned. Instances
  /// are still destroyed.
  void cancel();
  /// Allows functions again.
  void resume();
  /// Returns whether a function was abandoned. It may have returned since.
  bool has_abandoned() const noexcept { return has_abandoned_; }

 private:
  template <class K>
  friend class SupervisedHandle;

  template <class K>
  Result<SupervisedHandle<K>> make(std::string_view reference, const std::optional<TextMap>& config,
                                   std::chrono::nanoseconds timeout, Overdue then) {
    auto plugin = host_.find<K>(reference);
    if (!plugin) return std::move(plugin).error();
    auto instance = create(K::kind(), *plugin, std::string(reference), config, timeout, then);
    if (!instance) return std::move(instance).error();
    return SupervisedHandle<K>(*this, *std::move(plugin), timeout, Handle<K>(*std::move(instance)));
  }

  template <class R, class Body>
  struct Attempt {
    explicit Attempt(const Body& function) : body(function) {}

    Body body;
    std::optional<R> result{};
  };

  /// Calls `body(call)` on another thread and returns its result.
  template <class R, class Body>
  R supervise(const PluginInfo& plugin, std::string_view function, std::chrono::nanoseconds timeout,
              Overdue then, const Body& body) {
    for (;;) {
      // An abandoned attempt still uses its own body and result.
      const auto attempt = std::make_shared<Attempt<R, Body>>(body);
      auto ran = run(plugin, function, timeout,
                     [attempt](Call& call) { attempt->result.emplace(attempt->body(call)); });
      if (ran) return *std::move(attempt->result);
      if (then == Overdue::fail || ran.error().code() != "call-abandoned") return ran.error();
      if (auto restarted = restart(plugin, ran.error()); !restarted) return restarted.error();
      then = Overdue::fail;
    }
  }

  Result<detail::InstancePtr> create(const Kind& kind, const PluginInfo& plugin,
                                     std::string reference, const std::optional<TextMap>& config,
                                     std::chrono::nanoseconds timeout, Overdue then);
  /// Errors: call-abandoned, no-thread, cancelled, host-forked.
  Result<void> run(const PluginInfo& plugin, std::string_view function,
                   std::chrono::nanoseconds timeout, std::function<void(Call&)> make,
                   bool destroys = false);
  Result<void> restart(const PluginInfo& plugin, const Error& abandoned);
  bool is_cancelled() const TENON_EXCLUDES(mutex_);
  /// Returns why a method cannot be supervised.
  static Result<void> check(const Kind& kind, const PluginInfo& plugin, std::string_view method);
  /// Destroys an instance unless an abandoned call uses it.
  void release(const PluginInfo& plugin, std::chrono::nanoseconds timeout,
               std::shared_ptr<void> instance) noexcept;

  Host& host_;
  const std::shared_ptr<detail::HostCore> core_;
  std::atomic<bool> has_abandoned_ = false;
  mutable sync::Mutex mutex_;  // is locked before the lock of a CallThread
  std::vector<const CallThread*> running_ TENON_GUARDED_BY(mutex_);
  bool cancelled_ TENON_GUARDED_BY(mutex_) = false;
};

/// An instance of a plugin whose functions a Supervisor runs. It may be empty like a Handle.
/// Destroying it destroys the instance on another thread; if that does not return in time, it is
/// logged and abandoned.
template <class K>
class SupervisedHandle {
 public:
  SupervisedHandle() noexcept = default;
  SupervisedHandle(SupervisedHandle&&) noexcept = default;
  SupervisedHandle& operator=(SupervisedHandle&&) noexcept = default;

  /// Returns whether it is not empty.
  explicit operator bool() const noexcept { return instance_ != nullptr; }
  /// Destroys the instance, if there is one.
  void reset() noexcept { instance_.reset(); }

  // REQUIRED for the functions below: the handle is not empty.

  /// Calls `body(K&, Call&)` on another thread and returns its Result. The body calls `method` of
  /// the instance. It is copied for each attempt, must own all that it uses, and its Result must
  /// own its value: the body may still run after this function has returned. The Call has the
  /// deadline; its memory is gone when the body has returned. Exceptions of the body are rethrown.
  /// May be called from the threads from which the method may be called.
  /// Errors: those of the body; call-abandoned, if the body did not return 500 ms after `timeout`,
  /// no-thread, cancelled; failed-precondition, if the method must run on the main thread;
  /// invalid-argument, if K has no such method.
  template <class Body>
  auto call(std::string_view method, std::chrono::nanoseconds timeout, const Body& body,
            Overdue then = Overdue::fail) -> std::invoke_result_t<const Body&, K&, Call&> {
    using R = std::invoke_result_t<const Body&, K&, Call&>;
    static_assert(detail::is_owned<typename R::value_type>,
                  "the result refers to memory of the call: return an owned value");
    if (auto allowed = Supervisor::check(K::kind(), instance_->plugin, method); !allowed) {
      return std::move(allowed).error();
    }
    return instance_->supervisor.template supervise<R>(
        instance_->plugin, method, timeout, then,
        [handle = instance_->handle, body](Call& call) -> R { return body(**handle, call); });
  }

  /// Returns the plugin as it was found when the instance was created.
  const PluginInfo& info() const noexcept { return instance_->plugin; }
  /// Returns the instance, for tasks of a CallThread. It is destroyed with the last reference.
  std::shared_ptr<Handle<K>> share() const noexcept { return instance_->handle; }

 private:
  friend class Supervisor;

  struct Instance {
    Instance(Supervisor& owner, PluginInfo found, std::chrono::nanoseconds limit, Handle<K> created)
        : supervisor(owner),
          plugin(std::move(found)),
          timeout(limit),
          handle(std::make_shared<Handle<K>>(std::move(created))) {}
    ~Instance() { supervisor.release(plugin, timeout, std::move(handle)); }
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    Supervisor& supervisor;
    const PluginInfo plugin;
    const std::chrono::nanoseconds timeout;
    std::shared_ptr<Handle<K>> handle;
  };

  SupervisedHandle(Supervisor& supervisor, PluginInfo plugin, std::chrono::nanoseconds timeout,
                   Handle<K> handle)
      : instance_(std::make_unique<Instance>(supervisor, std::move(plugin), timeout,
                                             std::move(handle))) {}

  std::unique_ptr<Instance> instance_;
};

}}  // namespace tenon::v0_1
