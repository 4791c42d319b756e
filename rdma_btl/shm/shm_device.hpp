// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device: processes of one host. A small send is one cache line that changes
// owner; large transfers are copied by the kernel where that is allowed.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "rdma_btl/eager_path.hpp"
#include "rdma_btl/host_memory.hpp"
#include "rdma_btl/shm/copy_table.hpp"
#include "rdma_btl/shm/kernel_copy.hpp"
#include "rdma_btl/shm/layout.hpp"
#include "rdma_btl/shm/ring.hpp"
#include "rdma_btl/shm/shm_config.hpp"
#include "runtime/os/os.hpp"

namespace remit {

/// Peers talk through one ring a direction, made at the first connect() or HELLO and seen by the
/// two of them only; memory of a pair is touched as it is used. One thread. The eager path is its
/// first base, for calls by the others go through a thunk.
///
/// Puts and gets name registered regions of the peer. An access outside of them fails with
/// MPI_ERR_RMA_RANGE. When the bytes are copied directly it is the initiator that checks this, in
/// the target's published table; the kernel only checks that both belong to one user.
class ShmDevice final : public EagerPath, public Device, public HostMemory {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<ShmDevice>> create(const ShmConfig& config);
  ~ShmDevice() override;
  ShmDevice(const ShmDevice&) = delete;
  ShmDevice& operator=(const ShmDevice&) = delete;

  [[nodiscard]] const Caps& caps() const override { return caps_; }
  [[nodiscard]] std::vector<std::byte> local_address() const override;
  [[nodiscard]] bool reachable(std::span<const std::byte> address) const override;
  [[nodiscard]] Expected<EndpointId> connect(PeerName peer,
                                             std::span<const std::byte> address) override;
  [[nodiscard]] PeerName peer(EndpointId endpoint) const override;
  [[nodiscard]] Expected<Region> register_memory(void* address, std::size_t length,
                                                 Access access) override;
  void deregister(const Region& region) override;
  void send(EndpointId endpoint, SendHead head, const void* data, std::size_t length,
            PendingQueue& refused) override;
  [[nodiscard]] bool takes_now(EndpointId endpoint, std::size_t bytes) override;
  [[nodiscard]] std::ptrdiff_t receive(EndpointId endpoint, SendHead head, SendHead mask, void* to,
                                       std::size_t room, bool awaits, SendHead& found) override;
  [[nodiscard]] std::size_t post(EndpointId endpoint,
                                 std::span<const Operation> operations) override;
  [[nodiscard]] std::size_t poll(std::span<Completion> out) override;
  void have_read() override;
  void arm() override;
  void disarm() override;
  [[nodiscard]] int wait_fd() const override { return wait_set_.get(); }
  [[nodiscard]] int max_sleep_ms() const override;
  [[nodiscard]] bool flushed() const override;
  [[nodiscard]] std::string explain(EndpointId endpoint) const override;

  [[nodiscard]] Notices take_notices() override;
  void return_notices(std::uint32_t index, std::function<bool()> in_use) override;
  [[nodiscard]] std::byte* notices_of(EndpointId endpoint, std::uint32_t index) const override;
  void nudge(EndpointId endpoint) override;

  [[nodiscard]] bool reaches_memory(EndpointId endpoint) const override;
  [[nodiscard]] HostFacts facts() const override { return facts_; }
  [[nodiscard]] HostFacts measure_facts() override;
  [[nodiscard]] std::size_t take_lines_to() const override { return take_lines_to_; }
  void learn(const HostFacts& facts) override;
  [[nodiscard]] bool read_memory(EndpointId endpoint, std::uint64_t address, void* to,
                                 std::size_t bytes) override;
  [[nodiscard]] bool write_memory(EndpointId endpoint, std::uint64_t address, const void* from,
                                  std::size_t bytes) override;
  [[nodiscard]] std::byte* map_memory(EndpointId endpoint, std::uint64_t address,
                                      std::size_t bytes) override;

  [[nodiscard]] void* allocate(std::size_t bytes) override;
  [[nodiscard]] Released release(void* memory) override;

  [[nodiscard]] std::vector<Statistic> statistics() const override;
  [[nodiscard]] EagerPath* eager_path() override { return this; }
  [[nodiscard]] HostMemory* host_memory() override { return this; }

  [[nodiscard]] const ShmCounters& counters() const { return counters_; }
  /// True if puts and gets of this endpoint are direct copies; false too while that is unknown.
  [[nodiscard]] bool copies_directly(EndpointId endpoint) const;
  /// True once both directions exist.
  [[nodiscard]] bool connected(EndpointId endpoint) const;

