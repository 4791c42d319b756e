// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Point-to-point messages of one process: matching, protocols, flow control, over any devices.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datatype/datatype.hpp"
#include "pt2pt/address_blob.hpp"
#include "pt2pt/communicator.hpp"
#include "pt2pt/matching.hpp"
#include "pt2pt/memory_pool.hpp"
#include "pt2pt/passport.hpp"
#include "pt2pt/peer.hpp"
#include "pt2pt/protocol.hpp"
#include "pt2pt/request.hpp"
#include "pt2pt/transfer.hpp"
#include "pt2pt/wire.hpp"
#include "rdma_btl/device.hpp"
#include "rdma_btl/pending.hpp"
#include "rdma_btl/registration/registration_cache.hpp"
#include "runtime/pool.hpp"
#include "runtime/process.hpp"

namespace remit {

/// Envelope of a message that waits to be received.
struct ProbeResult {
  int source = 0;
  int tag = 0;
  MPI_Count bytes = 0;
};

/// A device and what the engine keeps beside it.
struct DeviceSlot {
  std::unique_ptr<Device> owner;
  Device* device = nullptr;
  bool ordered = true;  ///< Caps::ordered
  ProtocolTable table;
  PendingQueue pending;
  std::size_t long_send = 0;  ///< the device's Caps::long_send
  std::vector<Peer*> by_endpoint;
  std::size_t fragment = 0;  ///< data bytes of one pipelined fragment
  std::size_t chunk = 0;     ///< bytes of one get or put
  // Registration; none of it where the device needs none. engine_pinning.cpp
  std::unique_ptr<RegistrationCache> cache;
  std::size_t pin_piece = 0;     ///< longer messages register by pieces of so much; 0: as a whole
  bool pin_deferred = false;     ///< their first piece travels before anything is registered
  bool pages_on_demand = false;  ///< one registration is enough: `everything`
  std::optional<Region> everything;  ///< all memory, once it was needed
  std::vector<Staging> staging;      ///< free
  std::size_t staging_bytes = 0;     ///< of each
  std::uint32_t staging_used = 0;
};

/// The messages of one process. All calls by the thread that holds the process; none blocks and
/// none allocates in steady state. Arguments were checked by the caller: ranks are valid ranks of
/// `comm` (not MPI_PROC_NULL), tags in range, views of committed types.
class Engine final : public ProgressSource {
 public:
  /// Registers itself as a progress source of `process`, which must outlive it, and publishes the
  /// addresses of its devices. Throws std::runtime_error if publishing fails.
  Engine(Process& process, std::vector<std::unique_ptr<Device>> devices);
  ~Engine() override;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Starts a send on `comm` (on its collective context if `collective`). `request` completes when
  /// the buffer may be reused (synchronous: when it has been matched, too). Often it is complete on
  /// return.
  void isend(Request& request, const View& buffer, int dest, int tag, const CommCore& comm,
             SendMode mode = SendMode::standard, bool collective = false);

  /// The fast path of a standard send of contiguous bytes: true if the message left completely
  /// without a request; false if nothing was done and isend must be used.
  [[nodiscard, gnu::always_inline]] bool try_send(const void* data, std::size_t bytes, int dest,
                                                  int tag, const CommCore& comm);

  /// Starts a receive; source may be MPI_ANY_SOURCE and tag MPI_ANY_TAG. A message longer than the
  /// view is truncated: the view is filled, the rest dropped, status.error = MPI_ERR_TRUNCATE.
  void irecv(Request& request, const View& buffer, int source, int tag, const CommCore& comm,
             bool collective = false);

  /// The fast path of a receive that waits for nothing, or for `looks` looks: true if the message
  /// was the next one of its source, and is in [to, to + room); `status` says the rest. False:
  /// nothing was received, though with many looks `to` may be written. Polls nothing, so after
  /// kPollAfter messages it takes none until progress() was called.
  [[nodiscard, gnu::always_inline]] bool try_receive(void* to, std::size_t room, int source,
                                                     int tag, const CommCore& comm,
                                                     OpStatus& status, int looks = 1);

  /// The fast path of a receive: true if it was posted, or is complete, for its message was there;
  /// false if nothing was done and irecv must be used (something waits to be received, or a peer
  /// was lost). The request's view is set, and contiguous.
  [[nodiscard, gnu::always_inline]] bool try_post(Request& request, int source, int tag,
                                                  const CommCore& comm);

  /// Looks for a message without receiving it. Does not poll; call after progress.
  [[nodiscard]] std::optional<ProbeResult> iprobe(int source, int tag, const CommCore& comm);
  /// As iprobe, and takes the message out of matching: no other receive can match it any more.
  [[nodiscard]] MatchedMessage* improbe(int source, int tag, const CommCore& comm,
                                        ProbeResult& result);
  /// Receives a message that improbe() found; uses it up.
  void imrecv(Request& request, const View& buffer, MatchedMessage* message);

