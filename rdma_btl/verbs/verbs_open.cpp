// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device: opening, limits, registration, closing.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>

#include "rdma_btl/registration/registrar.hpp"
#include "rdma_btl/verbs/endpoint.hpp"
#include "rdma_btl/verbs/verbs_device.hpp"

namespace remit {

namespace {

constexpr int kBacklog = 1024;
constexpr std::size_t kLine = 64;
constexpr std::size_t kAllMemory = SIZE_MAX;  // see Caps::pages_on_demand
/// Time of a byte by read in that by write, measured on soft-iWARP
/// (docs/measurements/2026-11-22-epyc-emulated.md).
constexpr double kIwarpGetSlowdown = 1.3;
/// Soft-iWARP maps its queues one behind the other; its library takes a queue that begins at
/// 0x90000 for one that does not exist. The first, the completion queue, is made to reach beyond.
constexpr std::uint32_t kSoftIwarpVendor = 0x626d74;
constexpr std::uint32_t kSoftIwarpEntries = 0x90000 / 32 + 1;

/// Words for a registration that failed.
tl::unexpected<Error> registration_error(int error, std::size_t bytes, const char* what) {
  if (error != ENOMEM) {
    return fail(MPI_ERR_OTHER, "registering {} of {} bytes: {}{}", what, bytes,
                std::strerror(error),
                error == EFAULT ? " (is it mapped, and may it be written?)" : "");
  }
  rlimit limit = {};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) {
    return fail(MPI_ERR_NO_MEM, "registering {} of {} bytes: the adapter has no room left", what,
                bytes);
  }
  return fail(MPI_ERR_NO_MEM,
              "RLIMIT_MEMLOCK is {} kB, which does not leave {} kB for {}: raise it with "
              "'ulimit -l unlimited' (for users of a batch system in its own limits), or use "
              "REMIT_DEVICES=shm on one host",
              limit.rlim_cur / 1024, (bytes + 1023) / 1024, what);
}

}  // namespace

// --- opening -----------------------------------------------------------------------------------

Expected<std::unique_ptr<VerbsDevice>> VerbsDevice::create(const VerbsConfig& config) {
  if (!std::has_single_bit(config.send_depth) || config.send_depth < 16 ||
      config.first_window < 4 || config.strict_window < 4 ||
      config.receive_slots < config.first_window || config.send_slots < 2 * verbs::kSpareSlots ||
      config.message_bytes % kLine != 0 || config.message_bytes < 192) {
    return fail(MPI_ERR_OTHER, "verbs: the configuration makes no sense");
  }
  std::unique_ptr<VerbsDevice> device(new VerbsDevice(config));
  if (Expected<> opened = device->open(); !opened) {
    return tl::unexpected<Error>(std::move(opened.error()));
  }
  return device;
}

Expected<std::string> VerbsDevice::survey(const VerbsConfig& config) {
  Expected<verbs::Api> api = verbs::load_api();
  if (!api) return tl::unexpected<Error>(std::move(api.error()));
  Expected<std::vector<verbs::Adapter>> adapters = verbs::find_adapters(*api);
  if (!adapters) return tl::unexpected<Error>(std::move(adapters.error()));
  Expected<verbs::Adapter> chosen = verbs::choose_adapter(*api, *adapters, config.device);
  if (!chosen) return tl::unexpected<Error>(std::move(chosen.error()));
  return verbs::describe(*chosen, *adapters, config.device);
}

VerbsDevice::VerbsDevice(const VerbsConfig& config) : config_(config) {
  if (config_.mask.iwarp) {
    config_.mask.imm = config_.mask.atomics = true;
  }
}

Expected<> VerbsDevice::open() {
  // libibverbs would say so in its own words, to nobody in particular.
  const std::size_t own = (config_.receive_slots + config_.send_slots + 1) * config_.message_bytes;
  if (verbs::any_rdma_device() && lockable_bytes() < own) {
    return registration_error(ENOMEM, own, "the queues of a rank");
  }
  char host[HOST_NAME_MAX + 1] = {};
  if (::gethostname(host, sizeof host - 1) == 0) host_ = host;
  Expected<verbs::Api> api = verbs::load_api();
  if (!api) return tl::unexpected<Error>(std::move(api.error()));
  api_ = *api;
  // Newer kernels copy pinned pages at fork(); others need the library to keep them from children.
  if (api_.is_fork_initialized() == IBV_FORK_DISABLED) api_.fork_init();
  Expected<std::vector<verbs::Adapter>> adapters = verbs::find_adapters(api_);
  if (!adapters) return tl::unexpected<Error>(std::move(adapters.error()));
  Expected<verbs::Adapter> chosen = verbs::choose_adapter(api_, *adapters, config_.device);
  if (!chosen) return tl::unexpected<Error>(std::move(chosen.error()));
  adapter_ = *chosen;
  description_ = verbs::describe(adapter_, *adapters, config_.device);
  port_refusals_ = verbs::port_refusals(adapter_).value_or(0);
  for (const auto step :
       {&VerbsDevice::open_listener, &VerbsDevice::query_limits, &VerbsDevice::make_queues,
        &VerbsDevice::probe_queue_pair, &VerbsDevice::watch}) {
    if (Expected<> done = (this->*step)(); !done) {
      done.error().message = fmt::format("RDMA adapter {} ({}): {}", adapter_.device, adapter_.text,
                                         done.error().message);
      return done;
    }
  }
  return {};
}

