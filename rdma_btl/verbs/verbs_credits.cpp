// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device: how the receives of one pool are lent to any number of peers.
//
// A credit is a receive that a peer may use. What a peer has used comes back to it with messages
// the other way. If the pool runs low, peers that have been silent are asked for all that they hold
// (recall); one that has given everything back is dry. A dry peer speaks by its Note, which needs
// no receive: it asks for new credits when it has something to send, gives those that it owes, says
// goodbye. Who is dry, and for whom, is known to both sides, so each knows when the other's note is
// to be looked at (listening). An iWARP adapter may place writes in any order until something
// behind them is delivered: there a note waits until the one before it has been read back.
//
// Nothing of this can block: a recall is answered by a credit of the lender's own, a wish needs
// none. Only a peer that computes does not answer. Others are asked instead, and if they all
// compute the pool grows (patience_ms).
#include <algorithm>
#include <bit>

#include "rdma_btl/verbs/endpoint.hpp"
#include "rdma_btl/verbs/verbs_device.hpp"

namespace remit {

namespace {

/// Receives that are added at a time.
constexpr std::size_t kVerbsGrowth = 64;

verbs::Note read_note(const verbs::Note* note) {
  return std::bit_cast<verbs::Note>(
      __atomic_load_n(reinterpret_cast<const std::uint64_t*>(note), __ATOMIC_ACQUIRE));
}

}  // namespace

// --- lending -----------------------------------------------------------------------------------

/// Receives that are lent to nobody and not just being looked at by the layer above.
std::size_t VerbsDevice::spare_receives() const {
  return unleased_ - std::min(unleased_, used_.size());
}

/// What somebody gets who has nothing: less and less, so that the first do not take all.
std::uint32_t VerbsDevice::next_window() const {
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(spare_receives() / 8, verbs::kLeastLease, config_.first_window));
}

void VerbsDevice::lend(Endpoint& endpoint, std::uint32_t receives) {
  endpoint.lease += receives;
  unleased_ -= receives;
  endpoint.lively = true;
}

/// Whether there are receives for a new peer. If not some are asked back: it must try again.
bool VerbsDevice::can_admit(const Endpoint& endpoint) {
  if (srq_ == nullptr || endpoint.lease != 0) return true;  // of an earlier attempt
  const bool enough = spare_receives() >= verbs::kLeastLease;
  const std::uint64_t now = verbs::now_ns();
  newcomer_ns_ = enough ? 0 : now;
  // Somebody begins to wait; or somebody waited, and not in vain.
  if (enough == (needy_ns_ != 0)) needy_ns_ = now;
  if (!enough) find_receives();
  return enough;
}

/// The receives of a new connection: lent from the shared queue, or posted to its own.
Expected<> VerbsDevice::lend_first(ibv_qp* qp, Endpoint& endpoint) {
  if (srq_ != nullptr) {
    if (endpoint.lease == 0) lend(endpoint, next_window());
    return {};
  }
  if (free_slots_.size() < config_.strict_window) {
    if (Expected<> grown = grow(std::max<std::size_t>(kVerbsGrowth, config_.strict_window));
        !grown) {
      return grown;
    }
  }
  std::vector<std::uint32_t> slots(free_slots_.end() - config_.strict_window, free_slots_.end());
  free_slots_.resize(free_slots_.size() - config_.strict_window);
  endpoint.lease = config_.strict_window;
  if (!post_receives(qp, slots)) return fail(MPI_ERR_OTHER, "posting its receives");
  return {};
}

/// A peer that used half of its lease before anything was sent back to it talks a lot. A quarter of
/// the pool is kept for those who come later.
void VerbsDevice::extend_lease(Endpoint& endpoint) {
  const bool own = endpoint.peer == config_.name;  // is never recalled
  if (srq_ == nullptr || endpoint.lease >= config_.max_window || own) return;
  const std::size_t kept = slots_.size() / 4;
  const std::size_t free = spare_receives() - std::min(spare_receives(), kept);
  const auto extra = static_cast<std::uint32_t>(
      std::min<std::size_t>({endpoint.lease, config_.max_window - endpoint.lease, free / 2}));
  lend(endpoint, extra);
  endpoint.owed += extra;
}

