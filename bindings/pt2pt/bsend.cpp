// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Buffered sends (MPI-5.0, section 3.6): the buffers.
#include "bindings/pt2pt/bsend.hpp"

#include <algorithm>
#include <new>

#include "bindings/handles.hpp"

namespace remit {

BsendBuffer& bsend_buffer(Instance& instance, const CommObject& comm) {
  if (comm.bsend != nullptr && comm.bsend->attached()) return *comm.bsend;
  if (comm.session.get() != nullptr) {
    const auto& of_session = comm.session->bsend;
    if (of_session != nullptr && of_session->attached()) return *of_session;
  }
  return *instance.bsend;
}

void BsendBuffer::attach(void* address, MPI_Count size) {
  attached_ = true;
  automatic_ = address == MPI_BUFFER_AUTOMATIC;
  address_ = address;
  size_ = automatic_ ? 0 : static_cast<std::size_t>(size);
}

/// Frees the places of messages that have left; returns how many.
int BsendBuffer::reclaim() {
  // The last message of a freed communicator may be all that keeps it, and so this, alive.
  const std::shared_ptr<BsendBuffer> self = weak_from_this().lock();
  std::vector<CommObject*> done;
  for (auto it = segments_.begin(); it != segments_.end();) {
    if (!it->request.complete) {
      ++it;
      continue;
    }
    done.push_back(it->comm);
    if (newest_ == it) newest_ = segments_.end();
    it = segments_.erase(it);
  }
  constexpr std::size_t kOften = 64;
  reclaim_at_ = std::max(kOften, 2 * segments_.size());
  const int flushed = flushes_.empty() ? 0 : complete_flushes();
  for (CommObject* comm : done) release(comm);
  return static_cast<int>(done.size()) + flushed;
}

int BsendBuffer::complete_flushes() {
  std::uint64_t oldest = next_number_;
  for (const Segment& segment : segments_) oldest = std::min(oldest, segment.number);
  return static_cast<int>(std::erase_if(flushes_, [oldest](const Flush& flush) {
    if (flush.below > oldest) return false;
    flush.request->complete = true;
    return true;
  }));
}

BsendBuffer::Segments::iterator BsendBuffer::place_own(std::size_t length, CommObject& comm) {
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[length]);
  if (memory == nullptr) return segments_.end();
  auto it = segments_.emplace(segments_.end(), memory.get(), length, &comm, next_number_++);
  it->own_memory = std::move(memory);
  return it;
}

/// In the gap behind a segment, or with the end of the list in that before the first one.
BsendBuffer::Segments::iterator BsendBuffer::place_behind(Segments::iterator before,
                                                          std::size_t length, CommObject& comm) {
  auto* const begin = static_cast<std::byte*>(address_);
  const bool at_front = before == segments_.end();
  std::byte* const from = at_front ? begin : before->start + before->length;
  const auto next = at_front ? segments_.begin() : std::next(before);
  const std::byte* const to = next == segments_.end() ? begin + size_ : next->start;
  if (static_cast<std::size_t>(to - from) < length) return segments_.end();
  return segments_.emplace(next, from, length, &comm, next_number_++);
}

/// The first gap that is large enough.
BsendBuffer::Segments::iterator BsendBuffer::place(std::size_t length, CommObject& comm) {
  auto found = place_behind(segments_.end(), length, comm);
  for (auto it = segments_.begin(); it != segments_.end() && found == segments_.end(); ++it) {
    found = place_behind(it, length, comm);
  }
  return found;
}

/// Looks behind the newest message first, which most often is enough; then everywhere.
BsendBuffer::Segments::iterator BsendBuffer::find_room(Instance& instance, std::size_t length,
                                                       CommObject& comm) {
  if (segments_.size() >= reclaim_at_) reclaim();
  if (automatic_) return place_own(length, comm);
  auto found = place_behind(newest_, length, comm);
  if (found != segments_.end()) return found;
  reclaim();
  found = place(length, comm);
  if (found != segments_.end()) return found;
  // Messages may have left meanwhile without anybody having polled.
  instance.progress().poll();
  reclaim();
  return place(length, comm);
}

int BsendBuffer::send(Instance& instance, const View& view, int dest, int tag, CommObject& comm) {
  if (!attached_) return MPI_ERR_BUFFER;
  const std::size_t bytes = view.size();
  const auto segment = find_room(instance, bytes + MPI_BSEND_OVERHEAD, comm);
  if (segment == segments_.end()) return automatic_ ? MPI_ERR_NO_MEM : MPI_ERR_BUFFER;
  view.pack(0, {segment->start, bytes});
  const View packed = bytes_view(segment->start, bytes);
  instance.engine->isend(segment->request, packed, dest, tag, comm.core);
  if (segment->request.complete) {
    segments_.erase(segment);
    return MPI_SUCCESS;
  }
  retain(&comm);
  newest_ = segment;
  return MPI_SUCCESS;
}

int BsendBuffer::progress() {
  const std::shared_ptr<BsendBuffer> self = weak_from_this().lock();
  const int events = reclaim();
  if (flushes_.empty() && (keep_alive_ == nullptr || segments_.empty())) {
    stop_watching();
    keep_alive_ = nullptr;
  }
  return events;
}

void BsendBuffer::watch(Instance& instance) {
  if (watching_ != nullptr) return;
  watching_ = &instance.progress();
  watching_->sources().add(this);
}

void BsendBuffer::stop_watching() {
  if (watching_ != nullptr) watching_->sources().remove(this);
  watching_ = nullptr;
}

void BsendBuffer::drain(Instance& instance, const WaitSubject* subject) {
  auto empty = [this] {
    reclaim();
    return segments_.empty();
  };
  instance.progress().wait(empty, subject);
}

void BsendBuffer::flush(Instance& instance, Request& request) {
  request.complete = false;
  flushes_.push_back({&request, next_number_});
  reclaim();
  if (!request.complete) watch(instance);
}

void BsendBuffer::abandon(Instance& instance) {
  reclaim();
  if (segments_.empty()) return;
  keep_alive_ = shared_from_this();
  watch(instance);
}

void BsendBuffer::detach(Instance& instance, const WaitSubject* subject, void*& address,
                         MPI_Count& size) {
  drain(instance, subject);
  address = address_;
  size = static_cast<MPI_Count>(size_);
  attached_ = false;
  automatic_ = false;
  address_ = nullptr;
  size_ = 0;
}

std::string BsendBuffer::explain(const View& view) const {
  const std::size_t needed = view.size() + MPI_BSEND_OVERHEAD;
  if (!attached_) {
    return fmt::format(
        "no buffer is attached; attach at least {} bytes with MPI_Buffer_attach, or "
        "MPI_BUFFER_AUTOMATIC",
        needed);
  }
  if (automatic_) return fmt::format("there is no memory for a message of {} bytes", needed);
  return fmt::format(
      "the attached buffer of {} bytes has no room for a message of {} bytes (with its overhead); "
      "attach a larger one, or MPI_BUFFER_AUTOMATIC",
      size_, needed);
}

}  // namespace remit
