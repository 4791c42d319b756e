// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where a call comes from: the line behind Fortran's routines, and, where that is asked for, the
// frames of the stack.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tool/profile/record.hpp"

namespace remit::profile {

/// Addresses of code.
struct CodeRange {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] bool has(std::uint64_t address) const { return address - begin < bytes; }
};

/// Calls that return to here have their key from key_behind(): those of Fortran's routines, or all
/// where stacks are recorded.
extern CodeRange looked_behind;

/// Finds out what looked_behind is. Before the first call.
void prepare_call_stacks();
/// The stack of the call that a thread is about to record.
struct CallStack {
  static constexpr std::size_t kOwnFrames = 4;  ///< of the recorder, at most
  std::array<void*, kDeepestStack + kOwnFrames> frames;
  std::size_t begin;  ///< the call site
  std::size_t end;

  [[nodiscard]] std::span<void* const> used() const {
    return std::span(frames).subspan(begin, end - begin);
  }
};
extern constinit thread_local CallStack call_stack [[gnu::tls_model("initial-exec")]];

/// Whether stacks are recorded: REMIT_PROFILE_STACK says so.
[[nodiscard]] bool records_stacks();

/// Of a call that returns to this address. `frame`: the wrapper's own.
[[nodiscard]] std::uint64_t key_behind(std::uint64_t address, const void* frame);

/// Where the call returns to, and the frames behind it, whose key this thread has made last.
void describe_call_site(Record& record, std::uint64_t key, SiteRecord& site);

}  // namespace remit::profile
