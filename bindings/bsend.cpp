// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Buffered sends (MPI-5.0, section 3.6).
#include "bindings/bsend.hpp"

#include "bindings/entry.hpp"
#include "bindings/handles.hpp"
#include "bindings/wait_subjects.hpp"
#include "bindings/weak.hpp"

namespace remit {

void BsendBuffer::attach(void* address, MPI_Count size) {
  attached_ = true;
  automatic_ = address == MPI_BUFFER_AUTOMATIC;
  address_ = address;
  size_ = automatic_ ? 0 : static_cast<std::size_t>(size);
}

void BsendBuffer::reclaim() {
  for (auto it = segments_.begin(); it != segments_.end();) {
    if (it->request.complete) {
      release(it->comm);
      it = segments_.erase(it);
    } else {
      ++it;
    }
  }
}

std::list<BsendBuffer::Segment>::iterator BsendBuffer::place(std::size_t length, CommObject& comm) {
  if (automatic_) {
    auto memory = std::make_unique<std::byte[]>(length);
    auto it = segments_.emplace(segments_.end(), memory.get(), length, &comm);
    it->own_memory = std::move(memory);
    return it;
  }
  auto* next_free = static_cast<std::byte*>(address_);
  auto* const end = next_free + size_;
  for (auto it = segments_.begin();; ++it) {
    std::byte* gap_end = it == segments_.end() ? end : it->start;
    if (static_cast<std::size_t>(gap_end - next_free) >= length) {
      return segments_.emplace(it, next_free, length, &comm);
    }
    if (it == segments_.end()) return it;
    next_free = it->start + it->length;
  }
}

int BsendBuffer::send(Instance& instance, const View& view, int dest, int tag, CommObject& comm) {
  if (!attached_) return MPI_ERR_BUFFER;
  reclaim();
  auto segment = place(view.size() + MPI_BSEND_OVERHEAD, comm);
  if (segment == segments_.end()) {
    // Messages may have left meanwhile without anybody having polled.
    instance.progress().poll();
    reclaim();
    segment = place(view.size() + MPI_BSEND_OVERHEAD, comm);
    if (segment == segments_.end()) return MPI_ERR_BUFFER;
  }
  retain(&comm);
  view.pack(0, {segment->start, view.size()});
  const View packed{segment->start, static_cast<MPI_Count>(view.size()),
                    &predefined(MPI_BYTE).layout()};
  instance.engine->isend(segment->request, packed, dest, tag, comm.core);
  return MPI_SUCCESS;
}

void BsendBuffer::drain(Instance& instance, const WaitSubject* subject) {
  auto empty = [this] {
    reclaim();
    return segments_.empty();
  };
  instance.progress().wait(empty, subject);
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
  return fmt::format(
      "the attached buffer of {} bytes has no room for a message of {} bytes (with its overhead); "
      "attach a larger one, or MPI_BUFFER_AUTOMATIC",
      size_, needed);
}

namespace {

int attach(const char* function, void* buffer, MPI_Count size) {
  Entry entry(function);
  BsendBuffer& bsend = *entry.instance().bsend;
  if (bsend.attached()) {
    return entry.fail(MPI_ERR_BUFFER,
                      "a buffer is attached already; detach it first with MPI_Buffer_detach");
  }
  if (size < 0) return entry.fail(MPI_ERR_SIZE, "size is {}; it must not be negative", size);
  if (buffer == nullptr && size > 0) {
    return entry.fail(MPI_ERR_BUFFER, "buffer is a null pointer, but size is {}", size);
  }
  bsend.attach(buffer, size);
  return MPI_SUCCESS;
}

template <class Size>
int detach(const char* function, void* buffer_address, Size* size) {
  Entry entry(function);
  if (int err = entry.not_null(buffer_address, "buffer_addr")) return err;
  if (int err = entry.not_null(size, "size")) return err;
  Instance& instance = entry.instance();
  if (!instance.bsend->attached()) {
    return entry.fail(MPI_ERR_BUFFER, "no buffer is attached");
  }
  void* address = nullptr;
  MPI_Count bytes = 0;
  const DepartureWait subject(entry);
  instance.bsend->detach(instance, &subject, address, bytes);
  *static_cast<void**>(buffer_address) = address;
  *size = static_cast<Size>(bytes);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Buffer_attach(void* buffer, int size) {
  return attach("MPI_Buffer_attach", buffer, size);
}
REMIT_WEAK(Buffer_attach);

int PMPI_Buffer_attach_c(void* buffer, MPI_Count size) {
  return attach("MPI_Buffer_attach_c", buffer, size);
}
REMIT_WEAK(Buffer_attach_c);

int PMPI_Buffer_detach(void* buffer_addr, int* size) {
  return detach("MPI_Buffer_detach", buffer_addr, size);
}
REMIT_WEAK(Buffer_detach);

int PMPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) {
  return detach("MPI_Buffer_detach_c", buffer_addr, size);
}
REMIT_WEAK(Buffer_detach_c);

int PMPI_Buffer_flush() {
  Entry entry("MPI_Buffer_flush");
  const DepartureWait subject(entry);
  entry.instance().bsend->drain(entry.instance(), &subject);
  return MPI_SUCCESS;
}
REMIT_WEAK(Buffer_flush);
