// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The engine's set-up, and which part of it each event is for.
#include "pt2pt/engine.hpp"

#include <algorithm>
#include <utility>

#include "pt2pt/receiver_deliver.hpp"

namespace remit {

namespace {

const ParamDecl eager_pool_param{
    "eager_pool", std::int64_t{4} << 20, "bytes",
    "receive memory of a process for messages that arrive before their receives, whatever the "
    "number of its peers",
    ParamRange{0, std::int64_t{1} << 40}};

std::size_t pool_bytes(const Params& params) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, params.integer(eager_pool_param)));
}

}  // namespace

class Engine::Watched final : public LinkUser {
 public:
  explicit Watched(Engine& engine) : engine_(engine) {}
  void connected(Link& link) override { engine_.connected(link); }
  void introduced(Link& link, std::uint32_t word) override { engine_.introduced(link, word); }
  void completed(std::uint64_t value, int status) override { engine_.completed(value, status); }
  void notified(Link& link, std::uint32_t value) override { engine_.notified(link, value); }
  void message(Link& link, std::span<const std::byte> data) override {
    engine_.message(link, data);
  }
  void lost(Link& link, bool left_in_order) override { engine_.lost(link, left_in_order); }
  void arrived(LinkDevice& device, std::span<const Completion> completions) override {
    for (const Completion& completion : completions) engine_.links_.dispatch(device, completion);
  }

 private:
  Engine& engine_;
};

Engine::Engine(Process& process, std::vector<std::unique_ptr<Device>> devices)
    : process_(process),
      links_(process, std::move(devices),
             [](ProcId proc) -> std::unique_ptr<Link> { return std::make_unique<Peer>(proc); }),
      events_(process.events(), process.progress()),
      messenger_(links_),
      flow_(pool_bytes(process.params()), static_cast<std::uint32_t>(process.size()),
            links_.table(), messenger_, counters_),
      rendezvous_(process, links_, messenger_, counters_, events_),
      receiver_({links_, messenger_, flow_, rendezvous_, counters_, process.progress(), events_},
                proc_of_world_rank(process.rank()), pool_bytes(process.params())),
      sender_({process, links_, messenger_, rendezvous_, receiver_, counters_, events_}),
      watched_(std::make_unique<Watched>(*this)) {
  links_.users().set(LinkUserId::matching, this);
  links_.publish(flow_.first_window());
  process_.events().add(this);
  wanted_events_changed();
}

Engine::~Engine() {
  process_.events().remove(this);
  links_.users().set(LinkUserId::matching, nullptr);
  for (Link* link : links_.table().all()) static_cast<Peer*>(link)->waiting.clear();
}

// Each short way is closed by a test that it makes anyway, so that it costs nothing while it is
// open: a peer takes no message by the fast path, something waits to be received, and what arrives
// goes to another user.
void Engine::wanted_events_changed() {
  const bool closed = process_.events().any_of(MessageEvents::kOfMessages);
  if (closed == is_watched_) return;
  is_watched_ = closed;
  messenger_.close_fast_path(closed);
  receiver_.close_fast_paths(closed);
  LinkUser* const user = closed ? static_cast<LinkUser*>(watched_.get()) : this;
  links_.users().set(LinkUserId::matching, user);
}

void Engine::cancel(Request& request) {
  if (request.complete) return;
  switch (request.place) {
    case RequestPlace::posted:
      return receiver_.cancel_posted(request);
    case RequestPlace::waiting:
      return sender_.cancel_waiting(request);
    case RequestPlace::at_self:
      return receiver_.cancel_from_self(request);
    case RequestPlace::transfer:
      return rendezvous_.cancel(request);
    case RequestPlace::nowhere:
      return;
  }
}

bool Engine::flushed() const {
  return sender_.waiting() == 0 && rendezvous_.transfers().sends() == 0 && links_.departed();
}

bool Engine::busy() const {
  return rendezvous_.transfers().live() != 0 || receiver_.matcher().any_posted() ||
         sender_.waiting() != 0 || links_.busy();
}

/// No memory is reserved for processes of other jobs, of which there may be any number: they get
/// leases when they talk.
void Engine::connected(Link& link) {
  auto& peer = static_cast<Peer&>(link);
  const bool foreign = links_.directory().is_foreign(peer.id);
  flow_.connected(peer, foreign ? 0 : flow_.first_window());
  events_.events().raise(EventKind::connection_opened, MessageEvents::peer_number(peer.id));
  sender_.connected(peer);
}

