// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/host_memory.hpp"

#include <cassert>

#include "rdma_btl/change_word.hpp"

namespace remit {

std::optional<std::uint64_t> HostMemory::change_memory(EndpointId endpoint, std::uint64_t address,
                                                       AtomicKind kind, std::uint64_t operand,
                                                       std::uint64_t compare) {
  assert(address % sizeof(std::uint64_t) == 0);
  std::byte* const word = map_memory(endpoint, address, sizeof(std::uint64_t));
  if (word == nullptr) return std::nullopt;
  return change_word(word, kind, operand, compare);
}

}  // namespace remit
