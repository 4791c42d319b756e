// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ofi device: what libfabric brings, and waiting for it.
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "rdma_btl/ofi/endpoint.hpp"

namespace remit {

namespace {

constexpr std::size_t kOfiBatch = 16;
/// Between two looks at the lines, which cost a system call, when nothing is expected of them.
constexpr unsigned kIdlePolls = 32;
constexpr unsigned kBusyPolls = 256;

}  // namespace

std::size_t OfiDevice::poll(std::span<Completion> out) {
  if (!to_repost_.empty()) repost();
  std::size_t count = take_events(out);
  if (endpoint_) count += read_completions(out.subspan(count));
  if (lines_due(count == 0)) look_at_lines();
  if (!opens_due_.empty()) flush_opens();
  if (!notices_due_.empty()) flush_notices();
  if (!credit_due_.empty()) flush_credits();
  if (count == 0) count = take_events(out);
  return count;
}

bool OfiDevice::lines_due(bool idle) {
  const bool expected = settling_ != 0 || armed_ || !needy_.empty() || !timed_.empty();
  if ((expected && idle) || until_lines_ == 0) {
    until_lines_ = kBusyPolls;
    return true;
  }
  const unsigned step = idle ? kBusyPolls / kIdlePolls : 1;
  until_lines_ -= std::min(until_lines_, step);
  return false;
}

std::size_t OfiDevice::take_events(std::span<Completion> out) {
  std::size_t count = 0;
  while (count < out.size() && !ready_.empty()) {
    out[count++] = ready_.front();
    ready_.pop_front();
  }
  return count;
}

std::size_t OfiDevice::read_completions(std::span<Completion> out) {
  std::array<fi_cq_data_entry, kOfiBatch> entries;
  std::size_t count = 0;
  while (count < out.size()) {
    const std::size_t room = std::min(out.size() - count, kOfiBatch);
    const ssize_t got = ::fi_cq_read(queue_.get(), entries.data(), room);
    if (got == -FI_EAVAIL) {
      read_error();
      continue;
    }
    if (got <= 0) break;
    for (const fi_cq_data_entry& entry : std::span(entries).first(static_cast<std::size_t>(got))) {
      if (on_completion(entry, out[count])) ++count;
    }
    if (static_cast<std::size_t>(got) < room) break;
  }
  return count;
}

/// True if it is one to tell.
bool OfiDevice::on_completion(const fi_cq_data_entry& entry, Completion& out) {
  if ((entry.flags & FI_REMOTE_CQ_DATA) != 0) return on_remote_data(entry.data, out);
  auto* const request = static_cast<Request*>(entry.op_context);
  if (request == nullptr) return false;
  if (request->kind == Request::Kind::receive) return on_message(*request, entry.len, out);
  on_done(*request, MPI_SUCCESS, {});
  return false;
}

/// A message in `slot`, which belongs to the layer above until the next poll.
bool OfiDevice::on_message(Request& slot, std::size_t bytes, Completion& out) {
  to_repost_.push_back(&slot);
  slot.owes = false;
  ofi::Header header;
  if (bytes >= sizeof header) std::memcpy(&header, slot.buffer, sizeof header);
  const bool known = bytes >= sizeof header && header.endpoint < endpoints_.size() &&
                     endpoints_[header.endpoint]->secret == header.secret;
  if (!known || endpoints_[header.endpoint]->state == State::idle) {
    ++counters_.rejected;
    return false;
  }
  Endpoint& endpoint = *endpoints_[header.endpoint];
  if (endpoint.state == State::failed || endpoint.state == State::gone) return false;
  on_credits(endpoint, header.credits);
  ++endpoint.received;
  endpoint.wants_more = endpoint.wants_more || (header.flags & ofi::kLastCredit) != 0;
  slot.owes = true;
  slot.endpoint = endpoint.id;
  if (header.kind == ofi::MessageKind::open) {
    on_open(endpoint);
    return false;
  }
  const bool data = header.kind == ofi::MessageKind::data;
  out = {data ? CompletionKind::receive : CompletionKind::notification,
         MPI_SUCCESS,
         endpoint.id,
         header.value,
         0,
         {}};
  if (data) {
    out.data = {slot.buffer + sizeof header, bytes - sizeof header};
    ++counters_.receives;
  } else {
    ++counters_.notifications;
  }
  if (endpoint.leaving) see_goodbye(endpoint);
  return true;
}

/// The way works: the side that asked has its answer, the other one answers.
void OfiDevice::on_open(Endpoint& endpoint) {
  endpoint.opened = true;
  if (endpoint.counted) --settling_;
  endpoint.counted = false;
  if (endpoint.active) {
    endpoint.state = State::open;
  } else {
    opens_due_.push_back(endpoint.id);
  }
}

bool OfiDevice::on_remote_data(std::uint64_t data, Completion& out) {
  const auto id = static_cast<EndpointId>(data >> 32);
  if (id >= endpoints_.size() || endpoints_[id]->state != State::open) {
    ++counters_.rejected;
    return false;
  }
  Endpoint& endpoint = *endpoints_[id];
  ++endpoint.received;
  ++counters_.notifications;
  owe(endpoint);
  out = {CompletionKind::notification, MPI_SUCCESS, id, static_cast<std::uint32_t>(data), 0, {}};
  if (endpoint.leaving) see_goodbye(endpoint);
  return true;
}

/// A send, put or get is over.
void OfiDevice::on_done(Request& request, int status, const std::string& words) {
  Endpoint& endpoint = *endpoints_[request.endpoint];
  --endpoint.under_way;
  if (!request.forgotten) --under_way_;
  request.bytes = 0;
  const bool transfer = request.kind != Request::Kind::send;
  (transfer ? free_transfers_ : free_sends_).push_back(&request);
  if (status != MPI_SUCCESS && endpoint.state != State::gone) {
    fail_endpoint(endpoint, fmt::format("{}: {}", way_to(endpoint), words));
  }
  if (!transfer || request.forgotten) return;
  complete(endpoint, request.cookie, status);
  if (request.notify && status == MPI_SUCCESS && endpoint.state == State::open) {
    notices_due_.emplace_back(endpoint.id, request.notification);
  }
}

void OfiDevice::read_error() {
  fi_cq_err_entry error = {};
  if (::fi_cq_readerr(queue_.get(), &error, 0) <= 0) return;
  std::array<char, 256> buffer{};
  const char* const words = ::fi_cq_strerror(queue_.get(), error.prov_errno, error.err_data,
                                             buffer.data(), buffer.size());
  const std::string text = fmt::format("{}{}{}", api_.strerror(error.err),
                                       words != nullptr ? ": " : "", words != nullptr ? words : "");
  auto* const request = static_cast<Request*>(error.op_context);
  if (request == nullptr) return log(LogLevel::info, "ofi: {}", text);
  if (request->kind == Request::Kind::receive) {  // its sender died in the middle
    request->owes = false;
    to_repost_.push_back(request);
    return;
  }
  const bool range = error.err == FI_EACCES || error.err == FI_EKEYREJECTED;
  on_done(*request, range ? MPI_ERR_RMA_RANGE : MPI_ERR_PROC_ABORTED, text);
}

/// Gives receives back to libfabric, and then to those whose messages were there.
void OfiDevice::repost() {
  std::vector<Request*> slots;
  slots.swap(to_repost_);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Request& slot = *slots[i];
    const long result = endpoint_ ? ::fi_recv(endpoint_.get(), slot.buffer,
                                              sizeof(ofi::Header) + config_.message_bytes, slot.key,
                                              FI_ADDR_UNSPEC, &slot.context)
                                  : 0;
    if (result != 0) {
      to_repost_.insert(to_repost_.end(), slots.begin() + static_cast<std::ptrdiff_t>(i),
                        slots.end());
      return;
    }
    if (slot.owes) owe(*endpoints_[slot.endpoint]);
    slot.owes = false;
  }
}

