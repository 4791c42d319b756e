// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The conjugate-gradient example's matrices: Matrix Market files, a finite-element stiffness
// matrix, and a matrix whose rows are spread over the ranks.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

// One nonzero; rows and columns count from 0.
struct Entry {
  long row;
  long column;
  double value;
};

// A square matrix as a list of nonzeros, in no special order; entries at the same place add up.
struct Entries {
  long n = 0;
  std::vector<Entry> list;
};

// The rows [begin, end) of n that rank `rank` of `ranks` owns.
struct RowRange {
  long begin = 0;
  long end = 0;
  [[nodiscard]] long length() const { return end - begin; }
};
RowRange rows_of(long n, int ranks, int rank);

// Reads "coordinate real|integer|pattern general|symmetric". False: `problem` says why not.
bool read_matrix_market(const std::string& path, Entries& matrix, std::string& problem);

// The given rows of the stiffness matrix of heat conduction in a cube, held at fixed temperature
// all around: trilinear elements, cells x cells x cells of them, conductivity varying by a factor
// of 1000 in blocks. Every rank makes its own rows.
Entries assemble_cube(long cells, int ranks, int rank);

// Hands each rank the entries of its rows out of rank 0's matrix. Collective.
Entries scatter_rows(const Entries& on_root, int ranks, int rank);

// Rows spread over the ranks, compressed; knows whom to send which entries of a vector to before
// a product. Collective to make.
class DistributedMatrix {
 public:
  DistributedMatrix(const Entries& own_rows, int ranks, int rank);

  [[nodiscard]] long n() const { return n_; }
  [[nodiscard]] RowRange rows() const { return rows_; }
  [[nodiscard]] size_t nonzeros() const { return values_.size(); }
  [[nodiscard]] const std::vector<double>& diagonal() const { return diagonal_; }

  // y = A x, each vector with this rank's rows. The products inside the own rows are formed while
  // the neighbours' entries travel. Collective.
  void multiply(const std::vector<double>& x, std::vector<double>& y);

 private:
  struct Neighbour {
    int rank;
    size_t begin;  // its part of halo_ or send_list_
    size_t count;
  };
  void compress(const Entries& own_rows);
  void find_neighbours(int ranks);
  void start_halo(const std::vector<double>& x);

  long n_;
  RowRange rows_;
  // Row i has the nonzeros [row_start_[i], row_start_[i + 1]); the first ones, up to own_end_[i],
  // have columns in the own rows (counted from rows_.begin), the others columns in halo_.
  std::vector<size_t> row_start_, own_end_;
  std::vector<int> columns_;
  std::vector<double> values_, diagonal_;
  std::vector<long> halo_columns_;  // global, ascending
  std::vector<Neighbour> receive_from_, send_to_;
  std::vector<int> send_list_;  // own entries that others need
  std::vector<double> halo_, send_buffer_;
  std::vector<MPI_Request> requests_;
};
