// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Cartesian topologies (MPI-5.0, sections 8.5.1, 8.5.2, 8.5.5 to 8.5.8).
#include <algorithm>

#include "bindings/comm/comm_objects.hpp"
#include "bindings/topo/topology_args.hpp"
#include "bindings/weak.hpp"
#include "communicators/placement.hpp"

namespace remit {

namespace {

int grid_of(Entry& entry, MPI_Comm comm, CommObject*& c, const Grid*& grid) {
  return topology_of(entry, comm, "Cartesian", c, grid);
}

/// The grid that a program describes, if it fits into `members` processes.
int read_grid(Entry& entry, int ndims, const int dims[], const int periods[], int members,
              Grid& grid) {
  if (ndims < 0) {
    return entry.fail(MPI_ERR_DIMS, "ndims is {}; it must not be negative", ndims);
  }
  if (ndims > 0) {
    if (int err = entry.not_null(dims, "dims")) return err;
    if (int err = entry.not_null(periods, "periods")) return err;
  }
  long long points = 1;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] <= 0) {
      return entry.fail(MPI_ERR_DIMS, "dims[{}] is {}; it must be positive", i, dims[i]);
    }
    points *= dims[i];
    if (points > members) {
      return entry.fail(MPI_ERR_ARG, "the grid of dims has more points than comm's {} processes",
                        members);
    }
    grid.dimensions.push_back({dims[i], periods[i] != 0});
  }
  return MPI_SUCCESS;
}

/// At most `most` of the grid's dimensions are reported to arrays of a length that the program
/// gives.
std::size_t reported(const Grid& grid, int most) {
  return std::min(grid.dimensions.size(), static_cast<std::size_t>(most));
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
                     int reorder, MPI_Comm* comm_cart) try {
  Entry entry("MPI_Cart_create");
  CommObject* c = nullptr;
  Grid grid;
  if (int err = entry.intra_comm(comm_old, c)) return err;
  if (int err = entry.not_null(comm_cart, "comm_cart")) return err;
  *comm_cart = MPI_COMM_NULL;
  if (int err = read_grid(entry, ndims, dims, periods, c->core.size(), grid)) return err;
  const std::vector<int> members =
      ordered_members(*entry.instance().process, *c->core.local, grid, grid.size(), reorder != 0);
  return create_comm_object(entry, *c, c->core.local->subset(members),
                            std::make_shared<const Topology>(grid), comm_cart);
} catch (...) {
  return caught("MPI_Cart_create", comm_old);
}
REMIT_WEAK(Cart_create);

int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) try {
  Entry entry("MPI_Cart_sub");
  CommObject* c = nullptr;
  const Grid* grid = nullptr;
  if (int err = grid_of(entry, comm, c, grid)) return err;
  if (!grid->dimensions.empty()) {
    if (int err = entry.not_null(remain_dims, "remain_dims")) return err;
  }
  if (int err = entry.not_null(newcomm, "newcomm")) return err;
  const std::span<const int> kept(remain_dims, grid->dimensions.size());
  return create_comm_object(entry, *c, c->core.local->subset(grid->slice(c->core.rank, kept)),
                            std::make_shared<const Topology>(grid->without_others(kept)), newcomm);
} catch (...) {
  return caught("MPI_Cart_sub", comm);
}
REMIT_WEAK(Cart_sub);

int PMPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[],
                  int* newrank) try {
  Entry entry("MPI_Cart_map");
  CommObject* c = nullptr;
  Grid grid;
  if (int err = entry.intra_comm(comm, c)) return err;
  if (int err = entry.not_null(newrank, "newrank")) return err;
  if (int err = read_grid(entry, ndims, dims, periods, c->core.size(), grid)) return err;
  *newrank = new_rank_of(c->core.rank, ordered_members(*entry.instance().process, *c->core.local,
                                                       grid, grid.size(), true));
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Cart_map", comm);
}
REMIT_WEAK(Cart_map);

int PMPI_Cartdim_get(MPI_Comm comm, int* ndims) try {
  Entry entry("MPI_Cartdim_get");
  CommObject* c = nullptr;
  const Grid* grid = nullptr;
  if (int err = grid_of(entry, comm, c, grid)) return err;
  if (int err = entry.not_null(ndims, "ndims")) return err;
  *ndims = static_cast<int>(grid->dimensions.size());
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Cartdim_get", comm);
}
REMIT_WEAK(Cartdim_get);

