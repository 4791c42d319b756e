// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Datatype objects, and counting elements of received bytes.
#include "datatype/datatype.hpp"

#include <algorithm>
#include <utility>

namespace remit {

Datatype::Datatype(Parts parts)
    : layout_(std::move(parts.layout)),
      bounds_(parts.bounds),
      signature_(std::move(parts.signature)),
      contents_(std::move(parts.contents)) {
  if (contents_.of_unnamed_predefined()) signature_.element = this;
}

void Datatype::release() const {
  if (!is_predefined() && --references_ == 0) delete this;
}

MPI_Count get_count(MPI_Count bytes, const Datatype& datatype) {
  const MPI_Count size = datatype.size();
  if (bytes == 0) return 0;
  return size > 0 && bytes % size == 0 ? bytes / size : MPI_Count{MPI_UNDEFINED};
}

namespace {

/// Basic elements in the first `bytes` bytes, fewer than a whole element, of a predefined type.
MPI_Count elements_of_predefined(MPI_Count bytes, const Datatype& datatype) {
  if (bytes == 0) return 0;
  // The value of a pair lies first in the signature, its index behind it.
  const bool is_value =
      datatype.signature().kind == BasicKind::pair &&
      bytes == static_cast<MPI_Count>(basic_size(datatype.signature().pair.value));
  return is_value ? 1 : MPI_Count{MPI_UNDEFINED};
}

}  // namespace

MPI_Count get_elements(MPI_Count bytes, const Datatype& datatype) {
  if (bytes == 0) return 0;
  if (datatype.size() <= 0) return MPI_UNDEFINED;
  if (const MPI_Count uniform = datatype.signature().uniform_size; uniform != 0) {
    return bytes % uniform == 0 ? bytes / uniform : MPI_Count{MPI_UNDEFINED};
  }
  MPI_Count rest = bytes % datatype.size();
  MPI_Count sum = bytes / datatype.size() * datatype.signature().elements;
  if (datatype.is_predefined()) {
    const MPI_Count partial = elements_of_predefined(rest, datatype);
    return partial == MPI_UNDEFINED ? partial : sum + partial;
  }
  const auto& children = datatype.contents().datatypes;
  for (std::size_t i = 0; i < children.size() && rest != 0; ++i) {
    const MPI_Count copies = datatype.signature().copies[i];
    const MPI_Count whole = copies * children[i]->size();
    if (rest < whole) {
      const MPI_Count partial = get_elements(rest, *children[i]);
      return partial == MPI_UNDEFINED ? partial : sum + partial;
    }
    sum += copies * children[i]->signature().elements;
    rest -= whole;
  }
  return sum;
}

MPI_Count bytes_of_elements(MPI_Count elements, const Datatype& datatype) {
  if (elements == 0) return 0;
  if (datatype.signature().elements <= 0) return MPI_UNDEFINED;
  MPI_Count bytes = 0;
  if (__builtin_mul_overflow(elements / datatype.signature().elements, datatype.size(), &bytes)) {
    return MPI_UNDEFINED;
  }
  MPI_Count rest = elements % datatype.signature().elements;
  if (datatype.is_predefined()) {
    // Of a pair one element can be left over: the value.
    const MPI_Count value = rest * basic_size(datatype.signature().pair.value);
    return __builtin_add_overflow(bytes, value, &bytes) ? MPI_Count{MPI_UNDEFINED} : bytes;
  }
  const auto& children = datatype.contents().datatypes;
  for (std::size_t i = 0; i < children.size() && rest != 0; ++i) {
    const MPI_Count whole = datatype.signature().copies[i] * children[i]->signature().elements;
    const MPI_Count here = std::min(rest, whole);
    // What lies within one element of the type is always defined.
    if (here != 0 && __builtin_add_overflow(bytes, bytes_of_elements(here, *children[i]), &bytes)) {
      return MPI_UNDEFINED;
    }
    rest -= here;
  }
  return bytes;
}

}  // namespace remit
