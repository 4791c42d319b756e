// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device: operations become work requests.
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "rdma_btl/verbs/endpoint.hpp"
#include "rdma_btl/verbs/verbs_device.hpp"
#include "runtime/copy.hpp"
#include "runtime/copy_small.hpp"

namespace remit {

namespace {

/// What copy_small() is for.
constexpr std::size_t kFewBytes = 64;

/// Soft-iWARP copies so few bytes that are not inline at once, and if they lie on two pages wrong
/// ones: its kernel module (siw_try_1seg(), seen with Linux 6.1) takes how many lie on the
/// second page for how many lie on the first.
constexpr std::size_t kCopiedAtOnce = 32;

/// Bytes from `address` to the end of its page.
std::size_t to_page_end(std::uint64_t address) {
  constexpr std::uint64_t kPage = 4096;
  return kPage - address % kPage;
}

/// Where an adapter reads the bytes of an operation.
enum class Source : std::uint8_t { local, remote };

/// Pieces of up to 32 sges; the length 0 has a meaning of its own to some adapters.
class Gather {
 public:
  /// `cut`: of no request so few bytes as kCopiedAtOnce may lie on two pages at the source.
  Gather(const Operation& operation, Source source, std::uint32_t per_request, bool cut)
      : rest_(operation.local),
        remote_(operation.remote.address),
        source_(source),
        cut_(cut),
        per_request_(per_request) {
    skip_empty();
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] std::uint32_t requests() const {
    if (cut_) return count_cut();
    const auto used = static_cast<std::uint32_t>(std::count_if(
        rest_.begin(), rest_.end(), [](const Piece& piece) { return piece.length != 0; }));
    return (used + per_request_ - 1) / per_request_;
  }
  /// Fills a request's list with the next pieces; returns their bytes.
  std::size_t next(ibv_send_wr& request) {
    const std::span<const Piece> before = rest_;
    const std::size_t taken = taken_;
    std::size_t bytes = 0;
    int count = 0;
    while (!rest_.empty() && static_cast<std::uint32_t>(count) < per_request_) {
      const Piece& piece = rest_.front();
      parts_[static_cast<std::size_t>(count++)] = {
          reinterpret_cast<std::uintptr_t>(piece.address) + taken_,
          static_cast<std::uint32_t>(piece.length - taken_), static_cast<std::uint32_t>(piece.key)};
      bytes += piece.length - taken_;
      taken_ = 0;
      rest_ = rest_.subspan(1);
      skip_empty();
    }
    if (cut_ && count == 1 && bytes <= kCopiedAtOnce) {
      const std::size_t most = to_page_end(source_ == Source::local ? parts_[0].addr : remote_);
      if (bytes > most) {
        rest_ = before;
        taken_ = taken + most;
        parts_[0].length = static_cast<std::uint32_t>(most);
        bytes = most;
      }
    }
    remote_ += bytes;
    request.sg_list = parts_.data();
    request.num_sge = count;
    return bytes;
  }

 private:
  void skip_empty() {
    while (!rest_.empty() && rest_.front().length == 0) rest_ = rest_.subspan(1);
  }
  [[nodiscard]] std::uint32_t count_cut() const {
    Gather copy = *this;
    ibv_send_wr request;
    std::uint32_t count = 0;
    for (; !copy.done(); ++count) (void)copy.next(request);
    return count;
  }
  std::span<const Piece> rest_;
  std::uint64_t remote_;   ///< of the next byte
  std::size_t taken_ = 0;  ///< bytes of the first piece
  Source source_;
  bool cut_;
  std::uint32_t per_request_;
  std::array<ibv_sge, 32> parts_;
};

}  // namespace

std::size_t VerbsDevice::post(EndpointId id, std::span<const Operation> operations) {
  Endpoint& endpoint = *endpoints_[id];
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (endpoint.state != State::open) [[unlikely]]
      return i + post_closed(endpoint, operations.subspan(i));
    if (!take(endpoint, operations[i])) return i;
  }
  return operations.size();
}

/// A failed endpoint takes everything; one that is not connected yet takes nothing.
std::size_t VerbsDevice::post_closed(Endpoint& endpoint, std::span<const Operation> operations) {
  if (endpoint.state == State::gone) {
    fail_endpoint(endpoint, fmt::format("{} has finished", way_to(endpoint)));
  }
  if (endpoint.state == State::idle && endpoint.has_address) begin(endpoint);
  if (endpoint.state != State::failed) return 0;
  for (const Operation& operation : operations) {
    if (operation.kind != OpKind::send) complete(endpoint, operation.cookie, MPI_ERR_PROC_ABORTED);
  }
  return operations.size();
}

