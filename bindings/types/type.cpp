// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Datatype constructors and life (MPI-5.0, sections 5.1.2 to 5.1.9).
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "bindings/comm/attributes.hpp"
#include "bindings/entry.hpp"
#include "bindings/handles.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

using Made = Expected<Ref<Datatype>>;

/// Counts or displacements of either width as the constructors take them. Throws before it reads
/// any if there cannot be so many, which the difference of two pointers would not tell.
template <class Int>
std::vector<MPI_Count> widen(const Int* values, MPI_Count n) {
  std::vector<MPI_Count> wide(static_cast<std::size_t>(n > 0 ? n : 0));
  std::copy_n(values, wide.size(), wide.begin());
  return wide;
}

/// The large form records its arguments in other places of the contents than the standard one.
template <class Count>
constexpr CountForm kForm = sizeof(Count) == sizeof(MPI_Count) ? CountForm::large
                                                               : CountForm::standard;

/// Hands a new type to the user, or raises the constructor's error.
int hand_out_type(Entry& entry, Made made, MPI_Datatype* newtype) {
  if (!made) return entry.fail(made.error().code, "{}", made.error().message);
  Datatype* type = made->detach();
  *newtype = type->handle();
  return MPI_SUCCESS;
}

/// The checks that all constructors of one old type share, then `make(old)`.
template <class Make>
int construct(const char* function, MPI_Datatype oldtype, MPI_Datatype* newtype, Make&& make) {
  Entry entry(function);
  const Datatype* old = nullptr;
  if (int err = entry.any_datatype(oldtype, old, "oldtype")) return err;
  if (int err = entry.not_null(newtype, "newtype")) return err;
  return hand_out_type(entry, make(*old), newtype);
}

/// An array argument.
struct Array {
  const void* address;
  const char* name;
};

/// As construct(), with arrays whose length is `count`, an argument called `counted`.
template <class Make>
int construct_from_arrays(const char* function, MPI_Count count, const char* counted,
                          std::initializer_list<Array> arrays, MPI_Datatype oldtype,
                          MPI_Datatype* newtype, Make&& make) {
  Entry entry(function);
  const Datatype* old = nullptr;
  if (int err = entry.count(count, counted)) return err;
  for (const Array& array : arrays) {
    if (count == 0) break;
    if (int err = entry.not_null(array.address, array.name)) return err;
  }
  if (int err = entry.any_datatype(oldtype, old, "oldtype")) return err;
  if (int err = entry.not_null(newtype, "newtype")) return err;
  return hand_out_type(entry, make(*old), newtype);
}

template <class Count>
int contiguous(const char* function, Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct(function, oldtype, newtype,
                   [=](const Datatype& old) { return make_contiguous(count, old, kForm<Count>); });
}

template <class Count>
int vector(const char* function, Count count, Count blocklength, Count stride, MPI_Datatype oldtype,
           MPI_Datatype* newtype) {
  return construct(function, oldtype, newtype, [=](const Datatype& old) {
    return make_vector(count, blocklength, stride, old, kForm<Count>);
  });
}

template <class Count>
int hvector(const char* function, Count count, Count blocklength, MPI_Count stride,
            MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct(function, oldtype, newtype, [=](const Datatype& old) {
    return make_hvector(count, blocklength, stride, old, kForm<Count>);
  });
}

template <class Count>
int indexed(const char* function, Count count, const Count* blocklengths,
            const Count* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct_from_arrays(
      function, count, "count",
      {{blocklengths, "array_of_blocklengths"}, {displacements, "array_of_displacements"}}, oldtype,
      newtype, [=](const Datatype& old) {
        return make_indexed(widen(blocklengths, count), widen(displacements, count), old,
                            kForm<Count>);
      });
}

template <class Count>
int hindexed(const char* function, Count count, const Count* blocklengths,
             const MPI_Count* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct_from_arrays(
      function, count, "count",
      {{blocklengths, "array_of_blocklengths"}, {displacements, "array_of_displacements"}}, oldtype,
      newtype, [=](const Datatype& old) {
        return make_hindexed(widen(blocklengths, count), widen(displacements, count), old,
                             kForm<Count>);
      });
}

template <class Count>
int indexed_block(const char* function, Count count, Count blocklength, const Count* displacements,
                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct_from_arrays(
      function, count, "count", {{displacements, "array_of_displacements"}}, oldtype, newtype,
      [=](const Datatype& old) {
        return make_indexed_block(blocklength, widen(displacements, count), old, kForm<Count>);
      });
}

template <class Count>
int hindexed_block(const char* function, Count count, Count blocklength,
                   const MPI_Count* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct_from_arrays(
      function, count, "count", {{displacements, "array_of_displacements"}}, oldtype, newtype,
      [=](const Datatype& old) {
        return make_hindexed_block(blocklength, widen(displacements, count), old, kForm<Count>);
      });
}

