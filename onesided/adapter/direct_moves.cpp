// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/adapter/direct_moves.hpp"

#include <algorithm>
#include <utility>

namespace remit {

DirectMoves::Started DirectMoves::start(Link& link, const Move& move, Tally& tally) {
  LinkDevice& slot = *link.device;
  Expected<MemoryLease> lease = slot.memory.acquire(move.local, move.bytes, Access::local);
  if (!lease) return Started::no;
  const std::uint64_t key = lease->region().local_key;
  const std::size_t parts = (move.bytes + slot.chunk - 1) / slot.chunk;
  UnderWay& entry = under_way_[++last_];
  entry.tallied = Tallied(tally);
  entry.lease = std::move(*lease);
  entry.done = move.done;
  entry.left = static_cast<std::uint32_t>(parts);
  bool told = !move.notice;
  for (std::size_t offset = 0; offset < move.bytes; offset += slot.chunk) {
    const Piece piece{move.local + offset, std::min(slot.chunk, move.bytes - offset), key};
    Operation operation;
    operation.kind = move.kind;
    operation.local = {&piece, 1};
    operation.remote = {move.remote.address + offset, move.remote.key};
    operation.cookie = cookie_of(LinkUserId::windows, last_);
    if (move.notice && offset + piece.length == move.bytes) {
      told = post_with_notice(slot, link.endpoint, operation, move.notice);
    } else {
      links_.post(link, {&operation, 1});
    }
  }
  return told ? Started::whole : Started::without_notice;
}

void DirectMoves::confirm(ProcId proc, Tally& tally) {
  UnderWay& entry = under_way_[++last_];
  entry.tallied = Tallied(tally);
  entry.left = 1;
  Operation operation;
  operation.kind = OpKind::confirm;
  operation.cookie = cookie_of(LinkUserId::windows, last_);
  links_.post(links_.get(proc), {&operation, 1});
}

void DirectMoves::completed(std::uint64_t value, int status) {
  const auto found = under_way_.find(value);
  if (found == under_way_.end()) return;
  UnderWay& entry = found->second;
  if (entry.status == MPI_SUCCESS) entry.status = status;
  if (--entry.left != 0) return;
  const int outcome = entry.status;
  Request* const done = entry.done;
  Tallied tallied = std::move(entry.tallied);
  under_way_.erase(found);
  if (done != nullptr) {
    done->status.error = outcome;
    complete_request(*done, progress_);
  }
  tallied.end(outcome);
}

}  // namespace remit
