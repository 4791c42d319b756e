// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Establishing communication between groups that share no communicator (MPI-5.0, section 11.9), and
// between two processes with a socket (section 11.10.5).
#include <cstring>

#include "bindings/comm/comm_objects.hpp"
#include "bindings/env/info_objects.hpp"
#include "bindings/handles.hpp"
#include "bindings/weak.hpp"
#include "communicators/bridge.hpp"
#include "communicators/ports.hpp"

namespace remit {

namespace {

/// MPI_Comm_accept or MPI_Comm_connect: `way` is the root's to a bridge, from the port's name.
int meet(Entry& entry, const char* port_name, MPI_Info info, int root, MPI_Comm comm,
         MPI_Comm* newcomm,
         Expected<std::unique_ptr<Bridge>> (Ports::*way)(const CommCall& call,
                                                         std::string_view name)) {
  CommObject* c = nullptr;
  if (int err = entry.intra_comm(comm, c)) return err;
  if (int err = entry.root(*c, root)) return err;
  if (int err = optional_info(entry, info)) return err;
  if (int err = entry.not_null(newcomm, "newcomm")) return err;
  *newcomm = MPI_COMM_NULL;
  const CommCall call = call_of(entry);
  const auto open = [&]() -> Expected<std::unique_ptr<Bridge>> {
    if (port_name == nullptr) return fail(MPI_ERR_PORT, "port_name is a null pointer");
    return (call.comms.ports().*way)(call, port_name);
  };
  return finish_comm(entry, *c, bridge_groups(call, parent_of(*c), root, open), newcomm);
}

int check_name(Entry& entry, const char* name) {
  if (int err = entry.not_null(name, "service_name")) return err;
  constexpr std::size_t kMost = 400;  // PMIx's keys end at 511 bytes
  if (std::strlen(name) > 0 && std::strlen(name) <= kMost) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_SERVICE, "service_name has {} characters; it must have 1 to {}",
                    std::strlen(name), kMost);
}

/// What the program's memory has room for.
int check_port(Entry& entry, std::string_view port) {
  if (port.size() < MPI_MAX_PORT_NAME) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_PORT,
                    "port_name has {} characters; the name of a port has less than {}", port.size(),
                    MPI_MAX_PORT_NAME);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Open_port(MPI_Info info, char* port_name) try {
  Entry entry("MPI_Open_port");
  if (int err = optional_info(entry, info)) return err;
  if (int err = entry.not_null(port_name, "port_name")) return err;
  const std::string name = entry.instance().comms->ports().open();
  if (name.size() >= MPI_MAX_PORT_NAME) {
    (void)entry.instance().comms->ports().close(name);
    return entry.fail(MPI_ERR_OTHER, "the addresses of this process ({} characters) are too long",
                      name.size());
  }
  copy_cut(name, port_name, MPI_MAX_PORT_NAME);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Open_port");
}
REMIT_WEAK(Open_port);

int PMPI_Close_port(const char* port_name) try {
  Entry entry("MPI_Close_port");
  if (int err = entry.not_null(port_name, "port_name")) return err;
  if (entry.instance().comms->ports().close(port_name)) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_PORT, "'{:.60}' is no port that this process has open", port_name);
} catch (...) {
  return caught("MPI_Close_port");
}
REMIT_WEAK(Close_port);

int PMPI_Comm_accept(const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                     MPI_Comm* newcomm) try {
  Entry entry("MPI_Comm_accept");
  return meet(entry, port_name, info, root, comm, newcomm, &Ports::accept);
} catch (...) {
  return caught("MPI_Comm_accept", comm);
}
REMIT_WEAK(Comm_accept);

int PMPI_Comm_connect(const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                      MPI_Comm* newcomm) try {
  Entry entry("MPI_Comm_connect");
  return meet(entry, port_name, info, root, comm, newcomm, &Ports::connect);
} catch (...) {
  return caught("MPI_Comm_connect", comm);
}
REMIT_WEAK(Comm_connect);

int PMPI_Comm_join(int fd, MPI_Comm* intercomm) try {
  Entry entry("MPI_Comm_join");
  if (int err = entry.not_null(intercomm, "intercomm")) return err;
  *intercomm = MPI_COMM_NULL;
  const CommCall call = call_of(entry);
  auto bridge = call.comms.ports().join(call, fd);
  if (!bridge) return entry.fail(bridge.error());
  if (*bridge == nullptr) return MPI_SUCCESS;  // no way but the socket
  const auto open = [&] { return std::move(bridge); };
  CommObject& self = entry.instance().self;
  return finish_comm(entry, self, bridge_groups(call, parent_of(self), 0, open), intercomm);
} catch (...) {
  return caught("MPI_Comm_join");
}
REMIT_WEAK(Comm_join);

int PMPI_Publish_name(const char* service_name, MPI_Info info, const char* port_name) try {
  Entry entry("MPI_Publish_name");
  if (int err = check_name(entry, service_name)) return err;
  if (int err = optional_info(entry, info)) return err;
  if (int err = entry.not_null(port_name, "port_name")) return err;
  if (int err = check_port(entry, port_name)) return err;
  const auto done = entry.instance().process->bootstrap().publish_name(service_name, port_name);
  return done ? MPI_SUCCESS : entry.fail(done.error());
} catch (...) {
  return caught("MPI_Publish_name");
}
REMIT_WEAK(Publish_name);

int PMPI_Lookup_name(const char* service_name, MPI_Info info, char* port_name) try {
  Entry entry("MPI_Lookup_name");
  if (int err = check_name(entry, service_name)) return err;
  if (int err = optional_info(entry, info)) return err;
  if (int err = entry.not_null(port_name, "port_name")) return err;
  const auto found = entry.instance().process->bootstrap().lookup_name(service_name);
  if (!found) return entry.fail(found.error());
  if (int err = check_port(entry, *found)) return err;  // another library may have published it
  copy_cut(*found, port_name, MPI_MAX_PORT_NAME);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Lookup_name");
}
REMIT_WEAK(Lookup_name);

// `port_name` says nothing that the name does not.
int PMPI_Unpublish_name(const char* service_name, MPI_Info info, const char* port_name) try {
  Entry entry("MPI_Unpublish_name");
  if (int err = check_name(entry, service_name)) return err;
  if (int err = optional_info(entry, info)) return err;
  if (int err = entry.not_null(port_name, "port_name")) return err;
  const auto done = entry.instance().process->bootstrap().unpublish_name(service_name);
  return done ? MPI_SUCCESS : entry.fail(done.error());
} catch (...) {
  return caught("MPI_Unpublish_name");
}
REMIT_WEAK(Unpublish_name);
