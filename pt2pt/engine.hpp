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
#include "links/links.hpp"
#include "pt2pt/communicator.hpp"
#include "pt2pt/matching.hpp"
#include "pt2pt/memory_pool.hpp"
#include "pt2pt/peer.hpp"
#include "pt2pt/protocol.hpp"
#include "pt2pt/request.hpp"
#include "pt2pt/transfer.hpp"
#include "pt2pt/wire.hpp"
#include "runtime/pool.hpp"
#include "runtime/process.hpp"

namespace remit {

/// Envelope of a message that waits to be received.
struct ProbeResult {
  int source = 0;
  int tag = 0;
  MPI_Count bytes = 0;
};

/// The messages of one process. All calls by the thread that holds the process; none blocks and
/// none allocates in steady state. Arguments were checked by the caller: ranks are valid ranks of
/// `comm` (not MPI_PROC_NULL), tags in range, views of committed types.
class Engine final : public LinkUser {
 public:
  /// Opens links over `devices`, uses them, and publishes their addresses. `process` must outlive
  /// it. Throws std::runtime_error if that fails.
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
  /// True if nothing that was sent is still in this process. Cheap enough to poll.
  [[nodiscard]] bool flushed() const;
  /// True if an operation is under way or something that was sent is still in this process: then
  /// progress() may have something to do. Cheap.
  [[nodiscard]] bool busy() const;
  int progress() { return links_.progress(); }

  /// The ways that its messages take; others may use them, too.
  [[nodiscard]] Links& links() { return links_; }
  [[nodiscard]] const Links& links() const { return links_; }
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

  /// Nanoseconds to write a page of a board (collectives/board/board.hpp) that the process has
  /// read, and to read one that it has written; 0: not measured yet. Kept here for the next board.
  [[nodiscard]] std::uint32_t& page_ns(ProcId proc, bool taken) {
    return peer(proc).page_ns[taken ? 1 : 0];
  }

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
  [[nodiscard]] std::size_t peer_count() const { return links_.table().all().size(); }
  /// Operations under way, whatever their kind.
  [[nodiscard]] std::size_t transfers_live() const { return transfers_.live(); }

  // LinkUser
  void connected(Link& link) override;
  void introduced(Link& link, std::uint32_t word) override;
  void completed(std::uint64_t value, int status) override;
  void notified(Link& link, std::uint32_t value) override;
  void message(Link& link, std::span<const std::byte> data) override;
  void lost(Link& link, bool left_in_order) override;
  void arrived(LinkDevice& device, std::span<const Completion> completions) override;

 private:
  // Every link of links_ is a Peer.
  [[nodiscard]] Peer* find_peer(ProcId proc) const { return static_cast<Peer*>(links_.find(proc)); }
  [[nodiscard]] Peer& peer(ProcId proc) { return static_cast<Peer&>(links_.get(proc)); }

  // engine_send.cpp
  void start_send(Peer& peer, Request& request);
  void send_eager(Peer& peer, Request& request, std::size_t bytes, std::uint32_t units);
  void send_rts(Peer& peer, Request& request, std::size_t bytes, bool starved);
  void offer(Transfer& transfer, RtsHeader& header);
  void send_to_self(Request& request);
  template <class Header>
  void send_message(Peer& peer, Header header, std::span<const std::byte> data = {});
  void send_handle(Peer& peer, MessageKind kind, SlabHandle handle, std::uint32_t value = 0,
                   std::uint8_t flags = 0);

  // engine_receive.cpp
  [[nodiscard]] bool deliver(Peer& peer, std::span<const std::byte> message);
  void fill(Peer& peer, Request& request, const MatchKey& key, std::span<const std::byte> data);
  void receive(Peer& peer, std::span<const std::byte> data);
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
  void end_failed(Transfer& transfer);
  void pump(Transfer& transfer);
  void pump_contiguous(Transfer& transfer, OpKind kind);
  void pump_lists(Transfer& transfer, OpKind kind);
  void pump_staged_get(Transfer& transfer);
  void pump_fragments(Transfer& transfer);
  void finish(Transfer& transfer, int error);
  [[nodiscard]] Transfer* transfer_of(Peer& peer, SlabHandle handle);

