// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A LogGP machine in the engine's place: the coroutines of collectives/ are compiled against this
// header instead of pt2pt/engine.hpp, unchanged, and run for up to millions of virtual processes in
// virtual time. What it leaves out is everything below a message: protocols, credits, devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "links/links.hpp"
#include "pt2pt/communicator.hpp"
#include "pt2pt/request.hpp"
#include "runtime/intrusive_list.hpp"
#include "runtime/process.hpp"

namespace remit {

/// Virtual time in picoseconds, for G is less than a nanosecond.
using VirtualTime = std::int64_t;

/// Costs of the machine in virtual time.
struct MachineCosts {
  VirtualTime latency = 0;
  VirtualTime overhead = 0;
  VirtualTime gap = 0;
  double per_byte = 0;
};

/// Processes that are near each other: groups of so many that follow each other (a NUMA node, a
/// host), in which messages have these costs.
struct MachineLevel {
  int processes = 1;
  MachineCosts costs;
};

/// All virtual processes and the network between them. One thread. A processor is busy for o with
/// each message that it sends or receives; its port takes in, and gives out, a message of k bytes
/// every g + (k - 1) G; the way takes L. Combining takes no time. Messages overtake nothing: they
/// are matched by source and tag in the order in which they were sent.
class Engine final {
 public:
  static constexpr std::size_t kLevels = 7;

  /// `process` speaks for all of them: parameters, and the run queue of their coroutines.
  /// `inner`: kLevels at most, the innermost first, each a multiple of the one before; a message
  /// has the costs of the first that has both its ends, or `costs`. A process has one port for all
  /// of them.
  Engine(Process& process, const MachineCosts& costs, int processes,
         const std::vector<MachineLevel>& inner = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // MessageEngine (collectives/context.hpp). Who calls is in `comm`.
  void isend(Request& request, const View& buffer, int dest, int tag, const CommCore& comm,
             SendMode mode = SendMode::standard, bool collective = false);
  void irecv(Request& request, const View& buffer, int source, int tag, const CommCore& comm,
             bool collective = false);
  int progress() { return 0; }
  Process& process() { return process_; }

  /// No process reaches another one's memory, and none is ever lost.
  struct NoLinks {
    [[nodiscard]] static Links::HostPath host_path(ProcId /*proc*/) { return {}; }
    [[nodiscard]] static bool lost(ProcId /*proc*/) { return false; }
  };
  [[nodiscard]] static NoLinks links() { return {}; }

  /// Moves to the next arrival, and resumes the coroutines for which it is the last that they wait
  /// for. False: nothing is under way.
  bool step();

  /// One virtual process.
  struct Processor {
    VirtualTime free = 0;      ///< when it has done what it was given so far
    VirtualTime out_free = 0;  ///< when its port can take out the next message
    VirtualTime in_free = 0;   ///< and in
    std::uint64_t bytes = 0;   ///< sent
    std::uint32_t messages = 0;
    std::uint32_t outward = 0;  ///< of these, that leave all levels
  };
  [[nodiscard]] const Processor& processor(int process) const {
    return processors_[static_cast<std::size_t>(process)];
  }

 private:
  /// A message on its way, or one that has not been asked for yet. Short data is in it.
  struct Message {
    ProcId to{};
    int source = 0;
    ContextId context = 0;
    int tag = 0;
    std::uint32_t bytes = 0;
    std::int32_t next : 29 = -1;  ///< of those that were not asked for
    std::uint32_t level : 3 = 0;  ///< whose costs it has
    union {
      std::byte near[16];
      std::byte* far;
    };
  };
  struct Waiting : IntrusiveList<Request> {};

  void complete(Processor& processor, Request& request, const Message& message);
  void arrive(const Message& message, VirtualTime time);
  [[nodiscard]] std::uint32_t level_of(ProcId a, ProcId b) const;
  [[nodiscard]] const MachineCosts& costs_of(const Message& message) const {
    return levels_[message.level].costs;
  }
  [[nodiscard]] VirtualTime spread(const Message& message) const;
  [[nodiscard]] std::int32_t keep(const Message& message);

  Process& process_;
  std::vector<MachineLevel> levels_;  // the last one is all processes
  std::vector<Processor> processors_;
  std::deque<Waiting> posted_;  // by process; does not move
  std::vector<std::int32_t> first_kept_, last_kept_;
  std::deque<Message> kept_;
  std::vector<std::int32_t> free_kept_;
  /// Arrivals by time; those of one time in the order of their sends.
  std::map<VirtualTime, std::vector<Message>> arrivals_;
  std::vector<Message> now_;  // of one time, last first
  VirtualTime time_ = 0;
};

}  // namespace remit
