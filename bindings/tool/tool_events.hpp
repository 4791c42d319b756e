// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Events of MPI_T (MPI-5.0, section 15.3.8): who wants which, and telling them.
#pragma once

#include <array>
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
  std::array<MPI_Aint, kMostElements> displacements{};
  std::array<MPI_Datatype, kMostElements> types{};
  std::size_t bytes = 0;  ///< up to the end of the last one
};
[[nodiscard]] EventLayout layout_of(const EventDecl& decl);
/// Writes one element as its type.
void put_element(EventType type, std::int64_t value, void* to);

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
  std::uint32_t object = 0;  ///< bound events: the number of the object
  std::array<Callback, kSafetyLevels.size()> callbacks;
  MPI_T_event_dropped_cb_function* dropped_handler = nullptr;
  MPI_Count dropped = 0;  ///< since that was told last
  int running = 0;        ///< callbacks under way
  bool freed = false;
  MPI_T_event_free_cb_function* free_function = nullptr;  ///< to be called when none is under way
  void* free_data = nullptr;

  [[nodiscard]] const ToolEventDecl& decl() const { return kToolEventDecls[index]; }
  [[nodiscard]] bool listens() const;
};

/// What a callback is given, for as long as it runs.
struct EventInstance {
  const ToolEventDecl& decl;
  std::int64_t time_ns;
  std::span<const std::int64_t> values;
};

/// All registrations. Tool::mutex is held, but for heard(), which takes it, and gives it up around
/// callbacks.
class ToolEvents final : public EventListener {
 public:
  explicit ToolEvents(const ToolEnums& enums) : enums_(enums) {}

  [[nodiscard]] static int index_of(std::string_view name);
  [[nodiscard]] const ToolEnum* items_of(const ToolEventDecl& decl) const {
    return enums_.of(event_of(decl).words);
  }

  [[nodiscard]] MPI_T_event_registration make(std::size_t index, std::uint32_t object);
  [[nodiscard]] std::shared_ptr<EventRegistration> find(MPI_T_event_registration handle) const;
  /// It hears nothing any more. True if no callback is under way: else the last one, at its end,
  /// calls its free function.
  [[nodiscard]] bool free(MPI_T_event_registration handle);
  [[nodiscard]] const EventInstance* find(MPI_T_event_instance instance) const;

  /// These are its events from now on; they are not any more.
  void attach(Instance& instance);
  static void detach(Instance& instance);
  /// Some callbacks have changed: the process raises what is wanted. False: this thread may not
  /// change that (HeldMpi::may_change()).
  [[nodiscard]] bool follow(Instance* instance, bool may_change);
  /// MPI_T ends.
  void close(Instance* instance, bool may_change);

  void heard(EventKind kind, std::int64_t now_ns,
             std::span<const std::int64_t> values) noexcept override;

 private:
  using Registered = std::shared_ptr<EventRegistration>;
  [[nodiscard]] Events::Mask wanted() const;
  void tell(const Registered& one, const EventInstance& instance);

  const ToolEnums& enums_;
  std::map<MPI_T_event_registration, Registered> registrations_;
  std::vector<const EventInstance*> instances_;  // of callbacks under way
};

}  // namespace remit
