// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Listening for connections.
#include "rdma_btl/verbs/adapter/listener.hpp"

#include <cerrno>

namespace remit::verbs {

namespace {

constexpr int kBacklog = 1024;

}  // namespace

Listener::~Listener() {
  close();
  if (channel_ != nullptr) cm_->destroy_event_channel(channel_);
}

Expected<> Listener::open(const CmApi& cm, const Adapter& adapter) {
  cm_ = &cm;
  channel_ = cm.create_event_channel();
  if (channel_ == nullptr) return fail_errno(MPI_ERR_OTHER, errno, "opening an event channel");
  if (cm.create_id(channel_, &id_, nullptr, RDMA_PS_TCP) != 0) {
    id_ = nullptr;
    return fail_errno(MPI_ERR_OTHER, errno, "rdma_create_id");
  }
  sockaddr_storage own = adapter.address;
  if (cm.bind_addr(id_, reinterpret_cast<sockaddr*>(&own)) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "binding to its address");
  }
  if (id_->verbs == nullptr) {
    return fail(MPI_ERR_OTHER, "its address belongs to no RDMA adapter any more");
  }
  if (cm.listen(id_, kBacklog) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "listening for connections");
  }
  port_ = cm.get_src_port(id_);
  context_ = id_->verbs;
  return {};
}

void Listener::close() {
  if (id_ != nullptr) cm_->destroy_id(id_);
  id_ = nullptr;
}

}  // namespace remit::verbs
