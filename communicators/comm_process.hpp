// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the makers of communicators know of the MPI process and of the MPI call that they serve.
#pragma once

#include <memory>
#include <string>

#include "pt2pt/communicator.hpp"
#include "pt2pt/context_ids.hpp"
#include "pt2pt/engine.hpp"
#include "runtime/process.hpp"

namespace remit {

class GroupMail;
class Ports;

/// What the owner of an MPI process knows about the threads that call MPI. Asked by the thread that
/// is in MPI (it holds the MPI lock if there are several).
class CallingThreads {
 public:
  /// Whether calls of several threads may be under way at once, so that this process may take part
  /// in several agreements on contexts.
  [[nodiscard]] virtual bool overlap() const = 0;
  /// Notes that something for which another thread may sleep has changed without an event of a
  /// device.
  virtual void note_change() = 0;

 protected:
  CallingThreads() = default;
  ~CallingThreads() = default;
  CallingThreads(const CallingThreads&) = default;
  CallingThreads& operator=(const CallingThreads&) = default;
};

/// An MPI process as this layer sees it: its engine, and what all of its communicators have in
/// common. Its owner, the Instance of the bindings, makes it after the engine and lets it go after
/// the engine, which may still know requests of the mail and of the ports. One thread at a time.
class CommProcess {
 public:
  /// All arguments must outlive the last call of a function but the destructor; the process of the
  /// engine must outlive this object.
  CommProcess(Engine& engine, CallingThreads& threads);
  ~CommProcess();
  CommProcess(const CommProcess&) = delete;
  CommProcess& operator=(const CommProcess&) = delete;

  [[nodiscard]] Process& process() { return process_; }
  [[nodiscard]] Engine& engine() { return engine_; }
  [[nodiscard]] CallingThreads& threads() { return threads_; }
  /// The contexts that are in use in this process.
  [[nodiscard]] ContextIds& contexts() { return contexts_; }

  /// Messages among processes without a common communicator; made on first use.
  [[nodiscard]] GroupMail& mail();
  /// The ports of this process; made on first use.
  [[nodiscard]] Ports& ports();
  /// Closes the ports of a process that leaves MPI, if it ever had one.
  void close_ports();

 private:
  Process& process_;
  Engine& engine_;
  CallingThreads& threads_;
  ContextIds contexts_;
  std::unique_ptr<GroupMail> mail_;
  std::unique_ptr<Ports> ports_;
};

/// The MPI call that a communicator is made for. Every function of this layer that waits for other
/// processes takes one, and is called by the thread that makes the MPI call.
struct CommCall {
  CommProcess& comms;
  const char* function;  ///< its MPI name, for mpirun's report of a job that hangs

  [[nodiscard]] Process& process() const { return comms.process(); }
  [[nodiscard]] Engine& engine() const { return comms.engine(); }
  [[nodiscard]] Progress& progress() const { return comms.process().progress(); }
};

/// A communicator whose members, all together, make another one or tell each other something.
struct ParentComm {
  CommCore& core;
  const std::string& name;  ///< for mpirun's report of a job that hangs; may be empty
};

}  // namespace remit
