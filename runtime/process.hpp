// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One MPI process: everything that would otherwise be a global. A test or a simulation holds
// thousands of them in one thread.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <typeindex>
#include <typeinfo>

#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/clock.hpp"
#include "runtime/events.hpp"
#include "runtime/log.hpp"
#include "runtime/params.hpp"
#include "runtime/progress.hpp"
#include "runtime/task.hpp"

namespace remit {

/// Owns clock, random source, parameters, log sink, bootstrap and the progress engine. Devices and
/// the layers above keep a reference to it. One thread at a time.
class Process {
 public:
  Process(std::unique_ptr<Bootstrap> bootstrap, std::shared_ptr<const Clock> clock, Params params,
          std::uint64_t seed);

  [[nodiscard]] const Identity& identity() const { return bootstrap_->identity(); }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  /// The name by which devices know the process of a world rank; unique among all jobs.
  [[nodiscard]] std::uint64_t name_of(int rank) const {
    return std::uint64_t{identity().job_key} << 32 | static_cast<std::uint32_t>(rank);
  }

  Bootstrap& bootstrap() { return *bootstrap_; }
  [[nodiscard]] const Clock& clock() const { return *clock_; }
  [[nodiscard]] const Params& params() const { return params_; }
  Progress& progress() { return progress_; }
  Log& log() { return log_; }
  std::mt19937_64& random() { return random_; }
  FrameArenaPool& arenas() { return arenas_; }
  [[nodiscard]] Events& events() { return events_; }

  /// What a layer above keeps for this process, one object of each type: made when it is first
  /// asked for, gone before everything else here.
  template <class T>
  [[nodiscard]] T& kept() {
    std::shared_ptr<void>& object = kept_[std::type_index(typeid(T))];
    if (object == nullptr) object = std::make_shared<T>();
    return *static_cast<T*>(object.get());
  }

 private:
  std::unique_ptr<Bootstrap> bootstrap_;
  std::shared_ptr<const Clock> clock_;
  Params params_;
  Log log_;
  Events events_;
  Progress progress_;
  std::mt19937_64 random_;
  FrameArenaPool arenas_;
  int rank_;
  int size_;
  std::map<std::type_index, std::shared_ptr<void>> kept_;
};

}  // namespace remit
