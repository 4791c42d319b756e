// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A window: memory of each member of a group that the others put to, get from and change.
// (MPI-5.0, chapter 12.)
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "communicators/comm_process.hpp"
#include "datatype/datatype.hpp"
#include "datatype/reductions.hpp"
#include "links/offered_memory.hpp"
#include "onesided/delegation.hpp"
#include "onesided/epochs.hpp"
#include "onesided/host_sync.hpp"
#include "onesided/members.hpp"
#include "onesided/notify.hpp"
#include "onesided/plain_change.hpp"
#include "onesided/regions.hpp"
#include "onesided/remote_access.hpp"
#include "onesided/served_window.hpp"
#include "onesided/window_making.hpp"
#include "onesided/window_report.hpp"
#include "onesided/window_spec.hpp"
#include "pt2pt/request.hpp"
#include "runtime/copy.hpp"

namespace remit {

/// Where an operation goes: elements of a type in a member's memory.
struct WindowTarget {
  int rank = 0;               ///< of the window's group; not MPI_PROC_NULL
  MPI_Aint displacement = 0;  ///< in the member's displacement units
  MPI_Count count = 0;        ///< elements of `type`
  const Datatype* type = nullptr;
};

/// One process's part of a window. Made and freed by all members together. The caller has checked
/// handles, counts, types and ranks; epochs and the bounds of memory are checked here
/// (MPI_ERR_RMA_SYNC, MPI_ERR_RMA_RANGE). All calls by the thread that holds the process.
class Window {
 public:
  /// Collective over `parent`, an intra-communicator; waits. Every member gets the window or each
  /// an error.
  [[nodiscard]] static Expected<std::unique_ptr<Window>> make(const CommCall& call,
                                                              const ParentComm& parent,
                                                              OneSided& manager,
                                                              const WindowSpec& spec);
  /// Not before free(), unless the process ends without it.
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Collective; waits for all members, and for the operations of this one. MPI_ERR_RMA_SYNC: an
  /// epoch of this process is open, or requests wait for notifications; then nothing is done.
  [[nodiscard]] Expected<> free(const CommCall& call);
  /// Of a window that is not freed, at the end of the process: waits until all members are there,
  /// or cannot be. Until then this one is a target.
  void meet_at_end(const CommCall& call);
  /// Whether free() may be called, as far as this process knows.
  [[nodiscard]] Expected<> check_free() const;

  [[nodiscard]] const CommCore& comm() const { return comm_; }
  [[nodiscard]] const WindowSpec& spec() const { return spec_; }
  [[nodiscard]] const WindowMembers& members() const { return members_; }
  [[nodiscard]] WindowMembers& members() { return members_; }
  /// Of this process.
  [[nodiscard]] void* base() const { return base_; }
  [[nodiscard]] const Epochs& epochs() const { return epochs_; }
  /// Whether some member can reach another one by nothing but messages, which that has to serve.
  [[nodiscard]] bool is_served() const { return is_served_; }
  /// What is known of its ways by now; in as many steps as there are members.
  /// (onesided/window_report.cpp)
  [[nodiscard]] WindowReport report(bool has_progress_thread) const;

  /// MPI_Win_shared_query: what this process can load from and store to. For MPI_PROC_NULL that of
  /// the lowest rank with memory, shared or not. Size 0 and null where nothing is shared.
  struct SharedPart {
    MPI_Aint bytes = 0;
    int displacement_unit = 1;
    void* base = nullptr;
  };
  [[nodiscard]] SharedPart shared_part(int rank) const;

  /// MPI_Win_attach and MPI_Win_detach, of dynamic windows. Local. MPI_ERR_RMA_ATTACH.
  [[nodiscard]] Expected<> attach(void* base, MPI_Aint bytes);
  [[nodiscard]] Expected<> detach(const void* base);

  // Communication. Never waits for a call of the target, but where memory is out of its reach for
  // credits. `done`, of the forms with a request, completes when the origin's memory is free
  // (put, accumulate) or the result is there; null: nobody asks. It may be complete on return.

  [[nodiscard]] Expected<> put(const View& origin, const WindowTarget& target,
                               Request* done = nullptr);
  [[nodiscard]] Expected<> get(const View& origin, const WindowTarget& target,
                               Request* done = nullptr);
  /// Also MPI_Get_accumulate and MPI_Fetch_and_op, where `result` is not null. `origin` is null for
  /// MPI_NO_OP.
  [[nodiscard]] Expected<> accumulate(const View* origin, const Op& op, const WindowTarget& target,
                                      const View* result = nullptr, Request* done = nullptr);
  /// One element of a predefined type.
  [[nodiscard]] Expected<> compare_and_swap(const void* replacement, const void* compare,
                                            void* result, const WindowTarget& target);

