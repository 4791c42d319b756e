// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/tool/tool_events.hpp"

#include <algorithm>
#include <cstring>

#include "bindings/tool/tool.hpp"
#include "pt2pt/communicator.hpp"
#include "runtime/clock.hpp"

namespace remit {

namespace {

template <class Number>
void put_number(std::int64_t value, void* to) {
  const auto number = static_cast<Number>(value);
  std::memcpy(to, &number, sizeof number);
}

constexpr std::uint8_t bytes_of(EventType type) {
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

EventLayout make_layout(const EventDecl& decl) {
  EventLayout layout;
  layout.count = decl.size();
  std::size_t end = 0;
  for (std::size_t i = 0; i < layout.count; ++i) {
    const std::size_t bytes = bytes_of(decl.elements[i].type);
    const std::size_t at = (end + bytes - 1) / bytes * bytes;
    layout.displacements[i] = static_cast<MPI_Aint>(at);
    layout.types[i] = datatype_of_element(decl.elements[i].type);
    layout.sizes[i] = bytes_of(decl.elements[i].type);
    end = at + bytes;
  }
  return layout;
}

/// What a thread is told of at the moment.
struct OwnEvents {
  const EventInstance* innermost = nullptr;
  int hearing = 0;  // calls of heard()
};
[[gnu::tls_model("initial-exec")]] thread_local constinit OwnEvents own_events;

/// Whether the event is of the object that a bound registration is for. Each communicator has
/// several contexts, from one number on.
bool is_of_object(const EventRegistration& one, std::span<const std::int64_t> values) {
  if (one.decl().bind == MPI_T_BIND_NO_OBJECT) return true;
  const auto number = static_cast<std::uint32_t>(values[one.decl().object_element]);
  return number - one.object < kContextsEach;
}

}  // namespace

const EventLayout& layout_of(EventKind kind) {
  static const std::array<EventLayout, kEventKinds> layouts = [] {
    std::array<EventLayout, kEventKinds> made;
    for (std::size_t i = 0; i < kEventKinds; ++i) made[i] = make_layout(kEvents[i]);
    return made;
  }();
  return layouts[static_cast<std::size_t>(kind)];
}

void put_element(const EventLayout& layout, std::size_t at, std::int64_t value, void* to) {
  if (layout.sizes[at] == sizeof(std::int64_t)) {
    put_number<std::int64_t>(value, to);
  } else {
    put_number<std::int32_t>(value, to);
  }
}

std::int64_t EventInstance::time_ns() const {
  if (event.time_ns == 0) event.time_ns = monotonic_ns();
  return event.time_ns;
}

std::optional<std::size_t> safety_level(MPI_T_cb_safety safety) {
  const auto found = std::find(kSafetyLevels.begin(), kSafetyLevels.end(), safety);
  if (found == kSafetyLevels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kSafetyLevels.begin());
}

EventRegistration::Callback EventRegistration::callback() const {
  const auto* const fits = std::find_if(callbacks.begin() + kRaisedAt, callbacks.end(),
                                        [](const auto& each) { return each.function != nullptr; });
  return fits == callbacks.end() ? Callback{} : *fits;
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
  made->layout = &layout_of(made->decl().kind);
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
  Registered one = registrations_.at(handle);
  one->freed = true;
  registrations_.erase(handle);
  publish(one->decl().kind);
  bool may_run = hearing_ != own_events.hearing;  // in another thread: perhaps
  for (const auto* each = own_events.innermost; each != nullptr && !may_run; each = each->outer) {
    may_run = &each->registration == one.get();
  }
  if (!may_run) return true;
  freed_.push_back(std::move(one));
  has_old_ = true;
  if (hearing_ != 0) return false;
  freed_.pop_back();  // the other thread was done before it could see that
  return true;
}

const EventInstance* ToolEvents::find(MPI_T_event_instance instance) {
  const auto* wanted = reinterpret_cast<const EventInstance*>(instance);
  const EventInstance* each = own_events.innermost;
  while (each != nullptr && each != wanted) each = each->outer;
  return each;
}

Events::Mask ToolEvents::wanted() const {
  Events::Mask mask = 0;
  for (const auto& [handle, one] : registrations_) {
    if (one->listens()) mask |= Events::bit(one->decl().kind);
  }
  return mask;
}

/// Those who listen to this kind are told from now on as they are registered now.
void ToolEvents::publish(EventKind kind) {
  auto made = std::make_unique<Listeners>();
  for (const auto& [handle, one] : registrations_) {
    if (one->decl().kind == kind && one->listens()) made->push_back({one, one->callback()});
  }
  const auto at = static_cast<std::size_t>(kind);
  old_.reserve(old_.size() + 1);
  published_[at] = made->empty() ? nullptr : made.get();
  old_.push_back(std::exchange(current_[at], std::move(made)));
  if (hearing_ == 0) {
    old_.clear();
  } else {
    has_old_ = true;
  }
}

void ToolEvents::attach(Instance& instance) {
  instance.process->events().want(wanted(), this);
}

void ToolEvents::detach(Instance& instance) {
  instance.process->events().want(0, nullptr);
}

bool ToolEvents::follow(EventKind kind, Instance* instance, bool may_change) {
  if (instance != nullptr) {
    Events& events = instance->process->events();
    if (events.wants() != wanted()) {
      if (!may_change) return false;
      events.want(wanted(), this);
    }
  }
  publish(kind);
  return true;
}

void ToolEvents::close(Instance* instance, bool may_change) {
  for (const auto& [handle, one] : registrations_) one->freed = true;
  registrations_.clear();
  for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
    if (current_[kind] == nullptr) continue;
    // What is raised in vain until the next change is told to nobody.
    if (!follow(static_cast<EventKind>(kind), instance, may_change)) {
      publish(static_cast<EventKind>(kind));
    }
  }
}

/// As long as it lives nothing is freed that heard() may look at.
class ToolEvents::Hearing {
 public:
  explicit Hearing(ToolEvents& events) : events_(events) {
    ++own_events.hearing;
    ++events_.hearing_;
  }
  ~Hearing() {
    --own_events.hearing;
    if (--events_.hearing_ == 0 && events_.has_old_) events_.settle();
  }
  Hearing(const Hearing&) = delete;
  Hearing& operator=(const Hearing&) = delete;

