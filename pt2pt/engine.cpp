// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The engine's set-up, first contact, and what is asked of it as a whole.
#include "pt2pt/engine.hpp"

#include <algorithm>
#include <utility>

namespace remit {

namespace {

const ParamDecl eager_pool_param{
    "eager_pool", std::int64_t{4} << 20, "bytes",
    "receive memory of a process for messages that arrive before their receives, whatever the "
    "number of its peers",
    ParamRange{0, std::int64_t{1} << 40}};

constexpr std::uint32_t kMaxFirstWindow = 4096;
constexpr std::uint32_t kMaxLease = 32768;

}  // namespace

Engine::Engine(Process& process, std::vector<std::unique_ptr<Device>> devices)
    : process_(process),
      self_(static_cast<ProcId>(process.rank())),
      links_(process, std::move(devices),
             [](ProcId proc) -> std::unique_ptr<Link> { return std::make_unique<Peer>(proc); }),
      blocks_(static_cast<std::size_t>(
          std::max<std::int64_t>(0, process.params().integer(eager_pool_param)))) {
  const auto pool = std::max<std::int64_t>(0, process.params().integer(eager_pool_param));
  pool_units_ = static_cast<std::uint32_t>(
      std::min<std::int64_t>(pool / static_cast<std::int64_t>(kUnitBytes), std::int64_t{1} << 30));
  const auto size = static_cast<std::uint32_t>(process.size());
  first_window_ = std::min(kMaxFirstWindow, pool_units_ / 2 / size);
  unleased_ = pool_units_ - first_window_ * size;
  max_lease_ = std::max(first_window_, std::min(kMaxLease, pool_units_ / 4));

  const ProtocolOptions options = ProtocolOptions::from(process.params());
  std::size_t longest = 0;
  for (const auto& slot : links_.devices()) {
    const Caps& caps = slot->device->caps();
    DeviceProtocols& protocols = protocols_.emplace_back();
    protocols.table = ProtocolTable(caps, options);
    protocols.long_send = caps.long_send;
    protocols.fragment = std::min(options.fragment, max_send_payload(caps, sizeof(FragmentHeader)));
    longest = std::max({longest, protocols.fragment,
                        max_send_payload(caps, sizeof(EagerHeader)) != 0
                            ? protocols.table.eager_below(LayoutClass::scattered)
                            : 0});
  }
  scratch_.resize(longest);
  links_.set_user(LinkUserId::matching, this);
  links_.publish(first_window_);
}

Engine::~Engine() {
  links_.set_user(LinkUserId::matching, nullptr);
  for (Link* link : links_.table().all()) static_cast<Peer*>(link)->waiting.clear();
  matcher_.arrivals().clear();
  unexpected_.for_each([this](Unexpected& message) {
    if (message.data != nullptr) blocks_.free(message.data, message.bytes);
  });
}

/// Messages can leave from now on; sends what has waited.
void Engine::connected(Link& link) {
  auto& peer = static_cast<Peer&>(link);
  peer.protocols = &protocols_[peer.device->index];
  peer.base = peer.lease = links_.is_foreign(peer.id) ? 0 : first_window_;
  while (Request* request = peer.waiting.pop_front()) {
    --waiting_;
    request->place = RequestPlace::nowhere;
    start_send(peer, *request);
  }
}

void Engine::introduced(Link& link, std::uint32_t word) {
  auto& peer = static_cast<Peer&>(link);
  if (peer.base_known) return;
  peer.base_known = true;
  peer.their_window = word;
  peer.credits += word;
}

bool Engine::flushed() const {
  return waiting_ == 0 && sending_ == 0 && links_.departed();
}

bool Engine::busy() const {
  return transfers_.live() != 0 || matcher_.any_posted() || waiting_ != 0 || links_.busy();
}

void Engine::flush(const WaitSubject* subject) {
  process_.progress().wait([this] { return flushed(); }, subject);
}

std::size_t Engine::unexpected_bytes() const {
  return blocks_.in_use() + unexpected_.live() * sizeof(Unexpected);
}

std::string Engine::explain(const CommCore& comm, int rank) const {
  if (rank >= 0 && rank < comm.peers().size()) return links_.explain(comm.peers().proc(rank));
  for (const Link* link : links_.table().all()) {
    const bool has = comm.local->rank_of(link->id) != MPI_UNDEFINED ||
                     comm.peers().rank_of(link->id) != MPI_UNDEFINED;
    if (!has) continue;
    if (const std::string words = links_.failure_of(link->id); !words.empty()) {
      return fmt::format("{}: {}", links_.words_of(link->id), words);
    }
  }
  return "";
}

std::vector<Engine::ProtocolRange> Engine::protocols() const {
  std::vector<ProtocolRange> out;
  for (const auto& slot : links_.devices()) {
    for (std::size_t i = 0; i < kLayoutClasses; ++i) {
      const auto layout = static_cast<LayoutClass>(i);
      for (const ProtocolRow& row : protocols_[slot->index].table.rows(layout)) {
        out.push_back({std::string(slot->device->caps().name), std::string(to_string(layout)),
                       std::string(to_string(row.protocol)), row.from_bytes, row.to_bytes});
      }
    }
  }
  return out;
}

}  // namespace remit
