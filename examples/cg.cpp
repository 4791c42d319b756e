// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients on a sparse symmetric matrix whose rows are spread over the ranks, with a
// diagonal preconditioner. The matrix comes from a Matrix Market file or from finite elements made
// here.
//
//   mpirun -n 4 ./cg --matrix data/plate_with_hole.mtx
//   mpirun -n 4 ./cg --cells 64
//
// The right-hand side is made from a known solution, so that both the residual and the answer are
// checked.

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "sparse.hpp"

namespace {

using Vector = std::vector<double>;

constexpr double kTolerance = 1e-10;     // relative residual at which the iteration stops
constexpr double kTrueResidual = 1e-9;   // what the residual computed afresh must reach
constexpr double kSolutionError = 1e-4;  // relative; the residual times a condition number

double dot(const Vector& a, const Vector& b) {
  double mine = 0, all = 0;
  for (size_t i = 0; i < a.size(); ++i) mine += a[i] * b[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

double norm(const Vector& a) {
  return std::sqrt(dot(a, a));
}

struct Outcome {
  Vector x;
  long iterations = 0;
};

// Solves A x = b from x = 0 until the residual is kTolerance of b, or `most` iterations were made.
Outcome solve(DistributedMatrix& a, const Vector& b, long most) {
  const size_t rows = b.size();
  Outcome out{Vector(rows, 0.0), 0};
  Vector r = b, z(rows), p(rows, 0.0), ap(rows);
  const double target = kTolerance * norm(b);
  double rz_before = 0;
  while (out.iterations < most && norm(r) > target) {
    for (size_t i = 0; i < rows; ++i) z[i] = r[i] / a.diagonal()[i];
    const double rz = dot(r, z);
    const double beta = out.iterations == 0 ? 0 : rz / rz_before;
    rz_before = rz;
    for (size_t i = 0; i < rows; ++i) p[i] = z[i] + beta * p[i];
    a.multiply(p, ap);
    const double alpha = rz / dot(p, ap);
    for (size_t i = 0; i < rows; ++i) {
      out.x[i] += alpha * p[i];
      r[i] -= alpha * ap[i];
    }
    ++out.iterations;
  }
  return out;
}

// A smooth solution with some structure, the same for every number of ranks.
Vector known_solution(RowRange rows) {
  Vector x;
  for (long i = rows.begin; i < rows.end; ++i) {
    const auto t = static_cast<double>(i);
    x.push_back(1.0 + 0.5 * std::sin(0.37 * t) + 0.25 * std::cos(0.011 * t));
  }
  return x;
}

double relative_difference(const Vector& a, const Vector& b) {
  Vector difference(a.size());
  for (size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  return norm(difference) / norm(b);
}

// This rank's rows of the matrix named on the command line; empty, after one message, if the file
// is no good.
Entries load(const std::string& path, long cells, int ranks, int rank) {
  if (path.empty()) return assemble_cube(cells, ranks, rank);
  Entries whole;
  std::string problem;
  if (rank == 0 && !read_matrix_market(path, whole, problem)) {
    std::fprintf(stderr, "cg: %s %s\n", path.c_str(), problem.c_str());
    whole = {};
  }
  return scatter_rows(whole, ranks, rank);
}

bool all_positive(const Vector& diagonal) {
  int good = 1, all = 0;
  for (const double d : diagonal) good = good != 0 && d > 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

// Runs the whole example; 0 if the result is right.
int run(const std::string& path, long cells, long most, int ranks, int rank) {
  const Entries entries = load(path, cells, ranks, rank);
  if (entries.n == 0) return 1;
  DistributedMatrix a(entries, ranks, rank);
  if (!all_positive(a.diagonal())) {
    if (rank == 0) std::fprintf(stderr, "cg: the matrix is not positive definite: bad diagonal\n");
    return 1;
  }
  const Vector solution = known_solution(a.rows());
  Vector b(solution.size()), check(solution.size());
  a.multiply(solution, b);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1);  // a profiling tool sees what is timed, and no more
  const double start = MPI_Wtime();
  const Outcome out = solve(a, b, most);
  const double seconds = MPI_Wtime() - start;
  MPI_Pcontrol(0);
  a.multiply(out.x, check);
  const double residual = relative_difference(check, b);
  const double error = relative_difference(out.x, solution);
  const bool right = residual <= kTrueResidual && error <= kSolutionError;
  const auto mine = static_cast<long>(a.nonzeros());
  long nonzeros = 0;
  MPI_Reduce(&mine, &nonzeros, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("cg: %s: %ld rows, %ld nonzeros, %d ranks: %ld iterations, %.2f s, %.2f GFlop/s\n",
                path.empty() ? "finite elements in a cube" : path.c_str(), a.n(), nonzeros, ranks,
                out.iterations, seconds,
                1e-9 * static_cast<double>(out.iterations) *
                    (2.0 * static_cast<double>(nonzeros) + 13.0 * static_cast<double>(a.n())) /
                    seconds);
    std::printf("cg: residual %.1e, error of the solution %.1e: %s\n", residual, error,
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
  std::string path;
  long cells = 64, most = 20000;
  CommandLine line("cg", "conjugate gradients on a sparse matrix");
  line.add("--matrix", path, "Matrix Market file, symmetric positive definite");
  line.add("--cells", cells, 2, "without --matrix: finite elements along each edge of a cube");
  line.add("--iterations", most, 1, "give up after so many");
  bool go = line.parse(argc, argv, rank == 0);
  if (go && cells > 1024) go = line.complain("--cells must be at most 1024", rank == 0);
  const int status = go ? run(path, cells, most, ranks, rank) : line.exit_code();
  MPI_Finalize();
  return status;
}
