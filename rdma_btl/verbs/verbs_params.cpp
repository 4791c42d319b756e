// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parameters of the verbs device.
#include "rdma_btl/verbs/verbs_params.hpp"

#include "rdma_btl/mask.hpp"
#include "runtime/os/os.hpp"

namespace remit {

Expected<VerbsMask> verbs_mask_from(std::string_view words) {
  VerbsMask mask;
  const Expected<> set = set_mask("REMIT_VERBS_MASK", words,
                                  {{"srq", mask.srq},
                                   {"imm", mask.imm},
                                   {"atomics", mask.atomics},
                                   {"multi_sge", mask.multi_sge},
                                   {"inline", mask.inline_data},
                                   {"iwarp", mask.iwarp}});
  if (!set) return tl::unexpected(set.error());
  return mask;
}

Expected<VerbsConfig> verbs_config(const Params& params, PeerName name, std::string_view job,
                                   Log* log) {
  Expected<VerbsMask> mask = verbs_mask_from(params.text(verbs_mask_param));
  if (!mask) return tl::unexpected<Error>(std::move(mask.error()));
  VerbsConfig config;
  config.name = name;
  config.job = shm::hash_of(job);
  config.device = params.text(verbs_device_param);
  config.mask = *mask;
  config.log = log;
  return config;
}

}  // namespace remit