/// The listening identifier's context and port are those of the whole device.
Expected<> VerbsDevice::open_listener() {
  channel_ = api_.create_event_channel();
  if (channel_ == nullptr) return fail_errno(MPI_ERR_OTHER, errno, "opening an event channel");
  if (api_.create_id(channel_, &listener_, nullptr, RDMA_PS_TCP) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "rdma_create_id");
  }
  if (api_.bind_addr(listener_, reinterpret_cast<sockaddr*>(&adapter_.address)) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "binding to its address");
  }
  if (listener_->verbs == nullptr) {
    return fail(MPI_ERR_OTHER, "its address belongs to no RDMA adapter any more");
  }
  if (api_.listen(listener_, kBacklog) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "listening for connections");
  }
  port_ = api_.get_src_port(listener_);
  context_ = listener_->verbs;
  return {};
}

Expected<> VerbsDevice::query_limits() {
  ibv_device_attr device = {};
  if (const int error = api_.query_device(context_, &device); error != 0) {
    return fail_errno(MPI_ERR_OTHER, error, "asking for its limits");
  }
  ibv_port_attr port = {};
  if (const int error =
          api_.query_port(context_, adapter_.port, reinterpret_cast<_compat_ibv_port_attr*>(&port));
      error != 0) {
    return fail_errno(MPI_ERR_OTHER, error, "asking for the state of its port");
  }
  if (adapter_.iwarp) config_.mask.iwarp = config_.mask.imm = config_.mask.atomics = true;
  if (device.atomic_cap == IBV_ATOMIC_NONE) config_.mask.atomics = true;
  if (device.max_srq == 0 || device.max_srq_wr < static_cast<int>(config_.receive_slots)) {
    config_.mask.srq = true;
  }
  immediate_ = !config_.mask.imm;
  const auto limit = [](int value, std::size_t most) {
    return std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::max(value, 1)), 1,
                                     static_cast<std::uint32_t>(most));
  };
  max_sge_ = config_.mask.multi_sge ? 1 : limit(device.max_sge, kMostPieces);
  max_sge_read_ = config_.mask.iwarp ? 1 : max_sge_;
  max_reads_ = static_cast<std::uint8_t>(limit(device.max_qp_init_rd_atom, 16));
  max_served_reads_ = static_cast<std::uint8_t>(limit(device.max_qp_rd_atom, 16));
  config_.send_depth = std::bit_floor(limit(device.max_qp_wr, config_.send_depth));
  config_.completion_entries = limit(device.max_cqe, config_.completion_entries);
  budget_ = std::min(config_.send_budget, config_.completion_entries / 2);
  max_slots_ = config_.completion_entries - budget_;
  if (!config_.mask.srq) {
    max_slots_ = std::min(max_slots_, static_cast<std::size_t>(device.max_srq_wr));
  }
  config_.receive_slots = std::min(config_.receive_slots, max_slots_);
  if (device.vendor_id == kSoftIwarpVendor && config_.mask.srq) {  // else the shared queue does
    config_.completion_entries = std::max(config_.completion_entries, kSoftIwarpEntries);
  }
  set_caps(device, port);
  return {};
}

