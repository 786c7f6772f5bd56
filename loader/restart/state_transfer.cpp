// SPDX-License-Identifier: BSL-1.0
#include "restart/state_transfer.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

Result<void> StateTransfer::begin(const Manifest& from, const Manifest& to) {
  const auto forms = state_forms(from, to);
  if (!forms) {
    return Error({.code = "state-refused",
                  .where = where_,
                  .found = "state in form " + known_forms(from),
                  .needed = "one that the new build reads: " + known_forms(to),
                  .fix = "use a build that reads it, or discard the state"});
  }
  forms_ = *forms;
  return {};
}

Result<void> StateTransfer::save(Generation& from, const RestartMember& member, Time deadline) {
  const ObjectPin object(from, member.index);
  if (!object) return {};
  auto state = object->save_state(forms_, deadline);
  if (!state) return std::move(state).error();
  if (*state) add({member, std::move(**state)});
  return {};
}

void StateTransfer::add_unsaved(const std::vector<RestartMember>& members) {
  for (const RestartMember& member : members) {
    const bool known = member.index < added_.size() && added_[member.index] == member.serial;
    if (!known) add({member, std::nullopt});
  }
}

void StateTransfer::add(Saved saved) {
  const auto& [index, serial, session] = saved.member;
  if (added_.size() <= index) added_.resize(index + 1);
  added_[index] = serial;
  saved_.push_back(std::move(saved));
}

Result<void> StateTransfer::restore(Generation& to, const Saved& saved, Time deadline) const {
  const auto& [member, state] = saved;
  if (!state && !to.restores_without_state(member.index)) return {};
  if (!to.objects().restores_state(member.index)) {
    return Error({.code = "state-refused",
                  .where = where_,
                  .found = "a build without restore_state",
                  .needed = "one that takes over the state of the instances",
                  .fix = "use a build that has it, or discard the state"});
  }
  const ObjectPin object(to, member.index);
  return object ? object->restore_state(forms_, state ? &*state : nullptr, deadline)
                : Result<void>();
}

}}}  // namespace tenon::v0_1::detail
