// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The exchange of halos in several styles, with their times: heat in a periodic box, dealt out to
// the ranks by rows, each of which needs the last row of the rank above and the first of the rank
// below.
//
//   messages   nonblocking sends and receives
//   fence      each rank puts its rows into its neighbours' windows; a fence ends the step of all
//   ranks flag       put, flush, put of a flag, which the neighbour polls: nobody waits for others
//   notified   MPIX_Put_notify: the flag comes with the data (where mpi_remit.h is: Remit's header)
//
//   mpirun -n 4 ./halo --output halo.svg
//
// All styles must have the same result, bit by bit, and that must be the exact one: the start is
// one wave, which each step of the scheme shrinks by a known factor.

#include <mpi.h>

#if __has_include("mpi_remit.h")
#include "mpi_remit.h"
#define HALO_NOTIFIED 1
#else
#define HALO_NOTIFIED 0
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command_line.hpp"
#include "halo_picture.hpp"

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kMeshRatio = 0.24;  // conductivity * dt / h^2; stable up to 0.25
constexpr double kTolerance = 1e-10;
constexpr int kRounds = 3;  // of each style, of which the fastest counts
enum Side { kAbove, kBelow };

// A rank's place among all of them, in a ring.
struct Ring {
  int rank = 0;
  int ranks = 1;
  [[nodiscard]] int above() const { return (rank + ranks - 1) % ranks; }
  [[nodiscard]] int below() const { return (rank + 1) % ranks; }
};

// The rows that neighbours bring, in a window: two of each side, since a neighbour may be a step
// ahead. It is never two ahead, because it needs this rank's rows of the step between. Behind them,
// for each side, the number of the last step whose row is there. Displacements are in words of 8
// bytes.
class Halo {
 public:
  Halo(Ring ring, int columns) : ring_(ring), columns_(columns) {
    const MPI_Aint words = flag_place(kBelow) + 1;
    MPI_Win_allocate(words * kWord, kWord, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_, &window_);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, ring.rank, 0, window_);
    std::memset(memory_, 0, static_cast<std::size_t>(words) * kWord);
    MPI_Win_unlock(ring.rank, window_);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  virtual ~Halo() { MPI_Win_free(&window_); }
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  // Gives the neighbours this rank's first and last row, and returns when theirs are there. Steps
  // count from 1. The rows must stay until the call returns.
  virtual void exchange(const double* first, const double* last, long step) = 0;

  [[nodiscard]] double* row(Side side, long step) { return memory_ + row_place(side, step); }

 protected:
  static constexpr int kWord = sizeof(double);

  [[nodiscard]] MPI_Aint row_place(Side side, long step) const {
    return static_cast<MPI_Aint>(columns_) * (2 * (step % 2) + side);
  }
  [[nodiscard]] MPI_Aint flag_place(Side side) const {
    return 4 * static_cast<MPI_Aint>(columns_) + side;
  }
  void put(const double* row, int neighbour, Side side, long step) const {
    MPI_Put(row, columns_, MPI_DOUBLE, neighbour, row_place(side, step), columns_, MPI_DOUBLE,
            window_);
  }

