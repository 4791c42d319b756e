// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ofi device: choosing a provider and an interface; opening and closing.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>

#include "rdma_btl/ofi/endpoint.hpp"

namespace remit {

namespace {

constexpr std::uint32_t kApiVersion = FI_VERSION(1, 17);
constexpr std::size_t kAlignment = 64;
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

/// Over TCP: "net" is the name that libfabric 1.17 had for what is "tcp" from 1.18 on; before,
/// "tcp" had no reliable datagrams of its own, and ofi_rxm makes them.
constexpr std::array<std::string_view, 3> kOverTcp = {"tcp", "net", "tcp;ofi_rxm"};

bool is_over_tcp(std::string_view provider) {
  return std::ranges::find(kOverTcp, provider) != kOverTcp.end();
}

bool exists(const char* path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// An RDMA device whose name begins so.
bool any_device(std::string_view prefix) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/infiniband", error)) {
    if (entry.path().filename().string().starts_with(prefix)) return true;
  }
  return false;
}

/// Of networks whose adapter is there: to ask some providers without takes long.
std::vector<std::string> providers_of_adapters() {
  std::vector<std::string> names;
  if (exists("/dev/cxi0")) names.emplace_back("cxi");
  if (any_device("hfi1")) names.insert(names.end(), {"opx", "psm2"});
  if (any_device("efa")) names.emplace_back("efa");
  return names;
}

/// Those to try, the best first.
std::vector<std::string> providers(const OfiConfig& config) {
  if (!config.provider.empty()) return {config.provider};
  std::vector<std::string> names = providers_of_adapters();
  names.insert(names.end(), kOverTcp.begin(), kOverTcp.end());
  return names;
}

ofi::Info wishes(const ofi::Api& api, const std::string& provider, int family) {
  ofi::Info hints(api.dupinfo(nullptr), {api.freeinfo});
  if (!hints) return hints;
  hints->ep_attr->type = FI_EP_RDM;
  hints->caps = FI_MSG;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  hints->fabric_attr->prov_name = ::strdup(provider.c_str());
  if (is_over_tcp(provider)) {
    hints->addr_format = family == AF_INET ? FI_SOCKADDR_IN : FI_SOCKADDR_IN6;
  }
  return hints;
}

/// The provider's own description of exactly this provider at this address; null: there is none.
ofi::Info describe(const ofi::Api& api, const std::string& provider,
                   const net::Interface& interface, bool rma, long& error) {
  const ofi::Info hints = wishes(api, provider, interface.address.ss_family);
  ofi::Info found(nullptr, {api.freeinfo});
  if (!hints) return found;
  if (rma) hints->caps |= FI_RMA;
  const bool tcp = is_over_tcp(provider);
  fi_info* list = nullptr;
  const int result = api.getinfo(kApiVersion, tcp ? interface.text.c_str() : nullptr, nullptr,
                                 tcp ? FI_SOURCE | FI_NUMERICHOST : 0, hints.get(), &list);
  if (result != 0) {
    error = result;
    return found;
  }
  const ofi::Info all(list, {api.freeinfo});
  for (const fi_info* info = list; info != nullptr; info = info->next) {
    const std::string_view name = info->fabric_attr->prov_name;
    if (name != provider && (tcp || !name.starts_with(provider + ";"))) continue;
    found.reset(api.dupinfo(info));
    break;
  }
  return found;
}

}  // namespace

struct OfiDevice::Plan {
  ofi::Info info;
  net::Choice choice;
  bool rma = false;

  [[nodiscard]] std::string words() const {
    return fmt::format("provider {} on {} {} ({})", info->fabric_attr->prov_name,
                       choice.interface.name, choice.interface.text, choice.why);
  }
};