  /// The short way of a put or get of plain bytes: true if it is done. False: nothing was done, and
  /// put() or get() says why.
  [[nodiscard, gnu::always_inline]] bool try_put(const void* from, std::size_t bytes, int rank,
                                                 MPI_Aint displacement) {
    std::byte* const to = plain_place(bytes, rank, displacement);
    if (to == nullptr) [[unlikely]]
      return false;
    copy_plain(to, from, bytes);
    return true;
  }
  [[nodiscard, gnu::always_inline]] bool try_get(void* to, std::size_t bytes, int rank,
                                                 MPI_Aint displacement) {
    const std::byte* const from = plain_place(bytes, rank, displacement);
    if (from == nullptr) [[unlikely]]
      return false;
    copy_plain(to, from, bytes);
    return true;
  }

  /// Where the short ways of accumulates find so many bytes of the target; none: that is not so
  /// simple, and accumulate() or compare_and_swap() says why.
  [[nodiscard, gnu::always_inline]] PlainElements plain_elements(std::size_t bytes, int rank,
                                                                 MPI_Aint displacement) {
    std::byte* const at = plain_place(bytes, rank, displacement);
    if (at == nullptr) [[unlikely]]
      return {};
    const HostSegment& segment = members_.segment();
    const MemberEntry& entry = members_.entry(rank);
    const auto offset = static_cast<std::uint64_t>(at - segment.memory(entry.segment_offset));
    return {at, entry.base + offset, members_.control(rank), segment.index() + 1, members_.watch()};
  }

  // Synchronization. `assertion`: what MPI_MODE_ bits the program gave.

  [[nodiscard]] Expected<> fence(const CommCall& call, int assertion);
  /// Waits until each of `ranks` has posted, unless the program says that they have.
  [[nodiscard]] Expected<> start(const CommCall& call, std::vector<int> ranks, int assertion);
  [[nodiscard]] Expected<> complete(const CommCall& call);
  [[nodiscard]] Expected<> post(const std::vector<int>& ranks, int assertion);
  [[nodiscard]] Expected<> wait(const CommCall& call);
  /// Whether the exposure has ended; then it has for the window, too.
  [[nodiscard]] Expected<bool> test();
  [[nodiscard]] Expected<> lock(const CommCall& call, int rank, bool exclusive, int assertion);
  [[nodiscard]] Expected<> unlock(const CommCall& call, int rank);
  [[nodiscard]] Expected<> lock_all(const CommCall& call, int assertion);
  [[nodiscard]] Expected<> unlock_all(const CommCall& call);
  /// Of flush() and try_flush(): no rank, but all.
  static constexpr int kAllMembers = -1;
  /// Until the operations to `rank`, or to kAllMembers, can be seen there; `local`: until the
  /// memory of this process is free.
  [[nodiscard]] Expected<> flush(const CommCall& call, int rank, bool local);
  /// A barrier of memory.
  [[nodiscard]] Expected<> sync();

  /// The short way of a lock: true if it was free, and is taken. False: nothing was done.
  [[nodiscard, gnu::always_inline]] bool try_lock(int rank, bool exclusive) {
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(members_.size()) ||
        epochs_.access() != Epochs::Access::none) [[unlikely]]
      return false;
    MemberControl* const target = members_.control(rank);
    HeldLock held{rank, exclusive, true, 0};
    if (target == nullptr || !host_.try_lock(*target, exclusive, held.ticket)) [[unlikely]]
      return false;
    epochs_.lock(held);
    return true;
  }

  /// The short way of unlock(), where no other target is locked. False: nothing was done.
  [[nodiscard, gnu::always_inline]] bool try_unlock(int rank) {
    const HeldLock* const held = epochs_.only_lock(rank);
    if (held == nullptr || !held->taken || remote_.busy()) [[unlikely]]
      return false;
    MemberControl* const target = members_.control(rank);
    if (target == nullptr) [[unlikely]]
      return false;
    host_.unlock(*target, held->exclusive, held->ticket);
    epochs_.end_only_lock();
    return true;
  }
  /// The short ways of lock_all() and unlock_all(). False: nothing was done.
  [[nodiscard, gnu::always_inline]] bool try_lock_all() {
    return spec_.flavor != MPI_WIN_FLAVOR_SHARED && epochs_.try_lock_all();
  }
  [[nodiscard, gnu::always_inline]] bool try_unlock_all() {
    if (epochs_.access() != Epochs::Access::lock_all || remote_.busy()) [[unlikely]]
      return false;
    for (const HeldLock& held : epochs_.held()) give_back(held);
    epochs_.end_lock_all();
    return true;
  }

  /// Whether operations are under way that a flush would wait for.
  [[nodiscard]] bool is_busy() const { return remote_.busy(); }
  /// The short way of a flush of `rank`, or of kAllMembers: true if there is nothing to wait for.
  [[nodiscard, gnu::always_inline]] bool try_flush(int rank) const {
    if (!epochs_.may_flush_at_once(rank) || is_served_ || remote_.busy()) [[unlikely]]
      return false;
    std::atomic_thread_fence(std::memory_order_release);
    return true;
  }

  // Notified access (onesided/window_notify.cpp).

