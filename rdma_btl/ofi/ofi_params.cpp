// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parameters of the ofi device.
#include "rdma_btl/ofi/ofi_params.hpp"

#include "rdma_btl/mask.hpp"
#include "rdma_btl/net/net_params.hpp"
#include "runtime/os/os.hpp"

namespace remit {

Expected<OfiMask> ofi_mask_from(std::string_view words) {
  OfiMask mask;
  const Expected<> set =
      set_mask("REMIT_OFI_MASK", words, {{"rma", mask.rma}, {"cq_data", mask.cq_data}});
  if (!set) return tl::unexpected(set.error());
  return mask;
}

Expected<OfiConfig> ofi_config(const Params& params, PeerName name, std::string_view job,
                               Log* log) {
  Expected<OfiMask> mask = ofi_mask_from(params.text(ofi_mask_param));
  if (!mask) return tl::unexpected<Error>(std::move(mask.error()));
  OfiConfig config;
  config.name = name;
  config.job = shm::hash_of(job);
  config.provider = params.text(ofi_provider_param);
  config.interface = params.text(interface_param);
  config.mask = *mask;
  config.log = log;
  return config;
}

}  // namespace remit
