// SPDX-License-Identifier: BSL-1.0
#include "code/object_table.hpp"

#include <algorithm>
#include <utility>

#include "code/generation.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

ObjectTable::ObjectTable(CallTargets& owner, Mutex& mutex, std::shared_ptr<CallCounters> counters)
    : owner_(owner), mutex_(mutex), counters_(std::move(counters)) {
  targets_.push_back(std::make_unique<CallTarget[]>(2 * capacity_));
  owner_.add_targets(targets_.back().get(), 2 * capacity_);
  newest_targets_.store(targets_.back().get());
}

void ObjectTable::insert(std::uint32_t index, PluginObject& object) {
  if (objects_.size() <= index) objects_.resize(index + 1);
  ensure_capacity(index + 1);
  targets_.back()[index] = object.target;
  targets_.back()[capacity_ + index] = {};
  if (counts_calls_) add_counted(index, object);
  object.number = ++inserted_;
  objects_[index] = std::move(object);
}

void ObjectTable::reserve(std::uint32_t index) {
  ensure_capacity(index + 1);
  targets_.back()[index] = targets_.back()[capacity_ + index] = {};
}

PluginObject ObjectTable::extract(std::uint32_t index, bool streams_ended) noexcept {
  PluginObject taken;
  if (plugin_of(index) == nullptr) return taken;
  std::swap(taken, objects_[index]);
  if (!streams_ended) ++taken.uses;
  if (taken.uses != 0) {
    extracted_.push_back(std::move(taken));
    return {};
  }
  return taken;
}

ObjectTable::All ObjectTable::extract_all() noexcept {
  All all;
  const ModuleLock lock(mutex_);
  all.listed.swap(objects_);
  all.extracted.swap(extracted_);
  return all;
}

bool ObjectTable::saves_state(std::uint32_t index) const {
  const ModuleLock lock(mutex_);
  const ValidatedPlugin* plugin = plugin_of(index);
  return plugin != nullptr && plugin->base.save_state != nullptr;
}

bool ObjectTable::restores_state(std::uint32_t index) const {
  const ModuleLock lock(mutex_);
  const ValidatedPlugin* plugin = plugin_of(index);
  return plugin != nullptr && plugin->base.restore_state != nullptr;
}

void ObjectTable::ensure_capacity(std::size_t needed) {
  if (needed <= capacity_) return;
  const std::size_t larger = std::max(2 * capacity_, needed);
  auto grown = std::make_unique<CallTarget[]>(2 * larger);
  const CallTarget* old = targets_.back().get();
  std::copy_n(old, capacity_, grown.get());
  std::copy_n(old + capacity_, capacity_, grown.get() + larger);
  targets_.push_back(std::move(grown));
  const CallTarget* outgrown = counts_calls_ ? old + capacity_ : old;
  capacity_ = larger;
  owner_.add_targets(targets_.back().get(), 2 * larger);
  publish_instead_of(outgrown);
}

void ObjectTable::publish_instead_of(const CallTarget* earlier) noexcept {
  newest_targets_.store(called());
  if (serves_ != nullptr) serves_->replace(earlier, called());
}

/// Objects of kinds that cannot be intercepted are called directly.
void ObjectTable::add_counted(std::uint32_t index, PluginObject& object) {
  CallTarget target = object.target;
  const KindVersion& version = object.used_version();
  if (version.intercepted != nullptr) {
    object.counting = std::make_unique<CountingInterceptor>(
        object.target, counters_->of(object.plugin->name, version));
    target.table = version.intercepted;
    target.self = static_cast<Interceptor*>(object.counting.get());
  }
  targets_.back()[capacity_ + index] = target;
}

void ObjectTable::count_calls(bool on) {
  if (on) counters_->time_next();
  if (counts_calls_ == on) return;
  // Those of objects that were counted before are complete, and calls may still read them.
  for (std::uint32_t index = 0; on && index < objects_.size(); ++index) {
    const bool is_set = targets_.back()[capacity_ + index].generation != nullptr;
    if (objects_[index] && !is_set) add_counted(index, objects_[index]);
  }
  const CallTarget* earlier = called();
  counts_calls_ = on;
  publish_instead_of(earlier);
}

void ObjectTable::serve(CallSwitch& module) noexcept {
  serves_ = &module;
  module.publish(called());
}

// -- Pins ---------------------------------------------------------------------

ObjectRef ObjectTable::pin(std::uint32_t index) {
  const ModuleLock lock(mutex_);
  if (plugin_of(index) == nullptr) return {};
  ++objects_[index].uses;
  return objects_[index];
}

void ObjectTable::unpin(std::uint32_t index, const ObjectRef& object) noexcept {
  if (!object) return;
  PluginObject last;
  {
    const ModuleLock lock(mutex_);
    PluginObject& listed = objects_[index];
    if (listed.number == object.number) {
      --listed.uses;
      return;
    }
    const auto own = std::ranges::find(extracted_, object.number, &PluginObject::number);
    if (--own->uses != 0) return;
    last = std::move(*own);
    extracted_.erase(own);
  }
  last.destroy();
}

ObjectPin::ObjectPin(Generation& generation, std::uint32_t index)
    : guard_(generation), table_(generation.objects()), index_(index), object_(table_.pin(index)) {
  if (object_) guard_.run_plugin(generation.target_of(*object_.plugin));
}

}}}  // namespace tenon::v0_1::detail
