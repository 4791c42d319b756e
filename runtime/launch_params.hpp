// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Parameters that mpirun reads. Declared here, because a program that finds them in its environment
// must know them, too.
#pragma once

#include "runtime/params.hpp"

namespace remit {

inline const ParamDecl bind_to_param{"bind_to", std::string(), "",
                                     "what mpirun binds each rank to, as --bind-to; empty: share"};
inline const ParamDecl map_by_param{"map_by", std::string(), "",
                                    "how mpirun deals ranks to the host's parts, as --map-by"};
inline const ParamDecl tag_output_param{"tag_output", false, "",
                                        "mpirun begins each line of output with its rank"};
inline const ParamDecl profile_param{
    "profile", std::string(), "",
    "the folder for the records of mpirun --profile-dir; without mpirun, preload "
    "libremit_profile.so; empty: none"};
inline const ParamDecl profile_stack_param{
    "profile_stack", false, "",
    "records of calls have the stack of each call site, as with mpirun --profile=stack"};
inline const ParamDecl trace_param{"trace", std::string(), "",
                                   "the folder for the records and traces of mpirun --trace "
                                   "--profile-dir; without mpirun, preload "
                                   "libremit_profile.so; empty: no trace"};
inline const ParamDecl initial_errhandler_param{
    "initial_errhandler",
    std::string("mpi_errors_are_fatal"),
    "",
    "the error handler that a program starts with, as mpirun --initial-errhandler",
    {"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"}};
inline const ParamDecl memory_alloc_kinds_param{
    "memory_alloc_kinds", std::string("mpi,system"), "",
    "kinds of memory that programs want to pass to MPI, as mpirun --memory-alloc-kinds"};
inline const ParamDecl job_timeout_param{"job_timeout", std::int64_t{0}, "s",
                                         "mpirun ends a job after this time; 0: never",
                                         ParamRange{0, 1'000'000'000}};
inline const ParamDecl job_grace_param{
    "job_grace", std::int64_t{2000}, "ms",
    "mpirun's time between SIGTERM and SIGKILL when a job is ended", ParamRange{0, 1'000'000'000}};

inline const ParamDecl launch_agent_param{
    "launch_agent", std::string(), "",
    "the command, with options, by which mpirun runs a command on another host; empty: srun in an "
    "allocation of Slurm, else ssh"};
inline const ParamDecl launch_width_param{
    "launch_width", std::int64_t{32}, "",
    "how many daemons mpirun, and each of them, starts itself", ParamRange{1, 1024}};
inline const ParamDecl host_timeout_param{
    "host_timeout", std::int64_t{15}, "s",
    "a host of the job that is silent for so long is lost, and ends it", ParamRange{6, 86400}};

}  // namespace remit
