// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "particles_domain.hpp"

#include <algorithm>
#include <numeric>

namespace {

using Counts = std::vector<int>;

// Direction 0 to 25: a step of -1, 0 or 1 in each direction, not all 0. 25 - direction is the
// opposite.
std::array<int, 3> step_of(int direction) {
  const int index = direction < 13 ? direction : direction + 1;
  return {index / 9 - 1, index / 3 % 3 - 1, index % 3 - 1};
}

Counts offsets_of(const Counts& counts) {
  Counts offsets(counts.size(), 0);
  for (size_t i = 1; i < counts.size(); ++i) offsets[i] = offsets[i - 1] + counts[i - 1];
  return offsets;
}

size_t sum_of(const Counts& counts) {
  return static_cast<size_t>(std::accumulate(counts.begin(), counts.end(), 0));
}

MPI_Datatype make_particle_type() {
  const std::array<int, 3> lengths = {3, 3, 1};
  const std::array<MPI_Aint, 3> places = {offsetof(Particle, position),
                                          offsetof(Particle, velocity), offsetof(Particle, id)};
  const std::array<MPI_Datatype, 3> types = {MPI_DOUBLE, MPI_DOUBLE, MPI_UINT64_T};
  MPI_Datatype members = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths.data(), places.data(), types.data(), &members);
  MPI_Type_create_resized(members, 0, sizeof(Particle), &type);
  MPI_Type_free(&members);
  MPI_Type_commit(&type);
  return type;
}

}  // namespace

Domain::Domain(MPI_Comm comm, double length, Ghosts ghosts) : length_(length), ghosts_(ghosts) {
  MPI_Comm_size(comm, &ranks_);
  MPI_Dims_create(ranks_, 3, grid_.data());
  const std::array<int, 3> periodic = {1, 1, 1};
  MPI_Cart_create(comm, 3, grid_.data(), periodic.data(), 0, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Cart_coords(comm_, rank_, 3, place_.data());
  for (size_t k = 0; k < 3; ++k) {
    lower_[k] = length * place_[k] / grid_[k];
    upper_[k] = length * (place_[k] + 1) / grid_[k];
  }
  find_neighbours();
  particle_type_ = make_particle_type();
  MPI_Type_contiguous(3, MPI_DOUBLE, &position_type_);
  MPI_Type_commit(&position_type_);
}

void Domain::find_neighbours() {
  std::array<int, kDirections> ranks{};
  for (int d = 0; d < kDirections; ++d) {
    const auto i = static_cast<size_t>(d);
    std::array<int, 3> there = step_of(d);
    for (size_t k = 0; k < 3; ++k) {
      there[k] += place_[k];
      shifts_[i][k] = there[k] < 0 ? length_ : there[k] == grid_[k] ? -length_ : 0;
    }
    MPI_Cart_rank(comm_, there.data(), &ranks[i]);
    if (ranks[i] != rank_) neighbours_.push_back(ranks[i]);
  }
  std::sort(neighbours_.begin(), neighbours_.end());
  neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
  for (size_t i = 0; i < kDirections; ++i) {
    const auto found = std::lower_bound(neighbours_.begin(), neighbours_.end(), ranks[i]);
    neighbour_of_[i] = ranks[i] == rank_ ? kSelf : static_cast<size_t>(found - neighbours_.begin());
  }
  selected_.resize(neighbours_.size());
  const int degree = static_cast<int>(neighbours_.size());
  const std::vector<int> weights(neighbours_.size(), 1);
  MPI_Dist_graph_create_adjacent(comm_, degree, neighbours_.data(), weights.data(), degree,
                                 neighbours_.data(), weights.data(), MPI_INFO_NULL, 0, &graph_);
}

Domain::~Domain() {
  MPI_Type_free(&position_type_);
  MPI_Type_free(&particle_type_);
  MPI_Comm_free(&graph_);
  MPI_Comm_free(&comm_);
}

bool Domain::thick_enough() const {
  return length_ / *std::max_element(grid_.begin(), grid_.end()) >= kCutoff;
}

int Domain::owner_of(const Vec& position) const {
  int owner = 0;  // ranks of a cartesian communicator are numbered by rows
  for (size_t k = 0; k < 3; ++k) {
    const int place = static_cast<int>(position[k] * grid_[k] / length_);
    owner = owner * grid_[k] + std::min(place, grid_[k] - 1);
  }
  return owner;
}

void Domain::migrate(std::vector<Particle>& particles) {
  Counts sent(static_cast<size_t>(ranks_), 0), received(sent);
  std::vector<int> owners;  // of those that leave, by their order
  std::vector<Particle> leaving;
  size_t staying = 0;
  for (const Particle& particle : particles) {
    const int owner = owner_of(particle.position);
    if (owner == rank_) {
      particles[staying++] = particle;
    } else {
      leaving.push_back(particle);
      owners.push_back(owner);
      ++sent[static_cast<size_t>(owner)];
    }
  }
  MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comm_);
  const Counts send_offsets = offsets_of(sent), receive_offsets = offsets_of(received);
  std::vector<Particle> sorted(leaving.size());
  Counts next = send_offsets;
  for (size_t i = 0; i < leaving.size(); ++i) {
    sorted[static_cast<size_t>(next[static_cast<size_t>(owners[i])]++)] = leaving[i];
  }
  particles.resize(staying + sum_of(received));
  MPI_Alltoallv(sorted.data(), sent.data(), send_offsets.data(), particle_type_,
                particles.data() + staying, received.data(), receive_offsets.data(), particle_type_,
                comm_);
}

