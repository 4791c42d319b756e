// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device: InfiniBand, RoCE and iWARP adapters through libibverbs and librdmacm.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rdma_btl/eager_sends.hpp"
#include "rdma_btl/verbs/adapter.hpp"
#include "rdma_btl/verbs/api.hpp"
#include "rdma_btl/verbs/verbs_config.hpp"
#include "rdma_btl/verbs/wire.hpp"

namespace remit {

/// One reliable connected queue pair a peer, made by rdma_cm at the first contact; one completion
/// queue and one shared receive queue a process. One thread.
///
/// Receives are leased to peers as credits, strictly: what a peer may send has its receive. A send
/// and a notification use one each; they come back with messages the other way, or by a message of
/// the device itself when half of a lease is owed. A sender keeps its last credit for such a
/// message or a recall, so two processes never wait for each other. The pool is of one size however
/// many peers there are: credits of silent ones are called back (verbs_credits.cpp).
///
/// Every work request is counted against the completion queue before it is posted, so that it
/// cannot overflow.
class VerbsDevice final : public EagerSends, public Device {
 public:
  /// Fails with words for the user if there is no adapter or it cannot be used.
  [[nodiscard]] static Expected<std::unique_ptr<VerbsDevice>> create(const VerbsConfig& config);
  /// One line for remit_info: which adapter would be used and why; or why none.
  [[nodiscard]] static Expected<std::string> survey(const VerbsConfig& config);
  /// Says goodbye to its peers, for which it waits five seconds at most.
  ~VerbsDevice() override;
  VerbsDevice(const VerbsDevice&) = delete;
  VerbsDevice& operator=(const VerbsDevice&) = delete;

  [[nodiscard]] const Caps& caps() const override { return caps_; }
  [[nodiscard]] std::vector<std::byte> local_address() const override;
  [[nodiscard]] bool reachable(std::span<const std::byte> address) const override;
  [[nodiscard]] Expected<EndpointId> connect(PeerName peer,
                                             std::span<const std::byte> address) override;
  [[nodiscard]] PeerName peer(EndpointId endpoint) const override;
  [[nodiscard]] Expected<Region> register_memory(void* address, std::size_t length,
                                                 Access access) override;
  void deregister(const Region& region) override;
  [[nodiscard]] std::size_t post(EndpointId endpoint,
                                 std::span<const Operation> operations) override;
  void send(EndpointId endpoint, SendHead head, const void* data, std::size_t length,
            PendingQueue& refused) override;
  [[nodiscard]] std::size_t poll(std::span<Completion> out) override;
  void arm() override;
  void disarm() override;
  [[nodiscard]] int wait_fd() const override { return wait_set_; }
  [[nodiscard]] int max_sleep_ms() const override;
  [[nodiscard]] bool flushed() const override;
  [[nodiscard]] std::string explain(EndpointId endpoint) const override;

  [[nodiscard]] std::vector<Statistic> statistics() const override;
  [[nodiscard]] EagerPath* eager_path() override { return this; }

  [[nodiscard]] const VerbsCounters& counters() const { return counters_; }
  /// "rxe0 port 1, 10.9.0.1 (eth0), GID 1 ...: why".
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const std::string& adapter_name() const { return adapter_.device; }
  /// The adapter, opened: one for all devices of a process. For tests.
  [[nodiscard]] ibv_context& context() const { return *context_; }
  /// True once operations are accepted.
  [[nodiscard]] bool connected(EndpointId endpoint) const;
  /// Ends every connection without a goodbye, as if the process had been killed. For tests.
  void abort();
  /// Acts as if the adapter had reported this about the endpoint's queue pair. For tests.
  void pretend(EndpointId endpoint, ibv_event_type event);
  /// Takes so many credits that the peer has not lent, as if the counting were wrong. For tests.
  void pretend_credits(EndpointId endpoint, std::uint32_t credits);

 private:
  struct Endpoint;
  struct Record;
  struct SwapJob;
  enum class State : std::uint8_t;
  enum class RecordKind : std::uint8_t;

  /// A registered piece of memory that is cut into slots.
  struct Block {
    void* base = nullptr;
    std::size_t bytes = 0;
    ibv_mr* mr = nullptr;
  };
  /// One receive.
  struct Slot {
    std::byte* data = nullptr;
    std::uint32_t lkey = 0;
    std::uint32_t qp_num = 0;  ///< without SRQ: where it is posted; 0: nowhere
    std::uint32_t turn = 0;    ///< without SRQ: of what comes back only this was posted last
    ibv_qp* qp = nullptr;
  };
  /// A receive that was used; `endpoint` gets the credit back.
  struct Used {
    std::uint32_t slot = 0;
    EndpointId endpoint = 0;
  };

