// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One MPI process.
#include "runtime/process.hpp"

#include <utility>

namespace remit {

Process::Process(std::unique_ptr<Bootstrap> bootstrap, std::shared_ptr<const Clock> clock,
                 Params params, std::uint64_t seed)
    : bootstrap_(std::move(bootstrap)),
      clock_(std::move(clock)),
      params_(std::move(params)),
      log_(fmt::format("remit: rank {} ({}): ", identity().rank, identity().host),
           log_level_from(params_.text(log_param))),
      progress_({}, &events_),
      random_(seed),
      rank_(identity().rank),
      size_(identity().size) {}

}  // namespace remit
