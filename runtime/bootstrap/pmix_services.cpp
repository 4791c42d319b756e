// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Names and processes.
#include "runtime/bootstrap/pmix_services.hpp"

#include <pmix.h>

#include <cstring>
#include <optional>

#include "runtime/bootstrap/pmix_values.hpp"
#include "runtime/bootstrap/spawn_keys.hpp"

namespace remit {

Expected<> publish_in_pmix(const std::string& name, const std::string& value) {
  pmix_info_t info;
  PMIX_INFO_CONSTRUCT(&info);
  PMIX_INFO_LOAD(&info, key_of_name(name).c_str(), value.c_str(), PMIX_STRING);
  const pmix_status_t status = PMIx_Publish(&info, 1);
  PMIX_INFO_DESTRUCT(&info);
  if (status == PMIX_SUCCESS) return {};
  if (status == PMIX_ERR_DUPLICATE_KEY) {
    return fail(MPI_ERR_SERVICE, "the name '{}' is published already", name);
  }
  if (status == PMIX_ERR_NOT_SUPPORTED) {
    return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                "the launcher of this job keeps no names for its processes: start them with "
                "Remit's mpirun");
  }
  return fail_pmix(status, "publishing the name '{}'", name);
}

Expected<std::string> lookup_in_pmix(const std::string& name) {
  pmix_pdata_t found;
  PMIX_PDATA_CONSTRUCT(&found);
  PMIX_LOAD_KEY(found.key, key_of_name(name).c_str());
  const pmix_status_t status = PMIx_Lookup(&found, 1, nullptr, 0);
  const std::optional<std::string> value =
      status == PMIX_SUCCESS ? pmix_text(&found.value) : std::nullopt;
  PMIX_PDATA_DESTRUCT(&found);
  if (value) return *value;
  if (status == PMIX_ERR_NOT_SUPPORTED) {
    return fail(MPI_ERR_NAME,
                "the launcher of this job keeps no names for its processes: start them with "
                "Remit's mpirun");
  }
  return fail(MPI_ERR_NAME, "nobody has published the name '{}' (or it was unpublished): {}", name,
              PMIx_Error_string(status));
}

Expected<> unpublish_in_pmix(const std::string& name) {
  std::string key = key_of_name(name);
  char* keys[] = {key.data(), nullptr};
  const pmix_status_t status = PMIx_Unpublish(keys, nullptr, 0);
  if (status == PMIX_SUCCESS) return {};
  return fail(MPI_ERR_SERVICE, "this process has not published the name '{}': {}", name,
              PMIx_Error_string(status));
}

namespace {

/// The programs of a request in PMIx's form.
class PmixApps {
 public:
  explicit PmixApps(const SpawnRequest& request) : count_(request.programs.size()) {
    PMIX_APP_CREATE(apps_, count_);
    for (std::size_t i = 0; i < count_; ++i) fill(apps_[i], request.programs[i]);
  }
  ~PmixApps() { PMIX_APP_FREE(apps_, count_); }
  PmixApps(const PmixApps&) = delete;
  PmixApps& operator=(const PmixApps&) = delete;

  [[nodiscard]] const pmix_app_t* data() const { return apps_; }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  static void fill(pmix_app_t& app, const SpawnProgram& program) {
    app.cmd = ::strdup(program.command.c_str());
    pmix_status_t status = PMIX_SUCCESS;
    PMIX_ARGV_APPEND(status, app.argv, program.command.c_str());
    for (const std::string& word : program.arguments) {
      PMIX_ARGV_APPEND(status, app.argv, word.c_str());
    }
    (void)status;  // only memory could be missing
    if (!program.wdir.empty()) app.cwd = ::strdup(program.wdir.c_str());
    app.maxprocs = program.processes;
    app.ninfo = 2;
    PMIX_INFO_CREATE(app.info, app.ninfo);
    PMIX_INFO_LOAD(&app.info[0], PMIX_HOST, program.host.c_str(), PMIX_STRING);
    PMIX_INFO_LOAD(&app.info[1], kSearchPathKey, program.path.c_str(), PMIX_STRING);
  }

  pmix_app_t* apps_ = nullptr;
  std::size_t count_;
};

}  // namespace

Expected<> spawn_in_pmix(const SpawnRequest& request, const std::string& job, int rank) {
  if (!job.starts_with("remit.")) {
    return fail(MPI_ERR_SPAWN,
                "the launcher of this job does not start processes for MPI_Comm_spawn: start the "
                "job with Remit's mpirun");
  }
  const PmixApps apps(request);
  pmix_info_t info;
  PMIX_INFO_CONSTRUCT(&info);
  PMIX_INFO_LOAD(&info, kParentPortKey, request.parent_port.c_str(), PMIX_STRING);
  pmix_nspace_t spawned;
  const pmix_status_t status = PMIx_Spawn(&info, 1, apps.data(), apps.size(), spawned);
  PMIX_INFO_DESTRUCT(&info);
  if (status == PMIX_SUCCESS) return {};
  const auto words = lookup_in_pmix(spawn_failure_name(job, rank));
  return fail(MPI_ERR_SPAWN, "{}", words ? *words : PMIx_Error_string(status));
}

}  // namespace remit
