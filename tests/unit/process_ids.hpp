// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Process numbers as tests write them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "links/process_id.hpp"

namespace remit::testing {

/// Processes by their numbers, in this order.
inline std::vector<ProcId> procs(std::initializer_list<std::uint32_t> numbers) {
  std::vector<ProcId> all;
  for (const std::uint32_t number : numbers) all.push_back(ProcId{number});
  return all;
}

}  // namespace remit::testing
