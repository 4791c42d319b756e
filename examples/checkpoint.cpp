// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Checkpoints while the computing goes on: the same work without checkpoints, with blocking ones
// (MPI_File_write_at_all) and with nonblocking ones (MPI_File_iwrite_at_all), and what the last
// kind saves.
//
//   mpirun -n 2 ./checkpoint --mib 64 --checkpoints 4 --ms 500 --file checkpoint.data
//
// Each cell is a number that a step multiplies and adds to, modulo 2^64. So anybody can say what
// any cell is after any number of steps, and what comes back from the file is checked, by another
// rank than the one that wrote it.

#include <mpi.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "command_line.hpp"

namespace {

constexpr std::uint64_t kFactor = 6364136223846793005U;
constexpr std::uint64_t kSummand = 1442695040888963407U;
constexpr long kCellBytes = 8;

// What the command line asks for.
struct Wish {
  long mib = 16;
  long checkpoints = 3;
  long ms = 200;
  long steps = 0;
  long row = 0;
  std::string file = "checkpoint.data";
  std::string way = "all";
};

// Where this rank is, and how much it has.
struct Place {
  int rank = 0;
  int ranks = 1;
  long cells = 0;  // of each rank
  long row = 0;    // cells of a rank that follow each other in the file; then come other ranks'
};

// Many steps at once are one, with another factor and summand.
struct Steps {
  std::uint64_t factor = 1;
  std::uint64_t summand = 0;
  void then(const Steps& more) {
    summand = summand * more.factor + more.summand;
    factor *= more.factor;
  }
};

Steps many(long count) {
  Steps all, power{kFactor, kSummand};
  for (; count > 0; count /= 2) {
    if (count % 2 != 0) all.then(power);
    power.then(power);
  }
  return all;
}

class Cells {
 public:
  explicit Cells(const Place& place) : values_(static_cast<std::size_t>(place.cells)) {
    for (long i = 0; i < place.cells; ++i) values_[i] = first(place, place.rank, i);
  }
  // A step of all cells.
  void step() {
    for (std::uint64_t& value : values_) value = value * kFactor + kSummand;
  }
  [[nodiscard]] const std::vector<std::uint64_t>& values() const { return values_; }

  // How many of a rank's cells are not what they are after `steps` steps.
  static long wrong(const Place& place, int rank, long steps, const std::uint64_t* values) {
    const Steps all = many(steps);
    long count = 0;
    for (long i = 0; i < place.cells; ++i) {
      count += values[i] != first(place, rank, i) * all.factor + all.summand ? 1 : 0;
    }
    return count;
  }

 private:
  static std::uint64_t first(const Place& place, int rank, long index) {
    return static_cast<std::uint64_t>(rank) * place.cells + static_cast<std::uint64_t>(index);
  }
  std::vector<std::uint64_t> values_;
};

// Ends the job with the library's words.
void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, words, &length);
  std::fprintf(stderr, "checkpoint: %s: %s\n", what, words);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// One file with two places for a checkpoint, which are used in turn: while one is written the other
// is whole.
class CheckpointFile {
 public:
  CheckpointFile(const std::string& path, const Place& place) : place_(place) {
    check(MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file_),
          path.c_str());
    see(place_.rank);
    copy_.resize(static_cast<std::size_t>(place.cells));
  }
  ~CheckpointFile() { MPI_File_close(&file_); }
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  void write(const Cells& cells) {
    check(MPI_File_write_at_all(file_, next_place(), cells.values().data(), count(), MPI_UINT64_T,
                                MPI_STATUS_IGNORE),
          "a checkpoint");
  }
  // The cells go on, so it is their copy that is written. Returns the seconds that the checkpoint
  // before was waited for.
  double start(const Cells& cells) {
    const double waited = wait();
    copy_ = cells.values();
    check(
        MPI_File_iwrite_at_all(file_, next_place(), copy_.data(), count(), MPI_UINT64_T, &request_),
        "a checkpoint");
    return waited;
  }
  // Gives the library a chance to go on, where it needs one.
  void poll() {
    int done = 0;
    if (request_ != MPI_REQUEST_NULL) MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  }
  double wait() {
    const double begin = MPI_Wtime();
    check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "a checkpoint");
    return MPI_Wtime() - begin;
  }

  // Wrong cells in the last checkpoint, which was after `steps` steps; each rank reads the next
  // one's. Of all ranks.
  long wrong_in_last(long steps) {
    const int other = (place_.rank + 1) % place_.ranks;
    check(MPI_File_sync(file_), "a sync");
    MPI_Barrier(MPI_COMM_WORLD);
    check(MPI_File_sync(file_), "a sync");
    see(other);
    std::vector<std::uint64_t> back(copy_.size());
    check(MPI_File_read_at_all(file_, last_place(), back.data(), count(), MPI_UINT64_T,
                               MPI_STATUS_IGNORE),
          "reading a checkpoint");
    long wrong = Cells::wrong(place_, other, steps, back.data()), all = 0;
    MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
  }

 private:
  // The view of a rank's cells: a checkpoint is a matrix, of which each rank has some columns.
  void see(int rank) {
    const int rows = static_cast<int>(place_.cells / place_.row);
    const int sizes[2] = {rows, static_cast<int>(place_.row * place_.ranks)};
    const int parts[2] = {rows, static_cast<int>(place_.row)};
    const int starts[2] = {0, static_cast<int>(place_.row * rank)};
    MPI_Datatype columns = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_UINT64_T, &columns);
    MPI_Type_commit(&columns);
    check(MPI_File_set_view(file_, 0, MPI_UINT64_T, columns, "native", MPI_INFO_NULL), "the view");
    MPI_Type_free(&columns);
  }
  // The view repeats: behind this rank's part of one checkpoint follows that of the other.
  MPI_Offset next_place() { return (written_++ % 2) * place_.cells; }
  [[nodiscard]] MPI_Offset last_place() const { return (written_ - 1) % 2 * place_.cells; }
  [[nodiscard]] int count() const { return static_cast<int>(place_.cells); }

  Place place_;
  MPI_File file_ = MPI_FILE_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::vector<std::uint64_t> copy_;
  long written_ = 0;
};

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// What one way of doing it took.
struct Cost {
  double seconds = 0;    // of the slowest rank
  double processor = 0;  // of all ranks
  double waited = 0;     // for nonblocking checkpoints, the longest of a rank
  long wrong = 0;
};