 private:
  struct Endpoint;
  struct Job;
  struct Batch;
  enum class Phase : std::uint8_t;
  enum class Step : std::uint8_t;

  /// The receiving end of one ring: what poll() reads.
  struct Scan {
    shm::Cell* next;  ///< the cell that is filled next
    shm::Cell* cells;
    const shm::Cell* mailbox;
    std::uint64_t writer;    ///< what marks the peer's messages there
    std::uint64_t expected;  ///< number of the next message
    std::uint32_t mask;
    std::uint32_t publish_mask;  ///< the producer hears of every so many cells
    EndpointId endpoint;
  };

  /// A cell that found its ring full.
  struct Outgoing {
    EndpointId endpoint;
    shm::CellKind kind;
    std::uint8_t length;
    std::array<std::byte, shm::kInline> payload;
  };

  /// A get of a peer's that is being answered.
  struct Reply {
    EndpointId endpoint;
    shm::JobName job;
    const std::byte* from;
    std::size_t left;
  };

  /// A peer's transfer that this process helps with.
  struct Helping {
    EndpointId endpoint;
    shm::AssistRequest request;
  };

  struct RegionSlot {
    std::uint32_t generation = 0;
    Access access = Access::local;
    bool live = false;
    std::uint64_t address = 0;
    std::uint64_t length = 0;
  };

  explicit ShmDevice(const ShmConfig& config);
  [[nodiscard]] Expected<> open();
  [[nodiscard]] shm::Address own_address() const;
  void register_barriers();

  // Sending (shm_device.cpp).
  [[nodiscard]] bool push_send(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] std::byte* reserve(Endpoint& endpoint, std::size_t bytes, shm::AreaRef& ref);
  static void publish_reference(Endpoint& endpoint, const shm::AreaRef& ref, const void* head,
                                std::size_t bytes);
  void push_in_parts(Endpoint& endpoint, const Operation& operation, shm::AreaRef ref,
                     std::byte* to);
  [[nodiscard]] bool push_large(Endpoint& endpoint, const Operation& operation, std::size_t total);
  std::size_t post_to_failed(Endpoint& endpoint, std::span<const Operation> operations);
  void wake(Endpoint& endpoint);
  void ring_bell(Endpoint& endpoint);

  // Receiving (shm_device.cpp).
  std::size_t drain_inline(Scan& scan, std::span<Completion> out, std::size_t n);
  std::size_t drain(Scan& scan, std::span<Completion> out, std::size_t n);
  [[nodiscard]] static std::size_t filled(const Endpoint& endpoint, std::uint64_t number);
  [[nodiscard]] static bool mail_is_whole(const Endpoint& endpoint, const Scan& scan);
  [[nodiscard]] static bool copy_parts(const Endpoint& endpoint, std::uint64_t number, void* to,
                                       const std::byte* data, std::size_t bytes);
  [[nodiscard]] bool take_mail(Scan& scan, std::uint64_t header, Completion& out);
  std::size_t scan_cold(std::span<Completion> out, std::size_t n);
  std::size_t poll_with_attention(std::span<Completion> out, std::size_t n);
  std::size_t attend(std::span<Completion> out, std::size_t n);
  [[nodiscard]] static std::uint32_t publish_mask(std::uint32_t cells) { return cells / 8 - 1; }
  std::size_t scan_fairly(std::span<Completion> out, std::size_t n);
  void make_hot(std::uint32_t index);
  [[nodiscard]] bool handle(Scan& scan, const shm::Cell& cell, std::uint64_t header,
                            Completion& out);
  void copy_out(void* to, std::byte* from, std::size_t bytes) const;
  void take_cell(shm::Cell& cell) const;
  void lend(Endpoint& endpoint, std::span<std::byte> bytes, bool mail);
  void end_lending();
  void note_consumed(Scan& scan);
  void step_over(Scan& scan);
  void publish_consumed();
  std::size_t publish_early(std::span<Completion> out);
  std::size_t take_ready(std::span<Completion> out, std::size_t n);
  void settle_blocked();
  std::size_t do_work(std::span<Completion> out);
  void idle(bool nothing_arrived);
  [[nodiscard]] std::byte* area_bytes(Endpoint& endpoint, const shm::AreaRef& ref);
  [[nodiscard]] std::span<const std::byte> area_message(Endpoint& endpoint,
                                                        std::span<const std::byte> cell);
  void bad_cell(Endpoint& endpoint, const char* what);

