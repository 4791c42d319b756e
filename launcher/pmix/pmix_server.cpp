// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Starting the PMIx server and telling it about the job. Which keys, and why: Open MPI 4 and 5,
// MPICH 5 and Remit each read a different part of them.
#include "launcher/pmix/pmix_server.hpp"

#include <pmix_server.h>
#include <unistd.h>

#include <algorithm>
#include <asio/post.hpp>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iterator>
#include <system_error>
#include <thread>

#include "launcher/pmix/pmix_info.hpp"
#include "launcher/pmix/pmix_upcalls.hpp"
#include "launcher/report/crash_report.hpp"
#include "runtime/bootstrap/spawn_keys.hpp"
#include "runtime/nagle.hpp"

namespace remit::launcher {
namespace {

// Above this many ranks PMIx keeps the job's description once a host in shared memory; below, a
// copy in each rank is small and saves each of them about 7 ms.
constexpr std::size_t kSharedStoreRanks = 16;

tl::unexpected<Error> fail_pmix(pmix_status_t status, const std::string& attempt) {
  const bool memory = status == PMIX_ERR_NOMEM || status == PMIX_ERR_OUT_OF_RESOURCE;
  const std::string advice = memory ? memory_limit_advice() : "";
  return fail(MPI_ERR_OTHER, "{}: {}{}{}", attempt, PMIx_Error_string(status),
              advice.empty() ? "" : "; ", advice);
}

// Runs a PMIx call that reports by callback, or at once, and waits for it.
template <class Call>
pmix_status_t wait_for(Call call) {
  std::promise<pmix_status_t> done;
  const pmix_status_t status = call(
      [](pmix_status_t result, void* promise) {
        static_cast<std::promise<pmix_status_t>*>(promise)->set_value(result);
      },
      static_cast<void*>(&done));
  if (status == PMIX_OPERATION_SUCCEEDED) return PMIX_SUCCESS;
  return status == PMIX_SUCCESS ? done.get_future().get() : status;
}

std::string join_numbers(const std::vector<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

constexpr std::size_t kThreads = 2;  // that PMIx's server has

std::size_t count_threads() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

// Threads that could be started at once can be so again, with the same stacks.
Expected<> try_threads() {
  std::promise<void> all_run;
  std::vector<std::thread> threads;
  std::string error;
  try {
    const std::shared_future<void> go = all_run.get_future().share();
    while (threads.size() < kThreads) threads.emplace_back([go] { go.wait(); });
  } catch (const std::system_error&) {
    error = words_of_exception();
  }
  all_run.set_value();
  for (std::thread& thread : threads) thread.join();
  if (!error.empty()) return fail(MPI_ERR_OTHER, "cannot start the threads of PMIx: {}", error);
  return {};
}

// An outer launcher's PMIx variables would make this server a client of that launcher.
void forget_outer_pmix() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string setting = *entry;
    if (setting.starts_with("PMIX_") && !setting.starts_with("PMIX_MCA_") &&
        !setting.starts_with("PMIX_DEBUG")) {
      names.push_back(setting.substr(0, setting.find('=')));
    }
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

void add_rank_info(const Job& job, const Rank& rank, const std::string& job_directory,
                   pmix_topology_t* topology, PmixInfo* job_info) {
  PmixInfo info;
  const auto number = [](int value) { return static_cast<std::uint32_t>(value); };
  info.add_rank(PMIX_RANK, rank.rank);
  info.add(PMIX_GLOBAL_RANK, number(rank.rank));
  info.add(PMIX_APPNUM, number(rank.app));
  info.add_rank(PMIX_APP_RANK, rank.app_rank);
  info.add(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(rank.local_rank));
  info.add(PMIX_NODE_RANK, static_cast<std::uint16_t>(rank.local_rank));
  info.add(PMIX_NODEID, number(rank.host));
  info.add(PMIX_HOSTNAME, job.hosts[static_cast<std::size_t>(rank.host)].name);
  info.add(PMIX_REINCARNATION, number(0));
  info.add(PMIX_SPAWNED, job.is_spawned());
  info.add(PMIX_PROCDIR, fmt::format("{}/{}", job_directory, rank.rank));
  if (rank.binding.bound()) {
    info.add(PMIX_CPUSET, rank.binding.list());
    pmix_cpuset_t cpuset{};
    hwloc_bitmap_t bitmap = hwloc_bitmap_alloc();
    for (const int cpu : rank.binding.cpus) hwloc_bitmap_set(bitmap, static_cast<unsigned>(cpu));
    cpuset.source = topology->source;
    cpuset.bitmap = bitmap;
    char* locality = nullptr;
    if (PMIx_server_generate_locality_string(&cpuset, &locality) == PMIX_SUCCESS &&
        locality != nullptr) {
      info.add(PMIX_LOCALITY_STRING, std::string(locality));
      std::free(locality);
    }
    hwloc_bitmap_free(bitmap);
  }
  job_info->add(PMIX_PROC_INFO_ARRAY, info);
}

void add_app_info(const App& app, int number, PmixInfo* job_info) {
  PmixInfo info;
  info.add(PMIX_APPNUM, static_cast<std::uint32_t>(number));
  info.add(PMIX_APP_SIZE, static_cast<std::uint32_t>(app.ranks));
  info.add_rank(PMIX_APPLDR, app.first_rank);
  info.add(PMIX_WDIR, app.wdir);
  info.add(PMIX_APP_ARGV, fmt::format("{}", fmt::join(app.argv, " ")));
  job_info->add(PMIX_APP_INFO_ARRAY, info);
}

Expected<> add_maps(const Job& job, PmixInfo* info) {
  std::string names;
  std::string ranks;
  for (const Host& host : job.hosts) {
    names += (names.empty() ? "" : ",") + host.name;
    ranks += (ranks.empty() ? "" : ";") + join_numbers(host.ranks);
  }
  char* node_map = nullptr;
  char* proc_map = nullptr;
  if (const auto status = PMIx_generate_regex(names.c_str(), &node_map); status != PMIX_SUCCESS) {
    return fail_pmix(status, "PMIx_generate_regex");
  }
  if (const auto status = PMIx_generate_ppn(ranks.c_str(), &proc_map); status != PMIX_SUCCESS) {
    return fail_pmix(status, "PMIx_generate_ppn");
  }
  info->add_regex(PMIX_NODE_MAP, node_map);
  info->add_regex(PMIX_PROC_MAP, proc_map);
  std::free(node_map);
  std::free(proc_map);
  return {};
}

void add_host_info(const Job& job, const Host& host, int allowed_processors, PmixInfo* info) {
  const auto local_size = static_cast<std::uint32_t>(host.ranks.size());
  info->add(PMIX_LOCAL_SIZE, local_size);
  info->add(PMIX_NODE_SIZE, local_size + static_cast<std::uint32_t>(host.neighbours));
  info->add(PMIX_LOCAL_PEERS, join_numbers(host.ranks));
  info->add_rank(PMIX_LOCALLDR, host.ranks.front());
  std::string cpusets;
  for (const int rank : host.ranks) {
    const Binding& binding = job.ranks[static_cast<std::size_t>(rank)].binding;
    if (!binding.bound()) break;
    cpusets += (cpusets.empty() ? "" : ":") + binding.list();
  }
  if (!cpusets.empty()) info->add(PMIX_LOCAL_CPUSETS, cpusets);
  // Its presence alone makes Open MPI yield: only where it is true.
  if (static_cast<int>(local_size) + host.neighbours > allowed_processors) {
    info->add(PMIX_NODE_OVERSUBSCRIBED, true);
  }
}

}  // namespace

PmixServer::PmixServer(asio::io_context& io, Place place, Callbacks callbacks,
                       PmixExchange* exchange)
    : io_(io),
      place_(std::move(place)),
      callbacks_(std::move(callbacks)),
      exchange_(exchange),
      pmi1_(io, place_.node,
            {callbacks_.connected, callbacks_.finalized, callbacks_.aborted, callbacks_.refused},
            exchange) {}

// The server is left to the end of the process: PMIx_server_finalize waits for threads and files
// that the guardian cleans up better.
PmixServer::~PmixServer() {
  PmixUpcalls::set_server(nullptr);
}

Expected<std::unique_ptr<PmixServer>> PmixServer::start(asio::io_context& io, Place place,
                                                        const Job& first, Callbacks callbacks,
                                                        PmixExchange* exchange) {
  std::unique_ptr<PmixServer> server(
      new PmixServer(io, std::move(place), std::move(callbacks), exchange));
  server->root_ = first.root;
  PmixUpcalls::set_server(server.get());
  if (auto done = server->init(first); !done) return tl::unexpected(done.error());
  if (auto done = server->add_job(first); !done) return tl::unexpected(done.error());
  if (exchange != nullptr) {
    exchange->set_server(
        {[self = server.get()](int process, PmixExchange::Data done) {
           self->local_data(process, std::move(done));
         },
         [self = server.get()](const PmixEvent& event) { self->notified(event); }});
  }
  return server;
}

// Where it has no ranks, too: those here may have to do with ranks of it elsewhere.
Expected<> PmixServer::add_job(const Job& job) {
  const int host = job.host_of(place_.node);
  if (auto done = register_job(job, host); !done) return done;
  if (auto done = register_clients(job, host); !done) return done;
  pmi1_.add_job(job);
  jobs_[job.nspace] = {job.first, static_cast<int>(job.ranks.size()), host >= 0, program_sets(job)};
  // Rank 0 will look for it, here: it cannot come before.
  if (job.ranks.front().host == host && !job.parent_port.empty()) {
    publish_text(parent_port_name(job.nspace), job.spawner, job.parent_port, [] {});
  }
  return {};
}

void PmixServer::remove_folder(const std::string& nspace) const {
  std::error_code ignored;
  std::filesystem::remove_all(place_.directory + "/" + nspace, ignored);
}

int PmixServer::number_of(const ProcessName& process) const {
  const auto found = jobs_.find(process.job);
  const bool exists =
      found != jobs_.end() && process.rank >= 0 && process.rank < found->second.size;
  return exists ? found->second.first + process.rank : -1;
}

ProcessRuns PmixServer::runs_of(const std::vector<ProcessName>& processes) const {
  ProcessRuns runs;
  for (const ProcessName& process : processes) {
    const auto found = jobs_.find(process.job);
    const bool all = process.rank == ProcessName::kAll;
    const int first = found != jobs_.end() && all ? found->second.first : number_of(process);
    if (first < 0) return {};
    runs.push_back({first, all ? found->second.size : 1});
  }
  std::ranges::sort(runs, {}, &ProcessRun::first);
  ProcessRuns joined;
  for (const ProcessRun& run : runs) {
    if (!joined.empty() && run.first <= joined.back().first + joined.back().count) {
      ProcessRun& last = joined.back();
      last.count = std::max(last.count, run.first + run.count - last.first);
    } else {
      joined.push_back(run);
    }
  }
  return joined;
}

std::vector<PmixServer::ProgramSet> PmixServer::program_sets(const Job& job) {
  if (job.apps.size() < 2) return {};
  std::vector<ProgramSet> sets(job.apps.size());
  for (std::size_t app = 0; app < sets.size(); ++app) {
    sets[app].name = fmt::format("mpirun://program/{}", app);
  }
  for (const Rank& rank : job.ranks) {
    sets[static_cast<std::size_t>(rank.app)].ranks.push_back(rank.rank);
  }
  return sets;
}

Expected<> PmixServer::init(const Job& first) {
  // Where memory is limited PMIx may crash for want of a thread.
  if (!memory_limit_advice().empty()) {
    if (auto room = try_threads(); !room) return room;
  }
  const std::size_t threads = count_threads();
  forget_outer_pmix();
  if (first.ranks.size() <= kSharedStoreRanks) ::setenv("PMIX_MCA_gds", "hash", 0);
  ::setenv("PMIX_MCA_psec", "native", 0);
  pmix_topology_t shared{const_cast<char*>("hwloc"), place_.topology->get()};
  PmixInfo info;
  info.add(PMIX_SERVER_NSPACE, root_ + ".server");
  info.add_rank(PMIX_SERVER_RANK, place_.node);
  info.add(PMIX_SERVER_TMPDIR, place_.directory);
  info.add(PMIX_HOSTNAME, place_.host);
  // Without it PMIx discovers the host again, with I/O objects.
  info.add_topology(PMIX_TOPOLOGY2, &shared);
  pmix_server_module_t module = PmixUpcalls::module();
  const std::vector<int> descriptors = low_descriptors();
  const pmix_status_t status = PMIx_server_init(&module, info.data(), info.size());
  info.drop_borrowed();
  // It says nothing if it cannot start the thread that listens: ranks would wait for it for ever.
  if (status != PMIX_SUCCESS || count_threads() < threads + kThreads) {
    if (auto room = try_threads(); !room) return room;
  }
  if (status != PMIX_SUCCESS) {
    // It does not say what it missed.
    const std::string limit = memory_limit_advice();
    return fail_pmix(status,
                     fmt::format("PMIx cannot start its server (it needs a loopback interface "
                                 "that is up: 'ip link set lo up', and some space in {}{}{})",
                                 place_.directory, limit.empty() ? "" : "; ", limit));
  }
  disable_nagle_on_new_sockets(descriptors);
  return {};
}

Expected<> PmixServer::register_job(const Job& job, int host) {
  const Host* const here = host < 0 ? nullptr : &job.hosts[static_cast<std::size_t>(host)];
  const auto size = static_cast<std::uint32_t>(job.ranks.size());
  const std::string job_directory = place_.directory + "/" + job.nspace;
  std::error_code error;
  std::filesystem::create_directory(job_directory, error);
  PmixInfo info;
  info.add(PMIX_JOBID, job.nspace);
  info.add(PMIX_SERVER_NSPACE, root_ + ".server");
  info.add_rank(PMIX_SERVER_RANK, place_.node);
  info.add(PMIX_JOB_SIZE, size);
  info.add(PMIX_UNIV_SIZE, static_cast<std::uint32_t>(job.universe));
  info.add(PMIX_MAX_PROCS, size);
  info.add(PMIX_NUM_NODES, static_cast<std::uint32_t>(job.hosts.size()));
  info.add(PMIX_NUM_ALLOCATED_NODES, static_cast<std::uint32_t>(job.allocated));
  info.add(PMIX_JOB_NUM_APPS, static_cast<std::uint32_t>(job.apps.size()));
  info.add(PMIX_SPAWNED, job.is_spawned());
  if (job.is_spawned()) {
    info.add(PMIX_PARENT_ID, job.spawner.job, job.spawner.rank);
  }
  info.add(PMIX_TMPDIR, place_.directory);
  info.add(PMIX_NSDIR, job_directory);
  info.add(PMIX_TDIR_RMCLEAN, true);
  info.add(PMIX_ANL_MAP, process_mapping(job));
  if (auto done = add_maps(job, &info); !done) return done;
  if (here != nullptr) add_host_info(job, *here, place_.topology->count(HWLOC_OBJ_PU), &info);
  if (job.apps.size() == 1) {
    info.add(PMIX_WDIR, job.apps[0].wdir);
    info.add(PMIX_APP_ARGV, fmt::format("{}", fmt::join(job.apps[0].argv, " ")));
  }
  if (const Expected<std::string> xml = place_.topology->xml()) {
    info.add(PMIX_HWLOC_XML_V2, *xml);
  }
  for (std::size_t i = 0; i < job.apps.size(); ++i) {
    add_app_info(job.apps[i], static_cast<int>(i), &info);
  }
  pmix_topology_t shared{const_cast<char*>("hwloc"), place_.topology->get()};
  for (const Rank& rank : job.ranks) {
    add_rank_info(job, rank, job_directory, &shared, &info);
    if (rank.host == host) {
      std::filesystem::create_directory(fmt::format("{}/{}", job_directory, rank.rank), error);
    }
  }
  pmix_nspace_t nspace;
  PMIX_LOAD_NSPACE(nspace, job.nspace.c_str());
  const pmix_status_t status = wait_for([&](pmix_op_cbfunc_t done, void* data) {
    return PMIx_server_register_nspace(nspace, static_cast<int>(here ? here->ranks.size() : 0),
                                       info.data(), info.size(), done, data);
  });
  if (status != PMIX_SUCCESS) return fail_pmix(status, "PMIx_server_register_nspace");
  return {};
}

Expected<> PmixServer::register_clients(const Job& job, int host) {
  if (host < 0) return {};
  for (const int rank : job.hosts[static_cast<std::size_t>(host)].ranks) {
    pmix_proc_t process;
    PMIX_LOAD_PROCID(&process, job.nspace.c_str(), static_cast<pmix_rank_t>(rank));
    const pmix_status_t status = wait_for([&](pmix_op_cbfunc_t done, void* data) {
      return PMIx_server_register_client(&process, ::geteuid(), ::getegid(), nullptr, done, data);
    });
    if (status != PMIX_SUCCESS) return fail_pmix(status, "PMIx_server_register_client");
  }
  return {};
}

void PmixServer::local_data(int process, PmixExchange::Data done) {
  const auto job = std::ranges::find_if(jobs_, [&](const auto& each) {
    return process >= each.second.first && process - each.second.first < each.second.size;
  });
  if (job == jobs_.end()) return done(PMIX_ERR_NOT_FOUND, "");
  pmix_proc_t owner;
  PMIX_LOAD_PROCID(&owner, job->first.c_str(),
                   static_cast<pmix_rank_t>(process - job->second.first));
  struct Request {
    asio::io_context& io;
    PmixExchange::Data done;
  };
  auto* request = new Request{io_, std::move(done)};
  const pmix_status_t status = PMIx_server_dmodex_request(
      &owner,
      [](pmix_status_t result, char* data, std::size_t size, void* asked) {
        const std::unique_ptr<Request> kept(static_cast<Request*>(asked));
        asio::post(kept->io, [answer = kept->done, result, bytes = std::string(data, size)] {
          answer(result, bytes);
        });
      },
      request);
  if (status == PMIX_SUCCESS) return;
  request->done(status, "");
  delete request;
}

Expected<> PmixServer::add_client_env(const Job& job, int rank, std::vector<std::string>* env) {
  pmix_proc_t process;
  PMIX_LOAD_PROCID(&process, job.nspace.c_str(), static_cast<pmix_rank_t>(rank));
  char** added = nullptr;
  const pmix_status_t status = PMIx_server_setup_fork(&process, &added);
  if (status != PMIX_SUCCESS) return fail_pmix(status, "PMIx_server_setup_fork");
  for (char** entry = added; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string setting = *entry;
    const std::size_t equals = setting.find('=');
    set_env(env, setting.substr(0, equals), setting.substr(equals + 1));
    std::free(*entry);
  }
  std::free(added);
  pmi1_.add_env(job, rank, env);
  return {};
}

}  // namespace remit::launcher
