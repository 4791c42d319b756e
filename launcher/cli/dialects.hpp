// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Options of other mpiruns that have another name here, or that are refused with what to do
// instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace remit::launcher {

/// An option, without its dashes, in the words of this mpirun: a "%" stands for the word behind the
/// option. Empty: it is none of those.
[[nodiscard]] std::vector<std::string_view> translate(std::string_view name);

/// What to do instead of an option that this mpirun does not have; nullopt: nothing is known.
[[nodiscard]] std::optional<std::string_view> instead_of(std::string_view name);

/// Options that ask for what is not needed here: flags, and those with a value. CLI11's spelling.
inline constexpr const char* kNeedlessFlags =
    "-v,--verbose,--nooversubscribe,--use-hwthread-cpus,--novm,"
    "--continuous,--enable-recovery,--disable-recovery,--show-progress,--disable-auto-cleanup,"
    "--exitinfo,--ordered-output,--order-nodes,--display-allocation,--display-topo,--rr,"
    "--preload-binary,--nolocal-launch,--leave-session-attached";
inline constexpr const char* kNeedlessValues =
    "--tune,--launcher,--bootstrap,--iface,--rmk,"
    "--personality,--runtime-options,--forward-signals,--am,--with-ft,--usize,--topolib,--demux,"
    "--membind,--localhost,--report-uri,--report-pid,--arch,--soft,--default-hostfile,"
    "--preload-files,--max-restarts";

}  // namespace remit::launcher