void VerbsDevice::return_credits() {
  std::size_t kept = 0;
  for (const EndpointId id : credit_due_) {
    Endpoint& endpoint = *endpoints_[id];
    const bool due = endpoint.state == State::open &&
                     (2 * endpoint.owed >= endpoint.lease || endpoint.wants_more);
    if (due && !endpoint.dry && (endpoint.credits == 0 || !spare_room(endpoint))) {
      credit_due_[kept++] = id;
      continue;
    }
    endpoint.credit_due = false;
    if (!due) continue;
    if (!endpoint.recalled) extend_lease(endpoint);
    // A message for one credit takes one: two who starve would play ball.
    if (endpoint.owed < 2) continue;
    endpoint.wants_more = false;
    if (endpoint.dry) {
      endpoint.said->lent += endpoint.owed;
      endpoint.owed = 0;
      write_note(endpoint);
    } else if (post_control(endpoint, verbs::MessageKind::credits)) {
      ++counters_.credit_messages;
    } else {
      endpoint.credit_due = true;
      credit_due_[kept++] = id;
    }
  }
  credit_due_.resize(kept);
}

/// What the peer could have sent is promised to nobody, once what it has sent was seen.
void VerbsDevice::release_lease(Endpoint& endpoint) {
  if (endpoint.recalled) recalled_ -= endpoint.lease;
  if (srq_ != nullptr) parked_ += endpoint.lease;
  chores_ = chores_ || parked_ != 0;
  endpoint.lease = endpoint.owed = 0;
  endpoint.recalled = false;
}

// --- asking for what was lent ------------------------------------------------------------------

/// Asks peers, by turns, for about so many receives. Who has sent something since it was last
/// passed by is spared once.
void VerbsDevice::recall(std::size_t wanted) {
  std::size_t coming = 0;
  for (std::size_t step = 0; step < 2 * endpoints_.size() && coming < wanted; ++step) {
    recall_next_ = (recall_next_ + 1) % static_cast<EndpointId>(endpoints_.size());
    Endpoint& endpoint = *endpoints_[recall_next_];
    const bool lent = endpoint.state == State::open && endpoint.lease != 0 && !endpoint.recalled;
    if (!lent || endpoint.peer == config_.name) continue;
    if (endpoint.lively) {
      endpoint.lively = false;
      continue;
    }
    coming += recall_from(endpoint);
  }
}

/// Returns how many receives will come back: 0 if the peer cannot be told now.
std::size_t VerbsDevice::recall_from(Endpoint& endpoint) {
  const bool told = endpoint.dry || (endpoint.credits != 0 && spare_room(endpoint));
  if (!told) return 0;
  // What is owed need not be given first.
  const std::uint32_t owed = endpoint.owed;
  endpoint.owed = 0;
  if (endpoint.dry) {
    ++endpoint.said->recalls;
    write_note(endpoint);
  } else if (!post_control(endpoint, verbs::MessageKind::recall)) {
    endpoint.owed = owed;
    return 0;
  }
  if (endpoint.state != State::open) return 0;
  ++counters_.recalls;
  endpoint.recalled = true;
  recalled_ += endpoint.lease;
  const std::size_t coming = endpoint.lease;
  if (owed != 0) take_back(endpoint, owed);
  return coming;
}

void VerbsDevice::take_back(Endpoint& endpoint, std::uint32_t receives) {
  endpoint.lease -= receives;
  unleased_ += receives;
  recalled_ -= receives;
  if (needy_ns_ != 0) attention_ = true;
  if (endpoint.lease != 0) return;
  endpoint.recalled = false;
  listen_to(endpoint);
}

/// Somebody waits for receives: a peer that has no credits, or a new one.
void VerbsDevice::find_receives() {
  serve_wishes();
  const std::uint64_t now = verbs::now_ns();
  constexpr std::uint64_t kNewcomerMs = 1000;
  if (newcomer_ns_ != 0 && now - newcomer_ns_ >= verbs::ms(kNewcomerMs)) newcomer_ns_ = 0;
  if (wishing_.empty() && newcomer_ns_ == 0) {
    needy_ns_ = 0;
    return;
  }
  const std::size_t wanted = verbs::kLeastLease * (wishing_.size() + (newcomer_ns_ != 0 ? 1 : 0));
  // Who computes does not answer: after a while others are asked.
  if (now - recall_ns_ >= verbs::ms(1)) {
    recall_ns_ = now;
    recall(wanted);
  } else if (recalled_ < wanted) {
    recall(wanted - recalled_);
  }
  if (now - needy_ns_ >= verbs::ms(config_.patience_ms)) {
    needy_ns_ = now;
    (void)grow(kVerbsGrowth);  // at the limit of the adapter they have to wait
  }
}

