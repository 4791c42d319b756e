// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The table of what collectives cost: reading it, finding it, asking it.
#include "collectives/choice/tuning.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "collectives/algorithms.hpp"
#include "collectives/choice/collective_costs.hpp"
#include "collectives/state.hpp"
#include "runtime/cache_file.hpp"

namespace remit {

namespace {

inline const ParamDecl table_param{
    "coll_table", std::string("auto"), "file",
    "what collectives cost, as benchmarks/tune measured it; auto: a file in the user's cache "
    "folder; none: the built-in constants"};

constexpr std::string_view kTitle = "remit collective table 1";
constexpr std::size_t kLongestFile = std::size_t{1} << 20;
/// Only relations matter inside a host, where a message is work of both processors and little else:
/// nothing of it overlaps with the next one. Where ranks share cores it is a change of the running
/// process. Between hosts: a fast network of today.
constexpr std::array<LogGP, kCostClasses> kBuiltin = {
    LogGP{60, 120, 300, 0.1, 0.1},
    LogGP{8000, 1000, 300, 0.1, 0.1},
    LogGP{1000, 100, 200, 0.08, 0.1},
};
/// Measurements with other numbers of ranks count, up to this factor.
constexpr int kNear = 2;
constexpr std::size_t kElement = 4;  ///< bytes, in reports

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream{std::string(text)};
  for (std::string word; std::getline(stream, word, separator);) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::optional<CostClass> cost_class_named(std::string_view name) {
  const auto found = std::find(kCostClassNames.begin(), kCostClassNames.end(), name);
  if (found == kCostClassNames.end()) return std::nullopt;
  return static_cast<CostClass>(found - kCostClassNames.begin());
}

std::optional<CollectiveKind> kind_named(std::string_view name) {
  for (std::size_t i = 0; i < kCollectiveKinds; ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    if (collective_name(kind) == name) return kind;
  }
  return std::nullopt;
}

const Algorithm* algorithm_named(CollectiveKind kind, std::string_view name) {
  for (const Algorithm& row : all_algorithms()) {
    if (row.kind == kind && !row.inter && row.name == name) return &row;
  }
  return nullptr;
}

std::size_t slot_of(CollectiveKind kind, CostClass cost_class) {
  return static_cast<std::size_t>(kind) * kCostClasses + static_cast<std::size_t>(cost_class);
}

}  // namespace

// --- reading -----------------------------------------------------------------------------------

CollectiveTable::CollectiveTable() : models_(kBuiltin) {}

Expected<> CollectiveTable::take_model(const std::vector<std::string>& words) {
  if (words.size() != 7) return fail(MPI_ERR_ARG, "a model is: place L o g G reduce");
  const std::optional<CostClass> where = cost_class_named(words[1]);
  if (!where) return fail(MPI_ERR_ARG, "'{}' is no place", words[1]);
  std::array<double, 5> values = {};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::optional<double> value = number<double>(words[i + 2]);
    if (!value || !std::isfinite(*value) || *value < 0) {
      return fail(MPI_ERR_ARG, "'{}' is no time", words[i + 2]);
    }
    values[i] = *value;
  }
  const LogGP model{values[0], values[1], values[2], values[3], values[4]};
  if (model.alpha() <= 0) return fail(MPI_ERR_ARG, "a message takes no time");
  models_[static_cast<std::size_t>(*where)] = model;
  return {};
}

Expected<> CollectiveTable::take_choice(const std::vector<std::string>& words) {
  if (words.size() != 6) {
    return fail(MPI_ERR_ARG, "a choice is: operation place ranks bytes algorithms");
  }
  const std::optional<CollectiveKind> kind = kind_named(words[1]);
  if (!kind) return fail(MPI_ERR_ARG, "'{}' is no operation", words[1]);
  const std::optional<CostClass> cost_class = cost_class_named(words[2]);
  if (!cost_class) return fail(MPI_ERR_ARG, "'{}' is no place", words[2]);
  const std::optional<int> ranks = number<int>(words[3]);
  if (!ranks || *ranks < 1) return fail(MPI_ERR_ARG, "'{}' is no number of ranks", words[3]);
  const std::optional<std::size_t> bytes = number<std::size_t>(words[4]);
  if (!bytes) return fail(MPI_ERR_ARG, "'{}' is no number of bytes", words[4]);
  Choice choice{*ranks, *bytes, {}};
  for (const std::string& name : split(words[5], ',')) {
    const Algorithm* row = algorithm_named(*kind, name);
    if (row == nullptr) return fail(MPI_ERR_ARG, "there is no {}={}", words[1], name);
    choice.best.push_back(row);
  }
  if (choice.best.empty()) return fail(MPI_ERR_ARG, "'{}' names no algorithm", words[5]);
  auto& list = choices_[slot_of(*kind, *cost_class)];
  const auto key = [](const Choice& c) { return std::pair(c.ranks, c.from_bytes); };
  const auto at =
      std::lower_bound(list.begin(), list.end(), choice,
                       [&](const Choice& a, const Choice& b) { return key(a) < key(b); });
  if (at != list.end() && key(*at) == key(choice)) {
    return fail(MPI_ERR_ARG, "a second choice for {} bytes among {} ranks", *bytes, *ranks);
  }
  list.insert(at, std::move(choice));
  return {};
}