  /// Makes `count` counters for this process. Collective; waits. MPI_ERR_RMA_SYNC: there are some
  /// already.
  [[nodiscard]] Expected<> create_notify(const CommCall& call, std::uint32_t count);
  /// Collective; waits for all members, and for the operations of this one. MPI_ERR_RMA_SYNC: there
  /// are none, or requests wait for them; then nothing is done.
  [[nodiscard]] Expected<> free_notify(const CommCall& call);
  /// Null: there are none.
  [[nodiscard]] Notifications* notifications() const { return notifications_.get(); }
  /// Whether operations may notify a member by a counter.
  [[nodiscard]] Expected<> check_notify(int rank, int index) const;
  /// Adds to the counter behind the operation on that member which was started last.
  [[nodiscard]] Expected<> notify(int rank, std::uint32_t index);

  /// Where a member has the 64-bit word of a signal, as addresses of its process.
  [[nodiscard]] Expected<View> signal_word(int rank, MPI_Aint displacement);
  /// Ends the sleep of a member that waits for a signal, which this process has just stored.
  void tell_signalled(int rank);

 private:
  Window(CommCore comm, OneSided& manager, const WindowSpec& spec, MadeMemory memory);

  /// As copy_bytes(); most often it is one word.
  [[gnu::always_inline]] static void copy_plain(void* to, const void* from, std::size_t bytes) {
    if (bytes != sizeof(std::uint64_t)) return copy_bytes(to, from, bytes);
    std::memcpy(to, from, sizeof(std::uint64_t));
  }
  /// Where `bytes` of the target's memory that this process has mapped are to be written or read;
  /// null: that is not so simple.
  [[nodiscard, gnu::always_inline]] std::byte* plain_place(std::size_t bytes, int rank,
                                                           MPI_Aint displacement) {
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(members_.size()) ||
        !epochs_.admits_at_once(rank)) [[unlikely]]
      return nullptr;
    const MemberEntry& entry = members_.entry(rank);
    std::int64_t product = 0;  // of signed numbers: that takes no certain registers
    if (entry.segment_offset == MemberEntry::kElsewhere || displacement < 0 ||
        __builtin_mul_overflow(displacement, std::int64_t{entry.displacement_unit}, &product))
        [[unlikely]]
      return nullptr;
    const auto offset = static_cast<std::uint64_t>(product);
    if (offset > entry.bytes || bytes > entry.bytes - offset) [[unlikely]]
      return nullptr;
    return members_.segment().memory(entry.segment_offset) + offset;
  }

  /// An operation's target, as addresses of the member's process.
  struct Reached {
    MemoryWay way = MemoryWay::message;
    View view;
  };
  [[nodiscard]] Expected<Reached> reach(const WindowTarget& target);
  [[nodiscard]] Expected<> admit(int rank);
  [[nodiscard]] Expected<View> locate(const WindowTarget& target) const;
  [[nodiscard]] Expected<> check_regions(int rank, const View& view, MemoryWay way);
  [[nodiscard]] Expected<> accumulate_unmapped(int rank, const Accumulation& what,
                                               const View* origin, const View& target,
                                               const View* result);
  /// The same bytes where they are mapped here.
  [[nodiscard]] View mapped_view(int rank, const View& view);

  /// What members that send messages are served by.
  [[nodiscard]] ServedWindow::Member served_member();
  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t bytes) const;
  /// Of this process's memory; offered to the devices when they are asked for. Empty: it is reached
  /// by messages alone.
  [[nodiscard]] std::span<const std::byte> keys();
  /// Takes part no longer: nothing of it is served any more.
  void close();

  [[nodiscard]] Expected<> barrier(const CommCall& call);
  [[nodiscard]] Expected<HeldLock> take_lock(int rank, bool exclusive, const WaitSubject* subject);
  void give_back(const HeldLock& held);
  /// What flush() waits for, in whatever epoch.
  [[nodiscard]] Expected<> end_operations(const CommCall& call, int rank, bool local);
  [[nodiscard]] bool all_posted(std::vector<int>& missing);
  /// In calls that have nothing to wait for: now and then the process polls, if it serves others.
  void serve_now_and_then();

  CommCore comm_;
  OneSided& manager_;
  const WindowSpec spec_;
  std::shared_ptr<void> keeps_;
  void* base_;
  bool is_served_;
  std::vector<int> unshared_;  ///< as in MadeMemory
  WindowMembers members_;
  Epochs epochs_;
  HostSync host_;
  std::unique_ptr<Regions> regions_;                   ///< dynamic windows
  std::map<int, std::unique_ptr<PeerRegions>> peers_;  ///< ... of members that have been reached
  std::unique_ptr<Notifications> notifications_;       ///< null: nobody has made any
  std::vector<int> remote_posts_;                      ///< ranks, one for each post
  std::vector<int> exposed_to_;                        ///< who may access by the last post
  std::uint32_t idle_calls_ = 0;                       ///< of serve_now_and_then()
  std::uint64_t completions_due_ = 0;     ///< of CompleteLine::completed when this exposure ends
  std::optional<OfferedMemory> offered_;  ///< once keys were asked for
  ServedWindow served_;
  Delegation delegation_;
  std::optional<Delegate> delegate_;
  RemoteAccess remote_;
  bool open_ = true;
};

}  // namespace remit
