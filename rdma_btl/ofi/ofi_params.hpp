// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parameters of the ofi device.
#pragma once

#include <string>
#include <string_view>

#include "rdma_btl/ofi/ofi_config.hpp"
#include "runtime/params.hpp"

namespace remit {

inline const ParamDecl ofi_provider_param{"ofi_provider", std::string(), "",
                                          "libfabric provider to use, as fi_info names it (tcp, "
                                          "net, tcp;ofi_rxm, psm2, efa, cxi); empty: "
                                          "the best one"};

inline const ParamDecl ofi_mask_param{
    "ofi_mask", std::string(), "",
    "abilities of the libfabric provider not to use, for tests: rma, cq_data, joined by a comma"};

/// A configuration from the parameters of a process. `job` is hashed to the token of
/// those that may be connected. An unknown word of ofi_mask is an error.
[[nodiscard]] Expected<OfiConfig> ofi_config(const Params& params, PeerName name,
                                             std::string_view job, Log* log);

/// The mask that the words of ofi_mask name.
[[nodiscard]] Expected<OfiMask> ofi_mask_from(std::string_view words);

}  // namespace remit
