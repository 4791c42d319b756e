// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parameters of the verbs device.
#include "rdma_btl/verbs/verbs_params.hpp"

#include "rdma_btl/shm/os.hpp"

namespace remit {

Expected<VerbsMask> verbs_mask_from(std::string_view words) {
  VerbsMask mask;
  while (!words.empty()) {
    const std::size_t comma = words.find(',');
    const std::string_view word = words.substr(0, comma);
    words = comma == std::string_view::npos ? std::string_view() : words.substr(comma + 1);
    if (word == "srq") {
      mask.srq = true;
    } else if (word == "imm") {
      mask.imm = true;
    } else if (word == "atomics") {
      mask.atomics = true;
    } else if (word == "multi_sge") {
      mask.multi_sge = true;
    } else if (word == "inline") {
      mask.inline_data = true;
    } else if (word == "iwarp") {
      mask.iwarp = true;
    } else if (!word.empty()) {
      return fail(MPI_ERR_ARG,
                  "REMIT_VERBS_MASK: '{}' is none of srq, imm, atomics, multi_sge, inline, iwarp",
                  word);
    }
  }
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
