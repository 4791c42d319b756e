// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reading, assembling and spreading sparse matrices for the conjugate-gradient example.

#include "sparse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <sstream>
#include <tuple>

RowRange rows_of(long n, int ranks, int rank) {
  return {n * rank / ranks, n * (rank + 1) / ranks};
}

namespace {

int owner_of(long row, long n, int ranks) {
  int guess = static_cast<int>(row * ranks / n);
  while (row >= rows_of(n, ranks, guess).end) ++guess;
  while (row < rows_of(n, ranks, guess).begin) --guess;
  return guess;
}

std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets(counts.size(), 0);
  std::partial_sum(counts.begin(), counts.end() - 1, offsets.begin() + 1);
  return offsets;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// What the first line of a Matrix Market file announces.
struct Banner {
  bool pattern = false;
  bool symmetric = false;
};

bool read_banner(std::istream& file, Banner& banner, std::string& problem) {
  std::string line, mark, object, format, field, symmetry;
  std::getline(file, line);
  std::istringstream words(lower(line));
  words >> mark >> object >> format >> field >> symmetry;
  if (mark != "%%matrixmarket" || object != "matrix" || format != "coordinate") {
    problem = "is not a Matrix Market file of a sparse matrix";
    return false;
  }
  if ((field != "real" && field != "integer" && field != "pattern") ||
      (symmetry != "general" && symmetry != "symmetric")) {
    problem = "has a field or symmetry that this example does not solve: " + field + " " + symmetry;
    return false;
  }
  banner = {field == "pattern", symmetry == "symmetric"};
  return true;
}

}  // namespace

bool read_matrix_market(const std::string& path, Entries& matrix, std::string& problem) {
  std::ifstream file(path);
  Banner banner;
  if (!file) {
    problem = "cannot be opened";
    return false;
  }
  if (!read_banner(file, banner, problem)) return false;
  while (file.peek() == '%' || file.peek() == '\n') file.ignore(1 << 20, '\n');
  long rows = 0, columns = 0, count = 0;
  file >> rows >> columns >> count;
  if (!file || rows < 1 || rows != columns || count < 0) {
    problem = "is not square";
    return false;
  }
  matrix.n = rows;
  for (long i = 0; i < count; ++i) {
    Entry e{0, 0, 1.0};
    file >> e.row >> e.column;
    if (!banner.pattern) file >> e.value;
    if (!file || e.row < 1 || e.row > rows || e.column < 1 || e.column > rows) {
      problem = "has a bad entry, number " + std::to_string(i + 1);
      return false;
    }
    --e.row;
    --e.column;
    matrix.list.push_back(e);
    if (banner.symmetric && e.row != e.column) matrix.list.push_back({e.column, e.row, e.value});
  }
  return true;
}

namespace {

// The 8 x 8 stiffness of a unit trilinear element: the tensor product of the line element's
// stiffness (K) and mass (M), K x M x M + M x K x M + M x M x K. Corner c is at (c & 1, c >> 1 & 1,
// c >> 2).
std::array<std::array<double, 8>, 8> element_stiffness() {
  const auto stiff = [](int a, int b) { return a == b ? 1.0 : -1.0; };
  const auto mass = [](int a, int b) { return a == b ? 1.0 / 3 : 1.0 / 6; };
  std::array<std::array<double, 8>, 8> k{};
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      const int xi = i & 1, yi = i >> 1 & 1, zi = i >> 2, xj = j & 1, yj = j >> 1 & 1, zj = j >> 2;
      k[i][j] = stiff(xi, xj) * mass(yi, yj) * mass(zi, zj) +
                mass(xi, xj) * stiff(yi, yj) * mass(zi, zj) +
                mass(xi, xj) * mass(yi, yj) * stiff(zi, zj);
    }
  }
  return k;
}

// A composite: eight blocks along each edge, in which a checker pattern conducts 1000 times better.
double conductivity(long cells, long x, long y, long z) {
  const auto block = [cells](long i) { return 8 * i / cells; };
  return (block(x) + block(y) + block(z)) % 2 == 0 ? 1.0 : 1000.0;
}

}  // namespace