/// New credits for those who asked, in their order. The last ones are kept for a new peer.
void VerbsDevice::serve_wishes() {
  for (std::size_t i = wishing_.size(); i != 0; --i) {
    const EndpointId id = wishing_.front();
    Endpoint& endpoint = *endpoints_[id];
    const std::size_t kept = newcomer_ns_ == 0 ? 0 : verbs::kLeastLease;
    if (endpoint.state == State::open && endpoint.lease == 0) {
      if (spare_receives() < kept + verbs::kLeastLease) return;
      const std::uint32_t receives = next_window();
      lend(endpoint, receives);
      endpoint.spoke = false;
      endpoint.said->lent += receives;
      ++counters_.loans;
      needy_ns_ = verbs::now_ns();
      write_note(endpoint);
    }
    wishing_.pop_front();
    // What it was lent before is still on its way back.
    if (endpoint.state == State::open && endpoint.recalled) wishing_.push_back(id);
  }
}

// --- being asked -------------------------------------------------------------------------------

/// The answer has to wait: what was granted just before may be used first.
void VerbsDevice::on_recall(Endpoint& endpoint) {
  if (endpoint.recall_due || endpoint.dry) return;
  endpoint.recall_due = true;
  recalls_due_.push_back(endpoint.id);
  attention_ = true;
}

void VerbsDevice::answer_recalls() {
  std::erase_if(recalls_due_, [&](EndpointId id) {
    Endpoint& endpoint = *endpoints_[id];
    if (endpoint.state == State::open && endpoint.credits != 0 &&
        !post_control(endpoint, verbs::MessageKind::give_back, endpoint.credits - 1)) {
      return false;
    }
    endpoint.credits = 0;
    endpoint.recall_due = false;
    endpoint.dry = true;
    endpoint.wished = false;
    listen_to(endpoint);
    return true;
  });
}

/// Something waits for a credit.
void VerbsDevice::wish(Endpoint& endpoint) {
  if (endpoint.wished) return;
  endpoint.wished = true;
  ++endpoint.said->wishes;
  write_note(endpoint);
}

// --- notes -------------------------------------------------------------------------------------

/// A place for the peer's note, and one for ours.
Expected<> VerbsDevice::make_note(Endpoint& endpoint) {
  if (endpoint.heard != nullptr) return {};
  constexpr std::size_t kAtOnce = 256;
  constexpr std::size_t kEach = 3;
  if (free_notes_.empty()) {
    Expected<Block> block =
        make_block(kAtOnce * kEach * sizeof(verbs::Note),
                   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
                   "memory for notes of peers");
    if (!block) return tl::unexpected<Error>(std::move(block.error()));
    auto* const notes = static_cast<verbs::Note*>(block->base);
    for (std::size_t i = 0; i < kAtOnce * kEach; i += kEach) {
      free_notes_.push_back({notes + i, block->mr->lkey, block->mr->rkey});
    }
  }
  const NotePlace place = free_notes_.back();
  free_notes_.pop_back();
  endpoint.heard = place.notes;
  endpoint.said = place.notes + 1;
  endpoint.note_lkey = place.lkey;
  endpoint.note_rkey = place.rkey;
  return {};
}