Expected<OfiDevice::Plan> OfiDevice::make_plan(const ofi::Api& api, const OfiConfig& config) {
  Expected<std::vector<net::Interface>> interfaces = net::list_interfaces();
  if (!interfaces) return tl::unexpected(interfaces.error());
  Expected<net::Choice> choice = net::choose_interface(*interfaces, config.interface);
  if (!choice) return tl::unexpected(choice.error());
  std::string tried;
  for (const std::string& name : providers(config)) {
    for (const bool rma : {true, false}) {
      if (rma && config.mask.rma) continue;
      long error = -FI_ENODATA;
      ofi::Info info = describe(api, name, choice->interface, rma, error);
      if (info) return Plan{std::move(info), std::move(*choice), rma};
      if (rma) continue;
      tried += fmt::format("{}{} ({})", tried.empty() ? "" : ", ", name,
                           api.strerror(static_cast<int>(-error)));
    }
  }
  return fail(MPI_ERR_OTHER,
              "libfabric has no provider for {} {} with reliable datagrams; tried {}. 'fi_info' "
              "of the package libfabric-bin lists what there is",
              choice->interface.name, choice->interface.text, tried);
}

bool OfiDevice::any_adapter() {
  return !providers_of_adapters().empty();
}

Expected<std::string> OfiDevice::survey(const OfiConfig& config) {
  const Expected<ofi::Api> api = ofi::load_api();
  if (!api) return tl::unexpected(api.error());
  const Expected<Plan> plan = make_plan(*api, config);
  if (!plan) return tl::unexpected(plan.error());
  return plan->words();
}

OfiDevice::OfiDevice(const OfiConfig& config, ofi::Api api)
    : config_(config), api_(api), info_(nullptr, {api.freeinfo}) {}

Expected<std::unique_ptr<OfiDevice>> OfiDevice::create(const OfiConfig& config) {
  const Expected<ofi::Api> api = ofi::load_api();
  if (!api) return tl::unexpected(api.error());
  Expected<Plan> plan = make_plan(*api, config);
  if (!plan) return tl::unexpected(plan.error());
  std::unique_ptr<OfiDevice> device(new OfiDevice(config, *api));
  if (Expected<> opened = device->open(*plan); !opened) {
    return fail(opened.error().code, "{}: {}", plan->words(), opened.error().message);
  }
  return device;
}

tl::unexpected<Error> OfiDevice::refused(long error, const char* attempt) const {
  return fail(MPI_ERR_OTHER, "{}: {}", attempt, api_.strerror(static_cast<int>(-error)));
}

Expected<> OfiDevice::open(Plan& plan) {
  description_ = plan.words();
  info_ = std::move(plan.info);
  if (Expected<> opened = open_fabric(); !opened) return opened;
  if (Expected<> opened = open_endpoint(); !opened) return opened;
  if (plan.rma) reach_all_memory();
  if (Expected<> opened = open_events(plan.choice.interface); !opened) return opened;
  set_caps(plan.choice.interface);
  if (Expected<> added = add_buffers(config_.receive_slots, true); !added) return added;
  if (Expected<> added = add_buffers(config_.send_slots, false); !added) return added;
  for (std::size_t i = 0; i < config_.transfers; ++i) {
    free_transfers_.push_back(&requests_.emplace_back());
  }
  return {};
}

Expected<> OfiDevice::open_fabric() {
  fid_fabric* fabric = nullptr;
  if (const int error = api_.fabric(info_->fabric_attr, &fabric, nullptr); error != 0) {
    return refused(error, "fi_fabric");
  }
  fabric_.reset(fabric);
  fid_domain* domain = nullptr;
  if (const int error = ::fi_domain(fabric, info_.get(), &domain, nullptr); error != 0) {
    return refused(error, "fi_domain");
  }
  domain_.reset(domain);
  open_wait_set();
  // What a lease allows and what is under way: the queue cannot overflow.
  fi_cq_attr queue_attributes = {};
  queue_attributes.size = config_.most_receive_slots + config_.send_slots + config_.transfers + 256;
  queue_attributes.format = FI_CQ_FORMAT_DATA;
  queue_attributes.wait_obj = wait_set_ ? FI_WAIT_SET : FI_WAIT_FD;
  queue_attributes.wait_set = wait_set_.get();
  fid_cq* queue = nullptr;
  if (const int error = ::fi_cq_open(domain, &queue_attributes, &queue, nullptr); error != 0) {
    return refused(error, "fi_cq_open");
  }
  queue_.reset(queue);
  fi_av_attr peers_attributes = {};
  peers_attributes.type = FI_AV_TABLE;
  fid_av* peers = nullptr;
  if (const int error = ::fi_av_open(domain, &peers_attributes, &peers, nullptr); error != 0) {
    return refused(error, "fi_av_open");
  }
  peers_.reset(peers);
  return {};
}

