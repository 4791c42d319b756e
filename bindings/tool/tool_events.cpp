// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/tool/tool_events.hpp"

#include <algorithm>
#include <cstring>

#include "bindings/tool/tool.hpp"
#include "pt2pt/communicator.hpp"

namespace remit {

namespace {

template <class Number>
void put_number(std::int64_t value, void* to) {
  const auto number = static_cast<Number>(value);
  std::memcpy(to, &number, sizeof number);
}

constexpr std::size_t bytes_of(EventType type) {
  return type == EventType::int64 || type == EventType::uint64 ? 8 : 4;
}

MPI_Datatype datatype_of_element(EventType type) {
  switch (type) {
    case EventType::enumerated:
      return MPI_INT;
    case EventType::int32:
      return MPI_INT32_T;
    case EventType::uint32:
      return MPI_UINT32_T;
    case EventType::int64:
      return MPI_INT64_T;
    default:
      return MPI_UINT64_T;
  }
}

/// Whether the event is of the object that a bound registration is for. Each communicator has
/// several contexts, from one number on.
bool is_of_object(const EventRegistration& one, std::span<const std::int64_t> values) {
  if (one.decl().bind == MPI_T_BIND_NO_OBJECT) return true;
  const auto number = static_cast<std::uint32_t>(values[one.decl().object_element]);
  return number - one.object < kContextsEach;
}

}  // namespace

EventLayout layout_of(const EventDecl& decl) {
  EventLayout layout;
  for (std::size_t i = 0; i < decl.size(); ++i) {
    const std::size_t bytes = bytes_of(decl.elements[i].type);
    const std::size_t at = (layout.bytes + bytes - 1) / bytes * bytes;
    layout.displacements[i] = static_cast<MPI_Aint>(at);
    layout.types[i] = datatype_of_element(decl.elements[i].type);
    layout.bytes = at + bytes;
  }
  return layout;
}

void put_element(EventType type, std::int64_t value, void* to) {
  switch (type) {
    case EventType::enumerated:
    case EventType::int32:
      return put_number<std::int32_t>(value, to);
    case EventType::uint32:
      return put_number<std::uint32_t>(value, to);
    case EventType::int64:
      return put_number<std::int64_t>(value, to);
    case EventType::uint64:
      return put_number<std::uint64_t>(value, to);
  }
}

std::optional<std::size_t> safety_level(MPI_T_cb_safety safety) {
  const auto found = std::find(kSafetyLevels.begin(), kSafetyLevels.end(), safety);
  if (found == kSafetyLevels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kSafetyLevels.begin());
}

bool EventRegistration::listens() const {
  return !freed && std::any_of(callbacks.begin(), callbacks.end(),
                               [](const Callback& one) { return one.function != nullptr; });
}

int ToolEvents::index_of(std::string_view name) {
  const auto found = std::find_if(kToolEventDecls.begin(), kToolEventDecls.end(),
                                  [=](const ToolEventDecl& decl) { return name_of(decl) == name; });
  return found == kToolEventDecls.end() ? -1 : static_cast<int>(found - kToolEventDecls.begin());
}

MPI_T_event_registration ToolEvents::make(std::size_t index, std::uint32_t object) {
  auto made = std::make_shared<EventRegistration>();
  made->index = index;
  made->object = object;
  auto* const handle = reinterpret_cast<MPI_T_event_registration>(made.get());
  registrations_.emplace(handle, std::move(made));
  return handle;
}

std::shared_ptr<EventRegistration> ToolEvents::find(MPI_T_event_registration handle) const {
  const auto found = registrations_.find(handle);
  return found == registrations_.end() ? nullptr : found->second;
}

bool ToolEvents::free(MPI_T_event_registration handle) {
  const Registered one = registrations_.at(handle);
  one->freed = true;
  registrations_.erase(handle);
  return one->running == 0;
}

const EventInstance* ToolEvents::find(MPI_T_event_instance instance) const {
  const auto* wanted = reinterpret_cast<const EventInstance*>(instance);
  const auto found = std::find(instances_.begin(), instances_.end(), wanted);
  return found == instances_.end() ? nullptr : *found;
}

Events::Mask ToolEvents::wanted() const {
  Events::Mask mask = 0;
  for (const auto& [handle, one] : registrations_) {
    if (one->listens()) mask |= Events::bit(one->decl().kind);
  }
  return mask;
}

void ToolEvents::attach(Instance& instance) {
  instance.process->events().want(wanted(), this);
}

void ToolEvents::detach(Instance& instance) {
  instance.process->events().want(0, nullptr);
}

bool ToolEvents::follow(Instance* instance, bool may_change) {
  if (instance == nullptr) return true;
  Events& events = instance->process->events();
  if (events.wants() == wanted()) return true;
  if (!may_change) return false;
  events.want(wanted(), this);
  return true;
}

void ToolEvents::close(Instance* instance, bool may_change) {
  for (const auto& [handle, one] : registrations_) one->freed = true;
  registrations_.clear();
  (void)follow(instance, may_change);  // what is raised in vain until then is told to nobody
}

void ToolEvents::heard(EventKind kind, std::int64_t now_ns,
                       std::span<const std::int64_t> values) noexcept {
  std::recursive_mutex& mutex = the_tool().mutex;
  std::unique_lock lock(mutex);
  std::vector<Registered> told;
  for (const auto& [handle, one] : registrations_) {
    if (one->decl().kind == kind && one->listens() && is_of_object(*one, values)) {
      told.push_back(one);
    }
  }
  for (const Registered& one : told) {
    if (one->freed) continue;  // by the callback before
    const EventInstance instance{one->decl(), now_ns, values};
    tell(one, instance);
  }
}

/// The mutex is held, once, and given up around the program's functions.
void ToolEvents::tell(const Registered& one, const EventInstance& instance) {
  std::recursive_mutex& mutex = the_tool().mutex;
  auto* const handle = reinterpret_cast<MPI_T_event_registration>(one.get());
  const MPI_T_cb_safety safety = kSafetyLevels[kRaisedAt];
  const auto fits = std::find_if(one->callbacks.begin() + kRaisedAt, one->callbacks.end(),
                                 [](const auto& each) { return each.function != nullptr; });
  ++one->running;
  if (fits == one->callbacks.end()) ++one->dropped;
  if (one->dropped != 0 && one->dropped_handler != nullptr) {
    const MPI_Count count = std::exchange(one->dropped, 0);
    const EventRegistration::Callback& owner =
        fits == one->callbacks.end() ? one->callbacks[0] : *fits;
    MPI_T_event_dropped_cb_function* const function = one->dropped_handler;
    void* const user_data = owner.user_data;
    mutex.unlock();
    function(count, handle, 0, safety, user_data);
    mutex.lock();
  }
  if (fits != one->callbacks.end() && !one->freed) {
    const EventRegistration::Callback callback = *fits;
    instances_.push_back(&instance);
    mutex.unlock();
    callback.function(reinterpret_cast<MPI_T_event_instance>(const_cast<EventInstance*>(&instance)),
                      handle, safety, callback.user_data);
    mutex.lock();
    instances_.erase(std::find(instances_.begin(), instances_.end(), &instance));
  }
  if (--one->running != 0 || !one->freed || one->free_function == nullptr) return;
  MPI_T_event_free_cb_function* const function = std::exchange(one->free_function, nullptr);
  mutex.unlock();
  function(handle, safety, one->free_data);
  mutex.lock();
}

}  // namespace remit