Expected<> CollectiveTable::take_line(const std::string& line) {
  if (line.empty() || line.front() == '#') return {};
  const std::vector<std::string> words = split(line, ' ');
  if (!words.empty() && words[0] == "choice") return take_choice(words);
  if (!words.empty() && words[0] == "model") return take_model(words);
  return fail(MPI_ERR_ARG, "it begins neither with 'model' nor with 'choice'");
}

Expected<CollectiveTable> CollectiveTable::parse(std::string_view text, std::string_view host) {
  std::istringstream lines{std::string(text)};
  std::string line;
  if (!std::getline(lines, line) || line != kTitle) {
    return fail(MPI_ERR_ARG, "its first line is not '{}'", kTitle);
  }
  if (!std::getline(lines, line) || line != host) {
    return fail(MPI_ERR_ARG, "it was measured on '{}', and this is '{}'", line, host);
  }
  CollectiveTable table;
  for (int count = 3; std::getline(lines, line); ++count) {
    if (const Expected<> taken = table.take_line(line); !taken) {
      return fail(MPI_ERR_ARG, "line {}: {}", count, taken.error().message);
    }
  }
  return table;
}

// --- asking ------------------------------------------------------------------------------------

const std::vector<const Algorithm*>& CollectiveTable::measured(CollectiveKind kind,
                                                               CostClass cost_class, int ranks,
                                                               std::size_t bytes) const {
  static const std::vector<const Algorithm*> kNothing;
  const std::vector<Choice>& list = choices_[slot_of(kind, cost_class)];
  if (list.empty()) return kNothing;
  // The nearest number of ranks; of two that are equally near the smaller one.
  const auto factor = [=](int measured) {
    return static_cast<double>(std::max(measured, ranks)) / std::min(measured, ranks);
  };
  const auto nearest = std::min_element(
      list.begin(), list.end(),
      [&](const Choice& a, const Choice& b) { return factor(a.ranks) < factor(b.ranks); });
  if (factor(nearest->ranks) > kNear) return kNothing;
  const Choice* best = nullptr;
  for (auto at = nearest; at != list.end() && at->ranks == nearest->ranks; ++at) {
    if (at->from_bytes <= bytes) best = &*at;
  }
  return best == nullptr ? kNothing : best->best;
}

std::size_t CollectiveTable::choices() const {
  std::size_t count = 0;
  for (const auto& list : choices_) count += list.size();
  return count;
}

const CollectiveTable& builtin_collective_table() {
  static const CollectiveTable kTable;
  return kTable;
}

LoadedTable load_collective_table(const Params& params, bool one_host) {
  LoadedTable loaded;
  loaded.table = std::make_shared<CollectiveTable>();
  const std::string& wish = params.text(table_param);
  if (wish == "auto" && !one_host) return loaded;
  loaded.file = cache_file(wish, "collectives");
  if (loaded.file.empty()) return loaded;
  const auto refuse = [&](std::string_view why) {
    loaded.problem = fmt::format(
        "the table of collectives {} is not used: {}; 'benchmarks/tune' writes another one, "
        "REMIT_COLL_TABLE=none does without",
        loaded.file, why);
  };
  std::ifstream file(loaded.file, std::ios::binary);
  if (!file) {
    if (wish != "auto") refuse("it cannot be read");
    return loaded;
  }
  std::string text(kLongestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  if (text.size() > kLongestFile) {
    refuse("it is too long for one");
    return loaded;
  }
  auto parsed = CollectiveTable::parse(text, measured_host());
  if (!parsed) {
    refuse(parsed.error().message);
    return loaded;
  }
  loaded.table = std::make_shared<CollectiveTable>(std::move(*parsed));
  loaded.from_file = true;
  return loaded;
}

// --- cost classes ------------------------------------------------------------------------------

int host_processors() {
  // The C library reads a file of the system for it each time.
  static const int processors = static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_CONF)));
  return processors;
}

void learn_costs(Engine& engine, const CommCore& comm) {
  CollectiveState& state = collective_state(comm);
  if (state.table != nullptr) [[likely]]
    return;
  Process& process = engine.process();
  const Identity& me = process.identity();
  const auto is_here = [&](int rank) {
    return std::binary_search(me.local_peers.begin(), me.local_peers.end(),
                              static_cast<int>(comm.local->proc(rank)));
  };
  // Of processes of other jobs nobody knows which table they have read.
  const bool one_job = !spans_jobs(*comm.local, me.size);
  bool one_host = one_job && static_cast<std::size_t>(comm.size()) <= me.local_peers.size();
  for (int rank = 0; one_host && rank < comm.size(); ++rank) one_host = is_here(rank);
  state.cost_class = CostClass::network;
  if (one_host) {
    // A rank's own cores would say more, but must not matter: all members have to choose alike.
    state.processors = host_processors();
    state.cost_class = me.local_size > state.processors ? CostClass::host_shared : CostClass::host;
  }
  const CollectiveTable* loaded = one_job ? process.kept<CollectiveCosts>().table() : nullptr;
  state.table = loaded != nullptr ? loaded : &builtin_collective_table();
}