/// As soon as there is room: until then nothing else is posted, which would overtake it.
void VerbsDevice::write_note(Endpoint& endpoint) {
  const bool room = spare_room(endpoint, config_.mask.iwarp ? 2 : 1);
  if (!room) flush_tails();
  if (!room || endpoint.note_flies) {
    if (!endpoint.note_due) notes_due_.push_back(endpoint.id);
    endpoint.note_due = attention_ = true;
    return;
  }
  ibv_sge part = {reinterpret_cast<std::uintptr_t>(endpoint.said), sizeof(verbs::Note),
                  endpoint.note_lkey};
  ibv_send_wr request = {};
  request.opcode = IBV_WR_RDMA_WRITE;
  request.sg_list = &part;
  request.num_sge = 1;
  request.send_flags = sizeof(verbs::Note) <= max_inline_ ? IBV_SEND_INLINE : 0;
  request.wr.rdma = {endpoint.peer_note.address,
                     static_cast<std::uint32_t>(endpoint.peer_note.key)};
  submit(endpoint, request, Record{}, endpoint.said->farewell != 0);
  if (config_.mask.iwarp && endpoint.state == State::open) prove_note(endpoint);
}

void VerbsDevice::prove_note(Endpoint& endpoint) {
  endpoint.note_flies = true;
  read_note_back(endpoint, RecordKind::proof);
}

/// With iWARP. What a read brings back has been placed (RFC 5040, 5.5), and somebody has answered;
/// the end of a write proves neither.
void VerbsDevice::read_note_back(Endpoint& endpoint, RecordKind kind) {
  ibv_sge part = {reinterpret_cast<std::uintptr_t>(endpoint.said + 1), sizeof(verbs::Note),
                  endpoint.note_lkey};
  ibv_send_wr request = {};
  request.opcode = IBV_WR_RDMA_READ;
  request.sg_list = &part;
  request.num_sge = 1;
  request.wr.rdma = {endpoint.peer_note.address,
                     static_cast<std::uint32_t>(endpoint.peer_note.key)};
  Record record;
  record.kind = kind;
  record.awaited = true;
  submit(endpoint, request, record, true);
}

void VerbsDevice::write_due_notes() {
  std::vector<EndpointId> due;
  due.swap(notes_due_);
  for (const EndpointId id : due) {
    Endpoint& endpoint = *endpoints_[id];
    endpoint.note_due = false;  // or again
    if (endpoint.state == State::open) write_note(endpoint);
  }
}

void VerbsDevice::listen_to(Endpoint& endpoint) {
  if (endpoint.listening) return;
  endpoint.listening = true;
  listening_.push_back(endpoint.id);
}

/// Looks at the notes of those who may have written one.
void VerbsDevice::listen() {
  std::erase_if(listening_, [&](EndpointId id) {
    Endpoint& endpoint = *endpoints_[id];
    // Whatever the peer wrote before that message is there.
    const bool talks = endpoint.lease != 0 && !endpoint.dry && endpoint.spoke;
    if (endpoint.state == State::open) heed(endpoint);
    if (endpoint.starving) attention_ = true;
    if (endpoint.state == State::open && !talks) return false;
    endpoint.listening = false;
    return true;
  });
  if (!wishing_.empty()) find_receives();
}

/// Acts upon what is new in the peer's note.
void VerbsDevice::heed(Endpoint& endpoint) {
  if (endpoint.heard == nullptr) return;
  const verbs::Note note = read_note(endpoint.heard);
  verbs::Note& heeded = endpoint.heeded;
  const std::uint32_t lent = note.lent - heeded.lent;
  // An adapter may write it byte by byte. No loan is as large as what a half-written sum looks
  // like.
  constexpr std::uint32_t kLargestLoan = 255;
  if (note == heeded || lent > kLargestLoan) return;
  if (lent != 0) {
    heeded.lent = note.lent;
    endpoint.credits += lent;
    endpoint.dry = endpoint.wished = false;
  }
  // It follows a loan, so who is dry has not seen that yet.
  if (note.recalls != heeded.recalls && !endpoint.dry) {
    heeded.recalls = note.recalls;
    on_recall(endpoint);
  }
  if (note.wishes != heeded.wishes) {
    heeded.wishes = note.wishes;
    wishing_.push_back(endpoint.id);
    if (needy_ns_ == 0) needy_ns_ = verbs::now_ns();
    attention_ = true;
  }
}

/// It may overtake messages, so it is asked for only when the connection has ended.
bool VerbsDevice::said_farewell(const Endpoint& endpoint) {
  return endpoint.heard != nullptr && read_note(endpoint.heard).farewell != 0;
}

}  // namespace remit
