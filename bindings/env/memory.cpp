// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory for messages (MPI-5.0, section 9.2).
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "bindings/entry.hpp"
#include "bindings/weak.hpp"

using namespace remit;

namespace {

constexpr std::size_t kAlignment = 64;  ///< a cache line
constexpr std::size_t kPage = 4096;     ///< less is not worth a page of a device's memory
constexpr std::size_t kMost = std::size_t{1} << 47;  ///< addresses of a process

/// The hint mpi_minimum_memory_alignment, or what is used without it. Empty: it makes no sense.
std::optional<std::size_t> alignment_of(const InfoObject* info) {
  if (info == nullptr) return kAlignment;
  const auto hint = std::find_if(info->entries.begin(), info->entries.end(), [](const auto& entry) {
    return entry.first == "mpi_minimum_memory_alignment";
  });
  if (hint == info->entries.end()) return kAlignment;
  const std::string& text = hint->second;
  std::size_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() ||
      !std::has_single_bit(value)) {
    return {};
  }
  return std::max(value, kAlignment);
}

void* allocate(Engine& engine, std::size_t bytes, std::size_t alignment) {
  if (bytes > kMost || alignment > kMost) return nullptr;
  if (bytes >= kPage && alignment <= kPage) {
    if (void* memory = engine.links().devices().allocate(bytes)) return memory;
  }
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + alignment - 1) & ~(alignment - 1);
  return std::aligned_alloc(alignment, whole);
}

}  // namespace

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) try {
  Entry entry("MPI_Alloc_mem");
  if (size < 0) return entry.fail(MPI_ERR_ARG, "size is {}; it must not be negative", size);
  if (int err = entry.not_null(baseptr, "baseptr")) return err;
  InfoObject* hints = nullptr;
  if (info != MPI_INFO_NULL) {
    if (int err = entry.info(info, hints)) return err;
  }
  const std::optional<std::size_t> alignment = alignment_of(hints);
  if (!alignment) {
    return entry.fail(MPI_ERR_INFO_VALUE,
                      "mpi_minimum_memory_alignment in info must be a power of two, in bytes");
  }
  void* memory = allocate(entry.engine(), static_cast<std::size_t>(size), *alignment);
  if (memory == nullptr) {
    return entry.fail(MPI_ERR_NO_MEM, "{} bytes could not be allocated", size);
  }
  *static_cast<void**>(baseptr) = memory;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Alloc_mem");
}
REMIT_WEAK(Alloc_mem);

int PMPI_Free_mem(void* base) try {
  Entry entry("MPI_Free_mem");
  switch (entry.engine().links().devices().release(base)) {
    case Released::done:
      return MPI_SUCCESS;
    case Released::not_whole:
      return entry.fail(MPI_ERR_BASE,
                        "base is {}, which MPI_Alloc_mem has not given, or which is free already",
                        base);
    case Released::foreign:
      break;
  }
  std::free(base);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Free_mem");
}
REMIT_WEAK(Free_mem);