Entries assemble_cube(long cells, int ranks, int rank) {
  const long side = cells - 1;  // unknowns along an edge: the inner nodes
  Entries matrix;
  matrix.n = side * side * side;
  const RowRange rows = rows_of(matrix.n, ranks, rank);
  const auto k = element_stiffness();
  for (long row = rows.begin; row < rows.end; ++row) {
    const long x = row % side + 1, y = row / side % side + 1, z = row / (side * side) + 1;
    std::array<double, 27> sums{};  // the node and its neighbours, as 3 x 3 x 3
    // The eight elements around the node: in element e the node is corner 7 - e.
    for (int e = 0; e < 8; ++e) {
      const int right = e & 1, up = e >> 1 & 1, back = e >> 2;
      const double factor =
          conductivity(cells, x - 1 + right, y - 1 + up, z - 1 + back) / static_cast<double>(cells);
      for (int corner = 0; corner < 8; ++corner) {
        const int place =
            (right + (corner & 1)) + 3 * (up + (corner >> 1 & 1)) + 9 * (back + (corner >> 2));
        sums[place] += factor * k[7 - e][corner];
      }
    }
    for (int place = 0; place < 27; ++place) {
      const long cx = x - 1 + place % 3, cy = y - 1 + place / 3 % 3, cz = z - 1 + place / 9;
      const bool inner = std::min({cx, cy, cz}) >= 1 && std::max({cx, cy, cz}) <= side;
      const long column = (cx - 1) + side * ((cy - 1) + side * (cz - 1));
      if (inner) matrix.list.push_back({row, column, sums[place]});
    }
  }
  return matrix;
}

Entries scatter_rows(const Entries& on_root, int ranks, int rank) {
  Entries mine;
  mine.n = on_root.n;
  MPI_Bcast(&mine.n, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  std::vector<int> counts(static_cast<size_t>(ranks), 0);
  std::vector<Entry> sorted = on_root.list;
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry& a, const Entry& b) { return a.row < b.row; });
  for (const Entry& e : sorted) ++counts[static_cast<size_t>(owner_of(e.row, mine.n, ranks))];
  int count = 0;
  MPI_Scatter(counts.data(), 1, MPI_INT, &count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  mine.list.resize(static_cast<size_t>(count));
  // An entry as the standard wants it described: two longs and a double, repeated every
  // sizeof(Entry).
  const std::array<int, 2> lengths = {2, 1};
  const std::array<MPI_Aint, 2> places = {0, static_cast<MPI_Aint>(offsetof(Entry, value))};
  const std::array<MPI_Datatype, 2> parts = {MPI_LONG, MPI_DOUBLE};
  MPI_Datatype packed, entry;
  MPI_Type_create_struct(2, lengths.data(), places.data(), parts.data(), &packed);
  MPI_Type_create_resized(packed, 0, sizeof(Entry), &entry);
  MPI_Type_commit(&entry);
  const std::vector<int> offsets = offsets_of(counts);
  (void)rank;
  MPI_Scatterv(sorted.data(), counts.data(), offsets.data(), entry, mine.list.data(), count, entry,
               0, MPI_COMM_WORLD);
  MPI_Type_free(&packed);
  MPI_Type_free(&entry);
  return mine;
}

DistributedMatrix::DistributedMatrix(const Entries& own_rows, int ranks, int rank)
    : n_(own_rows.n), rows_(rows_of(own_rows.n, ranks, rank)) {
  compress(own_rows);
  find_neighbours(ranks);
}