 private:
  ToolEvents& events_;
};

/// Nobody hears: what was kept for who might have goes.
void ToolEvents::settle() noexcept {
  std::vector<Registered> freed;
  {
    const std::lock_guard lock(the_tool().mutex);
    if (hearing_ != 0) return;
    freed.swap(freed_);
    old_.clear();
    has_old_ = false;
  }
  for (const Registered& one : freed) {
    if (one->free_function == nullptr) continue;
    one->free_function(reinterpret_cast<MPI_T_event_registration>(one.get()),
                       kSafetyLevels[kRaisedAt], one->free_data);
  }
}

void ToolEvents::heard(EventKind kind, std::span<const std::int64_t> values) noexcept {
  const Hearing hearing(*this);
  const Listeners* const listeners = published_[static_cast<std::size_t>(kind)];
  if (listeners == nullptr) return;
  RaisedEvent event{values};
  for (const Listener& each : *listeners) {
    if (!each.one->freed && is_of_object(*each.one, values)) tell(each, event);
  }
}

void ToolEvents::tell(const Listener& listener, RaisedEvent& event) {
  EventRegistration& one = *listener.one;
  const EventInstance instance{one, event, own_events.innermost};
  own_events.innermost = &instance;
  const EventRegistration::Callback& callback = listener.callback;
  if (callback.function == nullptr || one.dropped.load(std::memory_order_relaxed) != 0) {
    tell_dropped(listener);
  }
  if (callback.function != nullptr && !one.freed) {
    callback.function(reinterpret_cast<MPI_T_event_instance>(const_cast<EventInstance*>(&instance)),
                      reinterpret_cast<MPI_T_event_registration>(&one), kSafetyLevels[kRaisedAt],
                      callback.user_data);
  }
  own_events.innermost = instance.outer;
}

/// This event is dropped, or others have been and nobody was told.
void ToolEvents::tell_dropped(const Listener& listener) {
  EventRegistration& one = *listener.one;
  std::unique_lock lock(the_tool().mutex);
  const bool is_dropped = listener.callback.function == nullptr;
  if (is_dropped) ++one.dropped;
  MPI_T_event_dropped_cb_function* const function = one.dropped_handler;
  if (function == nullptr) return;
  const MPI_Count count = one.dropped.exchange(0);
  void* const user_data = is_dropped ? one.callbacks[0].user_data : listener.callback.user_data;
  lock.unlock();
  function(count, reinterpret_cast<MPI_T_event_registration>(&one), 0, kSafetyLevels[kRaisedAt],
           user_data);
}

}  // namespace remit
