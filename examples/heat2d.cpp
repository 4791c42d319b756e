// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Heat conduction on a square plate: explicit time steps on a 2-D grid of ranks, halo exchange by
// nonblocking messages, a picture of start, middle and end, and a check against the exact solution.
//
//   mpirun -n 4 ./heat2d --size 768 --steps 2400 --output heat.png
//   mpirun -n 4 ./heat2d --steps 1000 --save plate      all ranks write one file
//   mpirun -n 3 ./heat2d --restart plate                and any number of them goes on
//
// The plate's edge is kept at 0. The start is a sum of sine modes, each of which a step of the
// scheme shrinks by a known factor: so the scheme's exact answer is known after any number of
// steps, and what the ranks computed together must equal it up to rounding.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "heat2d_file.hpp"
#include "heat2d_picture.hpp"

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kMostModes = 96;       // sine modes in each direction that make up the start
constexpr double kMeshRatio = 0.24;  // conductivity * dt / h^2; stable up to 0.25
constexpr double kTolerance = 1e-10;

// The piece of a line of n points that belongs to part `index` of `parts`.
struct Range {
  int begin;
  int end;
  [[nodiscard]] int length() const { return end - begin; }
};

Range part_of(int n, int parts, int index) {
  const auto bound = [=](int i) { return static_cast<int>(static_cast<long>(n) * i / parts); };
  return {bound(index), bound(index + 1)};
}

// The ranks as a grid, as square as their number allows: the fewest halo points.
struct RankGrid {
  int rows = 1;
  int columns = 1;
  int n = 0;  // unknowns of the plate in each direction

  RankGrid(int ranks, int unknowns) : n(unknowns) {
    for (int r = 1; r * r <= ranks; ++r) {
      if (ranks % r == 0) rows = r;
    }
    columns = ranks / rows;
  }
  [[nodiscard]] Range rows_of(int rank) const { return part_of(n, rows, rank / columns); }
  [[nodiscard]] Range columns_of(int rank) const { return part_of(n, columns, rank % columns); }
  // The rank that many grid rows down and columns right, MPI_PROC_NULL beyond the plate.
  [[nodiscard]] int neighbour(int rank, int down, int right) const {
    const int row = rank / columns + down, column = rank % columns + right;
    const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
    return inside ? row * columns + column : MPI_PROC_NULL;
  }
};

// Coefficients of sin(p pi x) sin(q pi y), p and q from 1 to count.
class Modes {
 public:
  explicit Modes(int count) : count_(count), values_(static_cast<size_t>(count) * count, 0.0) {}
  [[nodiscard]] int count() const { return count_; }
  double& at(int p, int q) { return values_[static_cast<size_t>(p - 1) * count_ + (q - 1)]; }
  [[nodiscard]] double at(int p, int q) const { return const_cast<Modes*>(this)->at(p, q); }

  // A round spot: a Gaussian bump, whose coefficients are known in closed form.
  void add_spot(double x, double y, double width, double heat) {
    const auto coefficient = [&](int p, double place) {
      return std::sin(p * kPi * place) * std::exp(-0.5 * std::pow(p * kPi * width, 2));
    };
    const double strength = 8 * kPi * width * width * heat;
    for (int p = 1; p <= count_; ++p) {
      for (int q = 1; q <= count_; ++q) {
        at(p, q) += strength * coefficient(p, x) * coefficient(q, y);
      }
    }
  }

  // What `steps` steps of the scheme make of the modes on a plate of n x n unknowns.
  void decay(int n, long steps) {
    const auto loss = [&](int p) {
      return 4 * kMeshRatio * std::pow(std::sin(0.5 * p * kPi / (n + 1)), 2);
    };
    for (int p = 1; p <= count_; ++p) {
      for (int q = 1; q <= count_; ++q) {
        at(p, q) *= std::pow(1 - loss(p) - loss(q), static_cast<double>(steps));
      }
    }
  }

 private:
  int count_;
  std::vector<double> values_;
};