/// Up to libfabric 1.19 nothing but a wait set makes the descriptor of these providers unreadable
/// again: fi_trywait() does not do what it is for.
void OfiDevice::open_wait_set() {
  const std::string_view provider = info_->fabric_attr->prov_name;
  if (provider != "net" && provider != "tcp") return;
  fi_wait_attr attributes = {};
  attributes.wait_obj = FI_WAIT_FD;
  fid_wait* set = nullptr;
  if (::fi_wait_open(fabric_.get(), &attributes, &set) == 0) wait_set_.reset(set);
}

Expected<> OfiDevice::open_endpoint() {
  fid_ep* endpoint = nullptr;
  if (const int error = ::fi_endpoint(domain_.get(), info_.get(), &endpoint, nullptr); error != 0) {
    return refused(error, "fi_endpoint");
  }
  endpoint_.reset(endpoint);
  if (const int error = ::fi_ep_bind(endpoint, &queue_->fid, FI_TRANSMIT | FI_RECV); error != 0) {
    return refused(error, "fi_ep_bind of the completion queue");
  }
  if (const int error = ::fi_ep_bind(endpoint, &peers_->fid, 0); error != 0) {
    return refused(error, "fi_ep_bind of the address vector");
  }
  if (const int error = ::fi_enable(endpoint); error != 0) return refused(error, "fi_enable");
  fabric_address_.resize(sizeof(ofi::Hello::address));
  std::size_t bytes = fabric_address_.size();
  const int error = ::fi_getname(&endpoint->fid, fabric_address_.data(), &bytes);
  if (error != 0) return refused(error, "fi_getname");
  fabric_address_.resize(bytes);
  return {};
}

/// All memory, registered once, where the provider needs no pages for that: over TCP. Its key is a
/// secret. Without that there are no puts and gets.
void OfiDevice::reach_all_memory() {
  constexpr int kNeedsPages = FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_ENDPOINT;
  if ((info_->domain_attr->mr_mode & kNeedsPages) != 0 || info_->domain_attr->mr_key_size < 8) {
    return;
  }
  std::uint64_t key = 0;
  const auto key_bytes = std::as_writable_bytes(std::span(&key, 1));
  const std::span<std::uint8_t> random(reinterpret_cast<std::uint8_t*>(key_bytes.data()),
                                       key_bytes.size());
  if (!shm::random_bytes(random)) return;
  fid_mr* all = nullptr;
  const int error = ::fi_mr_reg(domain_.get(), nullptr, std::numeric_limits<std::size_t>::max(),
                                FI_REMOTE_READ | FI_REMOTE_WRITE, 0, key, 0, &all, nullptr);
  if (error != 0) {
    log(LogLevel::info, "ofi: no puts and gets: fi_mr_reg: {}", api_.strerror(-error));
    return;
  }
  all_memory_.reset(all);
}

Expected<> OfiDevice::open_events(const net::Interface& interface) {
  sockaddr_storage address = interface.address;
  Expected<shm::Fd> listener = net::listen_at(address);
  if (!listener) return tl::unexpected(listener.error());
  place_ = net::Place({.magic = ofi::kMagic,
                       .version = ofi::kVersion,
                       .job = config_.job,
                       .name = config_.name,
                       .protocol = info_->ep_attr->protocol},
                      address);
  listener_ = std::move(*listener);
  kick_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  events_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!kick_ || !events_) return fail_errno(MPI_ERR_OTHER, errno, "making an epoll set");
  int queue_fd = -1;
  fid* const source = wait_set_ ? &wait_set_->fid : &queue_->fid;
  if (const int error = ::fi_control(source, FI_GETWAIT, &queue_fd); error != 0) {
    return refused(error, "the descriptor to wait for the completion queue");
  }
  for (const int fd : {listener_.get(), kick_.get(), queue_fd}) {
    epoll_event wanted = {};
    wanted.events = EPOLLIN;
    wanted.data.u64 = fd == listener_.get() ? ofi::kListenerToken : ofi::kNoToken;
    if (::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &wanted) != 0) {
      return fail_errno(MPI_ERR_OTHER, errno, "adding to an epoll set");
    }
  }
  return {};
}