template <class Count>
int structure(const char* function, Count count, const Count* blocklengths,
              const MPI_Count* displacements, const MPI_Datatype* types, MPI_Datatype* newtype) {
  Entry entry(function);
  if (int err = entry.count(count)) return err;
  if (count > 0) {
    if (int err = entry.not_null(blocklengths, "array_of_blocklengths")) return err;
    if (int err = entry.not_null(displacements, "array_of_displacements")) return err;
    if (int err = entry.not_null(types, "array_of_types")) return err;
  }
  if (int err = entry.not_null(newtype, "newtype")) return err;
  std::vector<const Datatype*> members(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (int err = entry.any_datatype(types[i], members[i], "array_of_types")) return err;
  }
  return hand_out_type(
      entry,
      make_struct(widen(blocklengths, count), widen(displacements, count), members, kForm<Count>),
      newtype);
}

template <class Count>
int subarray(const char* function, int ndims, const Count* sizes, const Count* subsizes,
             const Count* starts, int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct_from_arrays(
      function, ndims, "ndims",
      {{sizes, "array_of_sizes"}, {subsizes, "array_of_subsizes"}, {starts, "array_of_starts"}},
      oldtype, newtype, [=](const Datatype& old) {
        return make_subarray(widen(sizes, ndims), widen(subsizes, ndims), widen(starts, ndims),
                             order, old, kForm<Count>);
      });
}

template <class Count>
int darray(const char* function, int size, int rank, int ndims, const Count* gsizes,
           const int* distribs, const int* dargs, const int* psizes, int order,
           MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct_from_arrays(
      function, ndims, "ndims",
      {{gsizes, "array_of_gsizes"},
       {distribs, "array_of_distribs"},
       {dargs, "array_of_dargs"},
       {psizes, "array_of_psizes"}},
      oldtype, newtype, [=](const Datatype& old) {
        const auto n = static_cast<std::size_t>(ndims);
        const std::vector<MPI_Count> sizes = widen(gsizes, ndims);
        return make_darray({size, rank, sizes, {distribs, n}, {dargs, n}, {psizes, n}, order}, old,
                           kForm<Count>);
      });
}

/// A type that the user made; predefined ones cannot be freed.
int user_type(Entry& entry, MPI_Datatype handle, Datatype*& out) {
  const Datatype* type = nullptr;
  if (int err = entry.any_datatype(handle, type)) return err;
  if (type->is_predefined()) {
    return entry.fail(MPI_ERR_TYPE, "{} is predefined", type->name());
  }
  if (type->contents().of_unnamed_predefined()) {
    return entry.fail(MPI_ERR_TYPE, "the type is predefined, although it has no name");
  }
  out = reinterpret_cast<Datatype*>(handle);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                             MPI_Datatype* newtype) try {
  return construct("MPI_Type_create_resized", oldtype, newtype, [=](const Datatype& old) {
    return make_resized(old, lb, extent, CountForm::standard);
  });
} catch (...) {
  return caught("MPI_Type_create_resized");
}
REMIT_WEAK(Type_create_resized);

int PMPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                               MPI_Datatype* newtype) try {
  return construct("MPI_Type_create_resized_c", oldtype, newtype, [=](const Datatype& old) {
    return make_resized(old, lb, extent, CountForm::large);
  });
} catch (...) {
  return caught("MPI_Type_create_resized_c");
}
REMIT_WEAK(Type_create_resized_c);

int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) try {
  Entry entry("MPI_Type_dup");
  const Datatype* old = nullptr;
  if (int err = entry.any_datatype(oldtype, old, "oldtype")) return err;
  if (int err = entry.not_null(newtype, "newtype")) return err;
  if (int err = hand_out_type(entry, make_dup(*old), newtype)) return err;
  auto& attributes = entry.instance().type_notes.attributes;
  const auto it = attributes.find(old);
  if (it == attributes.end()) return MPI_SUCCESS;
  auto* made = reinterpret_cast<Datatype*>(*newtype);
  if (int err = copy_attributes(it->second, Owner::type, oldtype, attributes[made])) {
    *newtype = MPI_DATATYPE_NULL;
    attributes.erase(made);
    made->release();
    return entry.fail(err, "an attribute copy function returned an error");
  }
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Type_dup");
}
REMIT_WEAK(Type_dup);

int PMPI_Type_commit(MPI_Datatype* datatype) try {
  Entry entry("MPI_Type_commit");
  if (int err = entry.not_null(datatype, "datatype")) return err;
  const Datatype* type = nullptr;
  if (int err = entry.any_datatype(*datatype, type)) return err;
  if (!type->is_predefined()) reinterpret_cast<Datatype*>(*datatype)->commit();
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Type_commit");
}
REMIT_WEAK(Type_commit);

int PMPI_Type_free(MPI_Datatype* datatype) try {
  Entry entry("MPI_Type_free");
  if (int err = entry.not_null(datatype, "datatype")) return err;
  Datatype* type = nullptr;
  if (int err = user_type(entry, *datatype, type)) return err;
  auto& attributes = entry.instance().type_notes.attributes;
  const auto it = attributes.find(type);
  if (it != attributes.end()) {
    if (int err = delete_all_attributes(it->second, Owner::type, *datatype)) {
      return entry.fail(err, "an attribute delete function returned an error");
    }
    attributes.erase(type);
  }
  entry.instance().type_notes.names.erase(type);
  type->release();
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Type_free");
}
REMIT_WEAK(Type_free);

#include "bindings/generated/types/type.inc"
