// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The file pointer that all members of an open file share (MPI-5.0, section 14.4.4).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "communicators/comm_process.hpp"
#include "onesided/one_sided.hpp"
#include "onesided/window.hpp"
#include "runtime/error.hpp"

namespace remit {

/// A position in etypes, which is one word: of the first member, in a window, which the others add
/// to. So no member waits for a call of another one that shares memory with it. The thread that
/// holds the process.
class SharedPointer {
 public:
  /// All members of `comm` make it together; it begins at 0. Waits, but not until it may be used:
  /// for that all members have to have come out of this.
  [[nodiscard]] static Expected<std::unique_ptr<SharedPointer>> make(const CommCall& call,
                                                                     const ParentComm& comm,
                                                                     OneSided& windows);
  /// All members. Waits.
  [[nodiscard]] Expected<> free(const CommCall& call);

  /// Moves it; where it stood before. Waits for members of other hosts.
  [[nodiscard]] Expected<std::int64_t> advance(const CommCall& call, std::int64_t etypes);
  [[nodiscard]] Expected<std::int64_t> position(const CommCall& call) { return advance(call, 0); }
  /// Of its window; null: there is one.
  [[nodiscard]] const WindowMembers* members() const {
    return window_ == nullptr ? nullptr : &std::as_const(*window_).members();
  }
  /// By one member, while the others do not move it.
  [[nodiscard]] Expected<> set(const CommCall& call, std::int64_t etypes);

 private:
  SharedPointer() = default;
  [[nodiscard]] Expected<std::int64_t> change(const CommCall& call, MPI_Op op, std::int64_t value);

  std::unique_ptr<Window> window_;  ///< null: there is one member, whose pointer is `own_`
  std::int64_t own_ = 0;
};

}  // namespace remit
