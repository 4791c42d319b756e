// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device: completions and receives.
#include <arpa/inet.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "rdma_btl/verbs/endpoint.hpp"
#include "rdma_btl/verbs/verbs_device.hpp"

namespace remit {

namespace {

constexpr std::size_t kVerbsBatch = 16;
constexpr EndpointId kNobody = ~EndpointId{0};
/// Of the posts of one receive: what fits between its number and kReceiveBit.
constexpr std::uint32_t kTurns = 0x7fffffff;

}  // namespace

/// What it does when there is nothing to do is what a message waits for.
std::size_t VerbsDevice::poll(std::span<Completion> out) {
  --polls_to_look_;
  if (polls_to_look_ == 0 || attention_ || chores_ || out.empty()) [[unlikely]]
    return poll_all(out);
  std::array<ibv_wc, kVerbsBatch> work;
  const int got =
      ibv_poll_cq(cq_, static_cast<int>(std::min(kVerbsBatch, out.size())), work.data());
  if (got == 0) [[likely]]
    return 0;
  const auto found = static_cast<std::size_t>(std::max(got, 0));
  const std::size_t count = take_all(std::span(work).first(found), out);
  return count != 0 ? count : poll_all(out);
}

std::size_t VerbsDevice::poll_all(std::span<Completion> out) {
  if (!used_.empty()) release_used();
  std::size_t count = 0;
  if (attention_) [[unlikely]] {
    if (!recalls_due_.empty()) answer_recalls();
    count = attend(out);
  }
  std::array<ibv_wc, kVerbsBatch> work;
  const std::size_t wanted = std::min(kVerbsBatch, out.size() - count);
  int got = 0;
  do {
    got = wanted == 0 ? 0 : ibv_poll_cq(cq_, static_cast<int>(wanted), work.data());
    if (got > 0) {
      count += take_all(std::span(work).first(static_cast<std::size_t>(got)), out.subspan(count));
    }
  } while (count == 0 && got > 0 && static_cast<std::size_t>(got) == wanted);
  // Who is told of nothing may sleep: what nobody looks at must not wait for the next poll.
  if (count == 0 && !used_.empty()) [[unlikely]]
    release_used();
  if (!credit_due_.empty()) [[unlikely]]
    return_credits();
  if (got < 0) [[unlikely]]
    fail_all(fmt::format("{}: the completion queue is broken", adapter_.device));
  if (got == 0 && wanted != 0 && (!leaving_.empty() || parked_ != 0)) [[unlikely]]
    settle_leaving();
  if (polls_to_look_ == 0) [[unlikely]]
    look_around();
  if (count == 0 && attention_) [[unlikely]]
    count = attend(out);
  chores_ = !used_.empty() || !credit_due_.empty() || !leaving_.empty() || parked_ != 0;
  return count;
}

std::size_t VerbsDevice::take_all(std::span<const ibv_wc> work, std::span<Completion> out) {
  std::size_t count = 0;
  for (const ibv_wc& done : work) {
    const bool receive = (done.wr_id & verbs::kReceiveBit) != 0;
    if (receive ? take_receive(done, out[count]) : retire(done, out[count])) ++count;
  }
  return count;
}

/// What poll() does besides the completion queue.
std::size_t VerbsDevice::attend(std::span<Completion> out) {
  attention_ = false;
  if (next_look_ns_ == 0) service();
  std::size_t count = 0;
  while (count < out.size() && !ready_.empty()) {
    out[count++] = ready_.front();
    ready_.pop_front();
  }
  if (!swaps_due_.empty()) retry_swaps();
  if (!notes_due_.empty()) write_due_notes();
  if (!listening_.empty()) listen();
  if (needy_ns_ != 0) find_receives();
  if (flush_wanted_) {
    flush_wanted_ = false;
    flush_tails();
  }
  attention_ = attention_ || !ready_.empty() || !swaps_due_.empty() || !notes_due_.empty() ||
               !recalls_due_.empty() || needy_ns_ != 0;
  return count;
}

/// Now and then, the events that are not completions: a look costs a system call, and the time is
/// not for nothing either.
void VerbsDevice::look_around() {
  constexpr std::uint32_t kPollsPerLook = 64;
  polls_to_look_ = kPollsPerLook;
  if (!listening_.empty()) listen();
  if (verbs::now_ns() >= next_look_ns_) service();
}

void VerbsDevice::service() {
  std::array<pollfd, 2> fds = {pollfd{channel_->fd, POLLIN, 0},
                               pollfd{context_->async_fd, POLLIN, 0}};
  if (::poll(fds.data(), fds.size(), 0) > 0) {
    if (fds[0].revents != 0) service_connections();
    if (fds[1].revents != 0) service_async_events();
  }
  const std::uint64_t now = verbs::now_ns();
  if (!connecting_.empty() || !dying_.empty()) look_at_timers(now);
  if (now >= knock_due_ns_) knock(now);
  if (!greet_due_.empty()) {
    std::vector<EndpointId> due;
    due.swap(greet_due_);
    for (const EndpointId id : due) greet(*endpoints_[id]);
  }
  next_look_ns_ = now + (connecting_.empty() ? verbs::ms(1) : verbs::ms(1) / 20);
}

// --- receives ----------------------------------------------------------------------------------

/// Small, for it is in the loop of take_all(), and each message goes through it.
inline bool VerbsDevice::take_receive(const ibv_wc& work, Completion& out) {
  const auto slot = static_cast<std::uint32_t>(work.wr_id);
  const bool known = work.qp_num == last_qp_num_ && srq_ != nullptr;
  Endpoint* const endpoint =
      known && work.status == IBV_WC_SUCCESS ? last_endpoint_ : sender_of(work, slot);
  if (endpoint == nullptr) [[unlikely]]
    return false;
  use(slot, endpoint->id);
  if (work.opcode != IBV_WC_RECV) [[unlikely]] {
    ++counters_.notifications;
    out = {CompletionKind::notification, MPI_SUCCESS, endpoint->id, ntohl(work.imm_data), 0, {}};
    return true;
  }
  std::byte* const data = slots_[slot].data;
  if ((work.wc_flags & IBV_WC_WITH_IMM) != 0) return take_brief(*endpoint, work, data, out);
  return take_message(*endpoint, work, data, out);
}

/// Whose receive this was; null if there is nothing in it.
VerbsDevice::Endpoint* VerbsDevice::sender_of(const ibv_wc& work, std::uint32_t slot) {
  // Left over of a connection that was dropped: the slot may be in use elsewhere, even on a queue
  // pair of the same number.
  if (srq_ == nullptr && (work.wr_id & ~verbs::kReceiveBit) >> 32 != slots_[slot].turn)
    return nullptr;
  if (work.qp_num != last_qp_num_) {
    const auto found = by_qp_num_.find(work.qp_num);
    if (found == by_qp_num_.end()) {
      use(slot, kNobody);
      return nullptr;
    }
    last_qp_num_ = work.qp_num;
    last_endpoint_ = endpoints_[found->second].get();
  }
  if (work.status == IBV_WC_SUCCESS) [[likely]]
    return last_endpoint_;
  use(slot, kNobody);
  if (work.status != IBV_WC_WR_FLUSH_ERR) failed_work(*last_endpoint_, work);
  return nullptr;
}

bool VerbsDevice::take_message(Endpoint& endpoint, const ibv_wc& work, std::byte* data,
                               Completion& out) {
  verbs::Header header;
  if (work.byte_len < sizeof header) [[unlikely]] {
    fail_endpoint(endpoint, fmt::format("{}: a message makes no sense", way_to(endpoint)));
    return false;
  }
  std::memcpy(&header, data, sizeof header);
  take_credits(endpoint, header.credits, (header.flags & verbs::kStarved) != 0);
  if (header.kind == verbs::MessageKind::data) [[likely]] {
    ++counters_.receives;
    if ((header.flags & verbs::kHeaded) != 0 && work.byte_len >= sizeof header + sizeof(SendHead)) {
      SendHead head;
      std::memcpy(&head, data + sizeof header, sizeof head);
      endpoint.heard_heads[verbs::Heads::place_of(head)] = head;
    }
    out = {CompletionKind::receive,
           MPI_SUCCESS,
           endpoint.id,
           0,
           0,
           std::span(data + sizeof header, work.byte_len - sizeof header)};
    return true;
  }
  return take_own(endpoint, header, work, data, out);
}

/// A message of the device's own.
bool VerbsDevice::take_own(Endpoint& endpoint, const verbs::Header& header, const ibv_wc& work,
                           const std::byte* data, Completion& out) {
  switch (header.kind) {
    case verbs::MessageKind::notification:
      ++counters_.notifications;
      out = {CompletionKind::notification, MPI_SUCCESS, endpoint.id, header.value, 0, {}};
      return true;
    case verbs::MessageKind::open:
      endpoint.host.assign(reinterpret_cast<const char*>(data) + sizeof header,
                           work.byte_len - sizeof header);
      if (endpoint.state == State::accepting) open_endpoint(endpoint);
      return false;
    case verbs::MessageKind::goodbye:
      on_goodbye(endpoint);
      out = {CompletionKind::endpoint_closed, MPI_SUCCESS, endpoint.id, 0, 0, {}};
      return true;
    case verbs::MessageKind::recall:
      heed(endpoint);  // a loan that was written before
      on_recall(endpoint);
      return false;
    case verbs::MessageKind::give_back:
      if (endpoint.recalled && header.value < endpoint.lease) {
        take_back(endpoint, header.value);
      } else {
        fail_endpoint(endpoint, fmt::format("{}: a message makes no sense", way_to(endpoint)));
      }
      return false;
    case verbs::MessageKind::credits:
    case verbs::MessageKind::data:
      return false;
  }
  return false;
}

/// A message without header and head: puts its head before it.
bool VerbsDevice::take_brief(Endpoint& endpoint, const ibv_wc& work, std::byte* data,
                             Completion& out) {
  const std::uint32_t said = ntohl(work.imm_data);
  take_credits(endpoint, said % (verbs::kMostBriefCredits + 1), (said & verbs::kBriefStarved) != 0);
  SendHead head = endpoint.heard_heads[said >> verbs::kBriefPlace];
  head.first = (head.first & ~std::uint64_t{verbs::kVaries}) | (said & verbs::kVaries);
  data -= sizeof head;
  std::memcpy(data, &head, sizeof head);
  ++counters_.receives;
  out = {CompletionKind::receive,
         MPI_SUCCESS,
         endpoint.id,
         0,
         0,
         std::span(data, sizeof head + work.byte_len)};
  return true;
}

/// What came back with a message.
inline void VerbsDevice::take_credits(Endpoint& endpoint, std::uint32_t credits, bool starved) {
  endpoint.credits += credits;
  // A note has overtaken this message: these are to be given back, too.
  if (endpoint.dry && credits != 0) [[unlikely]] {
    endpoint.dry = false;
    on_recall(endpoint);
  }
  if (starved) endpoint.wants_more = true;
}

/// The receives of the last poll() may be used again.
void VerbsDevice::release_used() {
  chain_.clear();
  for (const Used& used : used_) {
    if (srq_ != nullptr) {
      chain_.push_back(used.slot);
      continue;
    }
    Slot& slot = slots_[used.slot];
    const bool live = used.endpoint != kNobody && slot.qp != nullptr &&
                      (endpoints_[used.endpoint]->state == State::open ||
                       endpoints_[used.endpoint]->state == State::accepting);
    if (!live || !post_receives(slot.qp, {&used.slot, 1})) {
      slot.qp_num = 0;
      slot.qp = nullptr;
      free_slots_.push_back(used.slot);
    }
  }
  if (!chain_.empty()) post_receive_chain(chain_);
  for (const Used& used : used_) {
    if (used.endpoint == kNobody) continue;
    Endpoint& endpoint = *endpoints_[used.endpoint];
    if (endpoint.state == State::open) owe(endpoint);
  }
  used_.clear();
}

/// To the shared queue, many at once.
void VerbsDevice::post_receive_chain(std::span<const std::uint32_t> slots) {
  std::array<ibv_recv_wr, kVerbsBatch> requests;
  std::array<ibv_sge, kVerbsBatch> parts;
  while (!slots.empty()) {
    const std::size_t count = std::min(slots.size(), requests.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Slot& slot = slots_[slots[i]];
      parts[i] = {reinterpret_cast<std::uintptr_t>(slot.data),
                  static_cast<std::uint32_t>(config_.message_bytes - verbs::kHeadRoom), slot.lkey};
      requests[i] = {verbs::kReceiveBit | slots[i], i + 1 == count ? nullptr : &requests[i + 1],
                     &parts[i], 1};
    }
    ibv_recv_wr* bad = nullptr;
    if (const int error = ibv_post_srq_recv(srq_, requests.data(), &bad); error != 0) {
      return fail_all(
          fmt::format("{}: a receive was refused: {}", adapter_.device, std::strerror(error)));
    }
    slots = slots.subspan(count);
  }
}

/// To a connection's own queue.
bool VerbsDevice::post_receives(ibv_qp* qp, std::span<const std::uint32_t> slots) {
  for (const std::uint32_t index : slots) {
    Slot& slot = slots_[index];
    ibv_sge part = {reinterpret_cast<std::uintptr_t>(slot.data),
                    static_cast<std::uint32_t>(config_.message_bytes - verbs::kHeadRoom),
                    slot.lkey};
    slot.turn = (slot.turn + 1) & kTurns;
    ibv_recv_wr request = {verbs::kReceiveBit | std::uint64_t{slot.turn} << 32 | index, nullptr,
                           &part, 1};
    ibv_recv_wr* bad = nullptr;
    if (ibv_post_recv(qp, &request, &bad) != 0) return false;
    slot.qp = qp;
    slot.qp_num = qp->qp_num;
  }
  return true;
}

/// A connection is dropped. What was just seen to have ended on it, release_used() frees.
void VerbsDevice::reclaim_slots(std::uint32_t qp_num) {
  if (srq_ != nullptr) return;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].qp_num != qp_num) continue;
    slots_[i].qp_num = 0;
    slots_[i].qp = nullptr;
    slots_[i].turn = (slots_[i].turn + 1) & kTurns;
    if (std::ranges::find(used_, i, &Used::slot) == used_.end()) free_slots_.push_back(i);
  }
}

