// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Opening and closing of libfabric, and its rare functions.
#include "rdma_btl/ofi/fabric.hpp"

#include <array>
#include <limits>

#include "rdma_btl/ofi/wire.hpp"
#include "runtime/os/os.hpp"

namespace remit::ofi {

tl::unexpected<Error> Fabric::refused(long error, const char* attempt) const {
  return fail(MPI_ERR_OTHER, "{}: {}", attempt, words_of(error));
}

Expected<> Fabric::open(Plan& plan, std::size_t queue_entries, bool cq_data) {
  description_ = plan.words();
  info_ = std::move(plan.info);
  if (Expected<> opened = open_domain(queue_entries); !opened) return opened;
  if (Expected<> opened = open_endpoint(); !opened) return opened;
  if (plan.rma) reach_all_memory();
  remote_data_ = rma() && cq_data && info_->domain_attr->cq_data_size >= 8;
  return {};
}

Expected<> Fabric::open_domain(std::size_t queue_entries) {
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
  fi_cq_attr queue_attributes = {};
  queue_attributes.size = queue_entries;
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
void Fabric::open_wait_set() {
  const std::string_view provider = info_->fabric_attr->prov_name;
  if (provider != "net" && provider != "tcp") return;
  fi_wait_attr attributes = {};
  attributes.wait_obj = FI_WAIT_FD;
  fid_wait* set = nullptr;
  if (::fi_wait_open(fabric_.get(), &attributes, &set) == 0) wait_set_.reset(set);
}

bool Fabric::in_one_stream() const {
  const std::string_view provider = info_->fabric_attr->prov_name;
  return provider == "net" || provider == "tcp" || provider == "tcp;ofi_rxm";
}

Expected<> Fabric::open_endpoint() {
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
  address_.resize(sizeof(Hello::address));
  std::size_t bytes = address_.size();
  const int error = ::fi_getname(&endpoint->fid, address_.data(), &bytes);
  if (error != 0) return refused(error, "fi_getname");
  address_.resize(bytes);
  return {};
}

/// All memory, registered once, where the provider needs no pages for that: over TCP. Its key is a
/// secret. Without that there are no puts and gets.
void Fabric::reach_all_memory() {
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
  if (error == 0) {
    all_memory_.reset(all);
  } else if (log_ != nullptr) {
    log_->write(LogLevel::info, "ofi: no puts and gets: fi_mr_reg: {}", words_of(error));
  }
}

void Fabric::close() {
  endpoint_.reset();
  all_memory_.reset();
  buffers_.clear();
  peers_.reset();
  queue_.reset();
  wait_set_.reset();
  domain_.reset();
  fabric_.reset();
}

Expected<fi_addr_t> Fabric::add_peer(const void* address) {
  fi_addr_t peer = FI_ADDR_UNSPEC;
  const int inserted = ::fi_av_insert(peers_.get(), address, 1, &peer, 0, nullptr);
  if (inserted != 1) return refused(inserted < 0 ? inserted : 0, "fi_av_insert");
  return peer;
}

Expected<void*> Fabric::register_buffers(std::byte* base, std::size_t bytes) {
  if ((info_->domain_attr->mr_mode & FI_MR_LOCAL) == 0) return nullptr;
  fid_mr* memory = nullptr;
  const int error =
      ::fi_mr_reg(domain_.get(), base, bytes, FI_SEND | FI_RECV, 0, 0, 0, &memory, nullptr);
  if (error != 0) return refused(error, "fi_mr_reg of buffers for messages");
  buffers_.emplace_back(memory);
  return ::fi_mr_desc(memory);
}

Expected<int> Fabric::wait_fd() const {
  int fd = -1;
  fid* const source = wait_set_ ? &wait_set_->fid : &queue_->fid;
  if (const int error = ::fi_control(source, FI_GETWAIT, &fd); error != 0) {
    return refused(error, "the descriptor to wait for the completion queue");
  }
  return fd;
}

bool Fabric::quiet() {
  if (!queue_) return true;
  if (wait_set_) return ::fi_wait(wait_set_.get(), 0) == -FI_ETIMEDOUT;
  fid* queue = &queue_->fid;
  return ::fi_trywait(fabric_.get(), &queue, 1) == 0;
}

Failure Fabric::take_failure() {
  fi_cq_err_entry error = {};
  if (::fi_cq_readerr(queue_.get(), &error, 0) <= 0) return {};
  std::array<char, 256> buffer{};
  const char* const words = ::fi_cq_strerror(queue_.get(), error.prov_errno, error.err_data,
                                             buffer.data(), buffer.size());
  const bool range = error.err == FI_EACCES || error.err == FI_EKEYREJECTED;
  std::string text = fmt::format("{}{}{}", api_.strerror(error.err), words != nullptr ? ": " : "",
                                 words != nullptr ? words : "");
  if (error.op_context == nullptr && log_ != nullptr) {
    log_->write(LogLevel::info, "ofi: {}", text);
  }
  return {error.op_context, range ? MPI_ERR_RMA_RANGE : MPI_ERR_PROC_ABORTED, std::move(text)};
}

}  // namespace remit::ofi
