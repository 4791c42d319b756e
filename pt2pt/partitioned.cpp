// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication on top of messages.
#include "pt2pt/partitioned.hpp"

#include <algorithm>
#include <cassert>
#include <memory>

namespace remit {

Partitioned::Partitioned(Engine& engine, Request& whole, const PartitionedArgs& args)
    : engine_(engine),
      whole_(whole),
      args_(args),
      parts_comm_(on_context(kPartitionContext)),
      naming_(RequestKind::receive) {
  naming_.complete = to_nobody();
}

CommCore Partitioned::on_context(ContextId offset) const {
  CommCore comm;
  comm.context = args_.comm.context + offset;
  comm.rank = args_.comm.rank;
  comm.local = args_.comm.local;
  comm.remote = args_.comm.remote;
  return comm;
}

View Partitioned::names_view(Names& names) {
  return bytes_view(&names, sizeof names);
}

View Partitioned::elements(MPI_Count first, MPI_Count count) const {
  View view = args_.partition;
  // In integers, for the base may be MPI_BOTTOM.
  view.base = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(view.base) +
                                      static_cast<std::uintptr_t>(first * view.layout->extent()));
  view.count = count;
  return view;
}

void Partitioned::make_messages(std::size_t count, RequestKind kind) {
  messages_.clear();
  for (std::size_t i = 0; i < count; ++i) messages_.emplace_back(kind);
}

void Partitioned::prepare() {
  whole_.complete = false;
  whole_.status = OpStatus{};
  task_ = Task<int>();
  arena_.reset();
}

void Partitioned::finish() {
  complete_request(whole_, engine_.process().progress());
}

void Partitioned::watch(Request& request) {
  if (request.complete) return;
  request.waiter = &waiter_;
  ++waiter_.pending;
}

/// The first error of a message is the operation's.
void Partitioned::note(const Request& request) {
  if (whole_.status.error == MPI_SUCCESS) whole_.status.error = request.status.error;
}

PartitionedSend::PartitionedSend(Engine& engine, Request& whole, const PartitionedArgs& args)
    : Partitioned(engine, whole, args) {
  if (to_nobody()) return;
  names_ = {args.partition.size(), static_cast<std::uint32_t>(args.partitions), args.first_tag};
  engine.isend(naming_, names_view(names_), args.peer, args.tag, on_context(kPartitionNames));
}

void PartitionedSend::start() {
  prepare();
  not_ready_ = args_.partitions;
  ready_.assign(static_cast<std::size_t>(args_.partitions), false);
  if (to_nobody() || args_.partitions == 0) return finish();
  make_messages(ready_.size(), RequestKind::send);
  waiter_.pending = args_.partitions;
  task_ = body(*this);
  task_.start();
}

Task<int> PartitionedSend::body(PartitionedSend& self) {
  Pause all_gone{self.waiter_};
  co_await all_gone;
  for (const Request& message : self.messages_) self.note(message);
  self.finish();
  co_return 0;
}

void PartitionedSend::ready(int partition) {
  assert(!is_ready(partition));
  ready_[static_cast<std::size_t>(partition)] = true;
  --not_ready_;
  if (to_nobody()) return;
  Request& message = messages_[static_cast<std::size_t>(partition)];
  message.waiter = &waiter_;
  const View data = elements(partition * args_.partition.count, args_.partition.count);
  engine_.isend(message, data, args_.peer, args_.first_tag + partition, parts_comm_);
}

PartitionedReceive::PartitionedReceive(Engine& engine, Request& whole, const PartitionedArgs& args)
    : Partitioned(engine, whole, args),
      partition_bytes_(args.partition.size()),
      total_bytes_(partition_bytes_ * static_cast<std::size_t>(args.partitions)) {
  if (to_nobody()) return;
  engine.irecv(naming_, names_view(names_), args.peer, args.tag, on_context(kPartitionNames));
}

void PartitionedReceive::start() {
  prepare();
  posted_ = false;
  if (to_nobody()) {
    whole_.status.source = MPI_PROC_NULL;
    return finish();
  }
  watch(naming_);
  task_ = body(*this);
  task_.start();
}

Task<int> PartitionedReceive::body(PartitionedReceive& self) {
  Pause names{self.waiter_};
  co_await names;
  OpStatus& status = self.whole_.status;
  self.note(self.naming_);
  status.cancelled = self.naming_.status.cancelled;
  if (status.error == MPI_SUCCESS && !status.cancelled) {
    self.post();
    Pause parts{self.waiter_};
    co_await parts;
  }
  status.source = self.args_.peer;
  status.tag = self.args_.tag;
  for (std::size_t i = 0; i < self.messages_.size() && self.posted_; ++i) {
    const Request& message = self.messages_[i];
    self.note(message);
    status.bytes += message.status.bytes;
    status.cancelled = status.cancelled || message.status.cancelled;
    self.unpack(i);
  }
  self.finish();
  co_return 0;
}

/// Where the sender's partition `message` goes; what is longer than the buffer is cut off, which
/// fails the operation.
View PartitionedReceive::place_of(std::size_t message) {
  const View whole = elements(0, args_.partition.count * args_.partitions);
  const std::size_t from = std::min(message * names_.bytes, total_bytes_);
  const std::size_t bytes = std::min(names_.bytes, total_bytes_ - from);
  if (bytes == 0) return elements(0, 0);
  if (whole.is_contiguous()) return bytes_view(whole.data() + from, bytes);
  const auto element = static_cast<std::size_t>(whole.layout->size());
  if (names_.bytes % element == 0) {
    return elements(static_cast<MPI_Count>(from / element),
                    static_cast<MPI_Count>(bytes / element));
  }
  staged_[message].resize(bytes);
  return bytes_view(staged_[message].data(), bytes);
}

void PartitionedReceive::post() {
  make_messages(names_.partitions, RequestKind::receive);
  staged_.clear();
  staged_.resize(names_.partitions);
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const View place = place_of(i);
    engine_.irecv(messages_[i], place, args_.peer, names_.first_tag + static_cast<int>(i),
                  parts_comm_);
  }
  // Not before all are posted: the last one to complete resumes whoever waits.
  for (Request& message : messages_) watch(message);
  posted_ = true;
}

void PartitionedReceive::unpack(std::size_t message) {
  std::vector<std::byte>& staged = staged_[message];
  if (staged.empty()) return;
  const auto bytes = static_cast<std::size_t>(messages_[message].status.bytes);
  const View whole = elements(0, args_.partition.count * args_.partitions);
  whole.unpack(message * names_.bytes, {staged.data(), bytes});
  staged = {};
}

bool PartitionedReceive::arrived(int partition) {
  if (whole_.complete) return true;
  if (!posted_ || partition_bytes_ == 0 || names_.bytes == 0) return false;
  const std::size_t from = static_cast<std::size_t>(partition) * partition_bytes_;
  const std::size_t first = from / names_.bytes;
  const std::size_t last = (from + partition_bytes_ - 1) / names_.bytes;
  if (last >= messages_.size()) return false;  // not sent: the operation's end says so
  const auto is_here = [](const Request& message) { return message.complete; };
  const auto begin = messages_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = messages_.begin() + static_cast<std::ptrdiff_t>(last + 1);
  if (!std::all_of(begin, end, is_here)) return false;
  for (std::size_t i = first; i <= last; ++i) unpack(i);
  return true;
}

void PartitionedReceive::cancel() {
  if (!naming_.complete) engine_.cancel(naming_);
  if (whole_.complete || !posted_) return;
  for (Request& message : messages_) engine_.cancel(message);
}

}  // namespace remit