  /// For the notes of an endpoint: the peer's, behind it ours, and where the peer's is read into
  /// to prove that it is there.
  struct NotePlace {
    verbs::Note* notes = nullptr;
    std::uint32_t lkey = 0;
    std::uint32_t rkey = 0;
  };

  explicit VerbsDevice(const VerbsConfig& config);

  // Opening and closing (verbs_open.cpp).
  [[nodiscard]] Expected<> open();
  [[nodiscard]] Expected<> open_listener();
  [[nodiscard]] Expected<> query_limits();
  [[nodiscard]] Expected<> probe_queue_pair();
  [[nodiscard]] Expected<> make_queues();
  [[nodiscard]] Expected<> watch();
  void set_caps(const ibv_device_attr& device, const ibv_port_attr& port);
  [[nodiscard]] Expected<Block> make_block(std::size_t bytes, int access, const char* what);
  [[nodiscard]] Expected<> grow(std::size_t slots);
  [[nodiscard]] Expected<Region> register_all_memory();
  void say_goodbye();
  void close_connections();

  // Connections (verbs_connect.cpp).
  [[nodiscard]] Endpoint& make_endpoint(PeerName peer);
  void begin(Endpoint& endpoint);
  void retry_later(Endpoint& endpoint, std::string words);
  void retry_soon(Endpoint& endpoint);
  void drop_active(Endpoint& endpoint);
  void drop_passive(Endpoint& endpoint);
  void destroy_id(rdma_cm_id* id);
  [[nodiscard]] Expected<> make_queue_pair(rdma_cm_id* id, Endpoint& endpoint, bool receives);
  void take_hello(Endpoint& endpoint, const verbs::Hello& hello);
  [[nodiscard]] verbs::Hello hello_to(const Endpoint& endpoint) const;
  [[nodiscard]] rdma_conn_param connection_parameters(const verbs::Hello& hello) const;
  void service_connections();
  void handle_event(const rdma_cm_event& event, std::span<const std::byte> data);
  void on_request(rdma_cm_id* id, std::span<const std::byte> data);
  void accept(rdma_cm_id* id, Endpoint& endpoint, const verbs::Hello& hello);
  void reject(rdma_cm_id* id, verbs::Refusal reason, std::string_view words = {});
  void on_route_resolved(Endpoint& endpoint);
  void on_established(Endpoint& endpoint, std::span<const std::byte> data);
  void on_rejected(Endpoint& endpoint, int status, std::span<const std::byte> data);
  void on_trouble(Endpoint& endpoint, const rdma_cm_event& event);
  void open_endpoint(Endpoint& endpoint);
  void greet(Endpoint& endpoint);
  void ask_host(Endpoint& endpoint, std::uint64_t now_ns);
  void on_answer(Endpoint& endpoint, const rdma_cm_event& event);
  void drop_question(Endpoint& endpoint);
  void on_sign_of_life(Endpoint& endpoint);
  [[nodiscard]] bool given_up(Endpoint& endpoint, std::uint64_t now_ns);
  // What fails (verbs_failure.cpp).
  void leave(Endpoint& endpoint);
  void on_goodbye(Endpoint& endpoint);
  void expect_end(Endpoint& endpoint);
  void settle_leaving();
  void look_at_timers(std::uint64_t now_ns);
  void fail_endpoint(Endpoint& endpoint, std::string words);
  void fail_all(const std::string& words);
  void abandon(Endpoint& endpoint);
  void service_async_events();
  void handle_async_event(const ibv_async_event& event);
  void knock(std::uint64_t now_ns);
  [[nodiscard]] bool waits_for_knock(Endpoint& endpoint, std::uint64_t now_ns);
  [[nodiscard]] Endpoint* endpoint_of(const ibv_qp* qp);
  [[nodiscard]] std::string way_to(const Endpoint& endpoint) const;

