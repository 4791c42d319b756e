// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How links come to be, and what happens when they are lost.
#include <stdexcept>
#include <utility>

#include "links/links.hpp"

namespace remit {

namespace {

/// How long calls wait for a connection to be made, from its beginning. Where the peer polls that
/// is done within milliseconds.
constexpr std::uint32_t kPatienceTicks = 5;

}  // namespace

AddressBlob Links::own_address() const {
  AddressBlob blob;
  blob.first_window = word_;
  for (const auto& slot : devices_) {
    blob.devices.push_back({std::string(slot->device->caps().name), slot->device->local_address()});
  }
  return blob;
}

void Links::publish(std::uint32_t word) {
  word_ = word;
  const std::vector<std::byte> bytes = encode(own_address());
  if (Expected<> done = process_.bootstrap().publish(bytes); !done) {
    throw std::runtime_error(done.error().message);
  }
}

void Links::connect(Link& link) {
  if (link.device != nullptr || link.failed) return;
  if (is_foreign(link.id)) {
    const std::vector<std::byte>& address = foreign_.passport_of(link.id).address;
    if (!address.empty()) return connect_to(link, address);
    return fail(link, fmt::format("nobody has said where {} is", words_of(link.id)));
  }
  if (link.looking_up) return;
  link.looking_up = true;
  ++lookups_;
  process_.bootstrap().lookup(static_cast<int>(link.id));
}

int Links::take_answers() {
  int count = 0;
  while (std::optional<Bootstrap::Answer> answer = process_.bootstrap().poll()) {
    ++count;
    --lookups_;
    Link& link = table_.get(static_cast<ProcId>(answer->rank));
    link.looking_up = false;
    if (answer->blob) {
      connect_to(link, *answer->blob);
    } else if (link.device == nullptr) {
      fail(link, answer->blob.error().message);
    }
  }
  return count;
}

void Links::tell_word(Link& link, std::uint32_t word) {
  if (std::exchange(link.introduced, true)) return;
  for (LinkUser* user : users_) {
    if (user != nullptr) user->introduced(link, word);
  }
}

void Links::connect_to(Link& link, std::span<const std::byte> blob) {
  const Expected<AddressBlob> decoded = decode(blob);
  if (!decoded) return fail(link, decoded.error().message);
  tell_word(link, decoded->first_window);
  // It connected first, or was given up meanwhile.
  if (link.device != nullptr || link.failed) return;
  std::string words;
  for (const auto& slot : devices_) {
    for (const AddressBlob::Entry& entry : decoded->devices) {
      if (entry.device != slot->device->caps().name || !slot->device->reachable(entry.address)) {
        continue;
      }
      const Expected<EndpointId> endpoint = slot->device->connect(name_of(link.id), entry.address);
      if (endpoint) return attach(link, *slot, *endpoint);
      words = endpoint.error().message;
    }
  }
  if (words.empty()) {
    words = fmt::format("no device of rank {} reaches {}", process_.rank(), words_of(link.id));
  }
  fail(link, std::move(words));
}

/// Operations can leave from now on; posts what has waited.
void Links::attach(Link& link, LinkDevice& slot, EndpointId endpoint) {
  if (slot.by_endpoint.size() <= endpoint) slot.by_endpoint.resize(endpoint + 1, nullptr);
  slot.by_endpoint[endpoint] = &link;
  if (link.device != nullptr) {
    if (link.device != &slot) link.same_device = false;
    return;
  }
  link.device = &slot;
  link.endpoint = endpoint;
  link.settle_by = now_ticks() + kPatienceTicks;
  if (!slot.ordered && !link.order) link.order = std::make_unique<MessageOrder>();
  if (const auto waiting = unconnected_.find(link.id); waiting != unconnected_.end()) {
    waiting->second.move_all(slot.pending, endpoint);
    unconnected_.erase(waiting);
    slot.pending.flush(*slot.device);
  }
  for (LinkUser* user : users_) {
    if (user != nullptr && !link.failed) user->connected(link);
  }
}

void Links::post_unconnected(Link& link, std::span<const Operation> operations) {
  if (link.failed) {
    for (const Operation& operation : operations) failed_.push_back(operation.cookie);
    return;
  }
  PendingQueue& waiting = unconnected_[link.id];
  for (const Operation& operation : operations) waiting.push(0, operation);
  connect(link);
}

int Links::complete_failed() {
  const std::vector<std::uint64_t> cookies = std::exchange(failed_, {});
  for (const std::uint64_t cookie : cookies) {
    if (cookie != kNoCompletion) complete(cookie, MPI_ERR_PROC_ABORTED);
  }
  return static_cast<int>(cookies.size());
}

void Links::fail(Link& link, std::string words, bool left_in_order) {
  if (link.failed) return;
  link.failed = true;
  ++lost_;
  process_.log().write(LogLevel::info, "{} is lost: {}", words_of(link.id), words);
  failures_[link.id] = std::move(words);
  if (const auto waiting = unconnected_.find(link.id); waiting != unconnected_.end()) {
    waiting->second.for_each(
        [this](const Operation& operation) { failed_.push_back(operation.cookie); });
    unconnected_.erase(waiting);
  }
  for (LinkUser* user : users_) {
    if (user != nullptr) user->lost(link, left_in_order);
  }
}

std::string Links::failure_of(ProcId proc) const {
  const auto words = failures_.find(proc);
  return words != failures_.end() ? words->second : "";
}

std::string Links::explain(ProcId proc) const {
  if (std::string words = failure_of(proc); !words.empty()) return words;
  const Link* link = table_.find(proc);
  if (link == nullptr || link->device == nullptr) return "";
  return link->device->device->explain(link->endpoint);
}

}  // namespace remit
