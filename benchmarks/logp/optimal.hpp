// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The fastest that news can spread.
#pragma once

#include <cstdint>
#include <map>

namespace remit::logp {

/// The time in which what one process knows can reach `processes` of them: everybody who knows
/// tells others as fast as it can, the next one `between` after the last one, who knows `arrival`
/// after the beginning (Karp, Sahay, Santos, Schauser 1993).
inline std::int64_t optimal_broadcast(std::int64_t arrival, std::int64_t between,
                                      std::int64_t processes) {
  std::map<std::int64_t, std::int64_t> told = {{arrival, 1}};  // how many, when
  std::int64_t last = 0;
  for (std::int64_t know = 1; know < processes;) {
    const auto [time, count] = *told.begin();
    told.erase(told.begin());
    know += count;
    last = time;
    told[time + between] += count;
    told[time + arrival] += count;
  }
  return last;
}

}  // namespace remit::logp
