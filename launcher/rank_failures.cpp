// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Ends of processes as causes of their job's end.
#include "launcher/rank_failures.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <string_view>

#include "launcher/host/signals.hpp"
#include "launcher/report/loader_check.hpp"
#include "mpi.h"
#include "runtime/abort_words.hpp"
#include "runtime/bootstrap/spawn_keys.hpp"

namespace remit::launcher {

// Of ranks of other hosts their daemons have asked the loader.
std::string RankFailures::explain(int rank, int wait_status, const std::string& known) const {
  return jobs_.is_here(rank) ? explain_by_loader(jobs_.app_of(rank), wait_status) : known;
}

EndCause RankFailures::of_signal(int rank, int wait_status, const Circumstances& known) const {
  const int signal = WTERMSIG(wait_status);
  const bool asked = control_ && control_->sends(signal, rank);
  const std::string hint =
      asked               ? fmt::format(", for which rank {} asked (PMIx_Job_control)",
                                        jobs_.at(control_->asker).rank)
      : signal == SIGKILL ? "; if nobody sent it, the host ran out of memory (see dmesg)"
      : signal == SIGPIPE && known.reader_left ? "; nobody reads mpirun's standard output any more"
                                               : "";
  return {128 + signal,
          fmt::format("{} was killed by {}{}{}", jobs_.name_of(rank), signal_text(signal),
                      WCOREDUMP(wait_status) ? ", core dumped" : "", hint),
          rank, 0, explain(rank, wait_status, known.explanation)};
}

std::optional<EndCause> RankFailures::of_exit(int rank, int wait_status,
                                              const Circumstances& known) const {
  const RankState& state = jobs_.at(rank);
  if (WIFSIGNALED(wait_status)) return of_signal(rank, wait_status, known);
  const int status = WEXITSTATUS(wait_status);
  if (status != 0) {
    // After MPI_Finalize the others owe this rank nothing: let them finish by themselves.
    const bool finalized = state.was_connected && !state.connected;
    return EndCause{status, fmt::format("{} exited with status {}", jobs_.name_of(rank), status),
                    rank, finalized ? options_.grace() : 0,
                    explain(rank, wait_status, known.explanation)};
  }
  if (state.connected) {
    return EndCause{1, fmt::format("{} exited without calling MPI_Finalize", jobs_.name_of(rank)),
                    rank, 0, ""};
  }
  if (!missed_init(state, known.store)) return std::nullopt;
  return EndCause{
      1,
      fmt::format("{} exited without calling MPI_Init, though MPI_Comm_spawn had started it",
                  jobs_.name_of(rank)),
      rank, 0, ""};
}

// Those who spawned it wait in MPI_Comm_spawn: it is no client of PMIx's, or the last of a job of
// which nobody has asked for them (a session alone does not).
bool RankFailures::missed_init(const RankState& state, const DataStore& store) const {
  if (!state.of->job.is_spawned()) return false;
  if (!state.was_connected) return true;
  if (!jobs_.has_job_exited(state)) return false;
  return store.has_all({key_of_name(parent_port_name(state.of->job.nspace))});
}

EndCause RankFailures::of_abort(int rank, int status, const std::string& message) const {
  // A shell sees eight bits; an abort must not look like success.
  const int shown = (status & 0xff) == 0 ? 1 : status & 0xff;
  const bool has_text = !message.empty() && message != "N/A";  // Open MPI's word for nothing
  return {shown,
          fmt::format("{} aborted the job with code {}{}{}", jobs_.name_of(rank), status,
                      has_text ? ": " : "", has_text ? message : ""),
          rank, 0, ""};
}

std::string RankFailures::explain_abort(int rank) const {
  return jobs_.is_here(rank) ? explain_two_libraries(jobs_.app_of(rank)) : "";
}

bool RankFailures::misses_another(int status, const std::string& message) {
  const auto says = [&](std::string_view words) {
    return message.find(words) != std::string::npos;
  };
  const bool misses_peer = status == MPI_ERR_IN_STATUS && says(kPeerEnded);
  return status == MPI_ERR_PROC_ABORTED || misses_peer || says(kAnotherFailed);
}

}  // namespace remit::launcher