bool VerbsDevice::take(Endpoint& endpoint, const Operation& operation) {
  switch (operation.kind) {
    case OpKind::send:
      return post_send(endpoint, operation);
    case OpKind::put:
      return post_put(endpoint, operation);
    case OpKind::get:
      return post_get(endpoint, operation);
    case OpKind::atomic:
      return post_atomic(endpoint, operation);
  }
  return true;
}

/// Tells poll() that an operation is complete. It may be called by post().
void VerbsDevice::complete(const Endpoint& endpoint, std::uint64_t cookie, int status) {
  if (cookie == kNoCompletion) return;
  ready_.push_back(verbs::event_of(CompletionKind::local, endpoint.id, status, cookie));
  attention_ = true;
}

// --- room --------------------------------------------------------------------------------------

inline bool VerbsDevice::has_room(const Endpoint& endpoint, std::uint32_t requests) const {
  return !endpoint.note_due && spare_room(endpoint, requests + verbs::kSpare);
}

/// And if there is none, does what brings it.
bool VerbsDevice::room(Endpoint& endpoint, std::uint32_t requests) {
  if (has_room(endpoint, requests)) [[likely]]
    return true;
  if (endpoint.note_due || endpoint.under_way() + requests + verbs::kSpare > config_.send_depth) {
    flush_tail(endpoint);
  } else {
    flush_tails();
  }
  return false;
}

bool VerbsDevice::spare_room(const Endpoint& endpoint, std::uint32_t requests) const {
  return endpoint.under_way() + requests <= config_.send_depth &&
         outstanding_ + requests <= budget_;
}

/// Whether a message that is not inline has a place.
bool VerbsDevice::send_slot_room() {
  if (free_send_slots_.size() > verbs::kSpareSlots) [[likely]]
    return true;
  flush_tails();
  return false;
}

/// Whether a message of the device's own has a place.
bool VerbsDevice::message_room() {
  return max_inline_ >= sizeof(verbs::Header) || send_slot_room();
}

bool VerbsDevice::starve(Endpoint& endpoint) {
  if (!endpoint.starving) ++counters_.starved;
  endpoint.starving = true;
  if (endpoint.dry) wish(endpoint);
  return false;
}

/// Makes the last work requests, of which nobody wanted to hear, give a completion: an empty write
/// behind them does.
void VerbsDevice::flush_tail(Endpoint& endpoint) {
  if (endpoint.unsignalled == 0 || endpoint.state != State::open || !spare_room(endpoint)) return;
  ibv_send_wr request = {};
  request.opcode = IBV_WR_RDMA_WRITE;
  submit(endpoint, request, Record{}, true);
}

void VerbsDevice::flush_tails() {
  for (const auto& endpoint : endpoints_) flush_tail(*endpoint);
}

/// A send of one piece, for the next submit(): one descriptor for all, so that nobody clears 128
/// bytes for each.
ibv_send_wr& VerbsDevice::message_request(const void* data, std::size_t bytes, unsigned flags) {
  message_part_ = {reinterpret_cast<std::uintptr_t>(data), static_cast<std::uint32_t>(bytes),
                   send_lkey_};
  message_request_.opcode = IBV_WR_SEND;
  message_request_.sg_list = &message_part_;
  message_request_.num_sge = 1;
  message_request_.send_flags = flags;
  return message_request_;
}

/// submit(), for the one function through which most messages go.
[[gnu::always_inline]] inline void VerbsDevice::hand_over(Endpoint& endpoint, ibv_send_wr& request,
                                                          const Record& record, bool signal) {
  // What runs short must come back.
  signal = signal || outstanding_ + 2 * verbs::kSpare >= budget_;
  if (signal || ++endpoint.unsignalled >= verbs::kSignalEvery) {
    request.send_flags |= IBV_SEND_SIGNALED;
    endpoint.unsignalled = 0;
    ++counters_.signalled;
  }
  request.wr_id = std::uint64_t{endpoint.id} << 32 | endpoint.posted;
  endpoint.records[endpoint.posted & (config_.send_depth - 1)] = record;
  ibv_send_wr* bad = nullptr;
  const int error = endpoint.state == State::open || endpoint.state == State::gone
                        ? ibv_post_send(endpoint.qp, &request, &bad)
                        : EIO;
  if (error == 0) [[likely]] {
    ++endpoint.posted;
    ++outstanding_;
    return;
  }
  on_refusal(endpoint, record, error);
}

void VerbsDevice::submit(Endpoint& endpoint, ibv_send_wr& request, const Record& record,
                         bool signal) {
  hand_over(endpoint, request, record, signal);
}