int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) try {
  Entry entry("MPI_Cart_get");
  CommObject* c = nullptr;
  const Grid* grid = nullptr;
  if (int err = grid_of(entry, comm, c, grid)) return err;
  if (int err = check_length(entry, maxdims, "maxdims")) return err;
  const std::size_t count = reported(*grid, maxdims);
  if (count == 0) return MPI_SUCCESS;
  if (int err = entry.not_null(dims, "dims")) return err;
  if (int err = entry.not_null(periods, "periods")) return err;
  if (int err = entry.not_null(coords, "coords")) return err;
  std::vector<int> own(grid->dimensions.size());
  grid->coordinates(c->core.rank, own);
  for (std::size_t i = 0; i < count; ++i) {
    dims[i] = grid->dimensions[i].size;
    periods[i] = grid->dimensions[i].periodic ? 1 : 0;
    coords[i] = own[i];
  }
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Cart_get", comm);
}
REMIT_WEAK(Cart_get);

int PMPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) try {
  Entry entry("MPI_Cart_rank");
  CommObject* c = nullptr;
  const Grid* grid = nullptr;
  if (int err = grid_of(entry, comm, c, grid)) return err;
  if (!grid->dimensions.empty()) {
    if (int err = entry.not_null(coords, "coords")) return err;
  }
  if (int err = entry.not_null(rank, "rank")) return err;
  const int found = grid->rank({coords, grid->dimensions.size()});
  if (found < 0) {
    for (std::size_t i = 0; i < grid->dimensions.size(); ++i) {
      const auto [size, periodic] = grid->dimensions[i];
      if (!periodic && (coords[i] < 0 || coords[i] >= size)) {
        return entry.fail(MPI_ERR_ARG,
                          "coords[{}] is {}; this dimension is not periodic and has {} points", i,
                          coords[i], size);
      }
    }
  }
  *rank = found;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Cart_rank", comm);
}
REMIT_WEAK(Cart_rank);

int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) try {
  Entry entry("MPI_Cart_coords");
  CommObject* c = nullptr;
  const Grid* grid = nullptr;
  if (int err = grid_of(entry, comm, c, grid)) return err;
  if (rank < 0 || rank >= c->core.size()) {
    return entry.fail(MPI_ERR_RANK, "rank is {}; comm has {} processes", rank, c->core.size());
  }
  if (int err = check_length(entry, maxdims, "maxdims")) return err;
  const std::size_t count = reported(*grid, maxdims);
  if (count == 0) return MPI_SUCCESS;
  if (int err = entry.not_null(coords, "coords")) return err;
  std::vector<int> all(grid->dimensions.size());
  grid->coordinates(rank, all);
  std::copy_n(all.begin(), count, coords);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Cart_coords", comm);
}
REMIT_WEAK(Cart_coords);

int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest) try {
  Entry entry("MPI_Cart_shift");
  CommObject* c = nullptr;
  const Grid* grid = nullptr;
  if (int err = grid_of(entry, comm, c, grid)) return err;
  const auto dimensions = static_cast<int>(grid->dimensions.size());
  if (direction < 0 || direction >= dimensions) {
    return entry.fail(MPI_ERR_ARG, "direction is {}; the grid has {} dimensions", direction,
                      dimensions);
  }
  if (int err = entry.not_null(rank_source, "rank_source")) return err;
  if (int err = entry.not_null(rank_dest, "rank_dest")) return err;
  *rank_source = grid->neighbor(c->core.rank, direction, -static_cast<long long>(disp));
  *rank_dest = grid->neighbor(c->core.rank, direction, disp);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Cart_shift", comm);
}
REMIT_WEAK(Cart_shift);

int PMPI_Dims_create(int nnodes, int ndims, int dims[]) try {
  Entry entry("MPI_Dims_create");
  if (nnodes <= 0) return entry.fail(MPI_ERR_ARG, "nnodes is {}; it must be positive", nnodes);
  if (ndims < 0) {
    return entry.fail(MPI_ERR_DIMS, "ndims is {}; it must not be negative", ndims);
  }
  if (ndims > 0) {
    if (int err = entry.not_null(dims, "dims")) return err;
  }
  const std::span<int> sizes(dims, static_cast<std::size_t>(ndims));
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] < 0) {
      return entry.fail(MPI_ERR_DIMS, "dims[{}] is {}; it must not be negative", i, dims[i]);
    }
  }
  if (fill_dimensions(nnodes, sizes)) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_DIMS, "nnodes is {}, of which the entries given in dims are no divisor",
                    nnodes);
} catch (...) {
  return caught("MPI_Dims_create");
}
REMIT_WEAK(Dims_create);

int PMPI_Topo_test(MPI_Comm comm, int* status) try {
  Entry entry("MPI_Topo_test");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(status, "status")) return err;
  constexpr int kKinds[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
  *status = c->topology == nullptr ? MPI_UNDEFINED : kKinds[c->topology->index()];
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Topo_test", comm);
}
REMIT_WEAK(Topo_test);