  // engine_pinning.cpp
  [[nodiscard]] bool map(Transfer& transfer, Layout::Piece memory, Access access);
  [[nodiscard]] bool map_local(Transfer& transfer);
  [[nodiscard]] bool map_runs(Transfer& transfer);
  [[nodiscard]] bool map_lists(Transfer& transfer);
  void unmap(Transfer& transfer);
  [[nodiscard]] std::optional<Piece> pin_part(Transfer& transfer, OpKind kind, std::size_t bytes,
                                              std::uint32_t& part);
  void part_done(Transfer& transfer, std::uint32_t part, bool arrived);
  void no_memory(Transfer& transfer);
  [[nodiscard]] bool take_staging(Peer& peer, Staging& out);

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
  void fail(Request& request, int error);

  void complete(Request& request) { complete_request(request, process_.progress()); }

  Process& process_;
  const ProcId self_;
  Links links_;
  std::vector<DeviceProtocols> protocols_;  // by LinkDevice::index
  Matcher matcher_;
  Slab<Unexpected> unexpected_;
  Slab<Transfer, 20, kNotificationBits> transfers_;  // their handles are notifications
  BlockPool blocks_;
  std::uint32_t pool_units_ = 0;
  std::uint32_t unleased_ = 0;      // units of the pool that nobody was promised
  std::uint32_t first_window_ = 0;  // units reserved for each process of the job
  std::uint32_t max_lease_ = 0;     // of one peer
  std::size_t sweep_next_ = 0;
  std::uint32_t waiting_ = 0;  // sends that wait for a connection
  std::uint32_t sending_ = 0;  // transfers of sends
  static constexpr std::uint32_t kPollAfter = 64;
  static constexpr int kLooksPerRelax = 8;
  std::size_t unexpected_peak_ = 0;
  Counters counters_;
  std::string pin_failure_;         // why memory could not be registered the last time
  std::vector<std::byte> scratch_;  // packed data of one send
};

// Inline, for they are on the path of every small message.
inline bool Engine::try_receive(void* to, std::size_t room, int source, int tag,
                                const CommCore& comm, OpStatus& status, int looks) {
  if (source < 0 || !matcher_.empty() || links_.unpolled == kPollAfter) [[unlikely]]
    return false;
  Peer* peer = find_peer(comm.peers().proc(source));
  if (peer == nullptr || peer->device == nullptr) [[unlikely]]
    return false;
  SendHead head = eager_head(0, comm.context, source, tag);
  SendHead mask = kHeadMask;
  if (tag == MPI_ANY_TAG) mask.second = std::numeric_limits<std::uint32_t>::max();
  const bool awaits = looks > 1;  // the caller blocks
  SendHead found;
  EagerPath& path = *peer->device->eager;
  std::ptrdiff_t bytes = path.receive(peer->endpoint, head, mask, to, room, awaits, found);
  while (bytes < 0) {
    if (bytes == EagerPath::kSomethingElse || --looks == 0) return false;
    if (looks % kLooksPerRelax == 0) cpu_relax();
    bytes = path.receive(peer->endpoint, head, mask, to, room, awaits, found);
  }
  ++links_.unpolled;
  peer->credits += credits_in(found);
  return_units(*peer, units_of(static_cast<std::size_t>(bytes)));
  status = {source, tag_in(found), MPI_SUCCESS, false, bytes};
  return true;
}

inline bool Engine::try_post(Request& request, int source, int tag, const CommCore& comm) {
  if (matcher_.unexpected() != 0 || links_.lost_count() != 0) [[unlikely]]
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
  Peer* peer = find_peer(comm.peers().proc(dest));
  if (peer == nullptr || bytes >= peer->fast_below) [[unlikely]]
    return false;
  const std::uint32_t units = units_of(bytes);
  LinkDevice& slot = *peer->device;
  if (units > peer->credits || !slot.pending.empty()) [[unlikely]]
    return false;
  peer->credits -= units;
  const SendHead head = eager_head(peer->owed, comm.context, comm.rank, tag);
  peer->owed = 0;
  ++counters_.eager;
  slot.eager->send(peer->endpoint, head, data, bytes, slot.pending);
  return true;
}

}  // namespace remit