  Ring ring_;
  int columns_;
  double* memory_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

// This rank's first row is what lies below the rank above, and so on.
class Messages : public Halo {
 public:
  using Halo::Halo;
  void exchange(const double* first, const double* last, long step) override {
    std::array<MPI_Request, 4> requests{};
    MPI_Irecv(row(kAbove, step), columns_, MPI_DOUBLE, ring_.above(), kAbove, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Irecv(row(kBelow, step), columns_, MPI_DOUBLE, ring_.below(), kBelow, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Isend(first, columns_, MPI_DOUBLE, ring_.above(), kBelow, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(last, columns_, MPI_DOUBLE, ring_.below(), kAbove, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
};

class Fences : public Halo {
 public:
  Fences(Ring ring, int columns) : Halo(ring, columns) {
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window_);
  }
  ~Fences() override { MPI_Win_fence(MPI_MODE_NOSUCCEED, window_); }
  Fences(const Fences&) = delete;
  Fences& operator=(const Fences&) = delete;
  void exchange(const double* first, const double* last, long step) override {
    put(first, ring_.above(), kBelow, step);
    put(last, ring_.below(), kAbove, step);
    MPI_Win_fence(0, window_);
  }
};

// Styles whose epoch lasts as long as the window, and synchronizes nobody.
class Passive : public Halo {
 public:
  Passive(Ring ring, int columns) : Halo(ring, columns) { MPI_Win_lock_all(0, window_); }
  ~Passive() override {
    MPI_Win_unlock_all(window_);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Passive(const Passive&) = delete;
  Passive& operator=(const Passive&) = delete;
};

class Flags : public Passive {
 public:
  using Passive::Passive;
  void exchange(const double* first, const double* last, long step) override {
    const auto number = static_cast<std::int64_t>(step);
    put(first, ring_.above(), kBelow, step);
    put(last, ring_.below(), kAbove, step);
    MPI_Win_flush_all(window_);  // the rows are there before the flags are
    for (const auto& [neighbour, side] :
         {std::pair{ring_.above(), kBelow}, std::pair{ring_.below(), kAbove}}) {
      MPI_Put(&number, 1, MPI_INT64_T, neighbour, flag_place(side), 1, MPI_INT64_T, window_);
    }
    MPI_Win_flush_all(window_);
    await(kAbove, number);
    await(kBelow, number);
    MPI_Win_sync(window_);
  }

 private:
  // Polls; with a call now and then, without which some libraries do nothing for others' puts.
  void await(Side side, std::int64_t number) const {
    const auto* flag = reinterpret_cast<const volatile std::int64_t*>(memory_ + flag_place(side));
    for (int polls = 1; *flag < number; ++polls) {
      int any = 0;
      if (polls % 64 != 0) continue;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any, MPI_STATUS_IGNORE);
    }
  }
};

#if HALO_NOTIFIED
class Notified : public Passive {
 public:
  Notified(Ring ring, int columns) : Passive(ring, columns) {
    MPIX_Win_create_notify(window_, 4);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Notified() override {
    MPI_Barrier(MPI_COMM_WORLD);
    MPIX_Win_free_notify(window_);
  }
  Notified(const Notified&) = delete;
  Notified& operator=(const Notified&) = delete;
  void exchange(const double* first, const double* last, long step) override {
    put_notify(first, ring_.above(), kBelow, step);
    put_notify(last, ring_.below(), kAbove, step);
    await(kAbove, step);
    await(kBelow, step);
    MPI_Win_flush_local_all(window_);
  }

 private:
  void put_notify(const double* row, int neighbour, Side side, long step) const {
    MPIX_Put_notify(row, columns_, MPI_DOUBLE, neighbour, row_place(side, step), columns_,
                    MPI_DOUBLE, counter(side, step), window_);
  }
  // A counter for each place of a row: what follows there comes only when this rank has gone on, so
  // no order of the puts is needed.
  static int counter(Side side, long step) { return static_cast<int>(2 * (step % 2)) + side; }
  void await(Side side, long step) const {
    MPI_Count count = 0;
    while (count < (step + 1) / 2) MPIX_Win_get_notify(window_, counter(side, step), &count);
  }
};
#endif

const std::vector<std::string>& styles() {
  static const std::vector<std::string> all = {
    "messages",
    "fence",
    "flag",
#if HALO_NOTIFIED
    "notified"
#endif
  };
  return all;
}

std::unique_ptr<Halo> make_halo(const std::string& style, Ring ring, int columns) {
  if (style == "messages") return std::make_unique<Messages>(ring, columns);
  if (style == "fence") return std::make_unique<Fences>(ring, columns);
#if HALO_NOTIFIED
  if (style == "notified") return std::make_unique<Notified>(ring, columns);
#endif
  return std::make_unique<Flags>(ring, columns);
}

// The rows of a rank, and the steps of the scheme.
class Box {
 public:
  Box(Ring ring, int rows, int columns)
      : ring_(ring), rows_(rows), columns_(columns), now_(size()), next_(size()) {
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) now_[index(row, column)] = wave(row, column);
    }
  }

  void take_step(Halo& halo, long step) {
    halo.exchange(&now_[0], &now_[index(rows_ - 1, 0)], step);
    for (int row = 0; row < rows_; ++row) {
      const double* above = row > 0 ? &now_[index(row - 1, 0)] : halo.row(kAbove, step);
      const double* below = row + 1 < rows_ ? &now_[index(row + 1, 0)] : halo.row(kBelow, step);
      update(above, &now_[index(row, 0)], below, &next_[index(row, 0)]);
    }
    std::swap(now_, next_);
  }

  // The largest error of this rank after so many steps; infinite if something is not a number.
  [[nodiscard]] double error(long steps) const {
    const auto loss = [](int n) { return 4 * kMeshRatio * std::pow(std::sin(kPi / n), 2); };
    const double factor =
        std::pow(1 - loss(columns_) - loss(rows_ * ring_.ranks), static_cast<double>(steps));
    double worst = 0;
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) {
        const double difference = std::abs(now_[index(row, column)] - factor * wave(row, column));
        if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
        worst = std::max(worst, difference);
      }
    }
    return worst;
  }

  [[nodiscard]] const std::vector<double>& values() const { return now_; }

 private:
  [[nodiscard]] std::size_t size() const { return index(rows_, 0); }
  [[nodiscard]] std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(column);
  }
  [[nodiscard]] double wave(int row, int column) const {
    const double y = static_cast<double>(ring_.rank * rows_ + row) / (rows_ * ring_.ranks);
    return std::cos(2 * kPi * column / columns_) * std::cos(2 * kPi * y);
  }
  void update(const double* above, const double* u, const double* below, double* v) const {
    const auto point = [&](int c, int left, int right) {
      v[c] = u[c] + kMeshRatio * (u[left] + u[right] + above[c] + below[c] - 4 * u[c]);
    };
    const int end = columns_ - 1;
    point(0, end, columns_ > 1 ? 1 : 0);
    for (int c = 1; c < end; ++c) point(c, c - 1, c + 1);
    if (end > 0) point(end, end - 1, 0);
  }

