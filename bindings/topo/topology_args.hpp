// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Checks that functions of all topologies share.
#pragma once

#include <algorithm>
#include <span>

#include "bindings/entry.hpp"

namespace remit {

/// The communicator and its topology, which must be of this kind. `name` is for people.
template <class Kind>
int topology_of(Entry& entry, MPI_Comm comm, const char* name, CommObject*& c, const Kind*& out) {
  if (int err = entry.comm(comm, c)) return err;
  out = c->topology == nullptr ? nullptr : std::get_if<Kind>(c->topology.get());
  if (out != nullptr) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_TOPOLOGY, "comm {} has no {} topology", c->name, name);
}

/// The length of an array of the program's.
inline int check_length(Entry& entry, int length, const char* name) {
  if (length >= 0) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_ARG, "{} is {}; it must not be negative", name, length);
}

/// Copies as much to an array of the program's as there is room for.
inline int report(Entry& entry, std::span<const int> from, int length, int* to, const char* name) {
  const std::size_t count = std::min(from.size(), static_cast<std::size_t>(length));
  if (count == 0) return MPI_SUCCESS;
  if (int err = entry.not_null(to, name)) return err;
  std::copy_n(from.begin(), count, to);
  return MPI_SUCCESS;
}

}  // namespace remit