  // First contact and death (shm_connect.cpp).
  [[nodiscard]] Expected<Endpoint*> make_endpoint(PeerName peer, const shm::SocketName& socket);
  void send_hello(Endpoint& endpoint);
  void retry_hellos();
  void service_socket();
  [[nodiscard]] bool receive_datagram();
  void receive_hello(const shm::Hello& hello, std::span<shm::Fd> fds, const ucred& from,
                     const shm::SocketName& socket);
  template <class Datagram>
  [[nodiscard]] Endpoint* sender_of(const Datagram& datagram, const ucred& from) const;
  void reject_hello(const std::string& why);
  void refuse(PeerName peer, const shm::SocketName& socket, const std::string& why);
  void receive_refusal(const shm::Refusal& refusal, const ucred& from);
  [[nodiscard]] Expected<> attach(Endpoint& endpoint, const shm::Hello& hello,
                                  std::span<shm::Fd> fds, const ucred& from);
  [[nodiscard]] bool probe_copies(const Endpoint& endpoint, const shm::Hello& hello) const;
  void look_after_peers();
  [[nodiscard]] std::uint32_t new_scan();
  void close_endpoint(Endpoint& endpoint);
  void shut_endpoint(Endpoint& endpoint);
  void unmap_shut();
  [[nodiscard]] static std::string exit_words(const Endpoint& endpoint);
  void fail_endpoint(Endpoint& endpoint, int status, std::string words);
  void update_fence(Endpoint& endpoint);

  void take_datagram(std::span<const std::byte> data, bool cut, std::span<shm::Fd> fds,
                     const ucred& credentials, const shm::SocketName& from);

  // Memory of peers that is mapped here (shm_arena.cpp).
  void on_arena_wanted(Endpoint& endpoint);
  void send_arena(Endpoint& endpoint);
  void retry_arenas();
  void receive_arena(const shm::ArenaOffer& offer, const shm::Fd& fd, const ucred& from);
  [[nodiscard]] std::byte* mapped(Endpoint& endpoint, std::uint64_t address, std::size_t length);
  [[nodiscard]] ssize_t copy_across(Endpoint& endpoint, bool to_peer, std::span<const iovec> local,
                                    std::span<const iovec> remote);
  [[nodiscard]] bool copy_all(EndpointId id, bool to_peer, std::byte* here, std::uint64_t address,
                              std::size_t bytes);

  // Transfers (shm_copy.cpp).
  [[nodiscard]] bool start(Endpoint& endpoint, const Operation& operation);
  void begin(std::uint32_t index);
  void begin_waiting(Endpoint& endpoint);
  [[nodiscard]] Step advance(Job& job, Batch& batch);
  [[nodiscard]] static Phase streaming_phase(const Job& job);
  [[nodiscard]] bool trapped(const Job& job) const;
  void use_facts();
  [[nodiscard]] Step gather_rest(Job& job, Endpoint& endpoint, Batch& batch);
  [[nodiscard]] Step gather_chunk(Job& job, Endpoint& endpoint, Batch& batch);
  void copy(Batch& batch);
  void give_up_sharing(Job& job, Endpoint& endpoint);
  [[nodiscard]] Step join_step(Job& job, Endpoint& endpoint);
  [[nodiscard]] Step stream_step(Job& job, Endpoint& endpoint);
  [[nodiscard]] Step request_step(Job& job, Endpoint& endpoint);
  [[nodiscard]] Step copied(Job& job);
  void copy_error(Job& job, Endpoint& endpoint, int error);
  [[nodiscard]] bool offer_assist(Job& job, Endpoint& endpoint);
  [[nodiscard]] Phase direct_phase(Job& job, Endpoint& endpoint);
  void finish(Job& job, int status);
  void progress_transfers();
  void visit_active(Batch& batch);
  void progress_replies();
  void progress_helping();
  void send_cell(Endpoint& endpoint, shm::CellKind kind, const void* payload, std::size_t length);
  [[nodiscard]] Job* find_job(shm::JobName name, EndpointId endpoint);
  [[nodiscard]] shm::JobName job_name(const Job& job) const;