// --- what was sent -----------------------------------------------------------------------------

/// A work request is finished, and with it those before it on its connection. With iWARP not the
/// gets among these: an adapter may report a send while a get before it waits for its data.
bool VerbsDevice::retire(const ibv_wc& work, Completion& out) {
  const auto sequence = static_cast<std::uint32_t>(work.wr_id);
  Endpoint& endpoint = *endpoints_[static_cast<EndpointId>(work.wr_id >> 32)];
  if (sequence - endpoint.retired >= endpoint.under_way()) return false;  // given up before
  int status = MPI_SUCCESS;
  if (work.status != IBV_WC_SUCCESS) [[unlikely]] {
    status = work.status == IBV_WC_REM_ACCESS_ERR ? MPI_ERR_RMA_RANGE : MPI_ERR_PROC_ABORTED;
    failed_work(endpoint, work);
  }
  const std::uint32_t mask = config_.send_depth - 1;
  const Record own = std::exchange(endpoint.records[sequence & mask], Record{});
  if (endpoint.finished - endpoint.retired <= sequence - endpoint.retired) {
    endpoint.finished = sequence + 1;
  }
  for (; endpoint.retired != endpoint.finished; ++endpoint.retired, --outstanding_) {
    const Record& record = endpoint.records[endpoint.retired & mask];
    if (record.awaited) break;
    if (record.kind != RecordKind::plain) retire_record(endpoint, record, MPI_SUCCESS);
    if (record.cookie != kNoCompletion) complete(endpoint, record.cookie, MPI_SUCCESS);
  }
  if (own.kind != RecordKind::plain) retire_record(endpoint, own, status);
  if (own.cookie == kNoCompletion) return false;
  out = verbs::event_of(CompletionKind::local, endpoint.id, status, own.cookie);
  return true;
}

