// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parameters of the shared-memory device.
#include "rdma_btl/shm/shm_params.hpp"

#include "rdma_btl/shm/copy_table.hpp"
#include "rdma_btl/shm/os.hpp"
#include "runtime/processor.hpp"

namespace remit {

ShmConfig shm_config(const Params& params, PeerName name, std::string_view job, Log* log) {
  ShmConfig config;
  config.name = name;
  config.job = shm::hash_of(job);
  const std::string& copy = params.text(shm_copy_param);
  config.copy = copy == "cma"         ? ShmCopy::cma
                : copy == "pipelined" ? ShmCopy::pipelined
                                      : ShmCopy::automatic;
  config.area_bytes = static_cast<std::size_t>(params.integer(shm_area_param));
  const std::string& take = params.text(shm_take_lines_param);
  config.take_lines = take == "yes" || (take == "auto" && processor_is_amd());
  config.share_allocations = params.flag(shm_alloc_param);
  if (config.copy == ShmCopy::automatic) {
    config.copy_table = shm::copy_table_path(params.text(shm_copy_table_param));
  }
  config.log = log;
  return config;
}

}  // namespace remit
