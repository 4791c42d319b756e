// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How a datatype was made (MPI-5.0, section 5.1.13).
#include <algorithm>
#include <limits>
#include <span>

#include "bindings/entry.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// The functions without _c have no place for the counts of a type that a _c constructor made.
int refuse_large(Entry& entry, const Contents& contents) {
  if (contents.large_counts.empty()) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_TYPE, "the datatype was made with large counts: use {}_c",
                    entry.function());
}

/// The user's array for one kind of contents: long enough, and there if anything goes into it.
template <class T>
int check_array_room(Entry& entry, std::size_t needed, MPI_Count max, const char* max_name,
                     const T* array, const char* name) {
  if (max < 0 || static_cast<std::size_t>(max) < needed) {
    return entry.fail(MPI_ERR_ARG, "{} is {}, but the datatype was made from {}", max_name, max,
                      needed);
  }
  return needed == 0 ? MPI_SUCCESS : entry.not_null(array, name);
}

/// Named and unnamed predefined types are handed out themselves, others as objects that the user
/// frees: objects of their own, for their attributes, names and life are not those of the one that
/// the type was made from.
void hand_out_types(const Contents& contents, MPI_Datatype* out) {
  for (const Ref<const Datatype>& type : contents.datatypes) {
    const bool is_given = type->is_predefined() || type->contents().of_unnamed_predefined();
    *out++ = is_given ? type->handle() : make_twin(*type).detach()->handle();
  }
}

/// What the caller gives MPI_Type_get_contents(_c).
struct ContentsOut {
  MPI_Count max_integers, max_addresses, max_large_counts, max_datatypes;
  int* integers;
  MPI_Aint* addresses;
  MPI_Count* large_counts;
  MPI_Datatype* datatypes;
};

int get_contents(Entry& entry, const Datatype& type, const ContentsOut& out) {
  const Contents& contents = type.contents();
  if (contents.combiner == MPI_COMBINER_NAMED) {
    return entry.fail(MPI_ERR_TYPE, "{} is predefined and has no contents", type.name());
  }
  if (int err = check_array_room(entry, contents.integers.size(), out.max_integers, "max_integers",
                                 out.integers, "array_of_integers")) {
    return err;
  }
  if (int err = check_array_room(entry, contents.addresses.size(), out.max_addresses,
                                 "max_addresses", out.addresses, "array_of_addresses")) {
    return err;
  }
  if (int err = check_array_room(entry, contents.large_counts.size(), out.max_large_counts,
                                 "max_large_counts", out.large_counts, "array_of_large_counts")) {
    return err;
  }
  if (int err = check_array_room(entry, contents.datatypes.size(), out.max_datatypes,
                                 "max_datatypes", out.datatypes, "array_of_datatypes")) {
    return err;
  }
  std::ranges::copy(contents.integers, out.integers);
  std::ranges::copy(contents.addresses, out.addresses);
  std::ranges::copy(contents.large_counts, out.large_counts);
  hand_out_types(contents, out.datatypes);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Type_get_envelope(MPI_Datatype datatype, int* num_integers, int* num_addresses,
                           int* num_datatypes, int* combiner) try {
  Entry entry("MPI_Type_get_envelope");
  const Datatype* type = nullptr;
  if (int err = entry.any_datatype(datatype, type)) return err;
  if (int err = entry.not_null(num_integers, "num_integers")) return err;
  if (int err = entry.not_null(num_addresses, "num_addresses")) return err;
  if (int err = entry.not_null(num_datatypes, "num_datatypes")) return err;
  if (int err = entry.not_null(combiner, "combiner")) return err;
  const Contents& contents = type->contents();
  if (int err = refuse_large(entry, contents)) return err;
  if (contents.integers.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return entry.fail(MPI_ERR_VALUE_TOO_LARGE,
                      "num_integers would be {}: use MPI_Type_get_envelope_c",
                      contents.integers.size());
  }
  *num_integers = static_cast<int>(contents.integers.size());
  *num_addresses = static_cast<int>(contents.addresses.size());
  *num_datatypes = static_cast<int>(contents.datatypes.size());
  *combiner = contents.combiner;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Type_get_envelope");
}
REMIT_WEAK(Type_get_envelope);

int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers,
                             MPI_Count* num_addresses, MPI_Count* num_large_counts,
                             MPI_Count* num_datatypes, int* combiner) try {
  Entry entry("MPI_Type_get_envelope_c");
  const Datatype* type = nullptr;
  if (int err = entry.any_datatype(datatype, type)) return err;
  if (int err = entry.not_null(num_integers, "num_integers")) return err;
  if (int err = entry.not_null(num_addresses, "num_addresses")) return err;
  if (int err = entry.not_null(num_large_counts, "num_large_counts")) return err;
  if (int err = entry.not_null(num_datatypes, "num_datatypes")) return err;
  if (int err = entry.not_null(combiner, "combiner")) return err;
  const Contents& contents = type->contents();
  *num_integers = std::ssize(contents.integers);
  *num_addresses = std::ssize(contents.addresses);
  *num_large_counts = std::ssize(contents.large_counts);
  *num_datatypes = std::ssize(contents.datatypes);
  *combiner = contents.combiner;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Type_get_envelope_c");
}
REMIT_WEAK(Type_get_envelope_c);

int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses,
                           int max_datatypes, int array_of_integers[],
                           MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[]) try {
  Entry entry("MPI_Type_get_contents");
  const Datatype* type = nullptr;
  if (int err = entry.any_datatype(datatype, type)) return err;
  if (int err = refuse_large(entry, type->contents())) return err;
  return get_contents(entry, *type,
                      {max_integers, max_addresses, 0, max_datatypes, array_of_integers,
                       array_of_addresses, nullptr, array_of_datatypes});
} catch (...) {
  return caught("MPI_Type_get_contents");
}
REMIT_WEAK(Type_get_contents);

int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                             MPI_Count max_large_counts, MPI_Count max_datatypes,
                             int array_of_integers[], MPI_Aint array_of_addresses[],
                             MPI_Count array_of_large_counts[],
                             MPI_Datatype array_of_datatypes[]) try {
  Entry entry("MPI_Type_get_contents_c");
  const Datatype* type = nullptr;
  if (int err = entry.any_datatype(datatype, type)) return err;
  return get_contents(
      entry, *type,
      {max_integers, max_addresses, max_large_counts, max_datatypes, array_of_integers,
       array_of_addresses, array_of_large_counts, array_of_datatypes});
} catch (...) {
  return caught("MPI_Type_get_contents_c");
}
REMIT_WEAK(Type_get_contents_c);
