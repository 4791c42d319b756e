// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parameters of the shared-memory device.
#include "rdma_btl/shm/shm_params.hpp"

#include <limits>

#include "rdma_btl/shm/copies/copy_table.hpp"
#include "runtime/cache_file.hpp"
#include "runtime/claim_lines.hpp"
#include "runtime/os/os.hpp"

namespace remit {

std::size_t claim_lines_to(std::string_view choice, const HostFacts& facts) {
  if (choice == "yes") return std::numeric_limits<std::size_t>::max();
  if (choice == "no") return 0;
  return choice == "short" ? kClaimShortTo : facts.claim_lines_to.value_or(kClaimShortTo);
}

std::string host_facts_path(const Params& params) {
  const std::string& table = params.text(shm_copy_table_param);
  return table == "auto" || table == "none" ? cache_file(table, "facts") : table + ".facts";
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
  config.facts_file = host_facts_path(params);
  config.facts = load_host_facts(config.facts_file);
  const std::string& lines = params.text(shm_take_lines_param);
  config.measured_lines = lines == "auto";
  config.claim_lines_to = claim_lines_to(lines, config.facts);
  config.detours = params.text(shm_detours_param) == "yes";
  config.share_allocations = params.flag(shm_alloc_param);
  if (config.copy == ShmCopy::automatic) {
    config.copy_table = shm::copy_table_path(params.text(shm_copy_table_param));
  }
  config.log = log;
  return config;
}

}  // namespace remit
