// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parameters of the verbs device.
#pragma once

#include <string>
#include <string_view>

#include "rdma_btl/verbs/verbs_config.hpp"
#include "runtime/params.hpp"

namespace remit {

inline const ParamDecl verbs_device_param{
    "verbs_device", std::string(), "",
    "RDMA adapter to use: its name (mlx5_0), with its port (mlx5_0:1) and the index of its GID "
    "(mlx5_0:1:3), or an IP address of it; empty: the best one"};

inline const ParamDecl verbs_mask_param{
    "verbs_mask", std::string(), "",
    "abilities of the RDMA adapter not to use, for tests: srq, imm, atomics, multi_sge, inline, "
    "iwarp, joined by commas"};

/// A configuration from the parameters of a process. `job` is hashed to the token of
/// those that may be connected. An unknown word of verbs_mask is an error.
[[nodiscard]] Expected<VerbsConfig> verbs_config(const Params& params, PeerName name,
                                                 std::string_view job, Log* log);

/// The mask that the words of verbs_mask name.
[[nodiscard]] Expected<VerbsMask> verbs_mask_from(std::string_view words);

}  // namespace remit
