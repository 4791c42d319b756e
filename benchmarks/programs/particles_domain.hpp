// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The particles' box, cut into one domain for each rank: who owns which particle, and whose
// particles are near whose domain.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

using Vec = std::array<double, 3>;

struct Particle {
  Vec position;  // from 0 to the box's length in each direction
  Vec velocity;
  std::uint64_t id;
};

constexpr double kCutoff = 1;  // of the forces: the unit of length

// A periodic cube, cut by a 3-D grid of ranks into equal domains.
class Domain {
 public:
  enum class Ghosts { kCollective, kMessages };

  // Collective over `comm`, which stays the caller's.
  Domain(MPI_Comm comm, double length, Ghosts ghosts);
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] double length() const { return length_; }
  [[nodiscard]] const std::array<int, 3>& grid() const { return grid_; }
  [[nodiscard]] const Vec& lower() const { return lower_; }
  [[nodiscard]] const Vec& upper() const { return upper_; }
  [[nodiscard]] MPI_Datatype particle_type() const { return particle_type_; }
  // Domains thinner than the cutoff would need the neighbours' neighbours; false on all ranks
  // alike.
  [[nodiscard]] bool thick_enough() const;

  // Brings each particle to the rank that owns its position, by MPI_Alltoallv. Collective.
  void migrate(std::vector<Particle>& particles);

  // The positions of others' particles within the cutoff of this domain, also its own across the
  // box's faces, each as seen from here: it may be outside of the box. Collective.
  void find_ghosts(const std::vector<Particle>& particles, std::vector<Vec>& ghosts);

 private:
  static constexpr int kDirections = 26;
  static constexpr auto kSelf = static_cast<size_t>(-1);

  [[nodiscard]] int owner_of(const Vec& position) const;
  void select(const std::vector<Particle>& particles);
  void select_one(const Vec& position);
  void find_neighbours();
  void exchange_by_collective(std::vector<Vec>& ghosts);
  void exchange_by_messages(std::vector<Vec>& ghosts);

  MPI_Comm comm_ = MPI_COMM_NULL;   // the grid of ranks
  MPI_Comm graph_ = MPI_COMM_NULL;  // edges from and to all neighbours
  MPI_Datatype particle_type_ = MPI_DATATYPE_NULL, position_type_ = MPI_DATATYPE_NULL;
  double length_;
  Ghosts ghosts_;
  int rank_ = 0, ranks_ = 1;
  std::array<int, 3> grid_{}, place_{};
  Vec lower_{}, upper_{};
  // By direction: which of the neighbours is there, or kSelf, and how a position changes that
  // leaves the box there.
  std::array<size_t, kDirections> neighbour_of_{};
  std::array<Vec, kDirections> shifts_{};
  // The other ranks whose domains touch this one, each once, and the positions that each is sent.
  std::vector<int> neighbours_;
  std::vector<std::vector<Vec>> selected_;
  std::vector<Vec> own_images_;
};
