// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/shm_device.hpp"

#include <bit>

namespace remit {

namespace {

Caps caps_of_shm(const ShmConfig& config) {
  const bool pipelined = config.copy == ShmCopy::pipelined;
  Caps caps;
  caps.name = "shm";
  caps.max_inline = shm::kInline;
  caps.max_send = shm::ShmEagerPath::max_send(config);
  // Two copies in the caches beat asking for a message: where lines are claimed longer ones,
  // elsewhere as long as the program has written the data since or uses another buffer each time.
  caps.eager_limit = (config.claim_lines_to != 0 ? 64 : 32) * 1024;
  caps.max_message = std::size_t{1} << 62;
  caps.max_pieces = 1024;
  caps.min_piece = 2048;  // measured: the kernel looks up pages for each
  caps.latency_ns = 100;
  caps.bandwidth = pipelined ? 8e9 : 10e9;
  caps.overhead_ns = pipelined ? 500 : 1500;
  caps.ordered = true;
  caps.has_put = caps.has_get = caps.has_atomic = caps.atomic_with_cpu = true;
  caps.needs_registration = false;
  caps.notify = NotifyMode::native;
  return caps;
}

}  // namespace

// --- opening -----------------------------------------------------------------------------------

Expected<std::unique_ptr<ShmDevice>> ShmDevice::create(const ShmConfig& config) {
  if (!std::has_single_bit(config.ring_cells) || !std::has_single_bit(config.area_bytes) ||
      config.ring_cells < 16 || config.area_bytes < 4096) {
    return fail(MPI_ERR_OTHER,
                "shared memory: {} cells and {} bytes of data area must be powers of two, at least "
                "16 and 4096",
                config.ring_cells, config.area_bytes);
  }
  std::unique_ptr<ShmDevice> device(new ShmDevice(config));
  if (Expected<> opened = device->open(); !opened) {
    return tl::unexpected<Error>(std::move(opened.error()));
  }
  return device;
}

/// Parts take references to others that are made after them, and use none before open().
ShmDevice::ShmDevice(const ShmConfig& config)
    : eager_(*this, config, health_, dispatcher_, socket_, counters_),
      upkeep_(eager_.receiver(), eager_.sender(), contact_, heaps_, health_, transfers_, target_,
              sleep_),
      config_(config),
      caps_(caps_of_shm(config)),
      sleep_(eager_.peers(), eager_.receiver().agenda(), home_),
      heaps_(config_, eager_.peers(), eager_.receiver().agenda(), eager_.sender(), health_, home_,
             socket_, counters_),
      copier_(heaps_, health_, counters_),
      transfers_(config_, eager_.peers(), eager_.receiver().agenda(), eager_.sender(),
                 eager_.receiver(), copier_, heaps_, health_, counters_),
      target_(config_, eager_.peers(), eager_.receiver().agenda(), eager_.sender(),
              eager_.receiver(), copier_, regions_, counters_),
      contact_(config_, eager_.peers(), eager_.receiver().agenda(), eager_.receiver(), home_,
               sleep_, socket_, heaps_, health_, transfers_, counters_),
      health_(config_, eager_.peers(), eager_.receiver().agenda(), eager_.receiver(),
              eager_.sender(), contact_, heaps_, transfers_, target_, counters_),
      dispatcher_(transfers_, target_, heaps_, health_),
      host_memory_(config_, eager_.peers(), eager_.receiver(), eager_.sender(), home_, heaps_,
                   copier_) {}

Expected<> ShmDevice::open() {
  if (Expected<> opened = home_.open(); !opened) return opened;
  if (Expected<> opened = socket_.open(config_.job); !opened) return opened;
  if (Expected<> opened = sleep_.open(socket_.fd(), config_.membarrier, config_.registered);
      !opened) {
    return opened;
  }
  if (config_.copy != ShmCopy::pipelined) shm::allow_direct_copies();
  regions_.publish_in(&home_.home());
  return {};
}

bool ShmDevice::reachable(std::span<const std::byte> address) const {
  return socket_.reachable(address);
}

Expected<EndpointId> ShmDevice::connect(PeerName peer, std::span<const std::byte> address) {
  return contact_.connect(peer, address);
}

Expected<Region> ShmDevice::register_memory(void* address, std::size_t length, Access access) {
  return regions_.add(address, length, access);
}

// --- moving ------------------------------------------------------------------------------------

std::size_t ShmDevice::post(EndpointId id, std::span<const Operation> operations) {
  shm::Endpoint& endpoint = eager_.peers()[id];
  shm::Sender& sender = eager_.sender();
  if (endpoint.shut) [[unlikely]]
    return health_.refuse(endpoint, operations);
  std::size_t accepted = 0;
  for (const Operation& operation : operations) {
    if (endpoint.shut) [[unlikely]]  // the operation before this one has found the peer dead
      return accepted + health_.refuse(endpoint, operations.subspan(accepted));
    const bool done = operation.kind == OpKind::send ? sender.push(endpoint, operation)
                                                     : transfers_.start(endpoint, operation);
    if (!done) [[unlikely]] {
      ++counters_.refused;
      if (eager_.receiver().agenda().has(shm::Agenda::kArmed)) sleep_.settle_blocked();
      break;
    }
    ++accepted;
  }
  sender.wake(endpoint);
  return accepted;
}

std::size_t ShmDevice::poll(std::span<Completion> out) {
  shm::Receiver& receiver = eager_.receiver();
  const shm::Agenda& agenda = receiver.agenda();
  std::size_t n = 0;
  receiver.have_read();
  if (!agenda.empty()) [[unlikely]] {
    n = upkeep_.before_rings(out);
  } else {
    n = receiver.visit_active(out);
  }
  if (!agenda.empty() || n == out.size()) [[unlikely]]
    n = upkeep_.after_rings(out, n);
  upkeep_.count_poll(n == 0);
  return n;
}

int ShmDevice::max_sleep_ms() const {
  return upkeep_.max_sleep_ms(eager_.peers().empty() ? -1 : static_cast<int>(config_.liveness_ms));
}

// --- questions ---------------------------------------------------------------------------------

PeerName ShmDevice::peer(EndpointId endpoint) const {
  return eager_.peers()[endpoint].peer;
}

std::string ShmDevice::explain(EndpointId endpoint) const {
  return eager_.peers()[endpoint].words;
}

/// Cells are numbered as they are written, so that counting them costs a message nothing.
std::vector<Statistic> ShmDevice::statistics() const {
  std::uint64_t sent = 0;
  for (const auto& endpoint : eager_.peers()) sent += endpoint->tx.published();
  const ShmCounters& c = counters_;
  return {{"cells_sent", sent},
          {"wakes", c.wakes},
          {"refused", c.refused},
          {"violations", c.violations},
          {"direct_copies", c.cma_calls},
          {"mapped_copies", c.mapped_copies},
          {"assisted", c.assisted},
          {"detours", copier_.kernel().detours()},
          {"connections", c.hellos_accepted}};
}

}  // namespace remit
