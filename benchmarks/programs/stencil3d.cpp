// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Diffusion in a periodic box: a 27-point stencil on a 3-D grid of ranks. Each rank exchanges
// faces, edges and corners with its 26 neighbours (some of whom are one rank, or itself) straight
// out of and into its block, by subarray datatypes.
//
//   mpirun -n 8 ./stencil3d --size 128 --steps 100 --exchange persistent
//
// The stencil is the product of three lines (a, 1 - 2a, a). So waves are its eigenvectors: each
// step shrinks a wave by a known factor, the scheme's exact answer is known after any number of
// steps, and what the ranks computed together must equal it up to rounding. It does not if one
// corner is missing.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../examples/command_line.hpp"

namespace {

using Triple = std::array<int, 3>;  // of the directions x, y, z; z is contiguous in memory

constexpr double kPi = 3.14159265358979323846;
constexpr double kSide = 0.15;  // a, the weight of each neighbour on a line
constexpr double kMiddle = 1 - 2 * kSide;
constexpr double kTolerance = 1e-11;
constexpr int kDirections = 26;

// The piece of a line of points, half open.
struct Range {
  int begin;
  int end;
  [[nodiscard]] int length() const { return end - begin; }
};
using Piece = std::array<Range, 3>;

// Direction 0 to 25: a step of -1, 0 or 1 in x, y and z, not all 0. 25 - direction is the opposite.
Triple step_of(int direction) {
  const int index = direction < kDirections / 2 ? direction : direction + 1;
  return {index / 9 - 1, index / 3 % 3 - 1, index % 3 - 1};
}

// The ranks as a periodic 3-D grid, and which points of the box are this rank's.
class Ranks {
 public:
  explicit Ranks(int points) {
    int ranks = 1, rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 3, grid_.data());
    const Triple periodic = {1, 1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 3, grid_.data(), periodic.data(), 0, &comm_);
    MPI_Comm_rank(comm_, &rank);
    MPI_Cart_coords(comm_, rank, 3, place_.data());
    for (size_t k = 0; k < 3; ++k) {
      const auto bound = [&](long i) { return static_cast<int>(points * i / grid_[k]); };
      mine_[k] = {bound(place_[k]), bound(place_[k] + 1)};
    }
  }
  ~Ranks() { MPI_Comm_free(&comm_); }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] const Triple& grid() const { return grid_; }
  [[nodiscard]] const Piece& mine() const { return mine_; }
  [[nodiscard]] int neighbour(int direction) const {
    Triple place = step_of(direction);
    for (size_t k = 0; k < 3; ++k) place[k] += place_[k];
    int rank = 0;
    MPI_Cart_rank(comm_, place.data(), &rank);
    return rank;
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  Triple grid_{};
  Triple place_{};
  Piece mine_{};
};

// One rank's points, 1 to n in each direction, in a shell one point thick for the neighbours'
// points.
class Block {
 public:
  explicit Block(const Piece& mine)
      : size_{mine[0].length(), mine[1].length(), mine[2].length()},
        values_(static_cast<size_t>(size_[0] + 2) * (size_[1] + 2) * (size_[2] + 2), 0.0) {}

  [[nodiscard]] const Triple& size() const { return size_; }
  [[nodiscard]] long row() const { return size_[2] + 2; }  // from one row to the next
  [[nodiscard]] long plane() const { return row() * (size_[1] + 2); }
  double* data() { return values_.data(); }
  double* at(int x, int y) { return values_.data() + x * plane() + y * row(); }
  [[nodiscard]] const double* at(int x, int y) const { return const_cast<Block*>(this)->at(x, y); }

 private:
  Triple size_;
  std::vector<double> values_;
};

// ---------------------------------------------------------------- the exchange

// What goes out in a direction, and the part of the shell that the opposite neighbour sends.
class Regions {
 public:
  explicit Regions(const Triple& size) {
    for (int direction = 0; direction < kDirections; ++direction) {
      const Triple step = step_of(direction);
      Triple out{}, in{};
      for (size_t k = 0; k < 3; ++k) {
        out[k] = step[k] > 0 ? size[k] : 1;
        in[k] = step[k] > 0 ? 0 : step[k] < 0 ? size[k] + 1 : 1;
      }
      outgoing[static_cast<size_t>(direction)] = region(size, step, out);
      incoming[static_cast<size_t>(direction)] = region(size, step, in);
    }
  }
  ~Regions() {
    for (auto& type : outgoing) MPI_Type_free(&type);
    for (auto& type : incoming) MPI_Type_free(&type);
  }
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  std::array<MPI_Datatype, kDirections> outgoing{}, incoming{};

