// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory through which the members of a host move data of collective accesses, and the order of the
// accesses that use it.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "communicators/comm_process.hpp"
#include "files/staged/access_summary.hpp"
#include "files/staged/collective_plan.hpp"
#include "files/staged/host_meeting.hpp"
#include "files/staged/host_owners.hpp"
#include "files/staged/spread_letters.hpp"
#include "files/staged/staging_memory.hpp"
#include "files/storage/file_system.hpp"
#include "runtime/error.hpp"

namespace remit {

struct DataAccess;
struct FileCore;

/// The collective accesses of one file that this process has begun and not ended, in their order,
/// which is that of all members. The thread that holds the process.
class AccessOrder {
 public:
  /// A place in it, from the beginning of an access to its end.
  class Turn {
   public:
    Turn(AccessOrder& order, Progress& progress);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// Whether all accesses that began before it have ended.
    [[nodiscard]] bool has_come() const { return order_.first_ == this; }
    /// It has ended, or never needs others to wait for it.
    void end();

    // `auto come = ...`: awaits has_come(). One coroutine.
    [[nodiscard]] bool await_ready() const { return has_come(); }
    void await_suspend(std::coroutine_handle<> handle) { waiting_ = handle; }
    void await_resume() const {}

   private:
    friend class AccessOrder;
    AccessOrder& order_;
    Progress& progress_;
    Turn* next_ = nullptr;
    std::coroutine_handle<> waiting_;
    bool has_ended_ = false;
  };

 private:
  [[nodiscard]] Turn** place_of(const Turn* turn);

  Turn* first_ = nullptr;  ///< others follow
};

/// How the members of a file share memory on each host: who they are, who owns slices, and how
/// large these are. The thread that holds the process, but for the memory itself.
class FileStaging {
 public:
  /// Made by all members of the file, the first time that a view of one of them has holes. Null
  /// where it is of no use, at all members: there is one host, whose members share no memory.
  /// Waits.
  [[nodiscard]] static Expected<std::unique_ptr<FileStaging>> make(const CommCall& call,
                                                                   FileCore& file);
  ~FileStaging() = default;
  FileStaging(const FileStaging&) = delete;
  FileStaging& operator=(const FileStaging&) = delete;

  [[nodiscard]] AccessOrder& order() { return order_; }
  /// Whether the members of this host share memory.
  [[nodiscard]] bool has_memory() const { return memory_.is_there(); }
  /// For the plan of an access: what this member says of its part. Who has left the others once
  /// does not meet them again: accesses go straight from then on.
  [[nodiscard]] MemberAccess summarize(const FileCore& file, const DataAccess& access);
  /// Room for what all members say, of the blocking access of the file.
  [[nodiscard]] std::span<MemberAccess> told() { return told_; }
  /// Where the members of this host meet, by their places in members(). Only with memory.
  [[nodiscard]] HostMeeting& meeting() { return *meeting_; }
  /// The ranks of the members of this host.
  [[nodiscard]] const std::vector<int>& members() const { return members_; }
  /// This member does not come to a meeting that others may wait in.
  void leave() {
    if (meeting_) meeting_->leave();
  }

  /// Which way an access goes, of what all members have said. Takes no memory.
  [[nodiscard]] CollectivePlan plan(const FileCore& file, const DataAccess& access,
                                    std::span<const MemberAccess> all);
  /// Of the access whose turn has come.
  [[nodiscard]] SpreadLetters& letters() { return letters_; }
  /// Which slice of each window this member owns; -1: none.
  [[nodiscard]] int owned() const { return owned_; }
  [[nodiscard]] const HostOwners& owners() const { return *owners_; }

  [[nodiscard]] const StagingMemory& memory() const { return memory_; }
  /// The next cycle of all members; who ends an access says how many it took.
  [[nodiscard]] std::uint64_t next_cycle() const { return next_cycle_; }
  void take_cycles(std::uint64_t count) { next_cycle_ += count; }

 private:
  explicit FileStaging(CommProcess& comms) : comms_(comms) {}
  /// How slices may be cut.
  struct Sizes {
    std::int64_t unit = kFilePage;
    std::int64_t most_slice = kFilePage;
    std::int64_t is_local = 1;  ///< the file system is
  };
  /// What a member tells the others when they make it.
  struct Offer {
    std::uint64_t address = 0;  ///< of the memory of its host, which it leads; 0: none
    Sizes sizes;
  };
  [[nodiscard]] StagingLimits limits(const FileCore& file, FileMove kind) const;
  [[nodiscard]] SliceLimits limits_of_all(const HintValues& hints) const;
  [[nodiscard]] Expected<> find_hosts(const CommCall& call, FileCore& file);
  void choose_sizes(FileCore& file);
  void make_room(const CommCore& comm);
  [[nodiscard]] Expected<bool> share(const CommCall& call, FileCore& file);
  void take_sizes(const std::vector<Offer>& offers);

  /// Those that this one meets.
  class Peers final : public MeetingPeers {
   public:
    Peers(FileCore& file, const std::vector<int>& ranks) : file_(file), ranks_(ranks) {}
    [[nodiscard]] bool has_ended(std::size_t member) override;
    void wake(std::size_t member) override;

   private:
    FileCore& file_;
    const std::vector<int>& ranks_;
  };

  CommProcess& comms_;
  AccessOrder order_;
  AccessSummary summary_;
  std::uint32_t host_ = 0;  ///< what names this host: the lowest rank there
  std::optional<HostOwners> owners_;
  std::vector<int> members_;  ///< of this host
  StagingMemory memory_;
  std::optional<Peers> peers_;
  std::optional<HostMeeting> meeting_;
  std::vector<MemberAccess> told_;
  std::optional<PlanRoom> plan_room_;
  SpreadLetters letters_;
  Sizes own_;  ///< of this host
  Sizes all_;  ///< between hosts, the same at all members
  int owned_ = -1;
  std::uint64_t next_cycle_ = 0;
};

/// How collective accesses of a file are staged, as far as hints and the file system decide it.
struct StagingSizes {
  std::int64_t unit = kFilePage;   ///< slices begin at multiples of it
  std::int64_t slice = kFilePage;  ///< bytes that an owner moves at a time; a multiple of `unit`
  int owners = 1;                  ///< of each host that has so many members
};
/// `hosts`: how many have members. Pure.
[[nodiscard]] StagingSizes staging_sizes(const HintValues& hints, const FileSystemTraits& traits,
                                         int hosts);

}  // namespace remit
