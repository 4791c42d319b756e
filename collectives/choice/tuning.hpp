// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What collectives cost, as data: the constants of the model for each cost class, and algorithms
// that were measured to be the best. Built in, and replaced by a file that benchmarks/tune writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/choice/shape.hpp"
#include "collectives/collectives.hpp"
#include "runtime/error.hpp"
#include "runtime/params.hpp"

namespace remit {

struct Algorithm;

/// The LogGP model of messages (Alexandrov, Ionescu, Schauser, Scheiman 1995); nanoseconds.
struct LogGP {
  double latency = 0;   ///< L: the way through the network
  double overhead = 0;  ///< o: of a processor, to send a message and to receive one
  double gap = 0;       ///< g: between the messages of one process, at least
  double per_byte = 0;  ///< G: for each byte of a message
  double reduce = 0;    ///< for each byte that is combined with another one

  /// A short message from one process to another.
  [[nodiscard]] double alpha() const { return latency + 2 * overhead; }
};

inline constexpr std::size_t kCostClasses = 3;
inline constexpr std::array<std::string_view, kCostClasses> kCostClassNames = {
    "host", "host_shared", "network"};

/// The constants of all cost classes, and measured choices. Immutable.
class CollectiveTable {
 public:
  /// The built-in constants, and no choice.
  CollectiveTable();

  /// The table in the text of a file:
  ///
  ///     remit collective table 1
  ///     2 processors, Linux 6.1.0 x86_64            (measured_host())
  ///     model host 60 120 300 0.1 0.1               (place L o g G reduce)
  ///     choice allreduce host 4 8192 rabenseifner,ring
  ///
  /// The last line says: among 4 ranks, from 8192 bytes on (up to the next line for 4), the first
  /// of these algorithms that applies. A line that begins with '#' is a comment. An error says what
  /// is wrong with which line.
  [[nodiscard]] static Expected<CollectiveTable> parse(std::string_view text,
                                                       std::string_view host);

  [[nodiscard]] const LogGP& model(CostClass cost_class) const {
    return models_[static_cast<std::size_t>(cost_class)];
  }
  /// The algorithms that were measured to be the best, best first; empty if nothing was measured
  /// for between half and twice as many ranks.
  [[nodiscard]] const std::vector<const Algorithm*>& measured(CollectiveKind kind,
                                                              CostClass cost_class, int ranks,
                                                              std::size_t bytes) const;
  /// How many choices there are.
  [[nodiscard]] std::size_t choices() const;

 private:
  struct Choice {
    int ranks = 0;
    std::size_t from_bytes = 0;
    std::vector<const Algorithm*> best;
  };
  [[nodiscard]] Expected<> take_line(const std::string& line);
  [[nodiscard]] Expected<> take_model(const std::vector<std::string>& words);
  [[nodiscard]] Expected<> take_choice(const std::vector<std::string>& words);

  std::array<LogGP, kCostClasses> models_;
  /// By operation and cost class; each ordered by ranks, then bytes.
  std::array<std::vector<Choice>, kCollectiveKinds * kCostClasses> choices_;
};

/// What is used where no table was loaded.
[[nodiscard]] const CollectiveTable& builtin_collective_table();

/// The table of a process, and where it is from.
struct LoadedTable {
  std::shared_ptr<const CollectiveTable> table;  ///< never null
  std::string file;  ///< that was asked for, whether it is there or not; empty: none
  bool from_file = false;
  std::string problem;  ///< why the file is not used, for the user; empty if it is not there
};
/// What the parameter coll_table names. `one_host`: all ranks of the job are on this host; "auto"
/// looks for no file otherwise, for hosts may have different ones and all ranks must choose alike.
[[nodiscard]] LoadedTable load_collective_table(const Params& params, bool one_host);

/// Processors of this host, one at least; those of a rank's own set do not matter.
[[nodiscard]] int host_processors();

/// Finds out where the members of `comm` are and which table is to be used, if that is not known
/// yet. Every member comes to the same answer.
void learn_costs(Engine& engine, const CommCore& comm);
/// The constants of that class.
[[nodiscard]] const LogGP& model_of(Engine& engine, const CommCore& comm);

/// What remit_info is asked about: members of a communicator, and their call.
struct TuningQuery {
  int ranks = 2;
  CostClass cost_class = CostClass::host;
  bool board = false;  ///< the calls block, and there is a shared board
  LongBoard long_board = LongBoard::none;
  bool quick_copies = false;
  int processors = 1;                    ///< of the host, where CostClass::host_shared
  const Hierarchy* hierarchy = nullptr;  ///< cells of the members
  bool exact = false;                    ///< sums of integers: any order gives the same bits
  bool commutative = true;
  bool in_place = false;  ///< MPI_IN_PLACE as the send buffer
  bool inter = false;     ///< an inter-communicator; then nothing above but `ranks` matters
};
/// Whether there is any algorithm: some operations are not for inter-communicators.
[[nodiscard]] bool has_algorithm(CollectiveKind kind, bool inter);
/// Whether the choice follows from the sizes of blocks: not where each member knows only its own.
[[nodiscard]] bool choice_has_sizes(CollectiveKind kind, bool inter);
/// An algorithm that can be used.
struct Candidate {
  const Algorithm* algorithm;
  double cost;  ///< of the model, nanoseconds
  bool chosen;
};
/// All that can be used for vectors of `bytes`, of elements of 4 bytes.
[[nodiscard]] std::vector<Candidate> candidates(CollectiveKind kind, const CollectiveTable& table,
                                                const TuningQuery& query, std::size_t bytes,
                                                const Params& params);

/// A range of sizes for which one algorithm is chosen.
struct ChosenRange {
  CollectiveKind kind;
  const Algorithm* algorithm;
  std::size_t from_bytes;
  std::size_t to_bytes;  ///< included
  double from_cost;      ///< of the model at both ends, nanoseconds
  double to_cost;
  bool measured;  ///< the choice is from a measurement
};
/// What is chosen for sizes up to `most_bytes`, as in candidates(); one range from 0 to 0 where
/// the choice has no sizes.
[[nodiscard]] std::vector<ChosenRange> chosen_ranges(CollectiveKind kind,
                                                     const CollectiveTable& table,
                                                     const TuningQuery& query,
                                                     std::size_t most_bytes, const Params& params);

}  // namespace remit
