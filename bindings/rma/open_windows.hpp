// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The windows of an MPI process whose memory is open, and what goes with each beside its handle.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bindings/objects.hpp"
#include "bindings/rma/window_info.hpp"
#include "onesided/one_sided.hpp"
#include "onesided/window.hpp"

namespace remit {

/// Derived types of operations that may still be under way. The program may free its own before an
/// operation is complete (MPI-5.0, section 5.1.9).
class KeptTypes {
 public:
  [[nodiscard]] bool empty() const { return kept_.empty(); }

  /// Until release() of this rank. Predefined types stay anyway.
  void keep(int rank, const Datatype& type) {
    if (type.is_predefined()) return;
    if (!kept_.empty() && kept_.back().first == rank && kept_.back().second.get() == &type) return;
    kept_.emplace_back(rank, Ref<const Datatype>(&type));
  }

  /// The operations on `rank`, or on all (< 0), are complete here.
  void release(int rank) {
    if (rank < 0) return kept_.clear();
    std::erase_if(kept_, [=](const auto& kept) { return kept.first == rank; });
  }

 private:
  std::vector<std::pair<int, Ref<const Datatype>>> kept_;
};

/// What goes with the memory of a window, from its creation to MPI_Win_free.
struct OpenWindow {
  std::unique_ptr<Window> window;
  Ref<SessionObject> session;  ///< where its communicator comes from; null: the World Model
  WindowHints hints;
  KeptTypes types;
  std::uint64_t last_notified = 0;  ///< what MPIX_Win_get_notify returned last
  std::uint32_t vain_reads = 0;     ///< how often that was what it had returned before
};

/// All of them in one process, and what they have in common. Made with the first window; when it
/// ends, so do those that the program has not freed. The thread that holds the process.
class OpenWindows {
 public:
  /// The instance must outlive it.
  explicit OpenWindows(Instance& instance);
  ~OpenWindows();
  OpenWindows(const OpenWindows&) = delete;
  OpenWindows& operator=(const OpenWindows&) = delete;

  [[nodiscard]] OneSided& manager() { return manager_; }

  /// Windows of which reports() says more than their number.
  static constexpr std::size_t kMostReported = 16;

  void add(WinObject& win);
  /// How many are open.
  [[nodiscard]] std::size_t count() const { return open_.size(); }
  /// Whether one is open that peers reach by messages alone: the progress thread waits for these
  /// all the time.
  [[nodiscard]] bool any_served() const { return served_ != 0; }
  /// Whether one of these is there that peers do not reach by their adapters.
  [[nodiscard]] bool any_needs_answers() const { return answering_ != 0; }
  /// Lets go of its memory. Its handle stays as it is.
  void close(WinObject& win);
  /// At the end of the process: Window::meet_at_end() of all.
  void meet_at_end(const CommCall& call);

  /// A line for each window that there was, those that are still open last; of more than
  /// kMostReported only how many. Nothing, unless statistics were asked for.
  [[nodiscard]] std::vector<std::string> reports() const;

 private:
  [[nodiscard]] std::string report_of(const WinObject& win) const;

  Instance& instance_;
  OneSided manager_;
  std::set<WinObject*> open_;
  int served_ = 0;                     ///< of them: those that peers reach by messages alone
  int answering_ = 0;                  ///< of these: Window::needs_answers()
  bool reports_;                       ///< statistics were asked for
  std::vector<std::string> reported_;  ///< of those that were closed: the first kMostReported
  std::size_t unreported_ = 0;         ///< of the others
};

/// Those of this process.
[[nodiscard]] OpenWindows& windows_of(Instance& instance);

}  // namespace remit
