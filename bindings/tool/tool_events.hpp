// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Events of MPI_T (MPI-5.0, section 15.3.8): who wants which, and telling them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bindings/tool/event_table.hpp"
#include "bindings/tool/tool_enum.hpp"
#include "runtime/events.hpp"

namespace remit {

struct Instance;
class Tool;

/// Where the elements of an event lie: as members of a struct of C.
struct EventLayout {
  std::size_t count = 0;
  std::array<MPI_Aint, kMostElements> displacements{};
  std::array<MPI_Datatype, kMostElements> types{};
  std::array<std::uint8_t, kMostElements> sizes{};  ///< 4 or 8 bytes
};
/// Worked out once for all events.
[[nodiscard]] const EventLayout& layout_of(EventKind kind);
/// Writes one element as its type.
void put_element(const EventLayout& layout, std::size_t at, std::int64_t value, void* to);

/// The levels of MPI_T_cb_safety, from the weakest on.
inline constexpr std::array<MPI_T_cb_safety, 4> kSafetyLevels = {
    MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_T_CB_REQUIRE_THREAD_SAFE,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};
/// What a callback must do without where events are raised: the process is held, in the midst of a
/// call of MPI.
inline constexpr std::size_t kRaisedAt = 1;
[[nodiscard]] std::optional<std::size_t> safety_level(MPI_T_cb_safety safety);

/// One wish to hear of an event.
struct EventRegistration {
  struct Callback {
    MPI_T_event_cb_function* function = nullptr;
    void* user_data = nullptr;
  };
  std::size_t index = 0;
  const EventLayout* layout = nullptr;
  std::uint32_t object = 0;  ///< bound events: the number of the object
  std::array<Callback, kSafetyLevels.size()> callbacks;
  MPI_T_event_dropped_cb_function* dropped_handler = nullptr;
  std::atomic<MPI_Count> dropped = 0;  ///< since that was told last
  std::atomic<bool> freed = false;
  MPI_T_event_free_cb_function* free_function = nullptr;  ///< to be called when none is under way
  void* free_data = nullptr;

  [[nodiscard]] const ToolEventDecl& decl() const { return kToolEventDecls[index]; }
  /// What is called where events are raised; null: nothing that may be.
  [[nodiscard]] Callback callback() const;
  [[nodiscard]] bool listens() const;
};

/// Something that has happened, while it is told of.
struct RaisedEvent {
  std::span<const std::int64_t> values;
  std::int64_t time_ns = 0;  ///< 0: nobody has asked so far
};

/// What a callback is given, for as long as it runs and for its thread.
struct EventInstance {
  const EventRegistration& registration;
  RaisedEvent& event;
  const EventInstance* outer;  ///< of the callback that this one interrupts; null: of none

  /// When it happened: the clock is read when that is asked first.
  [[nodiscard]] std::int64_t time_ns() const;
};

/// All registrations. Tool::mutex is held, but for heard(), which takes none where a callback is
/// called: what it reads are lists that are made anew when a registration changes, and freed when
/// nobody hears.
class ToolEvents final : public EventListener {
 public:
  explicit ToolEvents(const ToolEnums& enums) : enums_(enums) {}

  [[nodiscard]] static int index_of(std::string_view name);
  [[nodiscard]] const ToolEnum* items_of(const ToolEventDecl& decl) const {
    return enums_.of(event_of(decl).words);
  }

  [[nodiscard]] MPI_T_event_registration make(std::size_t index, std::uint32_t object);
  [[nodiscard]] std::shared_ptr<EventRegistration> find(MPI_T_event_registration handle) const;
  /// It hears nothing any more. True if no callback of it can be under way: else its free function
  /// is called when all are over.
  [[nodiscard]] bool free(MPI_T_event_registration handle);
  /// Of a callback that this thread is in; null: it is none. Without the mutex.
  [[nodiscard]] static const EventInstance* find(MPI_T_event_instance instance);

  /// These are its events from now on; they are not any more.
  void attach(Instance& instance);
  static void detach(Instance& instance);
  /// The callbacks of a registration have changed: the process raises what is wanted. False: this
  /// thread may not change that (HeldMpi::may_change()), and nothing has been changed.
  [[nodiscard]] bool follow(EventKind kind, Instance* instance, bool may_change);
  /// MPI_T ends.
  void close(Instance* instance, bool may_change);

  void heard(EventKind kind, std::span<const std::int64_t> values) noexcept override;

 private:
  using Registered = std::shared_ptr<EventRegistration>;
  struct Listener {
    Registered one;
    EventRegistration::Callback callback;
  };
  using Listeners = std::vector<Listener>;
  class Hearing;

  [[nodiscard]] Events::Mask wanted() const;
  void publish(EventKind kind);
  void settle() noexcept;
  static void tell(const Listener& listener, RaisedEvent& event);
  static void tell_dropped(const Listener& listener);

  const ToolEnums& enums_;
  std::map<MPI_T_event_registration, Registered> registrations_;
  std::array<std::atomic<const Listeners*>, kEventKinds> published_{};
  std::array<std::unique_ptr<const Listeners>, kEventKinds> current_;  // what is published
  std::atomic<int> hearing_ = 0;                                       // calls of heard() under way
  std::atomic<bool> has_old_ = false;                  // there is something in the next two
  std::vector<std::unique_ptr<const Listeners>> old_;  // may still be read
  std::vector<Registered> freed_;                      // whose callbacks may be under way
};

}  // namespace remit