/// Gives back what a work request held.
void VerbsDevice::retire_record(Endpoint& endpoint, const Record& record, int status) {
  if (record.kind == RecordKind::buffered) {
    free_send_slots_.push_back(record.resource);
  } else if (record.kind == RecordKind::swap) {
    on_swap_done(record.resource, status);
  } else if (record.kind == RecordKind::proof) {
    endpoint.note_flies = false;
  }
}

/// The first error of a connection says why; the others only follow from it.
void VerbsDevice::failed_work(Endpoint& endpoint, const ibv_wc& work) {
  if (endpoint.state == State::failed || endpoint.state == State::gone) return;
  if (said_farewell(endpoint)) return leave(endpoint);
  std::string_view hint;
  switch (work.status) {
    case IBV_WC_RETRY_EXC_ERR:
      hint = " (the link is down, or the peer's process or host is dead: see 'rdma link' there)";
      break;
    case IBV_WC_RNR_RETRY_EXC_ERR:
      ++counters_.rnr;
      hint = " (the peer has posted no receive: please report this)";
      break;
    case IBV_WC_REM_ACCESS_ERR:
      hint = " (memory of the peer that is not registered for it)";
      break;
    case IBV_WC_WR_FLUSH_ERR:
      hint = " (the connection was cut)";
      break;
    default:
      break;
  }
  fail_endpoint(endpoint,
                fmt::format("{}: {}{}", way_to(endpoint), api_.wc_status_str(work.status), hint));
}

