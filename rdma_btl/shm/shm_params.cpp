// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parameters of the shared-memory device.
#include "rdma_btl/shm/shm_params.hpp"

#include <limits>

#include "rdma_btl/shm/copy_table.hpp"
#include "rdma_btl/shm/os.hpp"
#include "runtime/processor.hpp"

namespace remit {

// On Zen 5 the lines of short messages had better be taken: with cores far apart 4 KB ones come 1.7
// times as often. A longer one's come before they are asked for, and to take them costs more than
// to have them called back.
std::size_t take_lines_to(std::string_view choice, unsigned amd_family) {
  constexpr std::size_t kShort = 12 * 1024;
  constexpr unsigned kZen5 = 26;
  const unsigned family = choice == "auto" ? amd_family : 0;
  if (choice == "yes" || (family != 0 && family < kZen5)) {
    return std::numeric_limits<std::size_t>::max();
  }
  return choice == "short" || family >= kZen5 ? kShort : 0;
}

ShmConfig shm_config(const Params& params, PeerName name, std::string_view job, Log* log) {
  ShmConfig config;
  config.name = name;
  config.job = shm::hash_of(job);
  const std::string& copy = params.text(shm_copy_param);
  config.copy = copy == "cma"         ? ShmCopy::cma
                : copy == "pipelined" ? ShmCopy::pipelined
                                      : ShmCopy::automatic;
  config.area_bytes = static_cast<std::size_t>(params.integer(shm_area_param));
  config.take_lines_to = take_lines_to(params.text(shm_take_lines_param), amd_family());
  config.share_allocations = params.flag(shm_alloc_param);
  if (config.copy == ShmCopy::automatic) {
    config.copy_table = shm::copy_table_path(params.text(shm_copy_table_param));
  }
  config.log = log;
  return config;
}

}  // namespace remit