const LogGP& model_of(Engine& engine, const CommCore& comm) {
  learn_costs(engine, comm);
  const CollectiveState& state = known_state(comm);
  return state.table->model(state.cost_class);
}

// --- reporting ---------------------------------------------------------------------------------

namespace {

/// The shapes of one operation.
struct Shapes {
  CollectiveKind kind;
  CollectiveShape shape;
  const Params& params;

  Shapes(CollectiveKind operation, const CollectiveTable& table, const TuningQuery& query,
         const Params& settings)
      : kind(operation), params(settings) {
    shape.size = query.ranks;
    shape.board = query.board;
    shape.long_board = query.long_board;
    shape.quick_copies = query.quick_copies;
    shape.one_host = query.cost_class != CostClass::network;
    shape.table = &table;
    shape.cost_class = query.cost_class;
    shape.processors = query.processors;
    shape.uniform = !has_own_sizes(kind) && kind != CollectiveKind::allgatherv;
    // As shape_of() sees them.
    if (shape.uniform) shape.hierarchy = query.hierarchy;
    shape.commutative = query.commutative || !is_reduction(kind);
    shape.exact = query.exact && is_reduction(kind);
    shape.in_place = query.in_place;
    shape.inter = query.inter;
  }
  [[nodiscard]] CollectiveShape at(std::size_t bytes) const {
    CollectiveShape sized = shape;
    if (!choice_has_sizes(kind, shape.inter)) return sized;
    sized.bytes = bytes;
    sized.elements = static_cast<MPI_Count>(bytes / kElement);
    return sized;
  }
  [[nodiscard]] const Algorithm& chosen(std::size_t bytes) const {
    return choose_algorithm(kind, at(bytes), params);
  }
};

/// The first size, in elements, above `low` for which not the algorithm of `low` is chosen; `high`
/// is one of them.
std::size_t find_change(const Shapes& query, std::size_t low, std::size_t high) {
  const Algorithm* before = &query.chosen(low * kElement);
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (&query.chosen(middle * kElement) == before ? low : high) = middle;
  }
  return high;
}

}  // namespace

bool has_algorithm(CollectiveKind kind, bool inter) {
  const auto all = all_algorithms();
  return std::any_of(all.begin(), all.end(),
                     [=](const Algorithm& row) { return row.kind == kind && row.inter == inter; });
}

bool choice_has_sizes(CollectiveKind kind, bool inter) {
  return !inter && kind != CollectiveKind::barrier && !has_own_sizes(kind);
}

std::vector<Candidate> candidates(CollectiveKind kind, const CollectiveTable& table,
                                  const TuningQuery& query, std::size_t bytes,
                                  const Params& params) {
  const Shapes shapes(kind, table, query, params);
  const CollectiveShape shape = shapes.at(bytes);
  const Algorithm* chosen = &shapes.chosen(bytes);
  std::vector<Candidate> found;
  for (const Algorithm& row : all_algorithms()) {
    if (row.kind != kind || row.inter != shape.inter || !row.applies(shape)) continue;
    found.push_back({&row, row.cost(shape), &row == chosen});
  }
  return found;
}

std::vector<ChosenRange> chosen_ranges(CollectiveKind kind, const CollectiveTable& table,
                                       const TuningQuery& query, std::size_t most_bytes,
                                       const Params& params) {
  const Shapes shapes(kind, table, query, params);
  std::vector<ChosenRange> ranges;
  const auto append = [&](std::size_t from, std::size_t to) {
    const Algorithm& row = shapes.chosen(from);
    const auto& measured = table.measured(kind, query.cost_class, query.ranks, from);
    const bool listed = std::find(measured.begin(), measured.end(), &row) != measured.end();
    ranges.push_back(
        {kind, &row, from, to, row.cost(shapes.at(from)), row.cost(shapes.at(to)), listed});
  };
  if (!choice_has_sizes(kind, query.inter)) {
    append(0, 0);
    return ranges;
  }
  const std::size_t most = std::max(most_bytes / kElement, std::size_t{1});
  std::size_t first = 1;  // of the range under way, in elements
  for (std::size_t at = 1; at < most;) {
    const std::size_t next = std::min(at * 2, most);
    if (&shapes.chosen(next * kElement) == &shapes.chosen(at * kElement)) {
      at = next;
      continue;
    }
    at = find_change(shapes, at, next);
    append(first * kElement, (at - 1) * kElement);
    first = at;
  }
  append(first * kElement, most * kElement);
  return ranges;
}

}  // namespace remit
