// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Properties of the ABI (MPI-5.0, chapter 20).
#include "bindings/env/abi.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "bindings/env/errors.hpp"
#include "bindings/env/info_objects.hpp"
#include "bindings/process/instance.hpp"
#include "bindings/weak.hpp"
#include "datatype/datatype.hpp"

namespace remit {

namespace {

struct NamedType {
  const char* name;
  MPI_Datatype type;
};

const std::array<NamedType, 4>& sized_types() {
  static const std::array<NamedType, 4> types{
      {{"mpi_logical_size", MPI_LOGICAL},
       {"mpi_integer_size", MPI_INTEGER},
       {"mpi_real_size", MPI_REAL},
       {"mpi_double_precision_size", MPI_DOUBLE_PRECISION}}};
  return types;
}

const std::array<NamedType, 19>& optional_types() {
  static const std::array<NamedType, 19> types{
      {{"mpi_logical1_supported", MPI_LOGICAL1},
       {"mpi_logical2_supported", MPI_LOGICAL2},
       {"mpi_logical4_supported", MPI_LOGICAL4},
       {"mpi_logical8_supported", MPI_LOGICAL8},
       {"mpi_logical16_supported", MPI_LOGICAL16},
       {"mpi_integer1_supported", MPI_INTEGER1},
       {"mpi_integer2_supported", MPI_INTEGER2},
       {"mpi_integer4_supported", MPI_INTEGER4},
       {"mpi_integer8_supported", MPI_INTEGER8},
       {"mpi_integer16_supported", MPI_INTEGER16},
       {"mpi_real2_supported", MPI_REAL2},
       {"mpi_real4_supported", MPI_REAL4},
       {"mpi_real8_supported", MPI_REAL8},
       {"mpi_real16_supported", MPI_REAL16},
       {"mpi_complex4_supported", MPI_COMPLEX4},
       {"mpi_complex8_supported", MPI_COMPLEX8},
       {"mpi_complex16_supported", MPI_COMPLEX16},
       {"mpi_complex32_supported", MPI_COMPLEX32},
       {"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX}}};
  return types;
}

MPI_Info hand_out_info(const InfoObject& contents) {
  auto* made = new InfoObject;
  made->entries = contents.entries;
  return handle_of(made);
}

}  // namespace

bool FortranBooleans::set(int size, const void* true_value, const void* false_value) {
  const std::lock_guard lock(mutex_);
  if (size_ != 0) return false;
  size_ = size;
  std::memcpy(true_.data(), true_value, static_cast<std::size_t>(size));
  std::memcpy(false_.data(), false_value, static_cast<std::size_t>(size));
  return true;
}

bool FortranBooleans::get(int size, void* true_value, void* false_value) const {
  const std::lock_guard lock(mutex_);
  if (size_ == 0 || size_ != size) return false;
  std::memcpy(true_value, true_.data(), static_cast<std::size_t>(size));
  std::memcpy(false_value, false_.data(), static_cast<std::size_t>(size));
  return true;
}

namespace {

int check_booleans(const AnyTimeCall& call, int logical_size, const void* logical_true,
                   const void* logical_false) {
  if (logical_size < 1 || logical_size > FortranBooleans::kMost ||
      !std::has_single_bit(static_cast<unsigned>(logical_size))) {
    return call.fail(MPI_ERR_ARG, "logical_size is {}; it must be 1, 2, 4, 8 or 16 (bytes)",
                     logical_size);
  }
  if (int err = call.not_null(logical_true, "logical_true")) return err;
  return call.not_null(logical_false, "logical_false");
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Abi_get_version(int* abi_major, int* abi_minor) try {
  const AnyTimeCall call("MPI_Abi_get_version");
  if (int err = call.not_null(abi_major, "abi_major")) return err;
  if (int err = call.not_null(abi_minor, "abi_minor")) return err;
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Abi_get_version");
}
REMIT_WEAK(Abi_get_version);

int PMPI_Abi_get_info(MPI_Info* info) try {
  const AnyTimeCall call("MPI_Abi_get_info");
  if (int err = call.not_null(info, "info")) return err;
  InfoObject sizes;
  sizes.entries = {{"mpi_aint_size", std::to_string(sizeof(MPI_Aint))},
                   {"mpi_count_size", std::to_string(sizeof(MPI_Count))},
                   {"mpi_offset_size", std::to_string(sizeof(MPI_Offset))}};
  *info = hand_out_info(sizes);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Abi_get_info");
}
REMIT_WEAK(Abi_get_info);

// The library is built with the sizes that Fortran compilers have by default, so they are known
// from the beginning.
int PMPI_Abi_get_fortran_info(MPI_Info* info) try {
  const AnyTimeCall call("MPI_Abi_get_fortran_info");
  if (int err = call.not_null(info, "info")) return err;
  InfoObject properties;
  for (const NamedType& row : sized_types()) {
    properties.entries.emplace_back(row.name, std::to_string(predefined(row.type).size()));
  }
  for (const NamedType& row : optional_types()) {
    properties.entries.emplace_back(row.name,
                                    predefined(row.type).is_available() ? "true" : "false");
  }
  *info = hand_out_info(properties);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Abi_get_fortran_info");
}
REMIT_WEAK(Abi_get_fortran_info);

int PMPI_Abi_set_fortran_info(MPI_Info info) try {
  const AnyTimeCall call("MPI_Abi_set_fortran_info");
  if (info_of(info) == nullptr) {
    return call.fail(MPI_ERR_INFO, "info {} is not an info object{}",
                     static_cast<const void*>(info),
                     info == MPI_INFO_NULL ? " (MPI_INFO_NULL)" : " (freed already?)");
  }
  return call.fail(MPI_ERR_ABI,
                   "the properties of Fortran's types are set already; MPI_Abi_get_fortran_info "
                   "tells them");
} catch (...) {
  return caught("MPI_Abi_set_fortran_info");
}
REMIT_WEAK(Abi_set_fortran_info);

int PMPI_Abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false) try {
  const AnyTimeCall call("MPI_Abi_set_fortran_booleans");
  if (int err = check_booleans(call, logical_size, logical_true, logical_false)) return err;
  if (made_once(library().fortran_booleans).set(logical_size, logical_true, logical_false)) {
    return MPI_SUCCESS;
  }
  return call.fail(MPI_ERR_ABI, "Fortran's logical values are set already");
} catch (...) {
  return caught("MPI_Abi_set_fortran_booleans");
}
REMIT_WEAK(Abi_set_fortran_booleans);

int PMPI_Abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false,
                                  int* is_set) try {
  const AnyTimeCall call("MPI_Abi_get_fortran_booleans");
  if (int err = check_booleans(call, logical_size, logical_true, logical_false)) return err;
  if (int err = call.not_null(is_set, "is_set")) return err;
  *is_set = made_once(library().fortran_booleans).get(logical_size, logical_true, logical_false);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Abi_get_fortran_booleans");
}
REMIT_WEAK(Abi_get_fortran_booleans);
