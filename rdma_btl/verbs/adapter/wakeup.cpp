// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Waiting for a verbs device.
#include "rdma_btl/verbs/adapter/wakeup.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>

namespace remit::verbs {

namespace {

/// Makes a descriptor non-blocking, and part of an epoll set.
bool add_to(int set, int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  return flags >= 0 && ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 &&
         ::epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

}  // namespace

Wakeup::~Wakeup() {
  if (channel_ != nullptr) ibv_->destroy_comp_channel(channel_);
  if (wait_set_ >= 0) ::close(wait_set_);
}

Expected<> Wakeup::make(const VerbsApi& ibv, ibv_context* context) {
  ibv_ = &ibv;
  channel_ = ibv.create_comp_channel(context);
  if (channel_ == nullptr) {
    return fail_errno(MPI_ERR_OTHER, errno, "creating a completion channel");
  }
  return {};
}

Expected<> Wakeup::watch(std::initializer_list<int> descriptors) {
  wait_set_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (wait_set_ < 0) return fail_errno(MPI_ERR_OTHER, errno, "creating an epoll set");
  bool added = add_to(wait_set_, channel_->fd);
  for (const int descriptor : descriptors) added = added && add_to(wait_set_, descriptor);
  if (!added) return fail_errno(MPI_ERR_OTHER, errno, "watching its events");
  return {};
}

void Wakeup::arm(ibv_cq* queue) {
  if (!requested_) requested_ = ibv_req_notify_cq(queue, 0) == 0;
}

void Wakeup::disarm(ibv_cq* queue) {
  ibv_cq* told = nullptr;
  void* context = nullptr;
  unsigned events = 0;
  while (ibv_->get_cq_event(channel_, &told, &context) == 0) ++events;
  if (events == 0) return;
  ibv_->ack_cq_events(queue, events);
  requested_ = false;
}

}  // namespace remit::verbs
