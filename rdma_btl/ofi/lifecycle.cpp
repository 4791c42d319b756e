// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How endpoints of the ofi device begin and end.
#include "rdma_btl/ofi/lifecycle.hpp"

#include <cerrno>
#include <cstring>

#include "rdma_btl/ofi/confirms.hpp"
#include "runtime/os/os.hpp"

namespace remit::ofi {

namespace {

/// How long what is under way to a peer that is gone may still come back by itself.
constexpr std::uint64_t kGraceMs = 2000;
/// How long the rest of what a peer has sent before it left may take.
constexpr std::uint64_t kRestMs = 10000;

}  // namespace

std::string Lifecycle::way_to(const Endpoint& endpoint) const {
  return fmt::format("process {}{}{} at {} over libfabric {}", rank_of_name(endpoint.peer),
                     endpoint.host.empty() ? "" : " on host ", endpoint.host,
                     endpoint.where.empty() ? "an unknown address" : endpoint.where,
                     fabric_.description());
}

void Lifecycle::begin(Endpoint& endpoint) {
  if (!endpoint.settling) ++settling_;
  endpoint.settling = true;
}

void Lifecycle::settle(Endpoint& endpoint) {
  if (endpoint.settling) --settling_;
  endpoint.settling = false;
}

// --- deadlines ---------------------------------------------------------------------------------

void Lifecycle::set_deadline(Endpoint& endpoint, std::uint64_t count) {
  endpoint.deadline_ns = shm::now_ns() + ms(count);
  if (!endpoint.timed) timed_.push_back(endpoint.id);
  endpoint.timed = true;
}

void Lifecycle::check_deadlines() {
  if (timed_.empty()) return;
  const std::uint64_t now = shm::now_ns();
  std::vector<EndpointId> timed;
  timed.swap(timed_);
  for (const EndpointId id : timed) {
    Endpoint& endpoint = endpoints_[id];
    endpoint.timed = endpoint.deadline_ns > now;
    if (endpoint.timed) {
      timed_.push_back(id);
    } else if (endpoint.deadline_ns != 0) {
      on_deadline(endpoint);
    }
  }
}

void Lifecycle::on_deadline(Endpoint& endpoint) {
  if (endpoint.state == State::failed || endpoint.state == State::gone) {
    requests_.forget(endpoint.id, [&](Request& request) {
      own_.complete(endpoint.id, request.cookie, MPI_ERR_PROC_ABORTED);
      end_counted(endpoint, request, own_);
    });
  } else if (endpoint.leaving) {
    fail(endpoint,
         fmt::format("{} has finished, but not all that it had sent arrived", way_to(endpoint)));
  } else {
    fail(endpoint, fmt::format("cannot connect to {}: no answer within {} s", way_to(endpoint),
                               config_.connect_timeout_ms / 1000));
  }
}

// --- ends --------------------------------------------------------------------------------------

void Lifecycle::end(Endpoint& endpoint, State state, std::string words) {
  settle(endpoint);
  endpoint.state = state;
  endpoint.words = std::move(words);
  lender_.release(endpoint);
  cancel_deadline(endpoint);
  if (endpoint.under_way != 0) set_deadline(endpoint, kGraceMs);
}

void Lifecycle::on_goodbye(Endpoint& endpoint, std::uint64_t messages) {
  endpoint.leaving = true;
  endpoint.expected = messages;
  see_goodbye(endpoint);
}

void Lifecycle::see_goodbye(Endpoint& endpoint) {
  if (endpoint.received < endpoint.expected || endpoint.state == State::failed) return;
  if (endpoint.peer == config_.name) return;
  end(endpoint, State::gone, fmt::format("{} has finished", way_to(endpoint)));
  own_.closed(endpoint.id);
}

void Lifecycle::on_line_end(Endpoint& endpoint, int error) {
  endpoint.line = {};
  if (endpoint.state == State::gone) return;
  if (endpoint.leaving) return set_deadline(endpoint, kRestMs);
  if (endpoint.state == State::connecting && !endpoint.greeted) {
    return fail(endpoint,
                fmt::format("cannot connect to {}: {}", way_to(endpoint), std::strerror(error)));
  }
  fail(endpoint, fmt::format("{}: {}", way_to(endpoint),
                             error == Line::kEnded || error == ECONNRESET
                                 ? "its process has ended"
                                 : std::string("its host is gone or cannot be reached: ") +
                                       std::strerror(error)));
}

void Lifecycle::fail(Endpoint& endpoint, std::string words) {
  if (endpoint.state == State::failed) return;
  endpoint.line = {};
  endpoint.greeted = false;
  end(endpoint, State::failed, std::move(words));
  if (config_.log != nullptr) config_.log->write(LogLevel::info, "ofi: {}", endpoint.words);
  own_.failed(endpoint.id);
}

std::size_t Lifecycle::post_closed(Endpoint& endpoint, std::span<const Operation> operations) {
  if (endpoint.state == State::gone) {
    fail(endpoint, fmt::format("{} has finished", way_to(endpoint)));
  }
  return endpoint.state == State::failed ? own_.refuse(endpoint.id, operations) : 0;
}

}  // namespace remit::ofi
