// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Chooses the bootstrap that fits how this process was started.
#include "runtime/bootstrap/bootstrap_open.hpp"

#include <charconv>
#include <string_view>

#include "runtime/bootstrap/pmix_bootstrap.hpp"
#include "runtime/bootstrap/singleton_bootstrap.hpp"

namespace remit {

namespace {

/// A launcher that sets `size` to the number of ranks, and `also` (if any) in each rank: some set
/// the first already in the shell of the allocation, where a lone process is legitimate.
struct ForeignLauncher {
  const char* size;
  const char* also;
  const char* advice;
};

constexpr const char* kUseSrun = "start it with 'srun --mpi=pmix' (or with Remit's mpirun)";
constexpr const char* kUseMpirun =
    "start it with Remit's mpirun: the mpirun in use belongs to another MPI";

constexpr ForeignLauncher kForeign[] = {
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", kUseSrun},
    {"SLURM_NTASKS", "SLURM_STEP_ID", kUseSrun},
    {"OMPI_COMM_WORLD_SIZE", nullptr, kUseMpirun},
    {"PMI_SIZE", "PMI_RANK", kUseMpirun},
    {"MPI_LOCALNRANKS", "MPI_LOCALRANKID", kUseMpirun},
    {"MV2_COMM_WORLD_SIZE", nullptr, kUseMpirun},
    {"FLUX_JOB_SIZE", "FLUX_TASK_RANK", "start it with 'flux run -o pmi=pmix'"},
    {"JSM_NAMESPACE_SIZE", nullptr, "start it so that jsrun provides PMIx"},
    {"PALS_NRANKS", "PALS_RANKID", "start it with 'mpiexec --pmi=pmix'"},
};

const char* find(char** environment, std::string_view name) {
  for (char** entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.size() > name.size() && text[name.size()] == '=' && text.starts_with(name)) {
      return *entry + name.size() + 1;
    }
  }
  return nullptr;
}

bool more_than_one(std::string_view text) {
  long number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number > 1;
}

}  // namespace

LaunchClues find_launcher(char** environment) {
  LaunchClues clues;
  if (find(environment, "PMIX_NAMESPACE") != nullptr) {
    clues.pmix = true;
    return clues;
  }
  for (const ForeignLauncher& launcher : kForeign) {
    const char* size = find(environment, launcher.size);
    if (size == nullptr || !more_than_one(size)) continue;
    if (launcher.also != nullptr && find(environment, launcher.also) == nullptr) continue;
    // Inside a batch script SLURM_NTASKS is that of the whole allocation; the step's own count,
    // where there is one, decides.
    const char* step_tasks = find(environment, "SLURM_STEP_NUM_TASKS");
    if (launcher.advice == kUseSrun && step_tasks != nullptr && !more_than_one(step_tasks)) {
      continue;
    }
    clues.multi_rank = fmt::format("{}={}", launcher.size, size);
    clues.advice = launcher.advice;
    return clues;
  }
  return clues;
}

Expected<std::unique_ptr<Bootstrap>> open_bootstrap(char** environment, int opening) {
  Params params;
  const std::string variable = environment_name(singleton_param);
  if (const char* text = find(environment, variable); text != nullptr) {
    if (auto set = params.set(singleton_param.name, text); !set) {
      return tl::unexpected(set.error());
    }
  }
  if (params.flag(singleton_param)) return make_singleton_bootstrap();

  const LaunchClues clues = find_launcher(environment);
  if (clues.pmix) return open_pmix_bootstrap(opening);
  if (!clues.multi_rank.empty()) {
    return fail(MPI_ERR_OTHER,
                "the environment has {}, so this is one process of a job of several ranks, but its "
                "launcher offers no PMIx server to learn the others from: {}. If this process is "
                "meant to run alone, set {}=1",
                clues.multi_rank, clues.advice, variable);
  }
  return make_singleton_bootstrap();
}

}  // namespace remit
