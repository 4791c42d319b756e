// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ways from this process to others, over whatever devices reach them: connecting on first use,
// posting, what waits, and who is told what has come. It knows nothing of MPI's messages.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "links/address_blob.hpp"
#include "links/device_memory.hpp"
#include "links/link.hpp"
#include "links/link_user.hpp"
#include "links/passport.hpp"
#include "rdma_btl/device.hpp"
#include "rdma_btl/eager_path.hpp"
#include "rdma_btl/host_memory.hpp"
#include "rdma_btl/pending.hpp"
#include "runtime/process.hpp"

namespace remit {

/// A device and what Links keeps beside it.
struct LinkDevice {
  LinkDevice(std::unique_ptr<Device> opened, const Params& params, MemoryWatch* watch);

  std::unique_ptr<Device> device;
  EagerPath* eager;         ///< the device's, or `posted`
  HostMemory* host_memory;  ///< null: the device has none
  std::size_t index = 0;    ///< in Links::devices()
  bool ordered;             ///< Caps::ordered
  std::size_t chunk;        ///< bytes of one get or put, so that its length fits 32 bits
  PendingQueue pending;
  std::vector<Link*> by_endpoint;
  DeviceMemory memory;
  std::unique_ptr<EagerPath> posted;  ///< null: the device has its own
};

/// Before every message on a device that does not keep the order of sends.
struct SequenceHeader {
  std::uint32_t sequence = 0;  ///< of the messages from this sender to this receiver
  std::uint32_t unused = 0;
};
static_assert(sizeof(SequenceHeader) == 8);
/// Bytes that Links puts before each message of such a device.
[[nodiscard]] inline std::size_t message_overhead(const Caps& caps) {
  return caps.ordered ? 0 : sizeof(SequenceHeader);
}

/// Memory of this process that was offered to peers: registered with each device while this lives.
class OfferedMemory {
 public:
  /// What peers need to reach it (Links::locate), as bytes to be sent to them.
  [[nodiscard]] const std::vector<std::byte>& keys() const { return keys_; }

 private:
  friend class Links;
  std::vector<MemoryLease> leases_;
  std::vector<std::byte> keys_;
};

/// The links of one process. All calls by the thread that holds the process; none blocks but
/// settle(). It is a progress source: whoever polls the process's Progress drives it, a program's
/// call or a thread of the library's own.
class Links final : public ProgressSource {
 public:
  /// Takes the devices, the lowest latency first, and becomes a progress source of `process`, which
  /// must outlive it. Throws std::runtime_error if the memory monitor that the user wants does not
  /// work.
  Links(
      Process& process, std::vector<std::unique_ptr<Device>> devices,
      MakeLink make = [](ProcId id) { return std::make_unique<Link>(id); });
  ~Links() override;

  /// Who is told what comes for `id`; null: nobody any more. The user of `matching` is offered
  /// everything first. Before publish().
  void set_user(LinkUserId id, LinkUser* user) { users_[static_cast<std::size_t>(id)] = user; }
  /// Lets peers find this process, and tells each `word` (LinkUser::introduced). Throws
  /// std::runtime_error if that fails.
  void publish(std::uint32_t word);

  [[nodiscard]] Process& process() const { return process_; }
  [[nodiscard]] const std::vector<std::unique_ptr<LinkDevice>>& devices() const { return devices_; }
  [[nodiscard]] const LinkTable& table() const { return table_; }
  [[nodiscard]] Link* find(ProcId proc) const { return table_.find(proc); }
  [[nodiscard]] Link& get(ProcId proc) { return table_.get(proc); }

  /// Begins to connect, if that has not begun yet; LinkUser::connected or lost tells how it ends,
  /// perhaps before this returns.
  void connect(Link& link);

  /// Posts puts, gets and atomics, in order; what the device does not take now is kept here, and so
  /// is everything until there is a connection, which this begins. Local memory is in use until
  /// completion. Cookies and notifications name their user. On a link that is lost operations
  /// complete with an error, MPI_ERR_PROC_ABORTED if no device has them.
  void post(Link& link, std::span<const Operation> operations) {
    if (link.device != nullptr && !link.failed) [[likely]]
      return link.device->pending.post(*link.device->device, link.endpoint, operations);
    post_unconnected(link, operations);
  }
  /// Sends the pieces, two at most, as one message, whose first byte names its user; they may be
  /// reused on return. The link is connected (LinkUser::connected).
  void send(Link& link, std::span<const Piece> pieces);

  /// Registers memory with every device, so that peers may use it as `access` says.
  [[nodiscard]] Expected<OfferedMemory> offer(void* address, std::size_t length, Access access);
  /// The address by which operations on a connected link reach memory that its process has offered,
  /// `offset` bytes behind its beginning. MPI_ERR_INTERN if `keys` has none for the link's device.
  [[nodiscard]] Expected<RemoteAddress> locate(const Link& link, std::span<const std::byte> keys,
                                               std::uint64_t offset = 0) const;

  /// Gives the event to the user that it names. For LinkUser::arrived().
  void dispatch(LinkDevice& device, const Completion& completion);

  /// The link cannot be used any more; `words` say why. All users are told, once.
  void fail(Link& link, std::string words, bool left_in_order = false);
  /// Keeps words about an error of one operation, for explain().
  void note(const Link& link, std::string words) { failures_[link.id] = std::move(words); }
  /// Why the link was lost, or the last note() of it; else empty.
  [[nodiscard]] std::string failure_of(ProcId proc) const;
  /// The same, or else the device's words about the last error on the way to the process.
  [[nodiscard]] std::string explain(ProcId proc) const;
  [[nodiscard]] bool lost(ProcId proc) const {
    const Link* link = table_.find(proc);
    return link != nullptr && link->failed;
  }
  /// Links that were lost so far.
  [[nodiscard]] std::uint32_t lost_count() const { return lost_; }

