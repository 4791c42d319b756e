// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/adapter/direct_moves.hpp"

#include <algorithm>
#include <utility>

namespace remit {

bool DirectMoves::can(OpKind kind, ProcId proc) const {
  const Link* const link = links_.find(proc);
  if (link == nullptr || link->device == nullptr || link->failed || !link->same_device)
    return false;
  const Caps& caps = link->device->device->caps();
  return kind == OpKind::put ? caps.has_put : caps.has_get;
}

bool DirectMoves::start(const Move& move) {
  Link& link = links_.get(move.proc);
  const std::optional<RemoteAddress> remote = remote_address(link, move.keys, move.offset);
  if (!remote) return false;
  LinkDevice& slot = *link.device;
  Expected<MemoryLease> lease = slot.memory.acquire(move.local, move.bytes, Access::local);
  if (!lease) return false;
  const std::uint64_t key = lease->region().local_key;
  const std::size_t parts = (move.bytes + slot.chunk - 1) / slot.chunk;
  UnderWay& entry = under_way_[++last_];
  entry.end = {move.window, move.proc, MPI_SUCCESS};
  entry.lease = std::move(*lease);
  entry.done = move.done;
  entry.left = static_cast<std::uint32_t>(parts);
  for (std::size_t offset = 0; offset < move.bytes; offset += slot.chunk) {
    const Piece piece{move.local + offset, std::min(slot.chunk, move.bytes - offset), key};
    Operation operation;
    operation.kind = move.kind;
    operation.local = {&piece, 1};
    operation.remote = {remote->address + offset, remote->key};
    operation.cookie = cookie_of(LinkUserId::windows, last_);
    links_.post(link, {&operation, 1});
  }
  return true;
}

void DirectMoves::confirm(std::uint32_t window, ProcId proc) {
  UnderWay& entry = under_way_[++last_];
  entry.end = {window, proc, MPI_SUCCESS};
  entry.left = 1;
  Operation operation;
  operation.kind = OpKind::confirm;
  operation.cookie = cookie_of(LinkUserId::windows, last_);
  links_.post(links_.get(proc), {&operation, 1});
}

std::optional<DirectMoves::Ended> DirectMoves::completed(std::uint64_t value, int status) {
  const auto found = under_way_.find(value);
  if (found == under_way_.end()) return std::nullopt;
  UnderWay& entry = found->second;
  if (entry.end.status == MPI_SUCCESS) entry.end.status = status;
  if (--entry.left != 0) return std::nullopt;
  const Ended end = entry.end;
  Request* const done = entry.done;
  under_way_.erase(found);
  if (done != nullptr) {
    done->status.error = end.status;
    complete_request(*done, progress_);
  }
  return end;
}

}  // namespace remit
