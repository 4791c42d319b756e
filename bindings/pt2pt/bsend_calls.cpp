// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Attaching, flushing and detaching buffers for buffered sends (MPI-5.0, section 3.6): the same
// operations on the MPI process, a communicator or a session.
#include <limits>

#include "bindings/entry.hpp"
#include "bindings/env/wait_subjects.hpp"
#include "bindings/pt2pt/bsend.hpp"
#include "bindings/pt2pt/requests.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// Whose buffer a call is about.
struct Whose {
  BsendBuffer* buffer = nullptr;
  CommObject* comm = nullptr;  ///< of a communicator
};

BsendBuffer* made(std::shared_ptr<BsendBuffer>& buffer) {
  if (buffer == nullptr) buffer = std::make_shared<BsendBuffer>();
  return buffer.get();
}

struct WholeProcess {};

int find_owner(Entry& entry, Whose& out, WholeProcess /*owner*/) {
  out.buffer = entry.instance().bsend.get();
  return MPI_SUCCESS;
}

int find_owner(Entry& entry, Whose& out, MPI_Comm handle) {
  if (int err = entry.comm(handle, out.comm)) return err;
  out.buffer = made(out.comm->bsend);
  return MPI_SUCCESS;
}

int find_owner(Entry& entry, Whose& out, MPI_Session handle) {
  SessionObject* session = nullptr;
  if (int err = entry.session(handle, session)) return err;
  out.buffer = made(session->bsend);
  return MPI_SUCCESS;
}

template <class Owner>
int attach(const char* function, Owner owner, void* buffer, MPI_Count size) {
  Entry entry(function);
  Whose whose;
  if (int err = find_owner(entry, whose, owner)) return err;
  if (whose.buffer->attached()) {
    return entry.fail(MPI_ERR_BUFFER, "a buffer is attached already; detach it first");
  }
  if (buffer != MPI_BUFFER_AUTOMATIC) {
    if (size < 0) return entry.fail(MPI_ERR_SIZE, "size is {}; it must not be negative", size);
    if (buffer == nullptr && size > 0) {
      return entry.fail(MPI_ERR_BUFFER, "buffer is a null pointer, but size is {}", size);
    }
  }
  whose.buffer->attach(buffer, size);
  return MPI_SUCCESS;
}

template <class Owner, class Size>
int detach(const char* function, Owner owner, void* buffer_address, Size* size) {
  Entry entry(function);
  Whose whose;
  if (int err = find_owner(entry, whose, owner)) return err;
  if (int err = entry.not_null(buffer_address, "buffer_addr")) return err;
  if (int err = entry.not_null(size, "size")) return err;
  if (!whose.buffer->attached()) {
    return entry.fail(MPI_ERR_BUFFER, "no buffer is attached, so that none can be detached");
  }
  void* address = nullptr;
  MPI_Count bytes = 0;
  const DepartureWait subject(entry);
  whose.buffer->detach(entry.instance(), &subject, address, bytes);
  *static_cast<void**>(buffer_address) = address;
  const bool fits = bytes <= std::numeric_limits<Size>::max();
  *size = fits ? static_cast<Size>(bytes) : Size{MPI_UNDEFINED};
  return MPI_SUCCESS;
}

template <class Owner>
int flush(const char* function, Owner owner) {
  Entry entry(function);
  Whose whose;
  if (int err = find_owner(entry, whose, owner)) return err;
  const DepartureWait subject(entry);
  whose.buffer->drain(entry.instance(), &subject);
  return MPI_SUCCESS;
}

template <class Owner>
int iflush(const char* function, Owner owner, MPI_Request* request) {
  Entry entry(function);
  Whose whose;
  if (int err = find_owner(entry, whose, owner)) return err;
  if (int err = entry.not_null(request, "request")) return err;
  MessageArgs args;
  args.comm = whose.comm;
  RequestObject* made = make_request(entry.instance(), RequestForm::flush, args);
  made->core.status = empty_status();
  whose.buffer->flush(entry.instance(), made->core);
  *request = handle_of(made);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Buffer_flush() try { return flush("MPI_Buffer_flush", WholeProcess{}); } catch (...) {
  return caught("MPI_Buffer_flush");
}
REMIT_WEAK(Buffer_flush);

#include "bindings/generated/pt2pt/bsend_calls.inc"