/// Notifications whose writes are complete at their targets. Their credits were taken with these.
void OfiDevice::flush_notices() {
  for (std::size_t i = notices_due_.size(); i != 0; --i) {
    const auto [id, value] = notices_due_.front();
    notices_due_.pop_front();
    Endpoint& endpoint = *endpoints_[id];
    if (endpoint.state != State::open) continue;
    ++endpoint.credits;
    if (!send_notification(endpoint, value)) {
      --endpoint.credits;
      notices_due_.emplace_back(id, value);
    }
  }
}

// --- waiting -----------------------------------------------------------------------------------

/// The lines and libfabric's descriptor make wait_fd() readable by themselves; what is there
/// already does it through kick_.
void OfiDevice::arm() {
  armed_ = true;
  if (!ready_.empty() || !quiet()) (void)::eventfd_write(kick_.get(), 1);
}

/// libfabric has nothing, and its descriptor will say when that changes.
bool OfiDevice::quiet() {
  if (!queue_) return true;
  if (wait_set_) return ::fi_wait(wait_set_.get(), 0) == -FI_ETIMEDOUT;
  fid* queue = &queue_->fid;
  return ::fi_trywait(fabric_.get(), &queue, 1) == 0;
}

void OfiDevice::disarm() {
  armed_ = false;
  eventfd_t value = 0;
  (void)::eventfd_read(kick_.get(), &value);
}

/// Providers may need to be called while a connection is made.
int OfiDevice::max_sleep_ms() const {
  constexpr int kSettlingMs = 10;
  constexpr int kTimedMs = 50;
  if (settling_ != 0 || !opens_due_.empty() || !notices_due_.empty()) return kSettlingMs;
  return needy_.empty() && timed_.empty() ? -1 : kTimedMs;
}

/// Over TCP a send or put is complete when the kernel has all of it.
bool OfiDevice::flushed() const {
  if (under_way_ != 0 || !notices_due_.empty()) return false;
  return std::ranges::all_of(
      endpoints_, [](const auto& endpoint) { return !endpoint->line || endpoint->line.flushed(); });
}

}  // namespace remit