void OfiDevice::set_caps(const net::Interface& interface) {
  const bool tcp = is_over_tcp(info_->fabric_attr->prov_name);
  const bool plain = tcp && info_->fabric_attr->prov_name != std::string_view("tcp;ofi_rxm");
  if (!plain) config_.message_bytes = std::min(config_.message_bytes, kOrderedBytes);
  const bool rma = all_memory_ != nullptr;
  remote_data_ = rma && !config_.mask.cq_data && info_->domain_attr->cq_data_size >= 8;
  caps_.name = "ofi";
  caps_.max_send = std::min(config_.message_bytes, info_->ep_attr->max_msg_size);
  caps_.max_message = rma ? std::min(kLongestMessage, info_->ep_attr->max_msg_size) : 0;
  caps_.max_pieces = std::clamp<std::size_t>(info_->tx_attr->iov_limit, 1, kMostPieces);
  caps_.latency_ns = tcp ? kTcpLatencyNs : kFastLatencyNs;
  caps_.bandwidth = interface.bandwidth > 0 ? interface.bandwidth : net::kUnknownBandwidth;
  caps_.overhead_ns = caps_.latency_ns;
  if (tcp) {
    caps_.get_slowdown = kTcpGetSlowdown;
    caps_.eager_limit = kTcpEagerLimit;
  }
  caps_.ordered = true;
  caps_.has_put = caps_.has_get = rma;
  caps_.notify = !rma ? NotifyMode::none
                      : (remote_data_ ? NotifyMode::immediate : NotifyMode::write_then_send);
}

/// Buffers for receives, which are posted, or for sends.
Expected<> OfiDevice::add_buffers(std::size_t count, bool receives) {
  const std::size_t each =
      (sizeof(ofi::Header) + config_.message_bytes + kAlignment - 1) / kAlignment * kAlignment;
  // Not zeroed: memory is taken as it is used.
  buffers_.push_back(std::make_unique_for_overwrite<std::byte[]>(count * each));
  std::byte* const first = buffers_.back().get();
  void* key = nullptr;
  if ((info_->domain_attr->mr_mode & FI_MR_LOCAL) != 0) {
    fid_mr* memory = nullptr;
    const int error = ::fi_mr_reg(domain_.get(), first, count * each, FI_SEND | FI_RECV, 0, 0, 0,
                                  &memory, nullptr);
    if (error != 0) return refused(error, "fi_mr_reg of buffers for messages");
    memory_.emplace_back(memory);
    key = ::fi_mr_desc(memory);
  }
  for (std::size_t i = 0; i < count; ++i) {
    Request& request = requests_.emplace_back();
    request.kind = receives ? Request::Kind::receive : Request::Kind::send;
    request.buffer = first + i * each;
    request.key = key;
    (receives ? to_repost_ : free_sends_).push_back(&request);
  }
  if (!receives) return {};
  repost();
  receive_slots_ += count;
  unleased_ += count;
  return {};
}

OfiDevice::~OfiDevice() {
  if (!endpoint_) return;
  constexpr std::uint64_t kPatienceMs = 5000;
  const std::uint64_t end = shm::now_ns() + ofi::ms(kPatienceMs);
  std::array<Completion, 16> out;
  while (poll(out) != 0 || (!flushed() && shm::now_ns() < end)) continue;
  for (const auto& endpoint : endpoints_) {
    if (endpoint->greeted) say(*endpoint, ofi::LineKind::goodbye, endpoint->sent);
  }
  close_all();
}

void OfiDevice::close_all() {
  for (const auto& endpoint : endpoints_) endpoint->line = {};
  guests_.clear();
  listener_.reset();
  endpoint_.reset();
  all_memory_.reset();
  memory_.clear();
  peers_.reset();
  queue_.reset();
  wait_set_.reset();
  domain_.reset();
  fabric_.reset();
}

void OfiDevice::abort() {
  for (const auto& endpoint : endpoints_) endpoint->state = State::failed;
  close_all();
}

}  // namespace remit