void Engine::introduced(Link& link, std::uint32_t word) {
  FlowControl::learn_window(static_cast<Peer&>(link), word);
}

void Engine::completed(std::uint64_t value, int status) {
  rendezvous_.completed(value, status);
}

void Engine::notified(Link& link, std::uint32_t value) {
  rendezvous_.notified(static_cast<Peer&>(link), value);
}

void Engine::message(Link& link, std::span<const std::byte> data) {
  receive(static_cast<Peer&>(link), data);
}

/// Every operation with the peer completes with MPI_ERR_PROC_ABORTED.
void Engine::lost(Link& link, bool left_in_order) {
  auto& peer = static_cast<Peer&>(link);
  peer.fast_below = 0;
  events_.events().raise(EventKind::connection_failed, MessageEvents::peer_number(peer.id),
                         left_in_order ? 1 : 0);
  sender_.lost(peer);
  rendezvous_.transfers().for_each([&](Transfer& transfer) {
    if (transfer.peer != &peer) return;
    if (transfer.unexpected != nullptr) return receiver_.fail_pull(transfer);
    rendezvous_.lost(transfer);
  });
  receiver_.lost(peer, left_in_order);
  flow_.lost(peer);
}

void Engine::arrived(LinkDevice& device, std::span<const Completion> completions) {
  for (const Completion& completion : completions) {
    const bool known = completion.endpoint < device.by_endpoint.size() &&
                       device.by_endpoint[completion.endpoint] != nullptr;
    if (completion.kind != CompletionKind::receive || !device.ordered || !known) [[unlikely]] {
      links_.dispatch(device, completion);
      continue;
    }
    auto& peer = static_cast<Peer&>(*device.by_endpoint[completion.endpoint]);
    const std::span<const std::byte> data = completion.data;
    if (receiver_.deliver(peer, data)) continue;
    if (data.empty() || user_of_kind(data[0]) != LinkUserId::matching) [[unlikely]] {
      links_.dispatch(device, completion);
    } else {
      receive(peer, data);
    }
  }
}

/// A message that is not what arrives most often: books the credits that came with it, and gives it
/// to the part that it is for.
void Engine::receive(Peer& peer, std::span<const std::byte> data) {
  EagerHeader header;
  if (!read_header(data, header)) {
    ++counters_.malformed;
    return;
  }
  if ((header.flags & kHello) == 0) [[likely]] {
    peer.credits += header.credits;
  } else {
    FlowControl::learn_window(peer, header.credits);
  }
  if (header.kind == MessageKind::eager) [[likely]] {
    return receiver_.eager(peer, header, kNoSlabHandle, data.subspan(sizeof header));
  }
  if (header.kind == MessageKind::fragment) {
    FragmentHeader fragment;
    if (read_header(data, fragment)) {
      Transfer* whole = rendezvous_.fragment(peer, fragment, data.subspan(sizeof fragment));
      if (whole == nullptr) return;
      return whole->unexpected != nullptr ? receiver_.end_pull(*whole)
                                          : rendezvous_.finish(*whole, MPI_SUCCESS);
    }
  } else if (header.kind == MessageKind::eager_sync) {
    EagerSyncHeader sync;
    if (read_header(data, sync)) {
      return receiver_.eager(peer, sync.match, sync.sender, data.subspan(sizeof sync));
    }
  } else if (header.kind == MessageKind::rts) {
    RtsHeader rts;
    if (read_header(data, rts)) return receiver_.announced(peer, rts);
  } else if (header.kind == MessageKind::cts) {
    CtsHeader cts;
    if (read_header(data, cts)) return rendezvous_.clear_to_send(peer, cts);
  } else {
    HandleHeader handle;
    if (read_header(data, handle)) return receive_handle(peer, handle);
  }
  ++counters_.malformed;
}

void Engine::receive_handle(Peer& peer, const HandleHeader& header) {
  switch (header.kind) {
    case MessageKind::credits:
      return;
    case MessageKind::recall:
      return flow_.give_back(peer);
    case MessageKind::give_back:
      return flow_.take_back(peer, header.value);
    case MessageKind::cancel:
      return receiver_.cancel_of(peer, header.handle);
    default:
      return rendezvous_.answer(peer, header);
  }
}

}  // namespace remit