// A start worth looking at: three spiral arms of hot spots around a hot core.
Modes spiral(int n) {
  Modes modes(std::min(n, kMostModes));
  constexpr int kArms = 3, kSpots = 11;
  modes.add_spot(0.5, 0.5, 0.04, 0.9);
  for (int arm = 0; arm < kArms; ++arm) {
    for (int spot = 0; spot < kSpots; ++spot) {
      const double along = static_cast<double>(spot) / (kSpots - 1);
      const double radius = 0.12 + 0.29 * along;
      const double angle = 2 * kPi * arm / kArms + 3.3 * along;
      modes.add_spot(0.5 + radius * std::cos(angle), 0.5 + radius * std::sin(angle),
                     0.015 + 0.013 * along, 1.0 - 0.3 * along);
    }
  }
  return modes;
}

// One rank's part of the plate in a frame one point wide, which holds the neighbours' edges.
// Row -1, column -1, row height() and column width() are the frame.
class Block {
 public:
  Block(const RankGrid& grid, int rank)
      : rows_(grid.rows_of(rank)),
        columns_(grid.columns_of(rank)),
        values_(static_cast<size_t>(height() + 2) * pitch(), 0.0) {}

  [[nodiscard]] Range rows() const { return rows_; }
  [[nodiscard]] Range columns() const { return columns_; }
  [[nodiscard]] int height() const { return rows_.length(); }
  [[nodiscard]] int width() const { return columns_.length(); }
  [[nodiscard]] int pitch() const { return width() + 2; }  // from one row to the next
  double* at(int row, int column) {
    return values_.data() + static_cast<long>(row + 1) * pitch() + (column + 1);
  }
  [[nodiscard]] const double* at(int row, int column) const {
    return const_cast<Block*>(this)->at(row, column);
  }

 private:
  Range rows_;
  Range columns_;
  std::vector<double> values_;
};

// sin(mode * pi * place) for the points of a range, one line of the table for each mode.
std::vector<double> sine_table(int modes, Range points, int n) {
  std::vector<double> table;
  table.reserve(static_cast<size_t>(modes) * points.length());
  for (int mode = 1; mode <= modes; ++mode) {
    for (int i = points.begin; i < points.end; ++i) {
      table.push_back(std::sin(mode * kPi * (i + 1) / (n + 1)));
    }
  }
  return table;
}

// Sums the modes over the block: along x first, so that the work is points times modes.
void evaluate(const Modes& modes, int n, Block& block) {
  const int count = modes.count(), width = block.width(), height = block.height();
  const std::vector<double> along_x = sine_table(count, block.columns(), n);
  const std::vector<double> along_y = sine_table(count, block.rows(), n);
  for (int row = 0; row < height; ++row) std::fill_n(block.at(row, 0), width, 0.0);
  std::vector<double> line(static_cast<size_t>(width));
  for (int q = 1; q <= count; ++q) {
    std::fill(line.begin(), line.end(), 0.0);
    for (int p = 1; p <= count; ++p) {
      const double* sine = &along_x[static_cast<size_t>(p - 1) * width];
      for (int column = 0; column < width; ++column) line[column] += modes.at(p, q) * sine[column];
    }
    for (int row = 0; row < height; ++row) {
      const double factor = along_y[static_cast<size_t>(q - 1) * height + row];
      double* target = block.at(row, 0);
      for (int column = 0; column < width; ++column) target[column] += factor * line[column];
    }
  }
}

// The edges go out and the frame comes in while the inside is computed.
class HaloExchange {
 public:
  HaloExchange(const RankGrid& grid, int rank, const Block& block) {
    up_ = grid.neighbour(rank, -1, 0);
    down_ = grid.neighbour(rank, 1, 0);
    left_ = grid.neighbour(rank, 0, -1);
    right_ = grid.neighbour(rank, 0, 1);
    MPI_Type_vector(block.height(), 1, block.pitch(), MPI_DOUBLE, &column_);
    MPI_Type_commit(&column_);
  }
  ~HaloExchange() { MPI_Type_free(&column_); }
  HaloExchange(const HaloExchange&) = delete;
  HaloExchange& operator=(const HaloExchange&) = delete;

