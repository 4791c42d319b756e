// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The bootstrap of a real job: a client of the PMIx server that started this process.
#include "runtime/bootstrap/pmix_bootstrap.hpp"

#include <pmix.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "runtime/bootstrap/pmix_lookups.hpp"
#include "runtime/bootstrap/pmix_services.hpp"
#include "runtime/bootstrap/pmix_values.hpp"
#include "runtime/bootstrap/spawn_keys.hpp"
#include "runtime/log.hpp"
#include "runtime/nagle.hpp"
#include "runtime/signals_blocked.hpp"

namespace remit {

namespace {

constexpr const char* kAddressKey = "remit.addr";

/// The program's handlers of signals do not run in PMIx's thread.
pmix_status_t join(pmix_proc_t* self) {
  const std::vector<int> descriptors = low_descriptors();
  const SignalsBlocked blocked;
  const pmix_status_t status = PMIx_Init(self, nullptr, 0);
  if (status == PMIX_SUCCESS) disable_nagle_on_new_sockets(descriptors);
  return status;
}

class PmixBootstrap final : public Bootstrap {
 public:
  PmixBootstrap(const pmix_proc_t& self, int opening);
  ~PmixBootstrap() override;
  PmixBootstrap(const PmixBootstrap&) = delete;
  PmixBootstrap& operator=(const PmixBootstrap&) = delete;

  Expected<> learn_identity();

  const Identity& identity() const override { return identity_; }
  Expected<> publish(std::span<const std::byte> blob) override;
  void lookup(int rank) override;
  std::optional<Answer> poll() override { return lookups_.poll(); }
  int wait_fd() const override { return lookups_.wait_fd(); }
  Expected<> barrier() override;
  std::optional<std::string> host_topology() override;
  std::vector<int> binding(int rank) override;
  void abort(int status, const std::string& message) override;
  void finalize(const std::function<void()>& meanwhile) override;
  Expected<> reopen() override;
  std::vector<ProcessSet> process_sets() override;
  Expected<> spawn(const SpawnRequest& request) override {
    return spawn_in_pmix(request, identity_.job, identity_.rank);
  }
  std::optional<std::string> parent_port() override;
  Expected<> publish_name(const std::string& name, const std::string& value) override {
    return publish_in_pmix(name, value);
  }
  Expected<std::string> lookup_name(const std::string& name) override {
    return lookup_in_pmix(name);
  }
  Expected<> unpublish_name(const std::string& name) override { return unpublish_in_pmix(name); }

 private:
  [[nodiscard]] pmix_proc_t proc(pmix_rank_t rank) const {
    pmix_proc_t proc = self_;
    proc.rank = rank;
    return proc;
  }
  Expected<> fence(const std::function<void()>& meanwhile);
  [[nodiscard]] std::vector<int> find_local_peers() const;
  [[nodiscard]] int count_core_sharers();
  void leave() {
    if (std::exchange(connected_, false)) PMIx_Finalize(nullptr, 0);
  }