void Domain::select_one(const Vec& position) {
  std::array<bool, 3> low{}, high{};
  bool inside = true;
  for (size_t k = 0; k < 3; ++k) {
    low[k] = position[k] < lower_[k] + kCutoff;
    high[k] = position[k] > upper_[k] - kCutoff;
    inside = inside && !low[k] && !high[k];
  }
  if (inside) return;
  for (int d = 0; d < kDirections; ++d) {
    const std::array<int, 3> step = step_of(d);
    bool near = true;
    Vec seen = position;
    for (size_t k = 0; k < 3; ++k) {
      near = near && (step[k] == 0 || (step[k] < 0 ? low[k] : high[k]));
      seen[k] += shifts_[static_cast<size_t>(d)][k];
    }
    const size_t neighbour = neighbour_of_[static_cast<size_t>(d)];
    if (near) (neighbour == kSelf ? own_images_ : selected_[neighbour]).push_back(seen);
  }
}

void Domain::select(const std::vector<Particle>& particles) {
  own_images_.clear();
  for (auto& positions : selected_) positions.clear();
  for (const Particle& particle : particles) select_one(particle.position);
}

void Domain::find_ghosts(const std::vector<Particle>& particles, std::vector<Vec>& ghosts) {
  select(particles);
  ghosts = own_images_;
  if (neighbours_.empty()) return;
  if (ghosts_ == Ghosts::kCollective) {
    exchange_by_collective(ghosts);
  } else {
    exchange_by_messages(ghosts);
  }
}

void Domain::exchange_by_collective(std::vector<Vec>& ghosts) {
  Counts sent, received(neighbours_.size());
  std::vector<Vec> outgoing;
  for (const auto& positions : selected_) {
    sent.push_back(static_cast<int>(positions.size()));
    outgoing.insert(outgoing.end(), positions.begin(), positions.end());
  }
  MPI_Neighbor_alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, graph_);
  const size_t before = ghosts.size();
  ghosts.resize(before + sum_of(received));
  const Counts send_offsets = offsets_of(sent), receive_offsets = offsets_of(received);
  MPI_Neighbor_alltoallv(outgoing.data(), sent.data(), send_offsets.data(), position_type_,
                         ghosts.data() + before, received.data(), receive_offsets.data(),
                         position_type_, graph_);
}

// Nobody says beforehand how many come: a probe does. Who is first is taken first; it cannot be a
// message of the next step, for nobody leaves migrate() before all have come there.
void Domain::exchange_by_messages(std::vector<Vec>& ghosts) {
  std::vector<MPI_Request> requests(neighbours_.size());
  for (size_t i = 0; i < neighbours_.size(); ++i) {
    MPI_Isend(selected_[i].data(), static_cast<int>(selected_[i].size()), position_type_,
              neighbours_[i], 0, comm_, &requests[i]);
  }
  for (size_t i = 0; i < neighbours_.size(); ++i) {
    MPI_Status status;
    int count = 0;
    MPI_Probe(MPI_ANY_SOURCE, 0, comm_, &status);
    MPI_Get_count(&status, position_type_, &count);
    const size_t before = ghosts.size();
    ghosts.resize(before + static_cast<size_t>(count));
    MPI_Recv(ghosts.data() + before, count, position_type_, status.MPI_SOURCE, 0, comm_,
             MPI_STATUS_IGNORE);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}
