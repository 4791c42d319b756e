// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Packing in a representation that all MPI libraries read (MPI-5.0, section 5.3).
#include <limits>
#include <string_view>

#include "bindings/entry.hpp"
#include "bindings/weak.hpp"
#include "datatype/external32.hpp"

namespace remit {

namespace {

int check_datarep(Entry& entry, const char* datarep) {
  if (int err = entry.not_null(datarep, "datarep")) return err;
  if (std::string_view(datarep) == "external32") return MPI_SUCCESS;
  return entry.fail(MPI_ERR_UNSUPPORTED_DATAREP, "datarep is \"{}\", must be \"external32\"",
                    std::string_view(datarep).substr(0, MPI_MAX_DATAREP_STRING));
}

/// The bytes of the data in external32, and that the packed side has them from `position` on.
template <class Int>
int check_external_room(Entry& entry, const View& view, Int size, const Int* position,
                        MPI_Count& bytes) {
  const Expected<MPI_Count> needed = external32_size(view.count, *entry.buffer_type());
  if (!needed) return entry.fail(needed.error().code, "{}", needed.error().message);
  bytes = *needed;
  if (*position >= 0 && *position <= size && bytes <= size - *position) return MPI_SUCCESS;
  return entry.fail(
      MPI_ERR_TRUNCATE,
      "{} bytes of external32 do not fit a packed buffer of {} bytes from position {}", bytes, size,
      *position);
}

template <class Count, class Int>
int pack_external(const char* function, const char* datarep, const void* inbuf, Count incount,
                  MPI_Datatype datatype, void* outbuf, Int outsize, Int* position) {
  Entry entry(function);
  View view{};
  MPI_Count bytes = 0;
  if (int err = check_datarep(entry, datarep)) return err;
  if (int err = entry.buffer(inbuf, incount, datatype, view)) return err;
  if (int err = entry.not_null(position, "position")) return err;
  if (int err = check_external_room(entry, view, outsize, position, bytes)) return err;
  if (bytes == 0) return MPI_SUCCESS;
  if (int err = entry.not_null(outbuf, "outbuf")) return err;
  const std::span out(static_cast<std::byte*>(outbuf) + *position, static_cast<std::size_t>(bytes));
  if (auto packed = pack_external32(view, *entry.buffer_type(), out); !packed) {
    return entry.fail(packed.error().code, "{}", packed.error().message);
  }
  *position += static_cast<Int>(bytes);
  return MPI_SUCCESS;
}

template <class Count, class Int>
int unpack_external(const char* function, const char* datarep, const void* inbuf, Int insize,
                    Int* position, void* outbuf, Count outcount, MPI_Datatype datatype) {
  Entry entry(function);
  View view{};
  MPI_Count bytes = 0;
  if (int err = check_datarep(entry, datarep)) return err;
  if (int err = entry.buffer(outbuf, outcount, datatype, view)) return err;
  if (int err = entry.not_null(position, "position")) return err;
  if (int err = check_external_room(entry, view, insize, position, bytes)) return err;
  if (bytes == 0) return MPI_SUCCESS;
  if (int err = entry.not_null(inbuf, "inbuf")) return err;
  unpack_external32(
      view, *entry.buffer_type(),
      {static_cast<const std::byte*>(inbuf) + *position, static_cast<std::size_t>(bytes)});
  *position += static_cast<Int>(bytes);
  return MPI_SUCCESS;
}

template <class Int>
int pack_external_size(const char* function, const char* datarep, MPI_Count incount,
                       MPI_Datatype datatype, Int* size) {
  Entry entry(function);
  const Datatype* type = nullptr;
  if (int err = check_datarep(entry, datarep)) return err;
  if (int err = entry.count(incount, "incount")) return err;
  if (int err = entry.datatype(datatype, type)) return err;
  if (int err = entry.not_null(size, "size")) return err;
  const Expected<MPI_Count> bytes = external32_size(incount, *type);
  if (!bytes) return entry.fail(bytes.error().code, "{}", bytes.error().message);
  *size = *bytes <= std::numeric_limits<Int>::max() ? static_cast<Int>(*bytes)
                                                    : static_cast<Int>(MPI_UNDEFINED);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

#include "bindings/generated/pt2pt/pack_external.inc"
