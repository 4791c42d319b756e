// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The state of the tool information interface, MPI_T (MPI-5.0, section 15.3), and what each of its
// functions does first.
#pragma once

#include <atomic>
#include <mutex>

#include "bindings/process/instance.hpp"
#include "bindings/tool/control_variables.hpp"
#include "bindings/tool/performance_variables.hpp"
#include "bindings/tool/tool_enum.hpp"
#include "bindings/tool/tool_events.hpp"

namespace remit {

/// All that MPI_T knows: from its first use, or that of MPI, until the program ends. The MPI
/// process comes and goes meanwhile, and so do handles: the last MPI_T_finalize ends them.
class Tool {
 public:
  Tool() : cvars(enums), events(enums) {}

  // Everything but attach(), detach() and the parts' own exceptions is for who holds `mutex`. Where
  // the MPI lock is needed, too, that is taken first.
  std::recursive_mutex mutex;
  /// Calls of MPI_T_init_thread without those of MPI_T_finalize. Read without `mutex`, too.
  std::atomic<int> users = 0;
  const ToolEnums enums;
  ControlVariables cvars;
  PerformanceVariables pvars;
  ToolEvents events;

  /// An MPI process has been opened, or is about to be closed. The thread that does so; Library's
  /// `opening` is held.
  void attach(Instance& instance, bool reopened);
  void detach();

 private:
  friend class HeldMpi;
  std::mutex instance_mutex_;     // of the next two
  Instance* instance_ = nullptr;  // null: there is none
  int holds_ = 0;                 // by HeldMpi
};

/// Makes the one of this program, unless another thread has.
[[nodiscard, gnu::cold]] Tool& make_tool();
/// The one of this program.
[[nodiscard]] inline Tool& the_tool() {
  Tool* const made = library().tool.load(std::memory_order_acquire);
  return made == nullptr ? make_tool() : *made;
}

/// As long as it lives the MPI process, if there is one, does not end; at MPI_THREAD_MULTIPLE calls
/// of other threads stay out, too. At other levels a program calls MPI from one thread at a time,
/// and MPI_T may read from another one what the first is changing: single words.
class HeldMpi {
 public:
  explicit HeldMpi(Tool& tool);
  ~HeldMpi();
  HeldMpi(const HeldMpi&) = delete;
  HeldMpi& operator=(const HeldMpi&) = delete;

  [[nodiscard]] Instance* instance() const { return instance_; }
  /// Whether this thread may change what MPI does.
  [[nodiscard]] bool may_change() const;

 private:
  Tool& tool_;
  Instance* instance_ = nullptr;
  bool entered_ = false;
};

/// Stands in each function of MPI_T but the first: `mutex` is held as long as it lives.
class ToolCall {
 public:
  ToolCall() : tool_(the_tool()), lock_(tool_.mutex) {}
  /// Whether MPI_T is initialized.
  [[nodiscard]] bool open() const { return tool_.users > 0; }
  [[nodiscard]] Tool& tool() const { return tool_; }

 private:
  Tool& tool_;
  std::lock_guard<std::recursive_mutex> lock_;
};

/// The same for those that look into the MPI process.
class ToolMpiCall {
 public:
  ToolMpiCall() : tool_(the_tool()), mpi_(tool_), lock_(tool_.mutex) {}
  [[nodiscard]] bool open() const { return tool_.users > 0; }
  [[nodiscard]] Tool& tool() const { return tool_; }
  /// Null: MPI is not open.
  [[nodiscard]] Instance* instance() const { return mpi_.instance(); }
  [[nodiscard]] bool may_change() const { return mpi_.may_change(); }

 private:
  Tool& tool_;
  HeldMpi mpi_;
  std::lock_guard<std::recursive_mutex> lock_;
};

/// What a function of MPI_T returns that an exception has ended, from the handler of its
/// function-try-block. No error handler is called (section 15.3.10).
[[nodiscard, gnu::cold]] int tool_error_of_exception() noexcept;

}  // namespace remit