  // What peers ask for (shm_serve.cpp).
  [[nodiscard]] bool on_put_data(Endpoint& endpoint, const shm::Cell& cell, Completion& out);
  void on_put_done(Endpoint& endpoint, const shm::Cell& cell);
  void on_get_request(Endpoint& endpoint, const shm::Cell& cell);
  void on_get_data(Endpoint& endpoint, const shm::Cell& cell);
  [[nodiscard]] bool on_atomic_request(Endpoint& endpoint, const shm::Cell& cell, Completion& out);
  void on_atomic_reply(Endpoint& endpoint, const shm::Cell& cell);
  void on_assist(Endpoint& endpoint, const shm::Cell& cell);
  [[nodiscard]] bool allowed(std::uint64_t key, std::uint64_t address, std::uint64_t length,
                             Access access) const;
  void violation(Endpoint& endpoint, const char* what, std::uint64_t address, std::uint64_t length);

  // Hot members first.
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::vector<Scan> scans_;
  static constexpr std::uint32_t kHot = 8;
  static constexpr std::uint32_t kColdPerPoll = 16;
  std::array<std::uint32_t, kHot> hot_ = {};  ///< indices into scans_ that every poll visits
  std::uint32_t hot_count_ = 0;
  std::uint32_t hot_clock_ = 0;
  std::uint32_t cold_cursor_ = 0;
  std::uint32_t ticks_ = 0;
  std::size_t take_lines_to_ = 0;  ///< HostMemory::take_lines_to()
  std::uint32_t attention_ = 0;    ///< what the next poll has to do besides; 0: the fast path
  static constexpr std::uint32_t kWork = 1;     ///< do_work() has something to do
  static constexpr std::uint32_t kPublish = 2;  ///< publish_ is not empty
  static constexpr std::uint32_t kScanAll = 4;  ///< visit every ring
  static constexpr std::uint32_t kFair = 8;     ///< the last poll had no room: in turn
  static constexpr std::uint32_t kArmed = 16;   ///< the caller is about to sleep
  std::vector<std::uint32_t> publish_;  ///< scans_ whose producer should hear of what was consumed

  /// What the caller may read until it says that it has, or the next poll.
  struct Lent {
    std::span<std::byte> bytes;
    Endpoint* mail;  ///< whose mailbox they go with; null: they are in a data area
  };
  std::vector<Lent> lent_;

  // Work that poll() does.
  std::deque<Completion> ready_;  ///< completions made by software
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<std::uint32_t> free_jobs_;
  std::deque<std::uint32_t> active_;  ///< jobs that can move without a cell from the peer
  std::deque<Outgoing> outgoing_;
  std::deque<Reply> replies_;
  std::deque<Helping> helping_;
  std::vector<EndpointId> hellos_due_;
  std::vector<EndpointId> arenas_due_;
  std::vector<EndpointId> gone_;  ///< peers that died with cells unread
  std::vector<EndpointId> unmap_due_;
  std::vector<std::uint32_t> free_scans_;  ///< indices into scans_ that no endpoint has
  std::size_t pending_puts_ = 0;
  shm::KernelCopy kernel_copy_;
  HostFacts facts_;
  bool facts_news_ = false;  ///< this process has measured some
  shm::CopyTable copies_;
  bool copies_loaded_ = false;    ///< the file was read, at the first transfer that asked
  bool copies_measured_ = false;  ///< and there is something new

  // Registration.
  std::vector<RegionSlot> regions_;
  std::vector<std::uint32_t> free_regions_;

  struct ReturnedNotices {
    std::uint32_t index;
    std::function<bool()> in_use;
  };
  std::uint32_t notices_used_ = 0;  ///< those of higher numbers were never handed out
  std::vector<ReturnedNotices> returned_notices_;

  // The process's own.
  ShmConfig config_;
  Caps caps_;
  std::unordered_map<PeerName, EndpointId> by_name_;
  std::array<std::uint8_t, 16> socket_id_ = {};
  std::uint64_t host_ = 0;
  std::uint64_t network_ = 0;
  shm::Fd socket_;
  shm::Fd event_;
  shm::Fd wait_set_;
  shm::Fd home_memory_;
  shm::Mapping home_mapping_;
  shm::Home* home_ = nullptr;
  bool registered_ = false;           ///< barriers of others order this process's accesses
  std::atomic<int> registering_ = 0;  ///< result of the thread below: 1 registered, -1 refused
  std::thread registrar_;
  static constexpr std::size_t kFewMet = 16;
  std::size_t met_ = 0;           ///< new endpoints since it was last seen who has gone
  std::uint32_t unattached_ = 0;  ///< endpoints whose peer's HELLO has not come
  std::uint32_t arenas_awaited_ = 0;
  std::uint64_t looked_after_ns_ = 0;
  std::uint64_t socket_read_ns_ = 0;
  ShmCounters counters_;
};

}  // namespace remit
