// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Text that a resource manager, a user or an earlier job has left: lists of hosts, files of hosts
// and ranks, the command line, parameters, tables of measurements.
#include <algorithm>
#include <array>
#include <cctype>

#include "collectives/algorithms.hpp"
#include "collectives/choice/tuning.hpp"
#include "launcher/cli/options.hpp"
#include "launcher/cli/words.hpp"
#include "launcher/plan/hosts.hpp"
#include "launcher/plan/rankfile.hpp"
#include "launcher/plan/slurm.hpp"
#include "rdma_btl/shm/copies/copy_table.hpp"
#include "runtime/launch_params.hpp"
#include "runtime/params.hpp"
#include "tests/fuzz/surface.hpp"

namespace remit::fuzz {
namespace {

using namespace launcher;

bool is_slots(int slots) {
  return slots == HostSpec::kAllCores || slots >= 1;
}

void require_hosts(const std::vector<HostSpec>& hosts) {
  for (const HostSpec& host : hosts) {
    require(!host.name.empty() && !host.name.starts_with('-'), "a host has a name");
    require(is_slots(host.slots) && host.max_slots >= 0, "a host has slots");
  }
}

const OwnNames& own_names() {
  static const OwnNames own{"here.example", {"192.0.2.1", "fe80::1"}};
  return own;
}

// --- Slurm's variables -------------------------------------------------------------------------

// The list of nodes, a zero byte, the tasks of each.
void run_slurm(std::string_view bytes) {
  const std::string_view nodes = bytes.substr(0, bytes.find('\0'));
  const std::string tasks(bytes.substr(std::min(nodes.size() + 1, bytes.size())));
  if (const auto names = expand_host_list(nodes)) {
    require(!names->empty(), "a list names hosts");
    for (const std::string& name : *names) {
      require(!name.empty() && !name.starts_with('-'), "a host has a name");
    }
  }
  if (const auto counts = expand_counts(tasks)) {
    require(std::ranges::all_of(*counts, [](int count) { return count >= 1; }), "a host has tasks");
  }
  const auto allocation =
      find_allocation({"SLURM_JOB_ID=1", "SLURM_JOB_NODELIST=" + std::string(nodes),
                       "SLURM_TASKS_PER_NODE=" + tasks, "SLURMD_NODENAME=n1"});
  if (!allocation || !*allocation) return;
  require_hosts((*allocation)->hosts);
  Options options;
  options.hostfile = {{"n1", HostSpec::kAllCores, false, 0}};
  if (use_allocation(**allocation, own_names(), &options)) require_hosts(options.hostfile);
}

std::vector<std::string> slurm_seeds() {
  using namespace std::string_literals;
  return {"n[1-3,07],b\0002(x3),1,4"s, "n1\0001"s, "r[0-1]n[08-11]\0004(x8)"s,
          "n[18446744073709551614-18446744073709551615]\0001(x2)"s};
}

// --- hosts and ranks ---------------------------------------------------------------------------

// Words of --host, a line's end, a hostfile.
void run_hosts(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const auto words = read_host_words(std::string(bytes.substr(0, end)));
  const auto file = read_hostfile("f", std::string(bytes.substr(std::min(end + 1, bytes.size()))));
  if (words) {
    for (const HostWord& word : *words) {
      if (word.kind == HostWord::Kind::name) require_hosts({word.host});
      require(word.kind != HostWord::Kind::nth || word.number >= 0, "hosts are counted from 0");
    }
  }
  std::vector<HostSpec> job;
  if (file) {
    require_hosts(*file);
    if (const auto all = resolve_hosts({}, *file, own_names())) join_hosts(*all, &job);
  }
  if (words) {
    const auto chosen = resolve_hosts(
        *words, file ? std::span<const HostSpec>(*file) : std::span<const HostSpec>{}, own_names());
    if (chosen) join_hosts(*chosen, &job);
  }
  require_hosts(job);
  for (std::size_t i = 1; i < job.size(); ++i) {
    require(job[i].name != job[i - 1].name, "a host stands in a list once");
  }
}

std::vector<std::string> hosts_seeds() {
  return {"a,b:4,+n1,+e:2\na slots=4 max_slots=8\nb:2 # comment\n[::1]:3\n\"c d\"\nuser@e cpus=2\n",
          "localhost,a:*\na\na slots=2\na max-slots=1048576\n"};
}

void run_rankfile(std::string_view bytes) {
  static const Processors processors(*Topology::synthetic("pack:2 core:4 pu:2"));
  const auto file = read_rankfile("f", std::string(bytes));
  if (!file) return;
  for (std::size_t i = 0; i < file->ranks.size(); ++i) {
    const RankLine& line = file->ranks[i];
    require(line.rank == static_cast<int>(i), "every rank has one line");
    const auto binding = bind_line(processors, file->path, line);
    if (!binding) continue;
    require(std::ranges::is_sorted(binding->cpus), "processors ascend");
    require(binding->cpus.empty() || (binding->cpus.front() >= 0 && binding->cpus.back() < 16),
            "a rank is bound to processors that exist");
  }
}

std::vector<std::string> rankfile_seeds() {
  return {"rank 0=a slot=0,2-3\nrank 1=+n0 slot=1:0-2\nrank 2=b slot=1:*\nrank 3=user@c\n",
          "# none\nrank 0=\"h\" slot=0-32767,0-32767\n"};
}

// --- the command line --------------------------------------------------------------------------

// Words end with a line; what stands behind a zero byte is in every file that they name.
void run_options(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\0'));
  const std::string file(bytes.substr(std::min(line.size() + 1, bytes.size())));
  const std::vector<std::string> words = split(line, '\n');
  const auto options =
      parse_options(words, [&](const std::string&) -> Expected<std::string> { return file; });
  if (!options || options->action != Action::run) return;
  for (const AppSpec& app : options->apps) {
    require(!app.command.empty(), "a program has a name");
    require(app.ranks >= 1, "a program has ranks");
  }
  require(options->total_ranks() >= 1, "a job has ranks");
  require(options->tree_width >= 1 && options->host_timeout_s > 0, "a tree can be built");
  (void)output_file(options->output.out_file, "3", "here");
  if (const auto room = find_room(*options, own_names())) {
    require_hosts(room->hosts);
    for (const auto& list : room->app_hosts) {
      for (const int host : list) (void)room->hosts.at(static_cast<std::size_t>(host));
    }
    for (const int host : room->rank_hosts) (void)room->hosts.at(static_cast<std::size_t>(host));
  }
}

std::vector<std::string> options_seeds() {
  using namespace std::string_literals;
  return {
      "-n\n4\n--host\na,b:2\n--map-by\nppr:2:numa\n--bind-to\ncore:2\nprogram\nargument"s,
      "-np\n2\n-x\nA=1\n-genv\nB\n2\np\n:\n-n\n1\n-wdir\n/\nq"s,
      "--hostfile\nf\n--output\ntag,merge\n--rank-by\nspan\n-N\n2\np\0a slots=4\nb:2\n"s,
      "--rankfile\nf\np\0rank 0=a slot=0\nrank 1=b slot=1:*\n"s,
      "--app\nf\0-n 2 p \"a b\"\n-n 1 q # c\n"s,
      "--param\nhost_timeout=3\n--timeout\n10\n--stdin\nall\n--mca\na\nb\np"s,
  };
}

void run_params(std::string_view bytes) {
  Params params;
  std::vector<std::string> environment;
  for (const std::string& line : split(bytes, '\n')) {
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string name = line.substr(0, equals);
    (void)params.set(name, line.substr(std::min(equals + 1, line.size())));
    if (line.find('\0') == std::string::npos) environment.push_back("REMIT_" + line);
  }
  std::vector<char*> pointers;
  for (std::string& line : environment) pointers.push_back(line.data());
  pointers.push_back(nullptr);
  const auto read = Params::from_environment(pointers.data());
  for (const ParamDecl* decl : all_params()) {
    if (!std::holds_alternative<std::int64_t>(decl->default_value)) continue;
    const auto check = [decl](const Params& set) {
      const std::int64_t value = set.integer(*decl);
      require(!set.is_set(*decl) || (value >= decl->range.least && value <= decl->range.most),
              "a parameter is within its range");
    };
    check(params);
    if (read) check(*read);
  }
  Options options;
  if (apply_params(params, &options)) {
    require(options.tree_width >= 1 && options.host_timeout_s > 0, "a tree can be built");
  }
}

std::vector<std::string> params_seeds() {
  std::vector<std::string> seeds{"eager_limit=4k\nlaunch_width=2\nhost_timeout=9"};
  std::string upper;
  for (const ParamDecl* decl : all_params()) {
    for (const char letter : std::string_view(decl->name)) {
      upper += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    upper += "=1k\n";
    seeds.push_back(std::string(decl->name) + "=1T");
  }
  seeds.push_back(upper);
  return seeds;
}

// --- tables ------------------------------------------------------------------------------------

void run_tables(std::string_view bytes) {
  constexpr std::string_view kHost = "host";
  if (const auto table = CollectiveTable::parse(bytes, kHost)) {
    for (std::size_t kind = 0; kind < kCollectiveKinds; ++kind) {
      for (std::size_t place = 0; place < kCostClasses; ++place) {
        for (const int ranks : {1, 7, 1 << 30}) {
          for (const Algorithm* row : table->measured(static_cast<CollectiveKind>(kind),
                                                      static_cast<CostClass>(place), ranks, 4096)) {
            require(row != nullptr && row->kind == static_cast<CollectiveKind>(kind),
                    "what was measured is an algorithm of the operation");
          }
        }
      }
    }
  }
  shm::CopyTable copies(65536);
  if (copies.merge(bytes, kHost)) {
    const std::string text = copies.text(kHost);
    shm::CopyTable again(65536);
    require(again.merge(text, kHost).has_value(), "a table reads what it has written");
    require(again.measured() == copies.measured(), "and loses nothing");
    (void)copies.best(1 << 20);
    (void)copies.lines();
  }
}

std::vector<std::string> tables_seeds() {
  shm::CopyTable copies(65536);
  for (std::size_t bytes = shm::CopyTable::kSmallest; bytes <= std::size_t{32} << 20; bytes *= 2) {
    for (std::uint64_t ns = 1000; ns < 9000; ns += 1000) {
      const auto [method, timed] = copies.next(bytes);
      if (timed) static_cast<void>(copies.record(bytes, method, ns));
    }
  }
  return {copies.text("host"),
          "remit collective table 1\nhost\n# measured\nmodel host 60 120 300 0.1 0.1\n"
          "choice allgather host 4 0 ring\nchoice allgather host 4 4096 ring,ring\n"
          "choice allgather host 8 1 ring\n"};
}

}  // namespace

std::vector<Surface> text_surfaces() {
  return {
      // A list may have 65536 hosts, each with a name of 255 letters.
      {"slurm", 1024, 128 * 1024 * kKb, 64, run_slurm, slurm_seeds},
      {"hosts", 8192, 64 * kKb, 256, run_hosts, hosts_seeds},
      // A line may name 65536 cores.
      {"rankfile", 4096, 2048 * kKb, 256, run_rankfile, rankfile_seeds},
      {"options", 4096, 2048 * kKb, 1024, run_options, options_seeds},
      {"params", 4096, 256 * kKb, 256, run_params, params_seeds},
      {"tables", 4096, 256 * kKb, 256, run_tables, tables_seeds},
  };
}

}  // namespace remit::fuzz