  /// Cancels a receive that is not matched yet, or a send whose message has not been matched
  /// (a send that left eagerly is not cancelled). The request completes either way.
  void cancel(Request& request);

  /// Waits until everything sent has left for good. For MPI_Finalize and disconnect.
  void flush(const WaitSubject* subject = nullptr);
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
  /// True if nothing that was sent is still in this process. Cheap enough to poll.
  [[nodiscard]] bool flushed() const;
  /// True if an operation is under way or something that was sent is still in this process: then
  /// progress() may have something to do. Cheap.
  [[nodiscard]] bool busy() const;
  /// True if no message whose send is complete is still in this process; others may be under way.
  [[nodiscard]] bool departed() const;

  // ProgressSource
  int progress() override;
  void arm() override;
  void disarm() override;
  void wait_fds(std::vector<int>& out) const override;
  [[nodiscard]] int max_sleep_ms() const override;

  [[nodiscard]] Process& process() const { return process_; }

  /// An operation that is not complete, for the report of a job that hangs.
  struct Awaited {
    MatchKey key;  ///< of a send: `source` is this process's rank
    bool is_send;
    ProcId peer;  ///< kAnyProc: any member of the communicator
  };
  /// All of them, in no useful order. Costs time and memory with their number.
  [[nodiscard]] std::vector<Awaited> awaited();

  /// The words behind the error of a request or peer, for the message to the user; with a rank that
  /// is none, those of any member that failed.
  [[nodiscard]] std::string explain(const CommCore& comm, int rank) const;

  /// One row of the protocol table as remit_info prints it.
  struct ProtocolRange {
    std::string device, layout, protocol;
    std::size_t from_bytes, to_bytes;  ///< both included
  };
  [[nodiscard]] std::vector<ProtocolRange> protocols() const;

  /// The way to a process: null if there is none (yet), or it is lost.
  struct Path {
    Device* device = nullptr;
    EndpointId endpoint = 0;
  };
  [[nodiscard]] Path path(ProcId proc) const;
  /// Whether the process left, or cannot be reached any more.
  [[nodiscard]] bool lost(ProcId proc) const;
  // Processes of other jobs. Each has a number, as those of this job have, once this process has
  // heard of it.

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

  /// Nanoseconds to write a page of a board (collectives/board/board.hpp) that the process has
  /// read, and to read one that it has written; 0: not measured yet. Kept here for the next board.
  [[nodiscard]] std::uint32_t& page_ns(ProcId proc, bool taken) {
    return peers_.get(proc).page_ns[taken ? 1 : 0];
  }

  /// Notices of the first device that has any left.
  struct OwnNotices {
    Device* device = nullptr;
    Notices notices;
  };
  [[nodiscard]] OwnNotices take_notices();

  /// Memory for messages from the first device that has some (Device::allocate()), or null.
  [[nodiscard]] void* allocate(std::size_t bytes);
  /// Released::foreign: it is from none of them.
  [[nodiscard]] Released release(void* memory);

  /// For tests and tools.
  struct Counters {
    std::uint64_t eager = 0;          ///< messages sent with their envelope
    std::uint64_t rendezvous = 0;     ///< messages announced first
    std::uint64_t starved = 0;        ///< of those, small ones that found no credit
    std::uint64_t gets = 0;           ///< messages that this process read
    std::uint64_t puts = 0;           ///< messages that this process wrote
    std::uint64_t listed = 0;         ///< of gets and puts, those by lists of memory runs
    std::uint64_t pipelined = 0;      ///< messages that this process sent in fragments
    std::uint64_t pulled = 0;         ///< small messages fetched into the pool before their match
    std::uint64_t recalls = 0;        ///< leases of idle peers asked back
    std::uint64_t malformed = 0;      ///< messages dropped because they made no sense
    std::uint64_t pinned_pieces = 0;  ///< pieces registered while others of their message travelled
    std::uint64_t deferred = 0;       ///< messages that started before anything was registered
    std::uint64_t bounced = 0;    ///< pieces copied because their memory could not be registered
    std::uint64_t on_demand = 0;  ///< uses of the one registration of all memory
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// The registration caches of all devices together.
  [[nodiscard]] RegistrationCounters registrations() const;
  /// How changes of registered memory are noticed, for a person; empty if nothing is registered.
  [[nodiscard]] std::string memory_monitor() const;
  /// What was counted, in groups: "messages", "registrations" if a device needs them, and each
  /// device by its name.
  struct StatisticGroup {
    std::string name;
    std::vector<Statistic> values;
  };
  [[nodiscard]] std::vector<StatisticGroup> statistics() const;
  /// Bytes held for messages that arrived before their receives, and the most ever.
  [[nodiscard]] std::size_t unexpected_bytes() const;
  [[nodiscard]] std::size_t unexpected_peak() const { return unexpected_peak_; }
  /// Peers with state here.
  [[nodiscard]] std::size_t peer_count() const { return peers_.all().size(); }
  /// Operations under way, whatever their kind.
  [[nodiscard]] std::size_t transfers_live() const { return transfers_.live(); }