  /// Events that users took from devices by themselves (EagerPath::receive()) since progress() was
  /// called the last time, which must be now and then. Theirs to count.
  std::uint32_t unpolled = 0;

  // ProgressSource
  int progress() override;
  void arm() override;
  void disarm() override;
  void wait_fds(std::vector<int>& out) const override;
  [[nodiscard]] int max_sleep_ms() const override;

  /// True if nothing that was posted is still in this process. Cheap enough to poll.
  [[nodiscard]] bool departed() const;
  /// True if something was asked for that progress() has to bring about. Cheap.
  [[nodiscard]] bool busy() const { return lookups_ != 0 || !failed_.empty() || !departed(); }
  /// For calls that may block, before they return: waits until messages that are complete for their
  /// senders have left by a connection that is being made. The program may do without MPI for long,
  /// and whoever waits for them would do so until its next call. A peer that does not answer,
  /// because it does without MPI itself, is waited for once, and not for long.
  void settle(const WaitSubject* subject) {
    const bool queued = std::any_of(devices_.begin(), devices_.end(),
                                    [](const auto& slot) { return !slot->pending.empty(); });
    if (queued) [[unlikely]]
      await_connections(subject);
  }

  /// The memory of a process of this host; null: none that this process reaches by itself, or not
  /// yet, or not any more.
  struct HostPath {
    HostMemory* memory = nullptr;
    EndpointId endpoint = 0;
  };
  [[nodiscard]] HostPath host_path(ProcId proc) const;

  // Processes of other jobs. Each has a number, as those of this job have, once this process has
  // heard of it. links_foreign.cpp

  /// Of this process, for those of other jobs.
  [[nodiscard]] Passport passport() const;
  /// The number of the process, which can be sent messages from then on. MPI_ERR_INTERN if it
  /// cannot be told from another one.
  [[nodiscard]] Expected<ProcId> introduce(const Passport& passport);
  /// Whether one of this process's devices reaches the process.
  [[nodiscard]] bool reaches(const Passport& passport) const;
  /// What devices call a process: the same at all processes of all jobs, and in the order of ranks
  /// within a job.
  [[nodiscard]] PeerName name_of(ProcId proc) const;
  /// kAnyProc: there is no such rank in this job.
  [[nodiscard]] ProcId proc_of(PeerName name);
  [[nodiscard]] bool is_foreign(ProcId proc) const {
    return proc >= static_cast<ProcId>(process_.size());
  }
  /// "rank 3", or "rank 3 of job ...".
  [[nodiscard]] std::string words_of(ProcId proc) const;

  // What devices have for all who use them.

  /// Notices of the first device that has any left.
  struct OwnNotices {
    HostMemory* memory = nullptr;
    Notices notices;
  };
  [[nodiscard]] OwnNotices take_notices();
  /// Memory for messages from the first device that has some (HostMemory::allocate()), or null.
  [[nodiscard]] void* allocate(std::size_t bytes);
  /// Released::foreign: it is from none of them.
  [[nodiscard]] Released release(void* memory);

  /// The registration caches of all devices together.
  [[nodiscard]] RegistrationCounters registrations() const;
  /// How changes of registered memory are noticed, for a person; empty if nothing is registered.
  [[nodiscard]] std::string memory_monitor() const {
    return memory_watch_ ? memory_watch_->describe() : "";
  }
  /// Events that were dropped because they made no sense.
  [[nodiscard]] std::uint64_t malformed() const { return malformed_; }

 private:
  // links.cpp
  [[nodiscard]] Link* link_of(LinkDevice& slot, EndpointId endpoint);
  void deliver(Link& link, std::span<const std::byte> message);
  void restore_order(Link& link, std::span<const std::byte> message);
  [[nodiscard]] LinkUser* user(std::size_t id) const { return users_[id]; }
  void await_connections(const WaitSubject* subject);
  [[nodiscard]] bool unsettled(LinkDevice& slot) const;
  [[nodiscard]] std::uint32_t now_ticks() const;

  // links_connect.cpp
  [[nodiscard]] AddressBlob own_address() const;
  int take_answers();
  void tell_word(Link& link, std::uint32_t word);
  void connect_to(Link& link, std::span<const std::byte> blob);
  void attach(Link& link, LinkDevice& slot, EndpointId endpoint);
  void post_unconnected(Link& link, std::span<const Operation> operations);
  int complete_failed();
  void complete(std::uint64_t cookie, int status);

  Process& process_;
  LinkTable table_;
  ForeignProcs foreign_;
  std::array<LinkUser*, kLinkUsers> users_ = {};
  std::unique_ptr<MemoryWatch> memory_watch_;  // null: no device registers
  std::vector<std::unique_ptr<LinkDevice>> devices_;
  std::uint32_t word_ = 0;     // what was published
  std::uint32_t lookups_ = 0;  // under way
  std::uint32_t lost_ = 0;
  std::uint64_t malformed_ = 0;
  std::map<ProcId, PendingQueue> unconnected_;  // operations until their link is connected
  std::vector<std::uint64_t> failed_;           // cookies of operations that never reached a device
  std::map<ProcId, std::string> failures_;
  std::vector<std::byte> gathered_;  // one message for a device that takes few pieces
  std::array<Completion, 16> completions_;
};

}  // namespace remit
