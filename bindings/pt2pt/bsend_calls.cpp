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

int find_owner(Entry& entry, Whose& out) {
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

template <class... Owner>
int attach(const char* function, void* buffer, MPI_Count size, Owner... owner) {
  Entry entry(function);
  Whose whose;
  if (int err = find_owner(entry, whose, owner...)) return err;
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

template <class Size, class... Owner>
int detach(const char* function, void* buffer_address, Size* size, Owner... owner) {
  Entry entry(function);
  Whose whose;
  if (int err = find_owner(entry, whose, owner...)) return err;
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

template <class... Owner>
int flush(const char* function, Owner... owner) {
  Entry entry(function);
  Whose whose;
  if (int err = find_owner(entry, whose, owner...)) return err;
  const DepartureWait subject(entry);
  whose.buffer->drain(entry.instance(), &subject);
  return MPI_SUCCESS;
}

template <class... Owner>
int iflush(const char* function, MPI_Request* request, Owner... owner) {
  Entry entry(function);
  Whose whose;
  if (int err = find_owner(entry, whose, owner...)) return err;
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

int PMPI_Buffer_attach(void* buffer, int size) try {
  return attach("MPI_Buffer_attach", buffer, size);
} catch (...) {
  return caught("MPI_Buffer_attach");
}
REMIT_WEAK(Buffer_attach);

int PMPI_Buffer_attach_c(void* buffer, MPI_Count size) try {
  return attach("MPI_Buffer_attach_c", buffer, size);
} catch (...) {
  return caught("MPI_Buffer_attach_c");
}
REMIT_WEAK(Buffer_attach_c);

int PMPI_Buffer_detach(void* buffer_addr, int* size) try {
  return detach("MPI_Buffer_detach", buffer_addr, size);
} catch (...) {
  return caught("MPI_Buffer_detach");
}
REMIT_WEAK(Buffer_detach);

int PMPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) try {
  return detach("MPI_Buffer_detach_c", buffer_addr, size);
} catch (...) {
  return caught("MPI_Buffer_detach_c");
}
REMIT_WEAK(Buffer_detach_c);

int PMPI_Buffer_flush() try { return flush("MPI_Buffer_flush"); } catch (...) {
  return caught("MPI_Buffer_flush");
}
REMIT_WEAK(Buffer_flush);

int PMPI_Buffer_iflush(MPI_Request* request) try {
  return iflush("MPI_Buffer_iflush", request);
} catch (...) {
  return caught("MPI_Buffer_iflush");
}
REMIT_WEAK(Buffer_iflush);

int PMPI_Comm_attach_buffer(MPI_Comm comm, void* buffer, int size) try {
  return attach("MPI_Comm_attach_buffer", buffer, size, comm);
} catch (...) {
  return caught("MPI_Comm_attach_buffer", comm);
}
REMIT_WEAK(Comm_attach_buffer);

int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void* buffer, MPI_Count size) try {
  return attach("MPI_Comm_attach_buffer_c", buffer, size, comm);
} catch (...) {
  return caught("MPI_Comm_attach_buffer_c", comm);
}
REMIT_WEAK(Comm_attach_buffer_c);

int PMPI_Comm_detach_buffer(MPI_Comm comm, void* buffer_addr, int* size) try {
  return detach("MPI_Comm_detach_buffer", buffer_addr, size, comm);
} catch (...) {
  return caught("MPI_Comm_detach_buffer", comm);
}
REMIT_WEAK(Comm_detach_buffer);

int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void* buffer_addr, MPI_Count* size) try {
  return detach("MPI_Comm_detach_buffer_c", buffer_addr, size, comm);
} catch (...) {
  return caught("MPI_Comm_detach_buffer_c", comm);
}
REMIT_WEAK(Comm_detach_buffer_c);

int PMPI_Comm_flush_buffer(MPI_Comm comm) try {
  return flush("MPI_Comm_flush_buffer", comm);
} catch (...) {
  return caught("MPI_Comm_flush_buffer", comm);
}
REMIT_WEAK(Comm_flush_buffer);

int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) try {
  return iflush("MPI_Comm_iflush_buffer", request, comm);
} catch (...) {
  return caught("MPI_Comm_iflush_buffer", comm);
}
REMIT_WEAK(Comm_iflush_buffer);

int PMPI_Session_attach_buffer(MPI_Session session, void* buffer, int size) try {
  return attach("MPI_Session_attach_buffer", buffer, size, session);
} catch (...) {
  return caught("MPI_Session_attach_buffer", session);
}
REMIT_WEAK(Session_attach_buffer);

int PMPI_Session_attach_buffer_c(MPI_Session session, void* buffer, MPI_Count size) try {
  return attach("MPI_Session_attach_buffer_c", buffer, size, session);
} catch (...) {
  return caught("MPI_Session_attach_buffer_c", session);
}
REMIT_WEAK(Session_attach_buffer_c);

int PMPI_Session_detach_buffer(MPI_Session session, void* buffer_addr, int* size) try {
  return detach("MPI_Session_detach_buffer", buffer_addr, size, session);
} catch (...) {
  return caught("MPI_Session_detach_buffer", session);
}
REMIT_WEAK(Session_detach_buffer);

int PMPI_Session_detach_buffer_c(MPI_Session session, void* buffer_addr, MPI_Count* size) try {
  return detach("MPI_Session_detach_buffer_c", buffer_addr, size, session);
} catch (...) {
  return caught("MPI_Session_detach_buffer_c", session);
}
REMIT_WEAK(Session_detach_buffer_c);

int PMPI_Session_flush_buffer(MPI_Session session) try {
  return flush("MPI_Session_flush_buffer", session);
} catch (...) {
  return caught("MPI_Session_flush_buffer", session);
}
REMIT_WEAK(Session_flush_buffer);

int PMPI_Session_iflush_buffer(MPI_Session session, MPI_Request* request) try {
  return iflush("MPI_Session_iflush_buffer", request, session);
} catch (...) {
  return caught("MPI_Session_iflush_buffer", session);
}
REMIT_WEAK(Session_iflush_buffer);