  void start(Block& b) {
    const int h = b.height(), w = b.width();
    next_ = 0;
    receive(b.at(-1, 0), w, MPI_DOUBLE, up_, kDownward);
    receive(b.at(h, 0), w, MPI_DOUBLE, down_, kUpward);
    receive(b.at(0, -1), 1, column_, left_, kRightward);
    receive(b.at(0, w), 1, column_, right_, kLeftward);
    send(b.at(0, 0), w, MPI_DOUBLE, up_, kUpward);
    send(b.at(h - 1, 0), w, MPI_DOUBLE, down_, kDownward);
    send(b.at(0, 0), 1, column_, left_, kLeftward);
    send(b.at(0, w - 1), 1, column_, right_, kRightward);
  }
  void finish() { MPI_Waitall(next_, requests_.data(), MPI_STATUSES_IGNORE); }

 private:
  enum Direction { kUpward, kDownward, kLeftward, kRightward };  // the messages' tags

  void receive(double* to, int count, MPI_Datatype type, int peer, int tag) {
    MPI_Irecv(to, count, type, peer, tag, MPI_COMM_WORLD, &requests_[next_++]);
  }
  void send(const double* from, int count, MPI_Datatype type, int peer, int tag) {
    MPI_Isend(from, count, type, peer, tag, MPI_COMM_WORLD, &requests_[next_++]);
  }

  int up_, down_, left_, right_;
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
  std::array<MPI_Request, 8> requests_{};
  int next_ = 0;
};

// One step for the given rows and columns (half open).
void update(const Block& from, Block& to, Range rows, Range columns) {
  const long pitch = from.pitch();
  for (int row = rows.begin; row < rows.end; ++row) {
    const double* u = from.at(row, 0);
    double* v = to.at(row, 0);
    for (int c = columns.begin; c < columns.end; ++c) {
      v[c] = u[c] + kMeshRatio * (u[c - 1] + u[c + 1] + u[c - pitch] + u[c + pitch] - 4 * u[c]);
    }
  }
}

void take_step(HaloExchange& halo, Block& from, Block& to) {
  const int h = from.height(), w = from.width();
  halo.start(from);
  update(from, to, {1, h - 1}, {1, w - 1});
  halo.finish();
  update(from, to, {0, 1}, {0, w});
  if (h > 1) update(from, to, {h - 1, h}, {0, w});
  update(from, to, {1, h - 1}, {0, 1});
  if (w > 1) update(from, to, {1, h - 1}, {w - 1, w});
}

// The whole plate on rank 0: each block lands in its place by a vector datatype.
Field gather(const RankGrid& grid, int rank, int ranks, const Block& block) {
  Field field;
  std::vector<MPI_Request> requests;
  std::vector<MPI_Datatype> types;
  const auto blocks_of = [&](int rows, int width, int pitch) {
    types.emplace_back();
    MPI_Type_vector(rows, width, pitch, MPI_DOUBLE, &types.back());
    MPI_Type_commit(&types.back());
    return types.back();
  };
  if (rank == 0) {
    field.n = grid.n;
    field.values.resize(static_cast<size_t>(grid.n) * grid.n);
    for (int r = 0; r < ranks; ++r) {
      const Range rows = grid.rows_of(r), columns = grid.columns_of(r);
      double* corner = &field.values[static_cast<size_t>(rows.begin) * grid.n + columns.begin];
      const MPI_Datatype place = blocks_of(rows.length(), columns.length(), grid.n);
      requests.emplace_back();
      MPI_Irecv(corner, 1, place, r, 0, MPI_COMM_WORLD, &requests.back());
    }
  }
  const MPI_Datatype inside = blocks_of(block.height(), block.width(), block.pitch());
  MPI_Send(block.at(0, 0), 1, inside, 0, 0, MPI_COMM_WORLD);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (auto& type : types) MPI_Type_free(&type);
  return field;
}

