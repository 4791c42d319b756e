// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory for messages (MPI-5.0, section 9.2).
#include <cstdlib>

#include "bindings/entry.hpp"
#include "bindings/weak.hpp"

using namespace remit;

namespace {

constexpr std::size_t kAlignment = 64;  ///< a cache line

}  // namespace

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info /*info*/, void* baseptr) {
  Entry entry("MPI_Alloc_mem");
  if (size < 0) return entry.fail(MPI_ERR_ARG, "size is {}; it must not be negative", size);
  if (int err = entry.not_null(baseptr, "baseptr")) return err;
  const auto bytes = (static_cast<std::size_t>(size) + kAlignment - 1) & ~(kAlignment - 1);
  void* memory = std::aligned_alloc(kAlignment, bytes == 0 ? kAlignment : bytes);
  if (memory == nullptr) {
    return entry.fail(MPI_ERR_NO_MEM, "{} bytes could not be allocated", size);
  }
  *static_cast<void**>(baseptr) = memory;
  return MPI_SUCCESS;
}
REMIT_WEAK(Alloc_mem);

int PMPI_Free_mem(void* base) {
  Entry entry("MPI_Free_mem");
  std::free(base);
  return MPI_SUCCESS;
}
REMIT_WEAK(Free_mem);