  // Posting (verbs_post.cpp).
  [[nodiscard]] std::size_t post_closed(Endpoint& endpoint, std::span<const Operation> operations);
  [[nodiscard]] bool take(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_send(Endpoint& endpoint, const Operation& operation);
  void send_other(Endpoint& endpoint, SendHead head, const void* data, std::size_t length,
                  PendingQueue& refused);
  [[nodiscard]] bool send_headed(Endpoint& endpoint, SendHead head, const void* data,
                                 std::size_t length);
  [[nodiscard]] bool post_put(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_get(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_atomic(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] static verbs::Header take_header(Endpoint& endpoint, verbs::MessageKind kind,
                                                 std::uint32_t value);
  void post_signal(Endpoint& endpoint, std::uint32_t notification);
  [[nodiscard]] bool post_control(Endpoint& endpoint, verbs::MessageKind kind,
                                  std::uint32_t value = 0, bool signal = false);
  void post_message(Endpoint& endpoint, verbs::MessageKind kind, std::uint32_t value,
                    std::span<const Piece> pieces, std::size_t total, bool signal);
  [[nodiscard]] bool post_swap(SwapJob& job);
  [[nodiscard]] std::byte* take_send_slot(Record& record, bool& signal);
  [[nodiscard]] ibv_send_wr& message_request(const void* data, std::size_t bytes, unsigned flags);
  void submit(Endpoint& endpoint, ibv_send_wr& request, const Record& record, bool signal);
  void hand_over(Endpoint& endpoint, ibv_send_wr& request, const Record& record, bool signal);
  void on_refusal(Endpoint& endpoint, const Record& record, int error);
  [[nodiscard]] bool has_room(const Endpoint& endpoint, std::uint32_t requests) const;
  [[nodiscard]] bool room(Endpoint& endpoint, std::uint32_t requests);
  [[nodiscard]] bool spare_room(const Endpoint& endpoint, std::uint32_t requests = 1) const;
  [[nodiscard]] bool send_slot_room();
  [[nodiscard]] bool message_room();
  [[nodiscard]] bool starve(Endpoint& endpoint);
  void flush_tail(Endpoint& endpoint);
  void flush_tails();
  void complete(const Endpoint& endpoint, std::uint64_t cookie, int status);

  // Polling (verbs_poll.cpp).
  [[nodiscard]] std::size_t poll_all(std::span<Completion> out);
  [[nodiscard]] std::size_t take_all(std::span<const ibv_wc> work, std::span<Completion> out);
  [[nodiscard]] bool take_receive(const ibv_wc& work, Completion& out);
  [[nodiscard]] Endpoint* sender_of(const ibv_wc& work, std::uint32_t slot);
  [[nodiscard]] bool take_message(Endpoint& endpoint, const ibv_wc& work, std::byte* data,
                                  Completion& out);
  [[nodiscard]] bool take_own(Endpoint& endpoint, const verbs::Header& header, const ibv_wc& work,
                              const std::byte* data, Completion& out);
  [[nodiscard]] bool take_brief(Endpoint& endpoint, const ibv_wc& work, std::byte* data,
                                Completion& out);
  void take_credits(Endpoint& endpoint, std::uint32_t credits, bool starved);
  [[nodiscard]] bool retire(const ibv_wc& work, Completion& out);
  void retire_record(Endpoint& endpoint, const Record& record, int status);
  void on_swap_done(std::uint32_t job, int status);
  void end_swap(SwapJob& job, int status);
  void retry_swaps();
  void failed_work(Endpoint& endpoint, const ibv_wc& work);
  void use(std::uint32_t slot, EndpointId endpoint) {
    used_.push_back({slot, endpoint});
    chores_ = true;
  }
  void release_used();
  void post_receive_chain(std::span<const std::uint32_t> slots);
  [[nodiscard]] bool post_receives(ibv_qp* qp, std::span<const std::uint32_t> slots);
  void reclaim_slots(std::uint32_t qp_num);
  std::size_t attend(std::span<Completion> out);
  void service();
  void look_around();

  // Lending receives (verbs_credits.cpp).
  [[nodiscard]] std::size_t spare_receives() const;
  [[nodiscard]] std::uint32_t next_window() const;
  void lend(Endpoint& endpoint, std::uint32_t receives);
  [[nodiscard]] bool can_admit(const Endpoint& endpoint);
  [[nodiscard]] Expected<> lend_first(ibv_qp* qp, Endpoint& endpoint);
  void extend_lease(Endpoint& endpoint);
  void owe(Endpoint& endpoint);
  void return_credits();
  void release_lease(Endpoint& endpoint);
  void recall(std::size_t wanted);
  [[nodiscard]] std::size_t recall_from(Endpoint& endpoint);
  void take_back(Endpoint& endpoint, std::uint32_t receives);
  void find_receives();
  void serve_wishes();
  void on_recall(Endpoint& endpoint);
  void answer_recalls();
  void wish(Endpoint& endpoint);
  [[nodiscard]] Expected<> make_note(Endpoint& endpoint);
  void write_note(Endpoint& endpoint);
  void prove_note(Endpoint& endpoint);
  void read_note_back(Endpoint& endpoint, RecordKind kind);
  void write_due_notes();
  void listen_to(Endpoint& endpoint);
  void listen();
  void heed(Endpoint& endpoint);
  [[nodiscard]] static bool said_farewell(const Endpoint& endpoint);

  template <class... Args>
  void say(LogLevel level, fmt::format_string<Args...> format, Args&&... args) const {
    if (config_.log != nullptr) config_.log->write(level, format, std::forward<Args>(args)...);
  }

  // Hot members first.
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  ibv_cq* cq_ = nullptr;
  ibv_srq* srq_ = nullptr;
  mutable bool attention_ = false;  ///< the next poll has something to do besides: attend()
  bool chores_ = false;  ///< or in used_, credit_due_, leaving_, parked_: false if all are empty
  mutable bool flush_wanted_ = false;
  mutable bool flush_asked_ = false;  ///< the last answer of flushed() was no
  std::uint32_t last_qp_num_ = 0;
  std::uint32_t polls_to_look_ = 1;  ///< until look_around()
  Endpoint* last_endpoint_ = nullptr;
  std::uint32_t outstanding_ = 0;  ///< work requests of all connections
  std::uint32_t max_inline_ = 0;   ///< bytes, the device's header included
  ibv_sge message_part_ = {};
  ibv_send_wr message_request_ = {};  ///< see message_request()
  std::uint32_t max_sge_ = 1;
  std::uint32_t max_sge_read_ = 1;
  std::vector<Slot> slots_;
  std::vector<Used> used_;  ///< to be posted again by the next poll
  std::vector<std::uint32_t> chain_;
  std::vector<std::byte*> send_slots_;
  std::vector<std::uint32_t> free_send_slots_;
  std::uint32_t send_lkey_ = 0;
  std::unordered_map<std::uint32_t, EndpointId> by_qp_num_;

  // Work that poll() does.
  std::deque<Completion> ready_;        ///< completions made by software
  std::vector<EndpointId> credit_due_;  ///< owed half of their lease
  std::vector<EndpointId> leaving_;     ///< disconnected: settled once the queue is drained
  std::vector<rdma_cm_id*> withdrawn_;  ///< requests that wait for their rejection
  std::vector<EndpointId> connecting_;  ///< have a timer
  std::vector<EndpointId> dying_;       ///< failed, with work requests under way
  std::vector<EndpointId> greet_due_;   ///< the first message has found no room yet
  std::vector<std::unique_ptr<SwapJob>> swaps_;
  std::vector<std::uint32_t> free_swaps_;
  std::vector<std::uint32_t> swaps_due_;
  std::uint64_t next_look_ns_ = 0;
  std::uint64_t knock_due_ns_ = 0;
  EndpointId knock_next_ = 0;

  // Receives.
  std::vector<std::uint32_t> free_slots_;  ///< without SRQ: posted nowhere
  std::size_t unleased_ = 0;               ///< with SRQ: promised to nobody
  std::size_t recalled_ = 0;               ///< asked back, not here yet
  std::size_t parked_ = 0;  ///< lent to peers that are gone; may be in the completion queue
  std::size_t max_slots_ = 0;
  std::vector<NotePlace> free_notes_;
  std::vector<EndpointId> listening_;    ///< their notes are looked at
  std::vector<EndpointId> notes_due_;    ///< to be written when there is room
  std::vector<EndpointId> recalls_due_;  ///< want their credits back
  std::deque<EndpointId> wishing_;       ///< have none of ours, and something to send
  EndpointId recall_next_ = 0;
  std::uint64_t recall_ns_ = 0;    ///< when peers were last asked
  std::uint64_t needy_ns_ = 0;     ///< since when somebody waits for receives; 0: nobody
  std::uint64_t newcomer_ns_ = 0;  ///< when a new peer was told to try again; 0: not lately

  // The process's own.
  VerbsConfig config_;
  Caps caps_;
  verbs::Api api_;
  verbs::Adapter adapter_;
  verbs::Paging paging_;
  std::string description_;
  std::string trouble_;  ///< of the port, for the words of what fails because of it
  std::string broken_;   ///< why the adapter can never be used again
  std::string host_;     ///< the name of this host
  std::unordered_map<PeerName, EndpointId> by_name_;
  std::vector<Block> blocks_;
  std::unordered_map<std::uint64_t, ibv_mr*> regions_;
  std::uint64_t next_region_ = 1;
  std::uint16_t port_ = 0;  ///< network byte order
  bool immediate_ = true;
  bool notify_requested_ = false;
  int wait_set_ = -1;
  rdma_event_channel* channel_ = nullptr;
  rdma_cm_id* listener_ = nullptr;
  ibv_context* context_ = nullptr;
  ibv_pd* pd_ = nullptr;
  ibv_comp_channel* completions_ = nullptr;
  std::uint8_t max_reads_ = 1;
  std::uint8_t max_served_reads_ = 1;
  std::uint32_t budget_ = 0;
  std::byte* trash_ = nullptr;  ///< where unwanted results of atomics go
  VerbsCounters counters_;
  std::uint64_t port_refusals_ = 0;  ///< see port_refusals(), when the device was opened
};

}  // namespace remit