enum class Way { without, blocking, nonblocking };
constexpr std::array<const char*, 3> kWays = {"without", "blocking", "nonblocking"};

// A stretch of computing, then a checkpoint, and so on, with a last stretch behind the last one.
Cost run(Way way, const Wish& wish, const Place& place, long steps) {
  Cost mine, cost;
  Cells cells(place);
  CheckpointFile file(wish.file, place);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime(), processor = processor_seconds();
  for (long stretch = 0; stretch <= wish.checkpoints; ++stretch) {
    for (long step = 0; step < steps; ++step) {
      cells.step();
      if (way == Way::nonblocking) file.poll();
    }
    if (stretch == wish.checkpoints) break;
    if (way == Way::blocking) file.write(cells);
    if (way == Way::nonblocking) mine.waited += file.start(cells);
  }
  if (way == Way::nonblocking) mine.waited += file.wait();
  mine.seconds = MPI_Wtime() - begin;
  mine.processor = processor_seconds() - processor;
  MPI_Allreduce(&mine.seconds, &cost.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&mine.waited, &cost.waited, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&mine.processor, &cost.processor, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  cost.wrong =
      Cells::wrong(place, place.rank, steps * (wish.checkpoints + 1), cells.values().data());
  if (way != Way::without) cost.wrong += file.wrong_in_last(steps * wish.checkpoints);
  return cost;
}

// Steps that take the slowest rank about so long, all of them computing.
long steps_in(double seconds, const Place& place) {
  Cells cells(place);
  MPI_Barrier(MPI_COMM_WORLD);
  constexpr int kTried = 5;
  const double begin = MPI_Wtime();
  for (int i = 0; i < kTried; ++i) cells.step();
  double time = (MPI_Wtime() - begin) / kTried;
  MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return std::max(1L, static_cast<long>(seconds / time));
}

void tell(Way way, const Cost& cost) {
  std::printf("checkpoint: %-12s %8.3f s, processors %8.3f s", kWays[static_cast<std::size_t>(way)],
              cost.seconds, cost.processor);
  if (way == Way::nonblocking) std::printf(", waited %8.4f s", cost.waited);
  std::printf("\n");
}

// 0 if all that came back was right.
int run_all(const Wish& wish, const Place& place) {
  const long steps =
      wish.steps != 0 ? wish.steps : steps_in(1e-3 * static_cast<double>(wish.ms), place);
  std::array<Cost, kWays.size()> costs;
  long wrong = 0;
  if (place.rank == 0) {
    std::printf("checkpoint: %d ranks, %ld checkpoints of %ld MiB, stretches of %ld steps\n",
                place.ranks, wish.checkpoints, wish.mib * place.ranks, steps);
  }
  for (const Way way : {Way::without, Way::blocking, Way::nonblocking}) {
    const auto index = static_cast<std::size_t>(way);
    if (wish.way != "all" && wish.way != kWays[index]) continue;
    costs[index] = run(way, wish, place, steps);
    wrong += costs[index].wrong;
    if (place.rank == 0) tell(way, costs[index]);
  }
  if (place.rank == 0) {
    const double took = costs[1].seconds - costs[0].seconds;
    const double saved = costs[1].seconds - costs[2].seconds;
    if (wish.way == "all") {
      std::printf("checkpoint: blocking ones took %.3f s, of which nonblocking ones save %.3f s\n",
                  took, saved);
    }
    std::printf("checkpoint: what was written comes back: %s\n", wrong == 0 ? "PASS" : "FAIL");
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Place place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.ranks);
  Wish wish;
  CommandLine line("checkpoint", "checkpoints while the computing goes on");
  line.add("--mib", wish.mib, 1, "MiB of each rank");
  line.add("--checkpoints", wish.checkpoints, 1, "how many");
  line.add("--ms", wish.ms, 1, "milliseconds of computing before each, and behind the last");
  line.add("--steps", wish.steps, 0, "the same as steps of all cells; 0: as --ms says");
  line.add("--row", wish.row, 0, "bytes of a rank between those of others; 0: all in one run");
  line.add("--file", wish.file, "where; it goes at the end");
  line.add("--way", wish.way, "all, without, blocking or nonblocking",
           {"all", "without", "blocking", "nonblocking"});
  bool go = line.parse(argc, argv, place.rank == 0);
  place.cells = (wish.mib << 20) / kCellBytes;
  place.row = wish.row == 0 ? place.cells : wish.row / kCellBytes;
  if (go && (wish.mib > 1024 || place.row * place.ranks > (1L << 30))) {
    go = line.complain("--mib must be at most 1024, and less with many ranks", place.rank == 0);
  }
  if (go && (place.row == 0 || wish.row % kCellBytes != 0 || place.cells % place.row != 0)) {
    go = line.complain("--row must be a divisor of each rank's bytes, and a multiple of 8",
                       place.rank == 0);
  }
  const int status = go ? run_all(wish, place) : line.exit_code();
  MPI_Finalize();
  return status;
}