 private:
  // engine.cpp: set-up, connections, progress
  [[nodiscard]] AddressBlob own_address() const;
  void publish();
  void start_lookup(Peer& peer);
  int take_answers();
  void connect(Peer& peer, std::span<const std::byte> blob);
  void attach(Peer& peer, DeviceSlot& slot, EndpointId endpoint);
  void await_connections(const WaitSubject* subject);
  [[nodiscard]] bool unsettled(DeviceSlot& slot);
  Peer* peer_of(DeviceSlot& slot, EndpointId endpoint);
  void handle(DeviceSlot& slot, const Completion& completion);

  // engine_send.cpp
  void start_send(Peer& peer, Request& request);
  void send_eager(Peer& peer, Request& request, std::size_t bytes, std::uint32_t units);
  void send_rts(Peer& peer, Request& request, std::size_t bytes, bool starved);
  void offer(Transfer& transfer, RtsHeader& header);
  void send_to_self(Request& request);
  template <class Header>
  void send_message(Peer& peer, Header header, std::span<const std::byte> data = {});
  void post_pieces(Peer& peer, std::span<const Piece> pieces);
  void send_handle(Peer& peer, MessageKind kind, SlabHandle handle, std::uint32_t value = 0,
                   std::uint8_t flags = 0);

  // engine_receive.cpp
  void take_in_order(DeviceSlot& slot, Peer& peer, std::span<const std::byte> data);
  void take(DeviceSlot& slot, std::span<const Completion> completions);
  [[nodiscard]] bool deliver(Peer& peer, std::span<const std::byte> message);
  void fill(Peer& peer, Request& request, const MatchKey& key, std::span<const std::byte> data);
  void receive(DeviceSlot& slot, Peer& peer, std::span<const std::byte> data);
  void receive_eager(Peer& peer, const EagerHeader& header, SlabHandle sender,
                     std::span<const std::byte> data);
  void receive_rts(Peer& peer, const RtsHeader& header);
  void receive_handle(Peer& peer, const HandleHeader& header);
  void receive_cancel(Peer& peer, const HandleHeader& header);
  void consume(Unexpected& message, Request& request);
  void hand_over(Unexpected& message, Request& request);
  void forget(Unexpected& message);
  void note_unexpected();
  void prepare_receive(Request& request, const View& buffer);
  static void set_received(Request& request, const MatchKey& key, std::size_t bytes);

  // engine_rendezvous.cpp
  void start_rendezvous(Peer& peer, Request& request, const Announcement& announced);
  [[nodiscard]] bool start_get(Transfer& transfer, const Announcement& announced);
  [[nodiscard]] bool start_put_target(Transfer& transfer, const Announcement& announced);
  void start_fragment_target(Transfer& transfer);
  void start_pull(Unexpected& message);
  void end_pull(Transfer& transfer);
  void receive_cts(Peer& peer, const CtsHeader& header);
  void receive_fragment(Peer& peer, const FragmentHeader& header, std::span<const std::byte> data);
  void receive_notification(Peer& peer, SlabHandle handle);
  void local_done(std::uint64_t cookie, int status);
  void end_failed(Transfer& transfer);
  void pump(Transfer& transfer);
  void pump_contiguous(Transfer& transfer, OpKind kind);
  void pump_lists(Transfer& transfer, OpKind kind);
  void pump_staged_get(Transfer& transfer);
  void pump_fragments(Transfer& transfer);
  void finish(Transfer& transfer, int error);
  [[nodiscard]] Transfer* transfer_of(Peer& peer, SlabHandle handle);

  // engine_pinning.cpp
  void prepare_registration(DeviceSlot& slot);
  void end_registration(DeviceSlot& slot);
  [[nodiscard]] bool map(Transfer& transfer, Layout::Piece memory, Access access);
  [[nodiscard]] bool map_local(Transfer& transfer);
  [[nodiscard]] bool map_runs(Transfer& transfer);
  [[nodiscard]] bool map_lists(Transfer& transfer);
  void unmap(Transfer& transfer);
  [[nodiscard]] std::optional<Piece> pin_part(Transfer& transfer, OpKind kind, std::size_t bytes,
                                              std::uint32_t& part);
  void part_done(Transfer& transfer, std::uint32_t part, bool arrived);
  void no_memory(Transfer& transfer);
  [[nodiscard]] bool take_staging(DeviceSlot& slot, Staging& out);
  void return_staging(DeviceSlot& slot, Staging& staging);

