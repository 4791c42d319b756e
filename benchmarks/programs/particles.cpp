// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Particles with forces of short range in a periodic box, which is cut into a domain for each rank.
// In each step those that have crossed a face move to another rank (MPI_Alltoall of their numbers,
// MPI_Alltoallv), positions near faces, edges and corners go to the 26 neighbours
// (MPI_Neighbor_alltoall and _alltoallv, or messages whose length a probe tells), and energy and
// momentum are added up (MPI_Allreduce).
//
//   mpirun -n 8 ./particles --box 32 --steps 100
//
// No particle may be lost or doubled, momentum and energy must stay; with --check yes rank 0
// computes everything once more, all pairs without cells and neighbours, and compares each
// position.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "../../examples/command_line.hpp"
#include "particles_domain.hpp"
#include "particles_forces.hpp"

namespace {

using Particles = std::vector<Particle>;

constexpr double kTimeStep = 0.004;
constexpr int kDensity = 3;                   // particles in a cube of the cutoff's size
constexpr double kEnergyTolerance = 1e-3;     // relative; the integrator makes about 3e-4
constexpr double kMomentumTolerance = 1e-11;  // relative to the sum of all speeds' sizes
constexpr double kPositionTolerance = 1e-8;   // of --check: rounding, and how fast it grows

struct Settings {
  long box = 24;  // its length in cutoffs
  long steps = 100;
  long flow = 50;  // in each step all move by so many thousandths of the cutoff
  [[nodiscard]] long particles() const { return kDensity * box * box * box; }
};

// ---------------------------------------------------------------- the start

// A good mix of all bits (the finalizer of splitmix64).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// From 0 to 1, and depends on the arguments alone.
double random_number(std::uint64_t id, std::uint64_t which) {
  return static_cast<double>(mix(8 * id + which) >> 11) * 0x1p-53;
}

// A particle's start, whoever makes it: somewhere in a cube of its own of a lattice, so that no two
// begin at the same place, which is taken out of their order so that each rank makes some of all.
Particle make_particle(std::uint64_t id, const Settings& settings) {
  const auto box = static_cast<std::uint64_t>(settings.box);
  const std::uint64_t cube = id / kDensity;
  const std::array<std::uint64_t, 3> place = {cube % box, cube / box % box, cube / (box * box)};
  Particle particle{};
  particle.id = id;
  for (size_t k = 0; k < 3; ++k) {
    // A cube has three particles, each in its own third of it in the first direction.
    const double inside = 0.1 + 0.8 * random_number(id, k);
    const double third = (static_cast<double>(id % kDensity) + inside) / kDensity;
    particle.position[k] = static_cast<double>(place[k]) + (k == 0 ? third : inside);
    particle.velocity[k] = 2 * random_number(id, 3 + k) - 1;
  }
  particle.velocity[0] += 1e-3 * static_cast<double>(settings.flow) * kCutoff / kTimeStep;
  return particle;
}

// ---------------------------------------------------------------- the steps

void kick(Particles& particles, const std::vector<Vec>& forces) {
  for (size_t i = 0; i < particles.size(); ++i) {
    for (size_t k = 0; k < 3; ++k) particles[i].velocity[k] += 0.5 * kTimeStep * forces[i][k];
  }
}

void drift(Particles& particles, double length) {
  for (Particle& particle : particles) {
    for (size_t k = 0; k < 3; ++k) {
      double place = particle.position[k] + kTimeStep * particle.velocity[k];
      if (place < 0) place += length;
      if (place >= length) place -= length;
      particle.position[k] = std::max(place, 0.0);
    }
  }
}

// Sums over all ranks.
struct Totals {
  double count = 0, energy = 0;
  Vec momentum{};
};

// The particles of one rank.
class Simulation {
 public:
  explicit Simulation(Domain& domain) : domain_(domain), forces_(domain.lower(), domain.upper()) {}

  Particles particles;

  // Everybody to its owner, and the forces there.
  Totals begin() {
    domain_.migrate(particles);
    return meet();
  }
  // A step of the velocity form of Verlet's method.
  Totals step() {
    kick(particles, force_);
    drift(particles, domain_.length());
    domain_.migrate(particles);
    return meet();
  }

