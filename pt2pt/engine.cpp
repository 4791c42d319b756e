// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The engine's set-up, and what is asked of it now and then.
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

std::size_t pool_bytes(const Params& params) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, params.integer(eager_pool_param)));
}

}  // namespace

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
      dispatch_({links_, flow_, rendezvous_, receiver_, sender_, counters_, events_}),
      short_dispatch_({links_, flow_, rendezvous_, receiver_, sender_, counters_, events_}) {
  links_.users().set(LinkUserId::matching, &short_dispatch_);
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
  MessageDispatch* const dispatch = closed ? &dispatch_ : &short_dispatch_;
  if (links_.users().matching() == dispatch) return;
  messenger_.close_fast_path(closed);
  receiver_.close_fast_paths(closed);
  links_.users().set(LinkUserId::matching, dispatch);
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

}  // namespace remit
