// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// remit_info --rdma: what RDMA needs on this host, examined one after the other.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/params.hpp"

namespace remit::verbs {

/// One thing that was examined.
struct Finding {
  std::string what;  ///< "port"
  bool ok = false;
  std::string words;  ///< what there is; if not ok: what is wrong, and what to do about it
};

/// Examines the adapter that a job with `params` would use: is it there, are its driver and the
/// libraries, is its port active, which GIDs it has and which is chosen, how much memory may be
/// locked, can memory be registered, does a put to itself arrive with its notification, who would
/// notice that registered memory was unmapped. Ends with the first thing without which the next
/// cannot be tried. Takes about a second, up to fifteen if a connection does not come about; sends
/// only to this host. At most one library function prints besides (libibverbs: no driver).
[[nodiscard]] std::vector<Finding> examine(const Params& params);

/// True if every finding is ok.
[[nodiscard]] inline bool healthy(const std::vector<Finding>& findings) {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& f) { return f.ok; });
}

}  // namespace remit::verbs