 private:
  // Forces at the positions; the second half of the kick comes with the energy, which needs both.
  Totals meet() {
    domain_.find_ghosts(particles, ghosts_);
    const double potential = forces_.compute(particles, ghosts_, force_);
    if (started_) kick(particles, force_);
    started_ = true;
    return add_up(potential);
  }
  [[nodiscard]] Totals add_up(double potential) const {
    std::array<double, 5> mine = {static_cast<double>(particles.size()), potential, 0, 0, 0}, all{};
    for (const Particle& particle : particles) {
      for (size_t k = 0; k < 3; ++k) {
        mine[1] += 0.5 * particle.velocity[k] * particle.velocity[k];
        mine[2 + k] += particle.velocity[k];
      }
    }
    MPI_Allreduce(mine.data(), all.data(), 5, MPI_DOUBLE, MPI_SUM, domain_.comm());
    return {all[0], all[1], {all[2], all[3], all[4]}};
  }

  Domain& domain_;
  Forces forces_;
  std::vector<Vec> force_, ghosts_;
  bool started_ = false;
};

// ---------------------------------------------------------------- the checks

// Whether each particle is there once: their number, and two sums over their names.
bool all_there(const Particles& particles, const Settings& settings) {
  std::array<std::uint64_t, 3> mine = {particles.size(), 0, 0}, all{}, right{};
  for (const Particle& particle : particles) {
    mine[1] += particle.id;
    mine[2] += mix(particle.id);
  }
  MPI_Allreduce(mine.data(), all.data(), 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  right[0] = static_cast<std::uint64_t>(settings.particles());
  for (std::uint64_t id = 0; id < right[0]; ++id) {
    right[1] += id;
    right[2] += mix(id);
  }
  return all == right;
}

// The energy without that of all moving one way.
double inner_energy(const Totals& totals) {
  double squared = 0;
  for (const double component : totals.momentum) squared += component * component;
  return totals.energy - 0.5 * squared / totals.count;
}

// How far the totals have gone from those of the start.
struct Deviation {
  double energy = 0;    // relative
  double momentum = 0;  // relative to that of all particles moving one way
  void add(const Totals& now, const Totals& start) {
    energy = std::max(energy, std::abs(inner_energy(now) / inner_energy(start) - 1));
    const double speed = std::sqrt(2 * start.energy / start.count);
    for (size_t k = 0; k < 3; ++k) {
      const double change = std::abs(now.momentum[k] - start.momentum[k]);
      momentum = std::max(momentum, change / (speed * start.count));
    }
  }
};

// From a to b by the shortest way in a periodic box.
double across(double a, double b, double length) {
  return std::remainder(b - a, length);
}

void forces_of_all_pairs(const Particles& particles, double length, std::vector<Vec>& forces) {
  forces.assign(particles.size(), Vec{});
  for (size_t i = 0; i < particles.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      Vec way{};
      double squared = 0;
      for (size_t k = 0; k < 3; ++k) {
        way[k] = across(particles[j].position[k], particles[i].position[k], length);
        squared += way[k] * way[k];
      }
      const Pair pair = pair_at(squared);
      for (size_t k = 0; k < 3; ++k) {
        forces[i][k] += pair.factor * way[k];
        forces[j][k] -= pair.factor * way[k];
      }
    }
  }
}

// The same steps by one rank, without cells, domains and ghosts.
Particles compute_alone(const Settings& settings) {
  Particles particles;
  std::vector<Vec> forces;
  const auto length = static_cast<double>(settings.box) * kCutoff;
  for (long id = 0; id < settings.particles(); ++id) {
    particles.push_back(make_particle(static_cast<std::uint64_t>(id), settings));
  }
  forces_of_all_pairs(particles, length, forces);
  for (long step = 0; step < settings.steps; ++step) {
    kick(particles, forces);
    drift(particles, length);
    forces_of_all_pairs(particles, length, forces);
    kick(particles, forces);
  }
  return particles;
}

// All particles on rank 0, in the order of their names.
Particles gather(const Particles& particles, const Domain& domain) {
  const int mine = static_cast<int>(particles.size());
  std::vector<int> counts(static_cast<size_t>(domain.ranks())), offsets(counts);
  MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, domain.comm());
  for (size_t i = 1; i < counts.size(); ++i) offsets[i] = offsets[i - 1] + counts[i - 1];
  Particles all(domain.rank() == 0 ? static_cast<size_t>(offsets.back() + counts.back()) : 0);
  MPI_Gatherv(particles.data(), mine, domain.particle_type(), all.data(), counts.data(),
              offsets.data(), domain.particle_type(), 0, domain.comm());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return all;
}