void VerbsDevice::on_refusal(Endpoint& endpoint, const Record& record, int error) {
  fail_endpoint(endpoint, fmt::format("{}: a work request was refused: {}", way_to(endpoint),
                                      std::strerror(error)));
  retire_record(endpoint, record, MPI_ERR_PROC_ABORTED);
  complete(endpoint, record.cookie, MPI_ERR_PROC_ABORTED);
}

// --- sends -------------------------------------------------------------------------------------

bool VerbsDevice::post_send(Endpoint& endpoint, const Operation& operation) {
  if (endpoint.credits <= verbs::kReservedCredits) [[unlikely]]
    return starve(endpoint);
  if (!room(endpoint, 1)) return false;
  const std::size_t total = total_length(operation.local);
  const bool inlined = total + sizeof(verbs::Header) <= max_inline_;
  if (!inlined && !send_slot_room()) return false;
  ++counters_.sends;
  counters_.inlined += inlined;
  counters_.sent_bytes += total;
  post_message(endpoint, verbs::MessageKind::data, 0, operation.local, total, false);
  return true;
}

/// The fast path of a small message: one descriptor with everything in it.
void VerbsDevice::send(EndpointId id, SendHead head, const void* data, std::size_t length,
                       PendingQueue& refused) {
  Endpoint& endpoint = *endpoints_[id];
  const std::size_t bytes = sizeof(verbs::Header) + sizeof head + length;
  const bool can = endpoint.state == State::open && endpoint.credits > verbs::kReservedCredits;
  if (!can || bytes > max_inline_ || !has_room(endpoint, 1)) [[unlikely]]
    return send_other(endpoint, head, data, length, refused);
  ++counters_.sends;
  ++counters_.inlined;
  counters_.sent_bytes += sizeof head + length;
  std::array<std::byte, verbs::kMostInline> small;
  const verbs::Header header = take_header(endpoint, verbs::MessageKind::data, 0);
  std::memcpy(small.data(), &header, sizeof header);
  std::memcpy(small.data() + sizeof header, &head, sizeof head);
  std::byte* const rest = small.data() + sizeof header + sizeof head;
  if (length <= kFewBytes) [[likely]] {
    copy_small(rest, data, length);
  } else {
    std::memcpy(rest, data, length);
  }
  hand_over(endpoint, message_request(small.data(), bytes, IBV_SEND_INLINE), Record{}, false);
}

/// One that does not fit the descriptor, or that has to wait.
void VerbsDevice::send_other(Endpoint& endpoint, SendHead head, const void* data,
                             std::size_t length, PendingQueue& refused) {
  const bool can = endpoint.state == State::open && endpoint.credits > verbs::kReservedCredits;
  const bool fits = sizeof(verbs::Header) + sizeof head + length <= max_inline_;
  if (can && !fits && send_headed(endpoint, head, data, length)) return;
  remit::post_send(*this, endpoint.id, head, data, length, refused);
}

/// One that does not fit the descriptor: brief if the peer knows its head. It is open and has a
/// credit.
bool VerbsDevice::send_headed(Endpoint& endpoint, SendHead head, const void* data,
                              std::size_t length) {
  const std::uint32_t place = verbs::Heads::place_of(head);
  SendHead& kept = endpoint.sent_heads[place];
  const bool known = kept.second == head.second &&
                     ((kept.first ^ head.first) & ~std::uint64_t{verbs::kVaries}) == 0;
  const bool brief = known && endpoint.immediate && endpoint.owed <= verbs::kMostBriefCredits;
  if (!room(endpoint, 1) || !send_slot_room()) return false;
  ++counters_.sends;
  counters_.brief += brief;
  counters_.sent_bytes += sizeof head + length;
  const std::size_t before = brief ? 0 : sizeof(verbs::Header) + sizeof head;
  Record record;
  bool signal = false;
  std::byte* const out = take_send_slot(record, signal);
  if (length != 0) copy_bytes(out + before, data, length);
  ibv_send_wr& request = message_request(out, before + length, 0);
  verbs::Header header = take_header(endpoint, verbs::MessageKind::data, 0);
  if (brief) {
    request.opcode = IBV_WR_SEND_WITH_IMM;
    request.num_sge = length != 0;
    request.imm_data =
        htonl((static_cast<std::uint32_t>(head.first) & verbs::kVaries) | header.credits |
              place << verbs::kBriefPlace | (header.flags != 0 ? verbs::kBriefStarved : 0));
  } else {
    if (endpoint.immediate) {
      header.flags |= verbs::kHeaded;
      kept = head;
    }
    std::memcpy(out, &header, sizeof header);
    std::memcpy(out + sizeof header, &head, sizeof head);
  }
  submit(endpoint, request, record, signal);
  return true;
}