void DistributedMatrix::compress(const Entries& own_rows) {
  std::vector<Entry> list = own_rows.list;
  const auto outside = [this](const Entry& e) {
    return e.column < rows_.begin || e.column >= rows_.end;
  };
  std::sort(list.begin(), list.end(), [&](const Entry& a, const Entry& b) {
    return std::make_tuple(a.row, outside(a), a.column) <
           std::make_tuple(b.row, outside(b), b.column);
  });
  for (const Entry& e : list) {
    if (outside(e)) halo_columns_.push_back(e.column);
  }
  std::sort(halo_columns_.begin(), halo_columns_.end());
  halo_columns_.erase(std::unique(halo_columns_.begin(), halo_columns_.end()), halo_columns_.end());
  halo_.resize(halo_columns_.size());

  const auto rows = static_cast<size_t>(rows_.length());
  row_start_.assign(rows + 1, 0);
  own_end_.assign(rows, 0);
  diagonal_.assign(rows, 0.0);
  size_t next = 0;
  for (size_t row = 0; row < rows; ++row) {
    own_end_[row] = values_.size();
    const long global = rows_.begin + static_cast<long>(row);
    long last_column = -1;
    for (; next < list.size() && list[next].row == global; ++next) {
      const Entry& e = list[next];
      if (e.column == global) diagonal_[row] += e.value;
      if (e.column == last_column) {
        values_.back() += e.value;
        continue;
      }
      last_column = e.column;
      const auto place = std::lower_bound(halo_columns_.begin(), halo_columns_.end(), e.column);
      columns_.push_back(
          static_cast<int>(outside(e) ? place - halo_columns_.begin() : e.column - rows_.begin));
      values_.push_back(e.value);
      if (!outside(e)) own_end_[row] = values_.size();
    }
    row_start_[row + 1] = values_.size();
  }
}

// Each rank knows whose entries it needs; an all-to-all tells the owners.
void DistributedMatrix::find_neighbours(int ranks) {
  std::vector<int> need(static_cast<size_t>(ranks), 0), give(static_cast<size_t>(ranks), 0);
  for (const long column : halo_columns_) ++need[static_cast<size_t>(owner_of(column, n_, ranks))];
  MPI_Alltoall(need.data(), 1, MPI_INT, give.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const std::vector<int> need_at = offsets_of(need), give_at = offsets_of(give);
  std::vector<long> wanted(static_cast<size_t>(give_at.back() + give.back()));
  MPI_Alltoallv(halo_columns_.data(), need.data(), need_at.data(), MPI_LONG, wanted.data(),
                give.data(), give_at.data(), MPI_LONG, MPI_COMM_WORLD);
  for (const long column : wanted) send_list_.push_back(static_cast<int>(column - rows_.begin));
  send_buffer_.resize(send_list_.size());
  const auto neighbours = [ranks](const std::vector<int>& counts, const std::vector<int>& offsets) {
    std::vector<Neighbour> found;
    for (int r = 0; r < ranks; ++r) {
      const auto i = static_cast<size_t>(r);
      if (counts[i] > 0) {
        found.push_back({r, static_cast<size_t>(offsets[i]), static_cast<size_t>(counts[i])});
      }
    }
    return found;
  };
  receive_from_ = neighbours(need, need_at);
  send_to_ = neighbours(give, give_at);
  requests_.resize(receive_from_.size() + send_to_.size());
}

void DistributedMatrix::start_halo(const std::vector<double>& x) {
  size_t request = 0;
  for (const Neighbour& from : receive_from_) {
    MPI_Irecv(&halo_[from.begin], static_cast<int>(from.count), MPI_DOUBLE, from.rank, 0,
              MPI_COMM_WORLD, &requests_[request++]);
  }
  for (size_t i = 0; i < send_list_.size(); ++i) {
    send_buffer_[i] = x[static_cast<size_t>(send_list_[i])];
  }
  for (const Neighbour& to : send_to_) {
    MPI_Isend(&send_buffer_[to.begin], static_cast<int>(to.count), MPI_DOUBLE, to.rank, 0,
              MPI_COMM_WORLD, &requests_[request++]);
  }
}

void DistributedMatrix::multiply(const std::vector<double>& x, std::vector<double>& y) {
  start_halo(x);
  const size_t rows = own_end_.size();
  for (size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (size_t i = row_start_[row]; i < own_end_[row]; ++i) {
      sum += values_[i] * x[static_cast<size_t>(columns_[i])];
    }
    y[row] = sum;
  }
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  for (size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (size_t i = own_end_[row]; i < row_start_[row + 1]; ++i) {
      sum += values_[i] * halo_[static_cast<size_t>(columns_[i])];
    }
    y[row] += sum;
  }
}
