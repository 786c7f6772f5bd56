// SPDX-License-Identifier: BSL-1.0
#include "code/object_table.hpp"

#include <algorithm>
#include <utility>

#include "code/generation.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

ObjectTable::ObjectTable(CallTargets& owner, Mutex& mutex) : owner_(owner), mutex_(mutex) {
  targets_.push_back(std::make_unique<CallTarget[]>(capacity_));
  owner_.add_targets(targets_.back().get(), capacity_);
  newest_targets_.store(targets_.back().get());
}

void ObjectTable::insert(std::uint32_t index, PluginObject& object) {
  if (objects_.size() <= index) objects_.resize(index + 1);
  set_target(index, object.target);
  object.number = ++inserted_;
  objects_[index] = std::move(object);
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

void ObjectTable::set_target(std::uint32_t index, const CallTarget& target) {
  if (index < capacity_) {
    targets_.back()[index] = target;
    return;
  }
  const std::size_t larger = std::max<std::size_t>(2 * capacity_, index + 1);
  auto grown = std::make_unique<CallTarget[]>(larger);
  std::copy_n(targets_.back().get(), capacity_, grown.get());
  grown[index] = target;
  targets_.push_back(std::move(grown));
  capacity_ = larger;
  owner_.add_targets(targets_.back().get(), larger);
  newest_targets_.store(targets_.back().get());
  if (serves_ != nullptr)
    serves_->replace(targets_[targets_.size() - 2].get(), targets_.back().get());
}

void ObjectTable::serve(CallSwitch& module) noexcept {
  serves_ = &module;
  module.publish(targets_.back().get());
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