  Ring ring_;
  int rows_;
  int columns_;
  std::vector<double> now_, next_;
};

// What came of a style.
struct Outcome {
  double us = 0;  // of a step, on the slowest rank
  double error = 0;
  std::vector<double> values;  // of this rank
};

Outcome run_style(const std::string& style, Ring ring, int rows, int columns, long steps) {
  const std::unique_ptr<Halo> halo = make_halo(style, ring, columns);
  Box box(ring, rows, columns);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long step = 1; step <= steps; ++step) box.take_step(*halo, step);
  const std::array<double, 2> mine = {1e6 * (MPI_Wtime() - start) / static_cast<double>(steps),
                                      box.error(steps)};
  std::array<double, 2> worst{};
  MPI_Allreduce(mine.data(), worst.data(), 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return {worst[0], worst[1], box.values()};
}

bool all_agree(bool mine) {
  int good = mine ? 1 : 0, all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

// Adds the fastest time of each style to its curve; false if a result is wrong.
bool run_width(Ring ring, int rows, int columns, long steps, std::vector<Curve>& curves) {
  std::vector<double> fastest(curves.size(), std::numeric_limits<double>::infinity());
  std::vector<double> reference;
  bool right = true;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const Outcome outcome = run_style(curves[i].name, ring, rows, columns, steps);
      if (reference.empty()) reference = outcome.values;
      const bool same = all_agree(outcome.values == reference);
      const bool exact = outcome.error <= kTolerance;
      if (ring.rank == 0 && !(same && exact)) {
        std::printf("halo: %s, %d columns: error %.1e, %s the first style\n",
                    curves[i].name.c_str(), columns, outcome.error,
                    same ? "the same as" : "NOT the same as");
      }
      right = right && same && exact;
      fastest[i] = std::min(fastest[i], outcome.us);
    }
  }
  for (std::size_t i = 0; i < curves.size(); ++i) curves[i].times.push_back(fastest[i]);
  return right;
}

void print_table(const std::vector<long>& bytes, const std::vector<Curve>& curves) {
  std::printf("%12s", "bytes a row");
  for (const Curve& curve : curves) std::printf(" %12s", curve.name.c_str());
  std::printf("\n");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::printf("%12ld", bytes[i]);
    for (const Curve& curve : curves) std::printf(" %12.2f", curve.times[i]);
    std::printf("\n");
  }
}

// Runs the whole example; 0 if the result is right.
int run(Ring ring, int rows, long widest, long steps, const std::string& output) {
  std::vector<Curve> curves;
  for (const std::string& style : styles()) curves.push_back({style, {}});
  std::vector<long> bytes;
  bool right = true;
  for (long columns = std::min(widest, 8L); columns <= widest; columns *= 8) {
    bytes.push_back(columns * static_cast<long>(sizeof(double)));
    right = run_width(ring, rows, static_cast<int>(columns), steps, curves) && right;
  }
  bool written = true;
  if (ring.rank == 0) {
    const std::string title = "Microseconds a step, " + std::to_string(ring.ranks) + " ranks, " +
                              std::to_string(rows) + " rows each, by bytes of a row";
    std::printf("halo: %s, the fastest of %d runs of %ld steps\n", title.c_str(), kRounds, steps);
    print_table(bytes, curves);
    if (output != "none") written = write_timing_picture(output, title, bytes, curves);
    std::printf("halo: all styles have the same, exact result: %s\n", right ? "PASS" : "FAIL");
  }
  return all_agree(right && written) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Ring ring;
  MPI_Comm_rank(MPI_COMM_WORLD, &ring.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ring.ranks);
  long rows = 4, widest = 32768, steps = 200;
  std::string output = "none";
  CommandLine line("halo", "the exchange of halos in several styles");
  line.add("--rows", rows, 1, "of each rank");
  line.add("--columns", widest, 1, "of the widest box; the others have 8, 64, 512, ...");
  line.add("--steps", steps, 1, "time steps of each run");
  line.add("--output", output, "SVG file of the times, or none");
  bool go = line.parse(argc, argv, ring.rank == 0);
  if (go && (rows > 32768 || widest > 4'194'304)) {
    go = line.complain("--rows must be 32768 and --columns 4194304 at most", ring.rank == 0);
  }
  const int status =
      go ? run(ring, static_cast<int>(rows), widest, steps, output) : line.exit_code();
  MPI_Finalize();
  return status;
}
