// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The members of a window: who they are, where their memory is, and how this process reaches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "links/links.hpp"
#include "links/process_id.hpp"
#include "onesided/memory/control.hpp"
#include "onesided/memory/granule.hpp"
#include "onesided/memory/host_segment.hpp"
#include "onesided/memory/member_memory.hpp"
#include "onesided/memory/process_memory.hpp"
#include "pt2pt/communicator.hpp"
#include "runtime/os/kernel_copy.hpp"

namespace remit {

/// The way to a member's memory.
enum class MemoryWay : std::uint8_t {
  mapped,   ///< loads and stores
  kernel,   ///< copies by the kernel: the member needs to do nothing
  message,  ///< operations of a device, and messages that the member serves
};
[[nodiscard]] const char* name_of(MemoryWay way);

/// Says of members of the host whether they have ended while they held a granule.
class MemberWatch final : public HolderWatch {
 public:
  explicit MemberWatch(const HostSegment& segment) : segment_(segment) {}
  [[nodiscard]] bool has_ended(std::uint32_t index) const override {
    return index < segment_.members() && remit::has_ended(segment_.control(index).identity.sign);
  }

 private:
  const HostSegment& segment_;
};

/// Made when the window is. The table and the control words are the host's; what this process keeps
/// for itself grows only with the members whose own memory it reads or writes. The thread that
/// holds the process.
class WindowMembers {
 public:
  /// `comm`, `kernel` and `links` must outlive it.
  WindowMembers(const CommCore& comm, HostSegment segment, KernelCopy& kernel, const Links& links)
      : comm_(comm), segment_(std::move(segment)), kernel_(kernel), links_(links) {}

  WindowMembers(const WindowMembers&) = delete;
  WindowMembers& operator=(const WindowMembers&) = delete;

  [[nodiscard]] int size() const { return comm_.size(); }
  [[nodiscard]] int rank() const { return comm_.rank; }
  [[nodiscard]] ProcId proc(int rank) const { return comm_.local->proc(rank); }
  [[nodiscard]] const MemberEntry& entry(int rank) const { return segment_.table()[rank]; }
  [[nodiscard]] const HostSegment& segment() const { return segment_; }

  /// The words of a member of this host; null: it is on another one.
  [[nodiscard]] MemberControl* control(int rank) const {
    const std::uint32_t index = entry(rank).local_index;
    return index < segment_.members() ? &segment_.control(index) : nullptr;
  }
  /// The same as those who take locks see it, for MPI_Win_lock and accumulates; null also where an
  /// adapter takes them.
  [[nodiscard]] MemberControl* lock_words(int rank) const {
    const std::uint32_t index = entry(rank).local_index;
    return index < with_lock_words_ ? &segment_.control(index) : nullptr;
  }
  /// From now on nobody takes locks by words of the host.
  void leave_locks_to_adapter() { with_lock_words_ = 0; }
  [[nodiscard]] MemberControl& own_control() const { return segment_.control(segment_.index()); }
  /// Where a member's memory is mapped here, in the window's segment or, once way() has found that,
  /// elsewhere; null: nowhere.
  [[nodiscard]] std::byte* mapped(int rank) const {
    const std::uint64_t offset = entry(rank).segment_offset;
    if (offset == MemberEntry::kElsewhere) [[unlikely]]
      return mapped_elsewhere(rank);
    return segment_.memory(offset);
  }

  /// How this process reaches a member's memory: looks for it, in its shared heap and by the
  /// kernel, once for each member.
  [[nodiscard]] MemoryWay way(int rank);
  /// The same as far as that is known: nothing where the kernel has not been tried.
  [[nodiscard]] std::optional<MemoryWay> known_way(int rank) const;
  /// Which of the host's members has these words.
  [[nodiscard]] std::uint32_t index_of(const MemberControl& words) const {
    return static_cast<std::uint32_t>(&words - &segment_.control(0));
  }
  /// The rank of the host's member of that index.
  [[nodiscard]] int rank_of_local(std::uint32_t index) const;
  /// Whether the member's process has ended, as far as this one can know: by its link, and on this
  /// host by what the system says, which takes a call.
  [[nodiscard]] bool has_ended(int rank) const;
  /// Whether has_ended() would be true without a link.
  [[nodiscard]] bool sees_end_of(int rank) const;
  /// Of those who hold granules of members of this host.
  [[nodiscard]] const HolderWatch* watch() const { return &watch_; }
  /// Why the kernel copies no member's memory; empty: nobody has tried, or it does.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  /// The memory of a member, whose way is not `message`.
  [[nodiscard]] MemberMemory memory(int rank);
  /// A member of this host, for copies by the kernel; null: it refuses.
  [[nodiscard]] ProcessMemory* process(int rank);
  /// How often memory() was asked for memory that the kernel copies.
  [[nodiscard]] std::uint64_t kernel_uses() const { return kernel_uses_; }

 private:
  /// Memory of a member's own that is mapped here, as what it has allocated on its shared heap is.
  struct Mapping {
    std::byte* begin = nullptr;
    bool settled = false;  ///< it has been looked for, and stays where it is or nowhere
  };

  [[nodiscard]] std::byte* mapped_elsewhere(int rank) const;
  [[nodiscard]] bool find_mapping(int rank);

  const CommCore& comm_;
  HostSegment segment_;
  std::uint32_t with_lock_words_ = segment_.members();
  MemberWatch watch_{segment_};
  KernelCopy& kernel_;
  const Links& links_;
  std::map<int, Mapping> mappings_;  ///< by rank; none: not looked for
  /// By rank; null: the kernel refuses.
  std::map<int, std::unique_ptr<ProcessMemory>> processes_;
  std::string refusal_;  ///< the kernel's words
  std::uint64_t kernel_uses_ = 0;
};

}  // namespace remit