/// Uses up a credit and takes along those that are owed.
verbs::Header VerbsDevice::take_header(Endpoint& endpoint, verbs::MessageKind kind,
                                       std::uint32_t value) {
  verbs::Header header;
  header.kind = kind;
  header.flags = endpoint.starving ? verbs::kStarved : std::uint8_t{0};
  header.credits = static_cast<std::uint16_t>(endpoint.owed);
  header.value = value;
  endpoint.owed = 0;
  endpoint.starving = false;
  --endpoint.credits;
  return header;
}

/// A message of the device's own. False: no credit or no room.
bool VerbsDevice::post_control(Endpoint& endpoint, verbs::MessageKind kind, std::uint32_t value,
                               bool signal) {
  if (endpoint.credits == 0 || endpoint.note_due || !spare_room(endpoint)) return false;
  if (max_inline_ < sizeof(verbs::Header) && free_send_slots_.empty()) {
    flush_tails();
    return false;
  }
  post_message(endpoint, kind, value, {}, 0, signal);
  return true;
}

/// For a message that is not inline. When half of them are in use they have to come back.
std::byte* VerbsDevice::take_send_slot(Record& record, bool& signal) {
  record.kind = RecordKind::buffered;
  record.resource = free_send_slots_.back();
  free_send_slots_.pop_back();
  signal = signal || free_send_slots_.size() < send_slots_.size() / 2;
  return send_slots_[record.resource];
}

/// Room, a credit and, where the message is not inline, a send slot are there.
void VerbsDevice::post_message(Endpoint& endpoint, verbs::MessageKind kind, std::uint32_t value,
                               std::span<const Piece> pieces, std::size_t total, bool signal) {
  const std::size_t bytes = sizeof(verbs::Header) + total;
  std::array<std::byte, verbs::kMostInline> small;
  Record record;
  std::byte* data = small.data();
  const bool inlined = bytes <= max_inline_;
  if (!inlined) {
    data = take_send_slot(record, signal);
  }
  const verbs::Header header = take_header(endpoint, kind, value);
  std::memcpy(data, &header, sizeof header);
  std::byte* out = data + sizeof header;
  for (const Piece& piece : pieces) {
    if (piece.length == 0) continue;
    copy_bytes(out, piece.address, piece.length);
    out += piece.length;
  }
  submit(endpoint, message_request(data, bytes, inlined ? IBV_SEND_INLINE : 0), record, signal);
}

// --- puts and gets -----------------------------------------------------------------------------

bool VerbsDevice::post_put(Endpoint& endpoint, const Operation& operation) {
  if (operation.notify && endpoint.credits <= verbs::kReservedCredits) return starve(endpoint);
  const bool inlined = total_length(operation.local) <= max_inline_;
  Gather gather(operation, Source::local, max_sge_, config_.mask.iwarp && !inlined);
  if (gather.done()) {  // no byte, so nothing but the notification
    if (operation.notify && (!room(endpoint, 1) || !message_room())) return false;
    if (operation.notify) post_signal(endpoint, operation.notification);
    complete(endpoint, operation.cookie, MPI_SUCCESS);
    return true;
  }
  const bool immediate = operation.notify && endpoint.immediate;
  const bool message = operation.notify && !endpoint.immediate;
  if (!room(endpoint, gather.requests() + message)) return false;
  if (message && !message_room()) return false;
  std::uint64_t remote = operation.remote.address;
  ++counters_.puts;
  while (!gather.done()) {
    ibv_send_wr request = {};
    const std::size_t bytes = gather.next(request);
    const bool last = gather.done();
    request.opcode = last && immediate ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;
    request.imm_data = htonl(operation.notification);
    request.send_flags = inlined ? IBV_SEND_INLINE : 0;
    request.wr.rdma = {remote, static_cast<std::uint32_t>(operation.remote.key)};
    remote += bytes;
    counters_.put_bytes += bytes;
    Record record;
    if (last) record.cookie = operation.cookie;
    submit(endpoint, request, record, record.cookie != kNoCompletion);
  }
  if (immediate) {
    --endpoint.credits;
    ++counters_.notified;
  } else if (message && endpoint.state == State::open) {
    post_signal(endpoint, operation.notification);
  }
  return true;
}

