// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parameters of the shared-memory device.
#pragma once

#include <string>
#include <string_view>

#include "rdma_btl/shm/shm_config.hpp"
#include "runtime/params.hpp"

namespace remit {

inline const ParamDecl shm_copy_param{
    "shm_copy",
    std::string("auto"),
    "",
    "how large messages cross between processes of a host: by the kernel (cma) or in two copies",
    {"auto", "cma", "pipelined"}};

inline const ParamDecl shm_area_param{
    "shm_area", std::int64_t{512 * 1024}, "bytes",
    "shared memory for messages above 56 bytes, per pair of processes and direction; power of two; "
    "unless it is set, a half of that where shm_take_lines is off, and a quarter with more than 16 "
    "ranks on a host",
    ParamRange{4096, std::int64_t{1} << 30, true}};

inline const ParamDecl shm_take_lines_param{
    "shm_take_lines",
    std::string("auto"),
    "",
    "who has read shared memory takes its cache lines, for the other writes there again; short: of "
    "up to 12 KB; auto: what was measured on this host when a communicator first had a board, till "
    "then "
    "short",
    {"auto", "yes", "short", "no"}};

inline const ParamDecl shm_detours_param{
    "shm_detours",
    std::string("auto"),
    "",
    "whether data that lie 1 to 31 bytes ahead of their source modulo 4096 take a detour when the "
    "kernel copies them; auto: if that was found to be slow on this host, and until it is known",
    {"auto", "yes"}};

inline const ParamDecl shm_alloc_param{
    "shm_alloc", true, "",
    "memory from MPI_Alloc_mem is shared: other processes of the host copy it without the kernel"};

inline const ParamDecl shm_copy_table_param{
    "shm_copy_table", std::string("auto"), "file",
    "where is kept which way of copying large messages is fastest on this host, as the first of "
    "them show, and what else was measured (remit_info --copies); auto: in the user's cache "
    "folder; "
    "none: nothing is measured of copies, and nothing kept"};

/// HostMemory::claim_lines_to() by the parameter shm_take_lines and what is known of this host
/// (docs/decisions/whose-the-lines-are.md has the figures).
[[nodiscard]] std::size_t claim_lines_to(std::string_view choice, const HostFacts& facts);

/// Where the facts of this host are kept by the parameter shm_copy_table: beside the table. Empty:
/// nowhere.
[[nodiscard]] std::string host_facts_path(const Params& params);

/// A configuration from the parameters of a process. `job` is hashed to the token of
/// those that may be connected.
[[nodiscard]] ShmConfig shm_config(const Params& params, PeerName name, std::string_view job,
                                   Log* log);

}  // namespace remit
