// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ofi device: opening and closing, its abilities, polling and waiting.
#include "rdma_btl/ofi/ofi_device.hpp"

#include <algorithm>
#include <array>

#include "runtime/os/os.hpp"

namespace remit {

namespace {

/// Reaching another process through TCP and back costs what a few system calls and a wake-up do.
constexpr double kTcpLatencyNs = 15000;
/// The providers' gets take 14 us longer than their puts, whatever their length up to 1 MB.
constexpr double kTcpGetSlowdown = 4;
/// Between hosts of 10 Gbit/s 32 KB take 12 us by sends and 25 us by a put; more bytes a second go
/// by puts from there on, for they are not copied.
constexpr std::size_t kTcpEagerLimit = 32768;
/// Longer messages overtake each other in providers that have protocols of their own (ofi_rxm).
constexpr std::size_t kOrderedBytes = 8192 + 192;
constexpr double kFastLatencyNs = 2000;

Caps ofi_caps(const fi_info& info, const net::Interface& interface, std::size_t message_bytes,
              bool over_tcp) {
  Caps caps;
  caps.name = "ofi";
  caps.max_send = std::min(message_bytes, info.ep_attr->max_msg_size);
  caps.max_pieces = std::clamp<std::size_t>(info.tx_attr->iov_limit, 1, kMostPieces);
  caps.latency_ns = over_tcp ? kTcpLatencyNs : kFastLatencyNs;
  caps.bandwidth = interface.bandwidth > 0 ? interface.bandwidth : net::kUnknownBandwidth;
  caps.overhead_ns = caps.latency_ns;
  if (over_tcp) {
    caps.get_slowdown = kTcpGetSlowdown;
    caps.eager_limit = kTcpEagerLimit;
  }
  caps.ordered = true;
  return caps;
}

void add_rma(Caps& caps, const fi_info& info, bool remote_data) {
  caps.max_message = std::min(kLongestMessage, info.ep_attr->max_msg_size);
  caps.has_put = caps.has_get = true;
  caps.notify = remote_data ? NotifyMode::immediate : NotifyMode::write_then_send;
}

}  // namespace

// --- opening and closing -----------------------------------------------------------------------

OfiDevice::OfiDevice(const OfiConfig& config, const ofi::Api& api)
    : config_(config),
      fabric_(api, config.log),
      requests_(fabric_),
      lender_(config_, endpoints_, requests_, lines_, counters_),
      lifecycle_(config_, fabric_, endpoints_, requests_, lender_, own_),
      sender_(fabric_, requests_, lender_, lifecycle_, own_, counters_),
      contacts_(config_, fabric_, endpoints_, lines_, lender_, lifecycle_, sender_, counters_),
      receiver_(fabric_, endpoints_, requests_, lender_, lifecycle_, sender_, contacts_, own_,
                counters_) {}

Expected<std::string> OfiDevice::survey(const OfiConfig& config) {
  const Expected<ofi::Api> api = ofi::load_api();
  if (!api) return tl::unexpected(api.error());
  return ofi::make_plan(*api, config).map([](const ofi::Plan& plan) { return plan.words(); });
}

Expected<std::unique_ptr<OfiDevice>> OfiDevice::create(const OfiConfig& config) {
  const Expected<ofi::Api> api = ofi::load_api();
  if (!api) return tl::unexpected(api.error());
  Expected<ofi::Plan> plan = ofi::make_plan(*api, config);
  if (!plan) return tl::unexpected(plan.error());
  std::unique_ptr<OfiDevice> device(new OfiDevice(config, *api));
  if (Expected<> opened = device->open(*plan); !opened) {
    return fail(opened.error().code, "{}: {}", device->description(), opened.error().message);
  }
  return device;
}

Expected<> OfiDevice::open(ofi::Plan& plan) {
  const bool over_tcp = plan.over_tcp();
  if (!plan.keeps_order()) config_.message_bytes = std::min(config_.message_bytes, kOrderedBytes);
  // What a lease allows and what is under way: the queue cannot overflow.
  constexpr std::size_t kQueueSpare = 256;
  const std::size_t entries =
      config_.most_receive_slots + config_.send_slots + config_.transfers + kQueueSpare;
  if (Expected<> opened = fabric_.open(plan, entries, !config_.mask.cq_data); !opened) {
    return opened;
  }
  const Expected<int> queue_fd = fabric_.wait_fd();
  if (!queue_fd) return tl::unexpected(queue_fd.error());
  const net::Interface& interface = plan.choice.interface;
  const net::Address about = {.magic = ofi::kMagic,
                              .version = ofi::kVersion,
                              .job = config_.job,
                              .name = config_.name,
                              .protocol = fabric_.info().ep_attr->protocol};
  if (Expected<> opened = lines_.open(about, interface.address, *queue_fd); !opened) return opened;
  caps_ = ofi_caps(fabric_.info(), interface, config_.message_bytes, over_tcp);
  if (fabric_.rma()) add_rma(caps_, fabric_.info(), fabric_.remote_data());
  requests_.set_message_bytes(sizeof(ofi::Header) + config_.message_bytes);
  if (Expected<> added = lender_.add_receives(config_.receive_slots); !added) return added;
  if (Expected<> added = requests_.add_sends(config_.send_slots); !added) return added;
  requests_.add_transfers(config_.transfers);
  return {};
}

OfiDevice::~OfiDevice() {
  if (!fabric_) return;
  constexpr std::uint64_t kPatienceMs = 5000;
  const std::uint64_t end = shm::now_ns() + ofi::ms(kPatienceMs);
  std::array<Completion, 16> out;
  while (poll(out) != 0 || (!flushed() && shm::now_ns() < end)) continue;
  for (ofi::Endpoint& endpoint : endpoints_) {
    if (endpoint.greeted) lines_.say(endpoint, ofi::LineKind::goodbye, endpoint.sent);
  }
  close();
}

void OfiDevice::close() {
  for (ofi::Endpoint& endpoint : endpoints_) endpoint.line = {};
  lines_.close();
  fabric_.close();
}

void OfiDevice::abort() {
  for (ofi::Endpoint& endpoint : endpoints_) endpoint.state = ofi::State::failed;
  close();
}

// --- memory ------------------------------------------------------------------------------------

/// All of it is registered already, if there are puts and gets.
Expected<Region> OfiDevice::register_memory(void* address, std::size_t length, Access /*access*/) {
  return Region{address, length, 0, fabric_.memory_key(), 0};
}

// --- polling and waiting -----------------------------------------------------------------------

std::size_t OfiDevice::poll(std::span<Completion> out) {
  receiver_.repost();
  std::size_t count = own_.empty() ? 0 : own_.take(out);
  count += receiver_.read(out.subspan(count));
  const bool expected =
      lifecycle_.any_settling() || lifecycle_.any_deadline() || lender_.any_needy();
  if (lines_.due(count == 0, expected)) contacts_.poll_lines();
  if (contacts_.any_due()) contacts_.flush();
  if (sender_.any_due()) sender_.flush(endpoints_);
  if (lender_.any_due()) lender_.flush();
  if (count == 0 && !own_.empty()) count = own_.take(out);
  return count;
}

void OfiDevice::arm() {
  lines_.arm(!own_.empty() || !fabric_.quiet());
}

/// Providers may need to be called while a connection is made.
int OfiDevice::max_sleep_ms() const {
  constexpr int kSettlingMs = 10;
  constexpr int kTimedMs = 50;
  if (lifecycle_.any_settling() || contacts_.any_due() || sender_.any_due()) return kSettlingMs;
  return lender_.any_needy() || lifecycle_.any_deadline() ? kTimedMs : -1;
}

/// Over TCP a send or put is complete when the kernel has all of it.
bool OfiDevice::flushed() const {
  if (requests_.under_way() != 0 || sender_.any_due()) return false;
  for (const ofi::Endpoint& endpoint : endpoints_) {
    if (endpoint.line && !endpoint.line.flushed()) return false;
  }
  return true;
}

std::vector<Statistic> OfiDevice::statistics() const {
  const OfiCounters& c = counters_;
  return {{"sends", c.sends},
          {"receives", c.receives},
          {"puts", c.puts},
          {"gets", c.gets},
          {"sent_bytes", c.sent_bytes},
          {"put_bytes", c.put_bytes},
          {"got_bytes", c.got_bytes},
          {"notifications", c.notifications},
          {"notified", c.notified},
          {"provider_busy", c.busy},
          {"starved", c.starved},
          {"credit_messages", c.credit_messages},
          {"wishes", c.credit_requests},
          {"recalls", c.recalls},
          {"receives_added", c.grown},
          {"connections", c.connections},
          {"connections_settled", c.settled},
          {"strangers_rejected", c.rejected}};
}

}  // namespace remit