/// A notification behind everything that was posted so far. Room and a credit are there.
void VerbsDevice::post_signal(Endpoint& endpoint, std::uint32_t notification) {
  ++counters_.notified;
  if (!endpoint.immediate) {
    post_message(endpoint, verbs::MessageKind::notification, notification, {}, 0, false);
    return;
  }
  ibv_send_wr request = {};
  request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
  request.imm_data = htonl(notification);
  --endpoint.credits;
  submit(endpoint, request, Record{}, false);
}

bool VerbsDevice::post_get(Endpoint& endpoint, const Operation& operation) {
  Gather gather(operation, Source::remote, max_sge_read_, config_.mask.iwarp);
  if (gather.done()) {
    complete(endpoint, operation.cookie, MPI_SUCCESS);
    return true;
  }
  if (!room(endpoint, gather.requests())) return false;
  std::uint64_t remote = operation.remote.address;
  ++counters_.gets;
  while (!gather.done()) {
    ibv_send_wr request = {};
    const std::size_t bytes = gather.next(request);
    request.opcode = IBV_WR_RDMA_READ;
    request.wr.rdma = {remote, static_cast<std::uint32_t>(operation.remote.key)};
    remote += bytes;
    counters_.got_bytes += bytes;
    Record record;
    if (gather.done()) record.cookie = operation.cookie;
    record.awaited = config_.mask.iwarp && record.cookie != kNoCompletion;
    submit(endpoint, request, record, record.cookie != kNoCompletion);
  }
  return true;
}

// --- atomics -----------------------------------------------------------------------------------

bool VerbsDevice::post_atomic(Endpoint& endpoint, const Operation& operation) {
  if (!caps_.has_atomic) {
    complete(endpoint, operation.cookie, MPI_ERR_UNSUPPORTED_OPERATION);
    return true;
  }
  if (operation.notify && endpoint.credits <= verbs::kReservedCredits) return starve(endpoint);
  if (!room(endpoint, 2) || (operation.notify && !message_room())) return false;
  if (operation.atomic == AtomicKind::swap) {
    if (free_send_slots_.size() <= verbs::kSpareSlots) {
      flush_tails();
      return false;
    }
    if (free_swaps_.empty()) {
      free_swaps_.push_back(static_cast<std::uint32_t>(swaps_.size()));
      swaps_.push_back(std::make_unique<SwapJob>());
    }
    const std::uint32_t index = free_swaps_.back();
    free_swaps_.pop_back();
    SwapJob& job = *swaps_[index];
    job = SwapJob{};
    job.index = index;
    job.endpoint = endpoint.id;
    job.live = true;
    job.notify = operation.notify;
    job.notification = operation.notification;
    job.slot = free_send_slots_.back();
    free_send_slots_.pop_back();
    job.operand = operation.operand;
    job.cookie = operation.cookie;
    job.remote = operation.remote;
    job.result = operation.local.empty() ? nullptr : operation.local[0].address;
    return post_swap(job);
  }
  const bool wanted = !operation.local.empty() && operation.local[0].length != 0;
  ibv_sge result = {reinterpret_cast<std::uintptr_t>(wanted ? operation.local[0].address : trash_),
                    8, wanted ? static_cast<std::uint32_t>(operation.local[0].key) : send_lkey_};
  const bool adds = operation.atomic == AtomicKind::fetch_add;
  ibv_send_wr request = {};
  request.opcode = adds ? IBV_WR_ATOMIC_FETCH_AND_ADD : IBV_WR_ATOMIC_CMP_AND_SWP;
  request.sg_list = &result;
  request.num_sge = 1;
  request.wr.atomic = {operation.remote.address, adds ? operation.operand : operation.compare,
                       operation.operand, static_cast<std::uint32_t>(operation.remote.key)};
  Record record;
  record.cookie = operation.cookie;
  ++counters_.atomics;
  submit(endpoint, request, record, record.cookie != kNoCompletion);
  if (operation.notify && endpoint.state == State::open) {
    post_signal(endpoint, operation.notification);
  }
  return true;
}

/// One attempt, with the guess so far. True always: there was room.
bool VerbsDevice::post_swap(SwapJob& job) {
  Endpoint& endpoint = *endpoints_[job.endpoint];
  ibv_sge result = {reinterpret_cast<std::uintptr_t>(send_slots_[job.slot]), 8, send_lkey_};
  ibv_send_wr request = {};
  request.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
  request.sg_list = &result;
  request.num_sge = 1;
  request.wr.atomic = {job.remote.address, job.guess, job.operand,
                       static_cast<std::uint32_t>(job.remote.key)};
  Record record;
  record.kind = RecordKind::swap;
  record.resource = job.index;
  ++counters_.atomics;
  submit(endpoint, request, record, true);
  return true;
}

}  // namespace remit