void VerbsDevice::set_caps(const ibv_device_attr& device, const ibv_port_attr& port) {
  const bool atomics = !config_.mask.atomics && device.atomic_cap != IBV_ATOMIC_NONE;
  caps_.name = "verbs";
  caps_.max_send = config_.message_bytes - verbs::kHeadRoom - sizeof(verbs::Header);
  caps_.max_message = std::min<std::uint64_t>(
      port.max_msg_sz == 0 ? caps_.max_send : port.max_msg_sz, kLongestMessage);
  // All requests of one operation must have room at once; with iWARP a piece may become two.
  const std::uint32_t requests =
      (config_.send_depth - verbs::kSpare - 1) / (config_.mask.iwarp ? 2 : 1);
  caps_.max_pieces =
      std::min<std::size_t>(kMostPieces, requests * std::min(max_sge_, max_sge_read_));
  caps_.latency_ns = 1500;
  caps_.bandwidth = std::max(adapter_.bandwidth, 1e8);
  caps_.overhead_ns = 1000;
  if (config_.mask.iwarp) caps_.get_slowdown = kIwarpGetSlowdown;
  caps_.ordered = true;
  caps_.has_put = caps_.has_get = true;
  caps_.has_atomic = atomics;
  caps_.atomic_with_cpu = atomics && device.atomic_cap == IBV_ATOMIC_GLOB;
  caps_.needs_registration = true;
  paging_ = verbs::query_paging(context_);
  caps_.pages_on_demand = paging_.all_memory;
  caps_.notify = immediate_ ? NotifyMode::immediate : NotifyMode::write_then_send;
}

Expected<> VerbsDevice::make_queues() {
  pd_ = api_.alloc_pd(context_);
  if (pd_ == nullptr) return fail_errno(MPI_ERR_OTHER, errno, "allocating a protection domain");
  completions_ = api_.create_comp_channel(context_);
  if (completions_ == nullptr) {
    return fail_errno(MPI_ERR_OTHER, errno, "creating a completion channel");
  }
  cq_ = api_.create_cq(context_, static_cast<int>(config_.completion_entries), nullptr,
                       completions_, 0);
  if (cq_ == nullptr) {
    return fail_errno(
        MPI_ERR_OTHER, errno,
        fmt::format("creating a completion queue of {} entries", config_.completion_entries));
  }
  if (!config_.mask.srq) {
    ibv_srq_init_attr attributes = {};
    attributes.attr.max_wr = static_cast<std::uint32_t>(max_slots_);
    attributes.attr.max_sge = 1;
    srq_ = api_.create_srq(pd_, &attributes);
    if (srq_ == nullptr) {
      const int error = errno;
      if (error != ENOSYS && error != EOPNOTSUPP) {
        return fail_errno(MPI_ERR_OTHER, error, "creating a shared receive queue");
      }
      config_.mask.srq = true;
    }
  }
  Expected<Block> sends = make_block((config_.send_slots + 1) * config_.message_bytes,
                                     IBV_ACCESS_LOCAL_WRITE, "memory for sends");
  if (!sends) return tl::unexpected<Error>(std::move(sends.error()));
  auto* const base = static_cast<std::byte*>(sends->base);
  send_lkey_ = sends->mr->lkey;
  trash_ = base + config_.send_slots * config_.message_bytes;
  for (std::size_t i = 0; i < config_.send_slots; ++i) {
    send_slots_.push_back(base + i * config_.message_bytes);
    free_send_slots_.push_back(static_cast<std::uint32_t>(i));
  }
  return grow(config_.receive_slots);
}

/// Registered memory, not seen by children of fork().
Expected<VerbsDevice::Block> VerbsDevice::make_block(std::size_t bytes, int access,
                                                     const char* what) {
  Block block;
  block.bytes = bytes;
  block.base =
      ::mmap(nullptr, block.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block.base == MAP_FAILED) return fail_errno(MPI_ERR_NO_MEM, errno, what);
  ::madvise(block.base, block.bytes, MADV_DONTFORK);
  block.mr = api_.reg_mr(pd_, block.base, block.bytes, access);
  if (block.mr == nullptr) {
    const int error = errno;
    ::munmap(block.base, block.bytes);
    return registration_error(error, block.bytes, what);
  }
  counters_.registered += block.bytes;
  blocks_.push_back(block);
  return block;
}

/// More receives: posted to the shared queue, or kept for the connections that come.
Expected<> VerbsDevice::grow(std::size_t slots) {
  slots = std::min(slots, max_slots_ - slots_.size());
  if (slots == 0) {
    return fail(MPI_ERR_NO_MEM, "{} receives are all in use: too many peers for one process",
                slots_.size());
  }
  Expected<Block> block =
      make_block(slots * config_.message_bytes, IBV_ACCESS_LOCAL_WRITE, "memory for receives");
  if (!block) return tl::unexpected<Error>(std::move(block.error()));
  if (!slots_.empty()) counters_.grown += slots;
  std::vector<std::uint32_t> fresh;
  for (std::size_t i = 0; i < slots; ++i) {
    fresh.push_back(static_cast<std::uint32_t>(slots_.size()));
    auto* const data =
        static_cast<std::byte*>(block->base) + i * config_.message_bytes + verbs::kHeadRoom;
    slots_.push_back({data, block->mr->lkey});
  }
  if (srq_ != nullptr) {
    post_receive_chain(fresh);
    unleased_ += slots;
  } else {
    free_slots_.insert(free_slots_.end(), fresh.begin(), fresh.end());
  }
  return {};
}