// The largest difference between two blocks over all ranks; infinite if any is not a number.
double largest_difference(const Block& a, const Block& b) {
  double worst = 0, over_all = 0;
  for (int row = 0; row < a.height(); ++row) {
    for (int column = 0; column < a.width(); ++column) {
      const double difference = std::abs(*a.at(row, column) - *b.at(row, column));
      if (std::isnan(difference)) worst = std::numeric_limits<double>::infinity();
      worst = std::max(worst, difference);
    }
  }
  MPI_Allreduce(&worst, &over_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return over_all;
}

// What the command line asks for.
struct Wish {
  long n = 768;
  long steps = 2400;
  std::string output = "heat.png";
  std::string save = "none";
  std::string restart = "none";
};

PlatePart part_of_plate(const RankGrid& grid, Block& block) {
  return {grid.n,        block.rows().begin, block.columns().begin, block.height(),
          block.width(), block.at(0, 0),     block.pitch()};
}

// What a run has come to.
struct Result {
  double seconds = 0;  // of the steps alone
  double error = 0;
  std::vector<Field> pictures;
};

// Computes `steps` steps behind the first `done` ones, and what is exact after all of them.
Result compute(const RankGrid& grid, int rank, int ranks, const Wish& wish, long done, Block& now) {
  Result result;
  Block next(grid, rank);
  const auto take_picture = [&] {
    if (wish.output != "none") result.pictures.push_back(gather(grid, rank, ranks, now));
  };
  take_picture();
  HaloExchange halo(grid, rank, now);
  for (const long batch : {wish.steps / 5, wish.steps - wish.steps / 5}) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);  // a profiling tool sees what is timed, and no more
    const double start = MPI_Wtime();
    for (long step = 0; step < batch; ++step) {
      take_step(halo, now, next);
      std::swap(now, next);
    }
    result.seconds += MPI_Wtime() - start;
    MPI_Pcontrol(0);
    take_picture();
  }
  Modes modes = spiral(grid.n);
  modes.decay(grid.n, done + wish.steps);
  evaluate(modes, grid.n, next);
  result.error = largest_difference(now, next);
  return result;
}

void tell(const RankGrid& grid, int ranks, const Wish& wish, const Result& result, long done) {
  const int n = grid.n;
  if (done != 0)
    std::printf("heat2d: goes on behind %ld steps of %s\n", done, wish.restart.c_str());
  std::printf("heat2d: %d x %d points, %ld steps, %d ranks as %d x %d: %.2f s, %.0f M points/s\n",
              n, n, wish.steps, ranks, grid.rows, grid.columns, result.seconds,
              1e-6 * n * n * static_cast<double>(wish.steps) / result.seconds);
  if (wish.save != "none") std::printf("heat2d: plate in %s\n", wish.save.c_str());
}

// Runs the whole example; 0 if the result is right.
int run(int rank, int ranks, const Wish& wish) {
  PlateState start{static_cast<int>(wish.n), 0};
  const bool restarts = wish.restart != "none";
  if (restarts && !read_plate_state(wish.restart, start)) return 1;
  if (start.n < ranks) {
    if (rank == 0) std::fprintf(stderr, "heat2d: %d points cannot be shared out\n", start.n);
    return 1;
  }
  const RankGrid grid(ranks, start.n);
  Block now(grid, rank);
  if (restarts) {
    if (!load_plate(wish.restart, part_of_plate(grid, now))) return 1;
  } else {
    evaluate(spiral(grid.n), grid.n, now);
  }
  const Result result = compute(grid, rank, ranks, wish, start.steps, now);
  const bool right = result.error <= kTolerance;
  if (wish.save != "none" &&
      !save_plate(wish.save, start.steps + wish.steps, part_of_plate(grid, now))) {
    return 1;
  }
  int written = 1;
  if (rank == 0) {
    tell(grid, ranks, wish, result, start.steps);
    if (wish.output != "none") written = write_picture(wish.output, result.pictures) ? 1 : 0;
    if (wish.output != "none" && written != 0) {
      std::printf("heat2d: picture in %s\n", wish.output.c_str());
    }
    std::printf("heat2d: largest error against the exact solution %.1e: %s\n", result.error,
                right ? "PASS" : "FAIL");
  }
  MPI_Bcast(&written, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return right && written != 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Wish wish;
  CommandLine line("heat2d", "heat conduction on a square plate, with a picture");
  line.add("--size", wish.n, 8, "points in each direction");
  line.add("--steps", wish.steps, 1, "time steps");
  line.add("--output", wish.output, "PNG file of start, middle and end, or none");
  line.add("--save", wish.save, "file that all ranks write together at the end, or none");
  line.add("--restart", wish.restart, "file of --save from which to go on, with its size, or none");
  bool go = line.parse(argc, argv, rank == 0);
  if (go && (wish.n > 32768 || wish.n < ranks)) {
    go = line.complain("--size must be from the number of ranks to 32768", rank == 0);
  }
  const int status = go ? run(rank, ranks, wish) : line.exit_code();
  MPI_Finalize();
  return status;
}
