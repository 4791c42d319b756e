// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/remote/traffic.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "onesided/memory/scratch.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// Longer messages gain nothing: they only wait longer for a place.
constexpr std::size_t kLongestFragment = std::size_t{64} << 10;

[[nodiscard]] std::size_t most_of(const LinkDevice& slot) {
  const Caps& caps = slot.device->caps();
  return caps.max_send - message_overhead(caps);
}

[[nodiscard]] Piece piece_of(std::span<const std::byte> bytes) {
  // Devices only read what is sent.
  return {const_cast<std::byte*>(bytes.data()), bytes.size(), 0};
}

}  // namespace

Error WindowTraffic::words_of_loss(ProcId proc) const {
  std::string why = links_.lost_links().explain(proc);
  if (!why.empty()) why.insert(0, ": ");
  return {MPI_ERR_PROC_ABORTED,
          fmt::format("{} cannot be reached any more{}", links_.directory().words_of(proc), why)};
}

std::size_t WindowTraffic::most_bytes(ProcId proc) const {
  const Link* link = links_.find(proc);
  if (link != nullptr && link->device != nullptr) {
    return std::min(kLongestFragment, most_of(*link->device));
  }
  std::size_t most = kLongestFragment;  // any device may be the one
  for (const auto& slot : links_.devices()) most = std::min(most, most_of(*slot));
  return most;
}

Expected<> WindowTraffic::await_room(ProcId proc, std::size_t bytes, std::size_t asked) {
  const auto may_leave = [&] {
    if (lost(proc)) return true;
    const Peer& peer = peers_[proc];
    return peer.sent - peer.acknowledged + bytes <= kMostUnderWay &&
           peer.asked + asked <= kMostUnderWay;
  };
  if (!may_leave()) process_.progress().wait(may_leave);
  if (lost(proc)) return tl::unexpected(words_of_loss(proc));
  return {};
}

void WindowTraffic::send(ProcId proc, const WindowHead& head, std::span<const std::byte> body) {
  send(proc, head, {}, body);
}

void WindowTraffic::send(ProcId proc, const WindowHead& head, std::span<const MemoryRun> front,
                         std::span<const std::byte> body) {
  if (lost(proc)) return;
  resize_scratch(front_, sizeof head + front.size_bytes());
  std::memcpy(front_.data(), &head, sizeof head);
  if (!front.empty()) std::memcpy(front_.data() + sizeof head, front.data(), front.size_bytes());
  if (is_counted(kind_of(head))) peers_[proc].sent += front_.size() + body.size();
  dispatch(proc, front_, body);
}

void WindowTraffic::dispatch(ProcId proc, std::span<const std::byte> front,
                             std::span<const std::byte> body) {
  Link& link = links_.get(proc);
  if (link.device != nullptr) [[likely]] {
    const std::array pieces = {piece_of(front), piece_of(body)};
    return links_.send(link, std::span(pieces).first(body.empty() ? 1 : 2));
  }
  std::vector<std::byte>& kept = peers_[proc].waiting.emplace_back(front.size() + body.size());
  copy_bytes(kept.data(), front.data(), front.size());
  if (!body.empty()) copy_bytes(kept.data() + front.size(), body.data(), body.size());
  links_.connect(link);
}

void WindowTraffic::connected(Link& link) {
  const auto found = peers_.find(link.id);
  if (found == peers_.end()) return;
  const auto waiting = std::exchange(found->second.waiting, {});
  for (const std::vector<std::byte>& message : waiting) {
    const Piece piece = piece_of(message);
    links_.send(link, {&piece, 1});
  }
}

void WindowTraffic::taken(ProcId proc, std::size_t bytes) {
  if (lost(proc)) return;
  Peer& peer = peers_[proc];
  peer.taken += bytes;
  if (peer.taken - peer.told < kAcknowledged) return;
  peer.told = peer.taken;
  WindowHead head = window_head(WindowMessage::acknowledge, 0);
  head.offset = peer.taken;
  send(proc, head);
}

bool WindowTraffic::acknowledged(ProcId proc, std::uint64_t total) {
  Peer& peer = peers_[proc];
  if (total < peer.acknowledged || total > peer.sent) return false;
  peer.acknowledged = total;
  return true;
}

}  // namespace remit