  // engine_credits.cpp
  void return_units(Peer& peer, std::uint32_t units) {
    peer.owed += units;
    peer.active = true;
    if (2 * peer.owed >= peer.lease) [[unlikely]]
      return_now(peer);
  }
  void return_now(Peer& peer);
  void extend_lease(Peer& peer, std::uint32_t wish);
  void recall_idle();
  void give_back(Peer& peer);

  // engine_failure.cpp
  void fail_peer(Peer& peer, std::string words, bool left_in_order = false);
  void fail(Request& request, int error);

  void complete(Request& request) { complete_request(request, process_.progress()); }

  Process& process_;
  const ProcId self_;
  PeerTable peers_;
  ForeignProcs foreign_;
  Matcher matcher_;
  std::unique_ptr<MemoryWatch> memory_watch_;  // null: no device registers
  std::vector<std::unique_ptr<DeviceSlot>> devices_;
  Slab<Unexpected> unexpected_;
  Slab<Transfer> transfers_;
  BlockPool blocks_;
  std::uint32_t pool_units_ = 0;
  std::uint32_t unleased_ = 0;      // units of the pool that nobody was promised
  std::uint32_t first_window_ = 0;  // units reserved for each process of the job
  std::uint32_t max_lease_ = 0;     // of one peer
  std::size_t sweep_next_ = 0;
  std::uint32_t lookups_ = 0;  // under way
  std::uint32_t lost_peers_ = 0;
  std::uint32_t waiting_ = 0;  // sends that wait for a connection
  std::uint32_t sending_ = 0;  // transfers of sends
  static constexpr std::uint32_t kPollAfter = 64;
  std::uint32_t unpolled_ = 0;  // messages that try_receive() has taken since the last progress()
  static constexpr int kLooksPerRelax = 8;
  std::size_t unexpected_peak_ = 0;
  Counters counters_;
  std::string pin_failure_;         // why memory could not be registered the last time
  std::vector<std::byte> scratch_;  // packed data of one send
  std::vector<std::byte> gather_;   // one send of a device that takes few pieces
  std::array<Completion, 16> completions_;
};

// Inline, for they are on the path of every small message.
inline bool Engine::try_receive(void* to, std::size_t room, int source, int tag,
                                const CommCore& comm, OpStatus& status, int looks) {
  if (source < 0 || !matcher_.empty() || unpolled_ == kPollAfter) [[unlikely]]
    return false;
  Peer* peer = peers_.find(comm.peers().proc(source));
  if (peer == nullptr || peer->device == nullptr) [[unlikely]]
    return false;
  SendHead head = eager_head(0, comm.context, source, tag);
  SendHead mask = kHeadMask;
  if (tag == MPI_ANY_TAG) mask.second = std::numeric_limits<std::uint32_t>::max();
  const bool awaits = looks > 1;  // the caller blocks
  SendHead found;
  Device& device = *peer->device->device;
  std::ptrdiff_t bytes = device.receive(peer->endpoint, head, mask, to, room, awaits, found);
  while (bytes < 0) {
    if (bytes == Device::kSomethingElse || --looks == 0) return false;
    if (looks % kLooksPerRelax == 0) cpu_relax();
    bytes = device.receive(peer->endpoint, head, mask, to, room, awaits, found);
  }
  ++unpolled_;
  peer->credits += credits_in(found);
  return_units(*peer, units_of(static_cast<std::size_t>(bytes)));
  status = {source, tag_in(found), MPI_SUCCESS, false, bytes};
  return true;
}

inline bool Engine::try_post(Request& request, int source, int tag, const CommCore& comm) {
  if (matcher_.unexpected() != 0 || lost_peers_ != 0) [[unlikely]]
    return false;
  request.complete =
      try_receive(request.view.base, request.view.size(), source, tag, comm, request.status);
  if (request.complete) return true;
  request.status = OpStatus{};
  request.key = {comm.context, source, tag};
  request.proc = source == MPI_ANY_SOURCE ? kAnyProc : comm.peers().proc(source);
  request.place = RequestPlace::posted;
  matcher_.post(request);
  return true;
}

inline bool Engine::try_send(const void* data, std::size_t bytes, int dest, int tag,
                             const CommCore& comm) {
  Peer* peer = peers_.find(comm.peers().proc(dest));
  if (peer == nullptr || bytes >= peer->fast_below) [[unlikely]]
    return false;
  const std::uint32_t units = units_of(bytes);
  DeviceSlot& slot = *peer->device;
  if (units > peer->credits || !slot.pending.empty()) [[unlikely]]
    return false;
  peer->credits -= units;
  const SendHead head = eager_head(peer->owed, comm.context, comm.rank, tag);
  peer->owed = 0;
  ++counters_.eager;
  slot.device->send(peer->endpoint, head, data, bytes, slot.pending);
  return true;
}

}  // namespace remit
