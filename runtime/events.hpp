// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a process tells of itself while it runs: which events there are, and the way from where they
// happen to who wants to know.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace remit {

enum class EventKind : std::uint8_t {
  message_arrived,
  message_matched,
  request_posted,
  request_completed,
  wait_ended,
  rendezvous_answered,
  protocol_chosen,
  credits_starved,
  connection_opened,
  connection_failed,
  registration_missed,
  registration_evicted,
  collective_started,
  collective_ended,
  lock_waited,
  file_transfer_done,
  slept,
  woken,
  initialized,
  finalized,
  session_opened,
  session_closed,
  communicator_created,
  communicator_freed,
  window_created,
  window_freed,
  file_opened,
  file_closed,
};
inline constexpr std::size_t kEventKinds = 28;

/// Of an element of an event. Numbers travel as std::int64_t inside; an enumerated one is an item
/// of the event's enumeration.
enum class EventType : std::uint8_t { enumerated, int32, uint32, int64, uint64 };

struct EventElement {
  const char* name = nullptr;
  EventType type = EventType::int32;
};

/// Which enumeration the enumerated elements of an event are of.
enum class EventWords : std::uint8_t { none, operations, waits, protocols, collectives };

inline constexpr std::size_t kMostElements = 7;

/// An event: immutable data.
struct EventDecl {
  EventKind kind;
  const char* name;
  const char* category;  ///< of MPI_T
  EventWords words;
  const char* reason;  ///< one line: when it is raised
  std::array<EventElement, kMostElements> elements;

  [[nodiscard]] constexpr std::size_t size() const {
    std::size_t count = 0;
    while (count < kMostElements && elements[count].name != nullptr) ++count;
    return count;
  }
};

/// All of them, at the place of their kind; docs/events.md explains the elements.
extern const std::array<EventDecl, kEventKinds> kEvents;

[[nodiscard]] inline const EventDecl& declaration_of(EventKind kind) {
  return kEvents[static_cast<std::size_t>(kind)];
}

// The items of the enumerations.

enum class EventOperation : std::uint8_t { send, receive };
enum class WaitCause : std::uint8_t { other, late_sender, late_receiver, collective, lock };
enum class ProtocolEvent : std::uint8_t { eager, eager_synchronous, rendezvous, starved, self };

/// Items of EventWords::waits behind the causes, from this value on: the MPI functions that may
/// wait.
inline constexpr int kFirstWaitingCall = 100;
/// Their names; the first stands for any other.
[[nodiscard]] std::span<const char* const> waiting_calls();
/// The item of a function, without "_c".
[[nodiscard]] int waiting_call(std::string_view function);

/// Who is told of events.
struct EventListener {
  /// In the midst of what happens, by the thread that holds the process: nothing that communicates
  /// may be called. `values` has an entry for each element.
  virtual void heard(EventKind kind, std::span<const std::int64_t> values) noexcept = 0;

 protected:
  ~EventListener() = default;
};

/// Who takes short ways past the places where events are raised, as long as nobody wants them.
struct EventSwitch {
  /// Which events are wanted has changed. The thread that holds the process.
  virtual void wanted_events_changed() = 0;

 protected:
  ~EventSwitch() = default;
};

/// The events of one process. A flag for each kind says whether anybody wants it: whoever raises
/// events looks at that first, and not at all on the paths of short messages, which the switches
/// turn off. All calls by the thread that holds the process, but for wanted().
class Events {
 public:
  using Mask = std::uint64_t;
  [[nodiscard]] static constexpr Mask bit(EventKind kind) {
    return Mask{1} << static_cast<unsigned>(kind);
  }

  /// Any thread.
  [[nodiscard]] bool wanted(EventKind kind) const { return any_of(bit(kind)); }
  [[nodiscard]] bool any_of(Mask kinds) const {
    return (wanted_.load(std::memory_order_relaxed) & kinds) != 0;
  }

  /// What is wanted now.
  [[nodiscard]] Mask wants() const { return wanted_.load(std::memory_order_relaxed); }

  /// Tells the listener, if it is wanted. Values in the order of the elements.
  template <class... Values>
  void raise(EventKind kind, Values... values) {
    if (!wanted(kind)) [[likely]]
      return;
    const std::array<std::int64_t, sizeof...(Values)> all{static_cast<std::int64_t>(values)...};
    tell(kind, all);
  }

  /// What is wanted, and who is told; null: nobody, and nothing is. Tells the switches.
  void want(Mask kinds, EventListener* listener);

  /// `part` is told from now on when that changes.
  void add(EventSwitch* part) { switches_.push_back(part); }
  void remove(EventSwitch* part) { std::erase(switches_, part); }

 private:
  [[gnu::cold]] void tell(EventKind kind, std::span<const std::int64_t> values);

  std::atomic<Mask> wanted_ = 0;
  EventListener* listener_ = nullptr;
  std::vector<EventSwitch*> switches_;
};

}  // namespace remit
