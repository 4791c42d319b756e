// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Making the queues of an adapter.
#include "rdma_btl/verbs/adapter/queues.hpp"

#include <cerrno>

namespace remit::verbs {

Expected<> Queues::make(const VerbsApi& ibv, ibv_context* context, ibv_comp_channel* channel,
                        std::size_t receives, VerbsConfig& config) {
  ibv_ = &ibv;
  domain_ = ibv.alloc_pd(context);
  if (domain_ == nullptr) return fail_errno(MPI_ERR_OTHER, errno, "allocating a protection domain");
  completions_ =
      ibv.create_cq(context, static_cast<int>(config.completion_entries), nullptr, channel, 0);
  if (completions_ == nullptr) {
    return fail_errno(
        MPI_ERR_OTHER, errno,
        fmt::format("creating a completion queue of {} entries", config.completion_entries));
  }
  if (config.mask.srq) return {};
  ibv_srq_init_attr attributes = {};
  attributes.attr.max_wr = static_cast<std::uint32_t>(receives);
  attributes.attr.max_sge = 1;
  shared_ = ibv.create_srq(domain_, &attributes);
  if (shared_ == nullptr) {
    const int error = errno;
    if (error != ENOSYS && error != EOPNOTSUPP) {
      return fail_errno(MPI_ERR_OTHER, error, "creating a shared receive queue");
    }
    config.mask.srq = true;
  }
  return {};
}

void Queues::close() {
  if (shared_ != nullptr) ibv_->destroy_srq(shared_);
  if (completions_ != nullptr) ibv_->destroy_cq(completions_);
  shared_ = nullptr;
  completions_ = nullptr;
}

Queues::~Queues() {
  close();
  if (domain_ != nullptr) ibv_->dealloc_pd(domain_);
}

ibv_qp_init_attr Queues::queue_pair(const VerbsConfig& config, std::uint32_t max_sge,
                                    std::uint32_t max_inline) const {
  ibv_qp_init_attr attributes = {};
  attributes.send_cq = attributes.recv_cq = completions_;
  attributes.srq = shared_;
  attributes.cap = {config.send_depth, shared_ != nullptr ? 0 : config.strict_window, max_sge, 1,
                    max_inline};
  attributes.qp_type = IBV_QPT_RC;
  return attributes;
}

}  // namespace remit::verbs