  pmix_proc_t self_;
  PmixLookups lookups_;
  bool connected_ = true;
  bool has_left_;  ///< this process was a client of the server before, and left
  Identity identity_;
};

/// Each time that MPI is opened, a process publishes its address under another key.
PmixBootstrap::PmixBootstrap(const pmix_proc_t& self, int opening)
    : self_(self),
      lookups_(self, opening == 0 ? kAddressKey : fmt::format("{}.{}", kAddressKey, opening)),
      has_left_(opening != 0) {}

PmixBootstrap::~PmixBootstrap() {
  leave();
}

Expected<> PmixBootstrap::learn_identity() {
  const pmix_proc_t job = proc(PMIX_RANK_WILDCARD);
  identity_.job = self_.nspace;
  identity_.job_key = job_key_of(identity_.job);
  identity_.rank = static_cast<int>(self_.rank);
  const auto size = pmix_number(pmix_known(job, PMIX_JOB_SIZE).get());
  if (!size || *size < 1 || identity_.rank >= *size) {
    return fail(MPI_ERR_OTHER, "the PMIx server of job {} gives rank {} no usable job size",
                identity_.job, identity_.rank);
  }
  identity_.size = static_cast<int>(*size);
  if (auto host = pmix_text(pmix_known(self_, PMIX_HOSTNAME).get())) {
    identity_.host = std::move(*host);
  } else {
    std::array<char, 256> name{};
    (void)::gethostname(name.data(), name.size() - 1);
    identity_.host = name.data();
  }
  identity_.local_peers = find_local_peers();
  const auto mine =
      std::find(identity_.local_peers.begin(), identity_.local_peers.end(), identity_.rank);
  identity_.local_rank = static_cast<int>(mine - identity_.local_peers.begin());
  identity_.local_size = static_cast<int>(identity_.local_peers.size());
  identity_.core_sharers = count_core_sharers();
  // Those of other jobs are told to a spawned one.
  const auto on_host = pmix_number(pmix_known(job, PMIX_NODE_SIZE).get());
  if (on_host.value_or(0) > identity_.local_size) {
    identity_.core_sharers = static_cast<int>(*on_host);
  }
  const auto app = pmix_number(pmix_known(self_, PMIX_APPNUM).get());
  identity_.app_number = static_cast<int>(app.value_or(-1));
  // Some servers count their slots here, of which an oversubscribed job has fewer than ranks.
  const auto universe = pmix_number(pmix_known(job, PMIX_UNIV_SIZE).get());
  identity_.universe_size = static_cast<int>(std::max(universe.value_or(0), *size));
  identity_.other_hosts =
      pmix_number(pmix_known(job, PMIX_NUM_ALLOCATED_NODES).get()).value_or(1) > 1;
  return {};
}

/// The ranks on this host. Servers keep the list in different places.
std::vector<int> PmixBootstrap::find_local_peers() const {
  const auto fits = [this](const std::vector<int>& ranks) {
    return std::binary_search(ranks.begin(), ranks.end(), identity_.rank);
  };
  for (const pmix_proc_t& where : {proc(PMIX_RANK_WILDCARD), self_}) {
    if (const auto text = pmix_text(pmix_known(where, PMIX_LOCAL_PEERS).get())) {
      std::vector<int> ranks = parse_rank_list(*text);
      if (fits(ranks)) return ranks;
    }
  }
  pmix_proc_t* peers = nullptr;
  std::size_t count = 0;
  std::vector<int> ranks;
  if (PMIx_Resolve_peers(identity_.host.c_str(), self_.nspace, &peers, &count) == PMIX_SUCCESS) {
    for (std::size_t i = 0; i < count; ++i) ranks.push_back(static_cast<int>(peers[i].rank));
    PMIX_PROC_FREE(peers, count);
    std::sort(ranks.begin(), ranks.end());
  }
  if (!fits(ranks)) ranks = {identity_.rank};
  return ranks;
}

/// Asks for other ranks only if this one is bound.
int PmixBootstrap::count_core_sharers() {
  const std::vector<int> mine = binding(identity_.rank);
  if (mine.empty()) return 0;
  int sharers = 0;
  for (const int rank : identity_.local_peers) {
    const std::vector<int> other = rank == identity_.rank ? mine : binding(rank);
    const bool shares = other.empty() || std::find_first_of(mine.begin(), mine.end(), other.begin(),
                                                            other.end()) != mine.end();
    if (shares) ++sharers;
  }
  return sharers;
}

std::vector<int> PmixBootstrap::binding(int rank) {
  const PmixValuePtr value = pmix_known(proc(static_cast<pmix_rank_t>(rank)), PMIX_CPUSET);
  return parse_rank_list(pmix_text(value.get()).value_or(""));
}

std::optional<std::string> PmixBootstrap::host_topology() {
  const pmix_proc_t job = proc(PMIX_RANK_WILDCARD);
  for (const char* key : {PMIX_HWLOC_XML_V2, PMIX_LOCAL_TOPO}) {
    if (auto xml = pmix_text(pmix_known(job, key).get())) return xml;
  }
  return std::nullopt;
}

Expected<> PmixBootstrap::publish(std::span<const std::byte> blob) {
  pmix_value_t value;
  PMIX_VALUE_CONSTRUCT(&value);
  value.type = PMIX_BYTE_OBJECT;
  // PMIx copies; it only lacks a const.
  value.data.bo.bytes = reinterpret_cast<char*>(const_cast<std::byte*>(blob.data()));
  value.data.bo.size = blob.size();
  pmix_status_t status = PMIx_Put(PMIX_GLOBAL, lookups_.key().c_str(), &value);
  // One commit in the life of a process: a remote peer's look-up is answered from the first.
  if (status == PMIX_SUCCESS) status = PMIx_Commit();
  if (status != PMIX_SUCCESS) {
    return fail_pmix(status, "rank {} could not publish its address through PMIx", identity_.rank);
  }
  return {};
}

void PmixBootstrap::lookup(int rank) {
  if (rank >= 0 && rank < identity_.size) return lookups_.ask(rank);
  lookups_.refuse(rank, {MPI_ERR_RANK,
                         fmt::format("there is no rank {} in a job of {}", rank, identity_.size)});
}

Expected<> PmixBootstrap::barrier() {
  return fence(nullptr);
}

Expected<> PmixBootstrap::fence(const std::function<void()>& meanwhile) {
  pmix_info_t collect;
  bool yes = true;
  PMIX_INFO_CONSTRUCT(&collect);
  // Slurm's fence without data does not synchronize between hosts.
  PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
  using Promise = std::promise<pmix_status_t>;
  auto promise = std::make_unique<Promise>();  // the callback's, if there will be one
  std::future<pmix_status_t> ended = promise->get_future();
  pmix_status_t status = PMIx_Fence_nb(
      nullptr, 0, &collect, 1,
      [](pmix_status_t result, void* data) {
        std::unique_ptr<Promise>(static_cast<Promise*>(data))->set_value(result);
      },
      promise.get());
  constexpr std::chrono::milliseconds kTurn{10};
  if (status == PMIX_SUCCESS) {
    (void)promise.release();
    while (meanwhile && ended.wait_for(kTurn) != std::future_status::ready) meanwhile();
    status = ended.get();
  } else if (status == PMIX_OPERATION_SUCCEEDED) {
    status = PMIX_SUCCESS;
  }
  PMIX_INFO_DESTRUCT(&collect);
  if (status != PMIX_SUCCESS) {
    return fail_pmix(status, "rank {} ({}): barrier of job {} through PMIx", identity_.rank,
                     identity_.host, identity_.job);
  }
  return {};
}

void PmixBootstrap::abort(int status, const std::string& message) {
  // Our own mpirun shows what PMIx_Abort carries; of other servers not every one does.
  if (!connected_ || !identity_.job.starts_with("remit.")) {
    Log(fmt::format("remit: rank {} ({}): ", identity_.rank, identity_.host))
        .write(LogLevel::error, "{}", message);
  }
  if (connected_) PMIx_Abort(status, message.c_str(), nullptr, 0);
  ::_exit(status);
}

void PmixBootstrap::finalize(const std::function<void()>& meanwhile) {
  // A host that leaves early makes others of a Slurm job report lost messages. On one host the
  // server counts its clients itself. Only the first time: PMIx 4.2's server takes a client whose
  // departure it sees late off a fence that others have begun since. Were it to come to that fence
  // after all, as one that opens MPI again may, it would wait there for ever.
  if (connected_ && !has_left_ && identity_.local_size < identity_.size) {
    if (auto left = fence(meanwhile); !left) {
      Log().write(LogLevel::warning, "{}", left.error().message);
    }
  }
  has_left_ = true;
  leave();
}

Expected<> PmixBootstrap::reopen() {
  if (connected_) return {};
  const pmix_status_t status = join(&self_);
  if (status != PMIX_SUCCESS) {
    return fail_pmix(status, "rank {} ({}) cannot join its job {} again", identity_.rank,
                     identity_.host, identity_.job);
  }
  connected_ = true;
  return {};
}

std::vector<ProcessSet> PmixBootstrap::process_sets() {
  std::vector<ProcessSet> sets;
  const PmixAnswer names(self_, PMIX_QUERY_PSET_NAMES, nullptr);
  for (const std::string& name : split_names(pmix_text(names.value()).value_or(""))) {
    const PmixAnswer members(self_, PMIX_QUERY_PSET_MEMBERSHIP, name.c_str());
    ProcessSet set{name, pmix_ranks(members.value(), self_.nspace)};
    if (!set.ranks.empty()) sets.push_back(std::move(set));
  }
  return sets;
}

std::optional<std::string> PmixBootstrap::parent_port() {
  const bool spawned = pmix_known(proc(PMIX_RANK_WILDCARD), PMIX_PARENT_ID) != nullptr;
  if (!spawned || !identity_.job.starts_with("remit.")) return std::nullopt;
  if (identity_.rank != 0) return "";
  return lookup_name(parent_port_name(identity_.job)).value_or("");
}

constexpr const char* kUnmappedUser =
    "; or because this process is in a user namespace without its user, who is nobody there (map "
    "it: unshare --map-current-user, podman run --userns=keep-id)";

/// The server asks the kernel who calls, and believes only the user it serves.
bool user_is_mapped() {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/proc/sys/kernel/overflowuid", "re"),
                                                   std::fclose);
  unsigned nobody = 0;
  return file == nullptr || std::fscanf(file.get(), "%u", &nobody) != 1 || ::getuid() != nobody;
}

}  // namespace

Expected<std::unique_ptr<Bootstrap>> open_pmix_bootstrap(int opening) {
  pmix_proc_t self;
  PMIX_PROC_CONSTRUCT(&self);
  const pmix_status_t status = join(&self);
  if (status != PMIX_SUCCESS) {
    const auto variable = [](const char* name) {
      const char* value = std::getenv(name);
      return value != nullptr ? value : "(not set)";
    };
    return fail_pmix(
        status,
        "PMIX_NAMESPACE={} and PMIX_RANK={} say that a PMIx server started this "
        "process, but it cannot be reached at PMIX_SERVER_URI4={}. Its launcher may be "
        "gone, or the environment was inherited from another job, or a container hides "
        "the server's files and addresses{}. To run alone, set REMIT_SINGLETON=1. "
        "PMIx_Init",
        variable("PMIX_NAMESPACE"), variable("PMIX_RANK"), variable("PMIX_SERVER_URI4"),
        user_is_mapped() ? "" : kUnmappedUser);
  }
  auto bootstrap = std::make_unique<PmixBootstrap>(self, opening);
  if (auto learned = bootstrap->learn_identity(); !learned) {
    return tl::unexpected(learned.error());
  }
  return bootstrap;
}

}  // namespace remit