/// How much fits into a descriptor is known only from a queue pair: ask for less and less.
Expected<> VerbsDevice::probe_queue_pair() {
  int error = 0;
  for (std::uint32_t wanted = config_.mask.inline_data ? 0 : verbs::kMostInline;; wanted /= 2) {
    if (wanted < sizeof(verbs::Header)) wanted = 0;
    ibv_qp_init_attr attributes = {};
    attributes.send_cq = attributes.recv_cq = cq_;
    attributes.srq = srq_;
    attributes.cap = {config_.send_depth, srq_ != nullptr ? 0 : config_.strict_window, max_sge_, 1,
                      wanted};
    attributes.qp_type = IBV_QPT_RC;
    ibv_qp* const qp = api_.create_qp(pd_, &attributes);
    if (qp != nullptr) {
      max_inline_ = wanted;
      api_.destroy_qp(qp);
      break;
    }
    error = errno;
    if (wanted == 0) return fail_errno(MPI_ERR_OTHER, error, "creating a queue pair");
  }
  caps_.max_inline = max_inline_ == 0 ? 0 : max_inline_ - sizeof(verbs::Header);
  return {};
}

/// One descriptor for everything that can wake a sleeper.
Expected<> VerbsDevice::watch() {
  wait_set_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (wait_set_ < 0) return fail_errno(MPI_ERR_OTHER, errno, "creating an epoll set");
  for (const int fd : {completions_->fd, channel_->fd, context_->async_fd}) {
    const int flags = ::fcntl(fd, F_GETFL);
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
        ::epoll_ctl(wait_set_, EPOLL_CTL_ADD, fd, &event) != 0) {
      return fail_errno(MPI_ERR_OTHER, errno, "watching its events");
    }
  }
  return {};
}

// --- closing -----------------------------------------------------------------------------------

VerbsDevice::~VerbsDevice() {
  if (wait_set_ >= 0) say_goodbye();
  close_connections();
  if (listener_ != nullptr) api_.destroy_id(listener_);
  if (srq_ != nullptr) api_.destroy_srq(srq_);
  if (cq_ != nullptr) api_.destroy_cq(cq_);
  for (const auto& [handle, mr] : regions_) api_.dereg_mr(mr);
  for (const Block& block : blocks_) {
    api_.dereg_mr(block.mr);
    ::munmap(block.base, block.bytes);
  }
  if (pd_ != nullptr) api_.dealloc_pd(pd_);
  if (completions_ != nullptr) api_.destroy_comp_channel(completions_);
  if (channel_ != nullptr) api_.destroy_event_channel(channel_);
  if (wait_set_ >= 0) ::close(wait_set_);
}

/// A connection that ends without this is a failure to the peer. The last messages are given time
/// to leave.
void VerbsDevice::say_goodbye() {
  constexpr std::uint64_t kLingerMs = 5000;  // on a link that loses packets
  const std::uint64_t end = verbs::now_ns() + verbs::ms(kLingerMs);
  std::vector<EndpointId> due;
  for (const auto& endpoint : endpoints_) {
    if (endpoint->state == State::open) due.push_back(endpoint->id);
  }
  std::vector<EndpointId> said;
  std::array<Completion, 16> ignored;
  while (!(due.empty() && said.empty()) && verbs::now_ns() < end) {
    std::erase_if(due, [&](EndpointId id) {
      Endpoint& endpoint = *endpoints_[id];
      if (endpoint.state != State::open) return true;
      if (endpoint.credits == 0) {
        endpoint.said->farewell = 1;
        write_note(endpoint);
      } else if (!post_control(endpoint, verbs::MessageKind::goodbye, 0, true)) {
        return false;
      }
      said.push_back(id);
      return true;
    });
    (void)poll(ignored);
    next_look_ns_ = 0;
    std::erase_if(said, [&](EndpointId id) {
      flush_tail(*endpoints_[id]);  // poll() may have returned credits behind the goodbye
      const Endpoint& endpoint = *endpoints_[id];
      return endpoint.state != State::open || (endpoint.under_way() == 0 && !endpoint.note_due);
    });
  }
}