 private:
  // A face, an edge or a corner: one point thick in the directions in which the step goes.
  static MPI_Datatype region(const Triple& size, const Triple& step, const Triple& begin) {
    Triple whole{}, part{};
    for (size_t k = 0; k < 3; ++k) {
      whole[k] = size[k] + 2;
      part[k] = step[k] == 0 ? size[k] : 1;
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(3, whole.data(), part.data(), begin.data(), MPI_ORDER_C, MPI_DOUBLE,
                             &type);
    MPI_Type_commit(&type);
    return type;
  }
};

// Fills the shell of a block: start() begins, finish() ends; the inner points may be read
// meanwhile.
class Exchange {
 public:
  explicit Exchange(const Ranks& ranks, const Triple& size) : comm_(ranks.comm()), regions_(size) {
    for (int d = 0; d < kDirections; ++d) {
      targets_[static_cast<size_t>(d)] = ranks.neighbour(d);
      sources_[static_cast<size_t>(d)] = ranks.neighbour(kDirections - 1 - d);
    }
  }
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual void start(Block& block) = 0;
  virtual void finish(Block& block) = 0;

 protected:
  using Requests = std::array<MPI_Request, 2 * kDirections>;

  MPI_Comm comm_;
  Regions regions_;
  std::array<int, kDirections> targets_{}, sources_{};
};

// Tags are directions, for several neighbours may be one rank.
class Nonblocking : public Exchange {
 public:
  using Exchange::Exchange;
  void start(Block& block) override {
    for (size_t d = 0; d < kDirections; ++d) {
      MPI_Irecv(block.data(), 1, regions_.incoming[d], sources_[d], static_cast<int>(d), comm_,
                &requests_[d]);
    }
    for (size_t d = 0; d < kDirections; ++d) {
      MPI_Isend(block.data(), 1, regions_.outgoing[d], targets_[d], static_cast<int>(d), comm_,
                &requests_[kDirections + d]);
    }
  }
  void finish(Block&) override {
    MPI_Waitall(2 * kDirections, requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  Requests requests_{};
};

// Each of the two blocks has its own requests, made once.
class Persistent : public Exchange {
 public:
  Persistent(const Ranks& ranks, Block& a, Block& b) : Exchange(ranks, a.size()) {
    for (Block* block : {&a, &b}) {
      double* const data = block->data();
      auto& requests = (block == &a ? first_ : second_);
      for (size_t d = 0; d < kDirections; ++d) {
        const int tag = static_cast<int>(d);
        MPI_Recv_init(data, 1, regions_.incoming[d], sources_[d], tag, comm_, &requests[d]);
        MPI_Send_init(data, 1, regions_.outgoing[d], targets_[d], tag, comm_,
                      &requests[kDirections + d]);
      }
    }
    first_data_ = a.data();
  }
  ~Persistent() override {
    for (auto& request : first_) MPI_Request_free(&request);
    for (auto& request : second_) MPI_Request_free(&request);
  }
  void start(Block& block) override { MPI_Startall(2 * kDirections, of(block).data()); }
  void finish(Block& block) override {
    MPI_Waitall(2 * kDirections, of(block).data(), MPI_STATUSES_IGNORE);
  }

 private:
  Requests& of(Block& block) { return block.data() == first_data_ ? first_ : second_; }

  Requests first_{}, second_{};
  const double* first_data_;
};

// One collective call on a graph with an edge to each rank that is a neighbour in some direction,
// and one type for all that goes there. (An edge for each direction would be as good, but MPICH
// does not tell several edges between the same two ranks apart by their order.)
class Collective : public Exchange {
 public:
  Collective(const Ranks& ranks, const Triple& size) : Exchange(ranks, size) {
    neighbours_.assign(targets_.begin(), targets_.end());
    std::sort(neighbours_.begin(), neighbours_.end());
    neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
    for (const int neighbour : neighbours_) {
      outgoing_.push_back(all_of(neighbour, targets_, regions_.outgoing));
      incoming_.push_back(all_of(neighbour, sources_, regions_.incoming));
    }
    const int degree = static_cast<int>(neighbours_.size());
    counts_.assign(neighbours_.size(), 1);
    offsets_.assign(neighbours_.size(), 0);
    MPI_Dist_graph_create_adjacent(comm_, degree, neighbours_.data(), counts_.data(), degree,
                                   neighbours_.data(), counts_.data(), MPI_INFO_NULL, 0, &graph_);
  }
  ~Collective() override {
    for (auto& type : outgoing_) MPI_Type_free(&type);
    for (auto& type : incoming_) MPI_Type_free(&type);
    MPI_Comm_free(&graph_);
  }
  void start(Block&) override {}
  void finish(Block& block) override {
    MPI_Neighbor_alltoallw(block.data(), counts_.data(), offsets_.data(), outgoing_.data(),
                           block.data(), counts_.data(), offsets_.data(), incoming_.data(), graph_);
  }

 private:
  // What goes to or comes from one rank, by the order of the directions, which both sides share.
  static MPI_Datatype all_of(int rank, const std::array<int, kDirections>& ranks,
                             const std::array<MPI_Datatype, kDirections>& types) {
    std::vector<MPI_Datatype> mine;
    for (size_t d = 0; d < kDirections; ++d) {
      if (ranks[d] == rank) mine.push_back(types[d]);
    }
    const std::vector<int> lengths(mine.size(), 1);
    const std::vector<MPI_Aint> places(mine.size(), 0);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(static_cast<int>(mine.size()), lengths.data(), places.data(),
                           mine.data(), &type);
    MPI_Type_commit(&type);
    return type;
  }

  MPI_Comm graph_ = MPI_COMM_NULL;
  std::vector<int> neighbours_, counts_;
  std::vector<MPI_Datatype> outgoing_, incoming_;
  std::vector<MPI_Aint> offsets_;
};

std::unique_ptr<Exchange> make_exchange(const std::string& kind, const Ranks& ranks, Block& a,
                                        Block& b) {
  if (kind == "persistent") return std::make_unique<Persistent>(ranks, a, b);
  if (kind == "nonblocking") return std::make_unique<Nonblocking>(ranks, a.size());
  return std::make_unique<Collective>(ranks, a.size());
}

// ---------------------------------------------------------------- the stencil

// One step for the given points. `line` is scratch: the nine rows around one, added up.
void update(const Block& from, Block& to, const Piece& piece, std::vector<double>& line) {
  const long row = from.row(), plane = from.plane();
  const int begin = piece[2].begin, end = piece[2].end;
  double* const l = line.data();
  for (int x = piece[0].begin; x < piece[0].end; ++x) {
    for (int y = piece[1].begin; y < piece[1].end; ++y) {
      const double* u = from.at(x, y);
      for (int z = begin - 1; z <= end; ++z) {
        const double faces = u[z - row] + u[z + row] + u[z - plane] + u[z + plane];
        const double edges =
            u[z - plane - row] + u[z - plane + row] + u[z + plane - row] + u[z + plane + row];
        l[z] = kMiddle * kMiddle * u[z] + kMiddle * kSide * faces + kSide * kSide * edges;
      }
      double* v = to.at(x, y);
      for (int z = begin; z < end; ++z) v[z] = kMiddle * l[z] + kSide * (l[z - 1] + l[z + 1]);
    }
  }
}

// What the shell is needed for: the outermost points, each once.
std::vector<Piece> outer_pieces(const Triple& size) {
  std::vector<Piece> pieces;
  Piece rest = {{{1, size[0] + 1}, {1, size[1] + 1}, {1, size[2] + 1}}};
  for (size_t k = 0; k < 3; ++k) {
    const auto cut = [&](Range range) {
      Piece piece = rest;
      piece[k] = range;
      pieces.push_back(piece);
    };
    cut({1, 2});
    if (size[k] > 1) cut({size[k], size[k] + 1});
    rest[k] = {2, size[k]};
  }
  return pieces;
}

void take_step(Exchange& exchange, Block& from, Block& to, const std::vector<Piece>& outer,
               std::vector<double>& line) {
  const Triple& n = from.size();
  exchange.start(from);
  update(from, to, {{{2, n[0]}, {2, n[1]}, {2, n[2]}}}, line);
  exchange.finish(from);
  for (const auto& piece : outer) update(from, to, piece, line);
}

// ---------------------------------------------------------------- the exact solution

// A product of three waves: `waves` periods in each direction, of different phases.
struct Mode {
  Triple waves;
  double amplitude;
};
constexpr std::array<Mode, 5> kModes = {
    {{{0, 0, 0}, 1.0}, {{1, 2, 1}, 0.6}, {{2, 1, 3}, 0.4}, {{0, 1, 1}, 0.5}, {{1, 0, 2}, 0.3}}};

// The waves of one direction at this rank's points.
std::vector<double> wave(int waves, size_t direction, Range points, int n) {
  std::vector<double> values;
  const double phase = waves == 0 ? 0 : 0.3 + 0.9 * static_cast<double>(direction);
  for (int i = points.begin; i < points.end; ++i) {
    values.push_back(std::cos(2 * kPi * waves * i / n + phase));
  }
  return values;
}

// The exact solution after so many steps in a box of n points in each direction.
void evaluate(const Piece& mine, int n, long steps, Block& block) {
  const Triple& size = block.size();
  for (const auto& mode : kModes) {
    double strength = mode.amplitude;
    std::array<std::vector<double>, 3> waves;
    for (size_t k = 0; k < 3; ++k) {
      waves[k] = wave(mode.waves[k], k, mine[k], n);
      const double loss = 4 * kSide * std::pow(std::sin(kPi * mode.waves[k] / n), 2);
      strength *= std::pow(1 - loss, static_cast<double>(steps));
    }
    for (int x = 1; x <= size[0]; ++x) {
      for (int y = 1; y <= size[1]; ++y) {
        const double factor =
            strength * waves[0][static_cast<size_t>(x - 1)] * waves[1][static_cast<size_t>(y - 1)];
        double* to = block.at(x, y);
        for (int z = 1; z <= size[2]; ++z) to[z] += factor * waves[2][static_cast<size_t>(z - 1)];
      }
    }
  }
}

// The largest difference of two blocks' own points over all ranks; infinite if any is not a number.
double largest_difference(const Block& a, const Block& b) {
  double worst = 0, over_all = 0;
  for (int x = 1; x <= a.size()[0]; ++x) {
    for (int y = 1; y <= a.size()[1]; ++y) {
      for (int z = 1; z <= a.size()[2]; ++z) {
        const double difference = std::abs(a.at(x, y)[z] - b.at(x, y)[z]);
        if (std::isnan(difference)) worst = std::numeric_limits<double>::infinity();
        worst = std::max(worst, difference);
      }
    }
  }
  MPI_Allreduce(&worst, &over_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return over_all;
}

// Runs the whole program; 0 if the result is right.
int run(const Ranks& ranks, int n, long steps, const std::string& kind, bool speaks) {
  Block first(ranks.mine()), second(ranks.mine()), exact(ranks.mine());
  Block *now = &first, *next = &second;
  evaluate(ranks.mine(), n, 0, *now);
  const auto exchange = make_exchange(kind, ranks, first, second);
  const auto outer = outer_pieces(now->size());
  std::vector<double> line(static_cast<size_t>(now->row()));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  const double start = MPI_Wtime();
  for (long step = 0; step < steps; ++step) {
    take_step(*exchange, *now, *next, outer, line);
    std::swap(now, next);
  }
  const double seconds = MPI_Wtime() - start;
  MPI_Pcontrol(0);
  evaluate(ranks.mine(), n, steps, exact);
  const double error = largest_difference(*now, exact);
  const bool right = error <= kTolerance;
  if (speaks) {
    const Triple& grid = ranks.grid();
    std::printf(
        "stencil3d: %d^3 points, %ld steps, %d x %d x %d ranks, %s: %.2f s, %.0f M points/s\n", n,
        steps, grid[0], grid[1], grid[2], kind.c_str(), seconds,
        1e-6 * n * n * n * static_cast<double>(steps) / seconds);
    std::printf("stencil3d: largest error against the exact solution %.1e: %s\n", error,
                right ? "PASS" : "FAIL");
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long n = 128, steps = 100;
  std::string kind = "persistent";
  CommandLine line("stencil3d", "diffusion in a periodic box, by a 27-point stencil");
  line.add("--size", n, 4, "points in each direction");
  line.add("--steps", steps, 1, "time steps");
  line.add("--exchange", kind, "persistent, nonblocking or collective (MPI_Neighbor_alltoallw)",
           {"persistent", "nonblocking", "collective"});
  bool go = line.parse(argc, argv, rank == 0);
  if (go && (n > 1024 || n < ranks)) {
    go = line.complain("--size must be from the number of ranks to 1024", rank == 0);
  }
  const int status =
      go ? run(Ranks(static_cast<int>(n)), static_cast<int>(n), steps, kind, rank == 0)
         : line.exit_code();
  MPI_Finalize();
  return status;
}