// --- swaps -------------------------------------------------------------------------------------

void VerbsDevice::on_swap_done(std::uint32_t index, int status) {
  SwapJob& job = *swaps_[index];
  if (status != MPI_SUCCESS) return end_swap(job, status);
  std::uint64_t old = 0;
  std::memcpy(&old, send_slots_[job.slot], sizeof old);
  if (old == job.guess) {
    job.swapped = true;
    if (job.result != nullptr) std::memcpy(job.result, &old, sizeof old);
    free_send_slots_.push_back(job.slot);
    if (!job.notify) return end_swap(job, MPI_SUCCESS);
  }
  job.guess = old;
  swaps_due_.push_back(index);
  attention_ = true;
}

void VerbsDevice::end_swap(SwapJob& job, int status) {
  if (!job.swapped) free_send_slots_.push_back(job.slot);
  complete(*endpoints_[job.endpoint], job.cookie, status);
  job.live = false;
  free_swaps_.push_back(job.index);
}

/// The next attempt of swaps whose guess was wrong, and the notifications of those that are done.
void VerbsDevice::retry_swaps() {
  std::vector<std::uint32_t> due;
  due.swap(swaps_due_);
  for (const std::uint32_t index : due) {
    SwapJob& job = *swaps_[index];
    Endpoint& endpoint = *endpoints_[job.endpoint];
    if (endpoint.state != State::open) {
      end_swap(job, MPI_ERR_PROC_ABORTED);
      continue;
    }
    const bool no_credit = job.swapped && endpoint.credits <= verbs::kReservedCredits;
    if (no_credit) (void)starve(endpoint);
    if (no_credit || !room(endpoint, 2) || (job.swapped && !message_room())) {
      swaps_due_.push_back(index);
      continue;
    }
    if (!job.swapped) {
      (void)post_swap(job);
      continue;
    }
    post_signal(endpoint, job.notification);
    end_swap(job, MPI_SUCCESS);
  }
}

bool VerbsDevice::flushed() const {
  flush_wanted_ = outstanding_ != 0;
  attention_ = attention_ || flush_wanted_;
  flush_asked_ = outstanding_ != 0 || swaps_.size() != free_swaps_.size();
  return !flush_asked_;
}

}  // namespace remit
