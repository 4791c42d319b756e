// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Size, bounds and element counts of datatypes; pack and unpack (MPI-5.0, sections 5.1.5 to 5.1.11
// and 5.2).
#include <limits>

#include "bindings/entry.hpp"
#include "bindings/handles.hpp"
#include "bindings/status.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// A value as the caller's integer type, or MPI_UNDEFINED where it does not fit.
template <class Int>
Int narrow(MPI_Count value) {
  const bool fits =
      value >= std::numeric_limits<Int>::min() && value <= std::numeric_limits<Int>::max();
  return fits ? static_cast<Int>(value) : static_cast<Int>(MPI_UNDEFINED);
}

template <class Int>
int size_of(const char* function, MPI_Datatype datatype, Int* size) {
  Entry entry(function);
  if (int err = entry.not_null(size, "size")) return err;
  const Datatype* type = datatype_of(datatype);
  // Optional Fortran types are valid arguments here: their size says that they are missing.
  if (type != nullptr && type->is_alive() && !type->is_available() &&
      datatype != MPI_DATATYPE_NULL) {
    *size = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  if (int err = entry.any_datatype(datatype, type)) return err;
  *size = narrow<Int>(type->size());
  return MPI_SUCCESS;
}

template <class Int>
int extent_of(const char* function, bool true_extent, MPI_Datatype datatype, Int* lb, Int* extent) {
  Entry entry(function);
  const Datatype* type = nullptr;
  if (int err = entry.any_datatype(datatype, type)) return err;
  if (int err = entry.not_null(lb, "lb")) return err;
  if (int err = entry.not_null(extent, "extent")) return err;
  *lb = narrow<Int>(true_extent ? type->true_lb() : type->lb());
  *extent = narrow<Int>(true_extent ? type->true_extent() : type->extent());
  return MPI_SUCCESS;
}

template <class Int>
int elements_of(const char* function, const MPI_Status* status, MPI_Datatype datatype, Int* count) {
  Entry entry(function);
  const Datatype* type = nullptr;
  if (int err = entry.not_null(status, "status")) return err;
  if (int err = entry.any_datatype(datatype, type)) return err;
  if (int err = entry.not_null(count, "count")) return err;
  *count = narrow<Int>(get_elements(status_bytes(*status), *type));
  return MPI_SUCCESS;
}

int set_elements(const char* function, MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  Entry entry(function);
  const Datatype* type = nullptr;
  if (int err = entry.not_null(status, "status")) return err;
  if (int err = entry.any_datatype(datatype, type)) return err;
  if (int err = entry.count(count)) return err;
  const MPI_Count bytes = bytes_of_elements(count, *type);
  if (bytes == MPI_UNDEFINED) {
    return entry.fail(MPI_ERR_COUNT, "count is {}: a status cannot say so many elements of {}",
                      count, type->size() == 0 ? "a type without any" : "the datatype");
  }
  set_status_bytes(*status, bytes);
  return MPI_SUCCESS;
}

template <class Int>
int pack(const char* function, const void* inbuf, Int incount, MPI_Datatype datatype, void* outbuf,
         Int outsize, Int* position, MPI_Comm comm) {
  Entry entry(function);
  CommObject* c = nullptr;
  View view{};
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.buffer(inbuf, incount, datatype, view)) return err;
  if (int err = entry.not_null(position, "position")) return err;
  if (*position < 0 || *position > outsize ||
      view.size() > static_cast<std::size_t>(outsize - *position)) {
    return entry.fail(MPI_ERR_TRUNCATE,
                      "{} bytes do not fit an output buffer of {} bytes from position {}",
                      view.size(), outsize, *position);
  }
  view.pack(0, {static_cast<std::byte*>(outbuf) + *position, view.size()});
  *position += static_cast<Int>(view.size());
  return MPI_SUCCESS;
}

template <class Int>
int unpack(const char* function, const void* inbuf, Int insize, Int* position, void* outbuf,
           Int outcount, MPI_Datatype datatype, MPI_Comm comm) {
  Entry entry(function);
  CommObject* c = nullptr;
  View view{};
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.buffer(outbuf, outcount, datatype, view)) return err;
  if (int err = entry.not_null(position, "position")) return err;
  if (*position < 0 || *position > insize ||
      view.size() > static_cast<std::size_t>(insize - *position)) {
    return entry.fail(MPI_ERR_TRUNCATE,
                      "{} bytes were asked from an input buffer of {} bytes from position {}",
                      view.size(), insize, *position);
  }
  view.unpack(0, {static_cast<const std::byte*>(inbuf) + *position, view.size()});
  *position += static_cast<Int>(view.size());
  return MPI_SUCCESS;
}

template <class Int>
int pack_size(const char* function, Int incount, MPI_Datatype datatype, MPI_Comm comm, Int* size) {
  Entry entry(function);
  CommObject* c = nullptr;
  const Datatype* type = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.count(incount, "incount")) return err;
  if (int err = entry.datatype(datatype, type)) return err;
  if (int err = entry.not_null(size, "size")) return err;
  MPI_Count bytes = 0;
  if (__builtin_mul_overflow(static_cast<MPI_Count>(incount), type->size(), &bytes)) {
    return entry.fail(MPI_ERR_COUNT, "incount {} of a type of {} bytes is over 2^63 bytes", incount,
                      type->size());
  }
  *size = narrow<Int>(bytes);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

#include "bindings/generated/types/type_query.inc"