void VerbsDevice::close_connections() {
  for (rdma_cm_id* const id : withdrawn_) destroy_id(id);
  withdrawn_.clear();
  for (const auto& endpoint : endpoints_) {
    drop_question(*endpoint);
    for (rdma_cm_id* const id : {endpoint->active, endpoint->passive}) {
      if (id == nullptr) continue;
      if (id->qp != nullptr) {
        api_.disconnect(id);
        api_.cm_destroy_qp(id);
      }
      api_.destroy_id(id);
    }
    endpoint->active = endpoint->passive = nullptr;
  }
}

void VerbsDevice::abort() {
  close_connections();
  for (const auto& endpoint : endpoints_) endpoint->state = State::failed;
  if (listener_ != nullptr) api_.destroy_id(listener_);
  listener_ = nullptr;
}

// --- registration ------------------------------------------------------------------------------

Expected<Region> VerbsDevice::register_memory(void* address, std::size_t length, Access access) {
  if (length == 0) return Region{address, 0, 0, 0, 0};
  if (length == kAllMemory) return register_all_memory();
  int flags = 0;
  if (allows(access, Access::remote_read)) flags |= IBV_ACCESS_REMOTE_READ;
  if (allows(access, Access::remote_write)) flags |= IBV_ACCESS_REMOTE_WRITE;
  if (allows(access, Access::remote_atomic) && caps_.has_atomic) flags |= IBV_ACCESS_REMOTE_ATOMIC;
  // What is only read by peers may be constant; what is local is the sink of a get or the source
  // of a put. With iWARP the answer to a read is a write that comes from outside.
  const bool only_read = access == Access::remote_read;
  if (!only_read) flags |= IBV_ACCESS_LOCAL_WRITE;
  if (!only_read && config_.mask.iwarp) flags |= IBV_ACCESS_REMOTE_WRITE;
  ibv_mr* mr = api_.reg_mr(pd_, address, length, flags);
  if (mr == nullptr && errno == EFAULT && access == Access::local) {
    mr = api_.reg_mr(pd_, address, length, 0);  // the source of a put
  }
  if (mr == nullptr) return registration_error(errno, length, "memory of a message");
  counters_.registered += length;
  const std::uint64_t handle = next_region_++;
  regions_.emplace(handle, mr);
  return Region{address, length, mr->lkey, mr->rkey, handle};
}

/// Pages are looked up when the adapter meets them. Atomics are for registrations of their own
/// where it cannot.
Expected<Region> VerbsDevice::register_all_memory() {
  int flags = IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
              IBV_ACCESS_REMOTE_WRITE;
  if (paging_.atomics && caps_.has_atomic) flags |= IBV_ACCESS_REMOTE_ATOMIC;
  ibv_mr* const mr = api_.reg_mr(pd_, nullptr, kAllMemory, flags);
  if (mr == nullptr) return fail_errno(MPI_ERR_OTHER, errno, "registering all memory on demand");
  const std::uint64_t handle = next_region_++;
  regions_.emplace(handle, mr);
  return Region{nullptr, kAllMemory, mr->lkey, mr->rkey, handle};
}

void VerbsDevice::deregister(const Region& region) {
  const auto found = regions_.find(region.handle);
  if (found == regions_.end()) return;
  if (region.length != kAllMemory) counters_.registered -= region.length;
  api_.dereg_mr(found->second);
  regions_.erase(found);
}

// --- waiting -----------------------------------------------------------------------------------

void VerbsDevice::arm() {
  if (notify_requested_) return;
  notify_requested_ = ibv_req_notify_cq(cq_, 0) == 0;
}

/// The request for a notification stays until one has come.
void VerbsDevice::disarm() {
  next_look_ns_ = 0;
  attention_ = true;
  ibv_cq* queue = nullptr;
  void* context = nullptr;
  unsigned events = 0;
  while (api_.get_cq_event(completions_, &queue, &context) == 0) ++events;
  if (events == 0) return;
  api_.ack_cq_events(cq_, events);
  notify_requested_ = false;
}

int VerbsDevice::max_sleep_ms() const {
  // Who waits for flushed() is told of no event when it becomes true.
  const bool soon = attention_ || flush_asked_ || !leaving_.empty() || !credit_due_.empty() ||
                    !greet_due_.empty();
  if (!notify_requested_ || soon || !swaps_due_.empty()) return 1;
  if (!connecting_.empty() || !dying_.empty()) return 100;
  if (counters_.connections == 0) return -1;
  constexpr int kListenMs = 5;  // nothing tells of a note
  if (!listening_.empty()) return kListenMs;
  const std::uint64_t now = verbs::now_ns();
  return now >= knock_due_ns_ ? 1 : static_cast<int>((knock_due_ns_ - now) / verbs::ms(1)) + 1;
}

}  // namespace remit
