// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "links/connector.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "links/address_blob.hpp"

namespace remit {

namespace {

/// How long calls wait for a connection to be made, from its beginning. Where the peer polls that
/// is done within milliseconds.
constexpr std::uint32_t kPatienceTicks = 5;

}  // namespace

void Connector::publish(std::uint32_t word) {
  word_ = word;
  const std::vector<std::byte> bytes = encode(parts_.devices.addresses(word_));
  if (Expected<> done = parts_.process.bootstrap().publish(bytes); !done) {
    throw std::runtime_error(done.error().message);
  }
}

Passport Connector::passport() const {
  const Identity& me = parts_.process.identity();
  return {me.job, static_cast<std::uint32_t>(me.rank), me.host,
          encode(parts_.devices.addresses(0))};
}

void Connector::connect(Link& link) {
  if (link.device != nullptr || link.failed) return;
  const ProcessDirectory& directory = parts_.directory;
  if (directory.is_foreign(link.id)) {
    const std::vector<std::byte>& address = directory.passport_of(link.id).address;
    if (!address.empty()) return connect_to(link, address);
    return parts_.lost.add(link,
                           fmt::format("nobody has said where {} is", directory.words_of(link.id)));
  }
  look_up(link);
}

void Connector::look_up(Link& link) {
  if (link.looking_up) return;
  parts_.process.bootstrap().lookup(static_cast<int>(link.id));
  link.looking_up = true;
  ++lookups_;
}

const SidePath& Connector::connect_aside(Link& link, LinkDevice& slot) {
  const auto [known, is_new] = asides_.try_emplace(link.id);
  SidePath& path = known->second;
  if (!is_new) return path;
  path.wanted = &slot;
  const ProcessDirectory& directory = parts_.directory;
  if (directory.is_foreign(link.id)) {
    go_aside(link, path, directory.passport_of(link.id).address);
  } else if (static_cast<int>(link.id) == parts_.process.rank()) {
    go_aside(link, path, encode(parts_.devices.addresses(word_)));
  } else {
    look_up(link);
  }
  return path;
}

void Connector::go_aside(Link& link, SidePath& path, std::span<const std::byte> blob) {
  LinkDevice& slot = *path.wanted;
  path.words = fmt::format("{} does not reach {}", slot.device->caps().name,
                           parts_.directory.words_of(link.id));
  const Expected<AddressBlob> decoded = decode(blob);
  if (!decoded) return;
  for (const AddressBlob::Entry& entry : decoded->devices) {
    if (entry.device != slot.device->caps().name || !slot.device->reachable(entry.address)) {
      continue;
    }
    const Expected<EndpointId> endpoint =
        slot.device->connect(parts_.directory.name_of(link.id), entry.address);
    if (!endpoint) {
      path.words = endpoint.error().message;
      return;
    }
    if (slot.by_endpoint.size() <= *endpoint) slot.by_endpoint.resize(*endpoint + 1, nullptr);
    slot.by_endpoint[*endpoint] = &link;
    path.words.clear();
    path.device = &slot;
    path.endpoint = *endpoint;
    return;
  }
}

bool Connector::ends_aside(LinkDevice& slot, EndpointId endpoint) {
  const ProcId proc = parts_.directory.proc_of(slot.device->peer(endpoint));
  const Link* const link = proc == kAnyProc ? nullptr : parts_.table.find(proc);
  const bool attached = endpoint < slot.by_endpoint.size() && slot.by_endpoint[endpoint] != nullptr;
  if (const auto aside = asides_.find(proc); aside != asides_.end()) {
    SidePath& path = aside->second;
    if (path.device != &slot || path.endpoint != endpoint) return false;
    path.words = slot.device->explain(endpoint);
    path.failed = true;
    return link == nullptr || link->device != &slot;
  }
  // Nobody here has used it.
  return !attached && link != nullptr && link->device != nullptr && link->device != &slot;
}

int Connector::take_answers() {
  int count = 0;
  while (std::optional<Bootstrap::Answer> answer = parts_.process.bootstrap().poll()) {
    ++count;
    --lookups_;
    Link& link = parts_.table.get(proc_of_world_rank(answer->rank));
    link.looking_up = false;
    const auto aside = asides_.find(link.id);
    if (aside != asides_.end() && aside->second.device == nullptr) {
      if (answer->blob) {
        go_aside(link, aside->second, *answer->blob);
      } else {
        aside->second.words = answer->blob.error().message;
      }
    }
    if (answer->blob) {
      connect_to(link, *answer->blob);
    } else if (link.device == nullptr) {
      parts_.lost.add(link, answer->blob.error().message);
    }
  }
  return count;
}

void Connector::connect_to(Link& link, std::span<const std::byte> blob) {
  const Expected<AddressBlob> decoded = decode(blob);
  if (!decoded) return parts_.lost.add(link, decoded.error().message);
  if (!std::exchange(link.introduced, true)) parts_.users.introduced(link, decoded->first_window);
  // It connected first, or was given up meanwhile.
  if (link.device != nullptr || link.failed) return;
  std::string words;
  for (const auto& slot : parts_.devices) {
    for (const AddressBlob::Entry& entry : decoded->devices) {
      if (entry.device != slot->device->caps().name || !slot->device->reachable(entry.address)) {
        continue;
      }
      const Expected<EndpointId> endpoint =
          slot->device->connect(parts_.directory.name_of(link.id), entry.address);
      if (endpoint) return attach(link, *slot, *endpoint);
      words = endpoint.error().message;
    }
  }
  if (words.empty()) {
    words = fmt::format("no device of rank {} reaches {}", parts_.process.rank(),
                        parts_.directory.words_of(link.id));
  }
  parts_.lost.add(link, std::move(words));
}

void Connector::attach(Link& link, LinkDevice& slot, EndpointId endpoint) {
  if (slot.by_endpoint.size() <= endpoint) slot.by_endpoint.resize(endpoint + 1, nullptr);
  slot.by_endpoint[endpoint] = &link;
  if (link.device != nullptr) {
    if (link.device != &slot) link.same_device = false;
    return;
  }
  if (!slot.ordered && !link.order) link.order = std::make_unique<MessageOrder>();
  link.device = &slot;
  link.endpoint = endpoint;
  link.settle_by = now_ticks() + kPatienceTicks;
  parts_.postponed.hand_over(link);
  parts_.users.connected(link);
}

/// Of 100 ms, so that 32 bits last for the life of any host.
std::uint32_t Connector::now_ticks() const {
  constexpr std::uint64_t kTickNs = 100'000'000;
  return static_cast<std::uint32_t>(parts_.process.clock().now_ns() / kTickNs);
}

// While something waits, no sleep is long (Links::max_sleep_ms).
void Connector::await_settled(const WaitSubject* subject) {
  const auto settled = [this] {
    return std::none_of(parts_.devices.begin(), parts_.devices.end(), [this](const auto& slot) {
      if (slot->pending.empty()) return false;
      const std::uint32_t now = now_ticks();
      return slot->pending.waits_for(
          [&](EndpointId endpoint) { return now < slot->by_endpoint[endpoint]->settle_by; });
    });
  };
  parts_.process.progress().wait(settled, subject);
}

}  // namespace remit