// The largest distance of a particle from where one rank alone finds it; the same on all ranks.
double distance_from_alone(const Particles& particles, const Domain& domain,
                           const Settings& settings) {
  const Particles together = gather(particles, domain);
  double worst = 0;
  if (domain.rank() == 0) {
    const Particles alone = compute_alone(settings);
    if (alone.size() != together.size()) worst = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < std::min(alone.size(), together.size()); ++i) {
      for (size_t k = 0; k < 3; ++k) {
        const double difference =
            std::abs(across(alone[i].position[k], together[i].position[k], domain.length()));
        worst = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                       : std::max(worst, difference);
      }
    }
  }
  MPI_Bcast(&worst, 1, MPI_DOUBLE, 0, domain.comm());
  return worst;
}

// ---------------------------------------------------------------- the program

// Runs the whole program; 0 if the result is right.
int run(Domain& domain, const Settings& settings, bool check) {
  Simulation simulation(domain);
  for (long id = domain.rank(); id < settings.particles(); id += domain.ranks()) {
    simulation.particles.push_back(make_particle(static_cast<std::uint64_t>(id), settings));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  const double begin = MPI_Wtime();
  const Totals start = simulation.begin();
  Deviation deviation;
  for (long step = 0; step < settings.steps; ++step) deviation.add(simulation.step(), start);
  const double seconds = MPI_Wtime() - begin;
  MPI_Pcontrol(0);
  const bool complete = all_there(simulation.particles, settings);
  const double distance = check ? distance_from_alone(simulation.particles, domain, settings) : 0;
  // Written so that what is not a number is wrong.
  const bool right = complete && deviation.energy <= kEnergyTolerance &&
                     deviation.momentum <= kMomentumTolerance && distance <= kPositionTolerance;
  if (domain.rank() == 0) {
    const auto& grid = domain.grid();
    std::printf("particles: %ld, %ld steps, %d x %d x %d ranks: %.2f s, %.2f M particles/s\n",
                settings.particles(), settings.steps, grid[0], grid[1], grid[2], seconds,
                1e-6 * static_cast<double>(settings.particles() * settings.steps) / seconds);
    if (check) std::printf("particles: farthest from one rank's result %.1e\n", distance);
    std::printf("particles: %s, energy changed by %.1e, momentum by %.1e: %s\n",
                complete ? "all there" : "LOST OR DOUBLED", deviation.energy, deviation.momentum,
                right ? "PASS" : "FAIL");
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Settings settings;
  std::string ghosts = "collective", check = "no";
  CommandLine line("particles", "particles with short-range forces in a periodic box");
  line.add("--box", settings.box, 3, "length of the box, in cutoffs: 3 particles in each cube");
  line.add("--steps", settings.steps, 1, "time steps");
  line.add("--flow", settings.flow, 0, "mean way of a step, in thousandths of the cutoff");
  line.add("--ghosts", ghosts, "collective (MPI_Neighbor_alltoallv) or messages",
           {"collective", "messages"});
  line.add("--check", check, "yes or no: compare with all pairs on one rank", {"yes", "no"});
  bool go = line.parse(argc, argv, rank == 0);
  if (go && (settings.box > 400 || settings.flow > 900)) {
    go = line.complain("--box must be at most 400 and --flow at most 900", rank == 0);
  }
  int status = line.exit_code();
  if (go) {
    Domain domain(MPI_COMM_WORLD, static_cast<double>(settings.box) * kCutoff,
                  ghosts == "messages" ? Domain::Ghosts::kMessages : Domain::Ghosts::kCollective);
    go = domain.thick_enough() ||
         line.complain("--box: a rank's part is thinner than the cutoff: give more, or fewer ranks",
                       rank == 0);
    status = go ? run(domain, settings, check == "yes") : line.exit_code();
  }
  MPI_Finalize();
  return status;
}
