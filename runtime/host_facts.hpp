// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How a host's processors and kernel copy: measured when that is first needed, kept for later jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/copy.hpp"
#include "runtime/error.hpp"

namespace remit {

/// The kernel's copy between two processes, of data that are in a cache.
struct KernelCopies {
  std::uint32_t ns_of_64k = 0;  ///< 0: they are forbidden
  bool quick = false;  ///< from some 16 KB on it takes less than two copies through shared memory
};

/// What was measured, each fact by itself. One that is not known is replaced by a value that does
/// no harm anywhere.
struct HostFacts {
  std::optional<KernelCopies> kernel;
  /// The kernel's copies are slow at the distances of in_copy_trap(), as on AMD's Zen 3.
  std::optional<bool> kernel_trap;
  /// Bytes up to which who has read shared memory had better take its lines (claim_lines()); 0:
  /// never.
  std::optional<std::size_t> claim_lines_to;
  std::optional<CopyLoops> loops;
  /// When that was measured, in days since 1970. Virtual machines move, and kernels change what
  /// they do: old facts are used, and measured again.
  std::int64_t day = 0;

  /// Days for which facts are believed.
  static constexpr std::int64_t kBelieved = 30;

  /// Whether all of them are known and were measured lately.
  [[nodiscard]] bool complete(std::int64_t today) const {
    return kernel && kernel_trap && claim_lines_to && loops && today - day < kBelieved &&
           day <= today;
  }
  /// Takes over what the other ones know. All are as old as the oldest of them.
  void merge(const HostFacts& other);

  /// A line for each fact; before them what they are, and for which host.
  [[nodiscard]] std::string text(std::string_view host) const;
  /// Reads text(). No facts if it is of another host; an error that says what is wrong if it is
  /// something else.
  [[nodiscard]] static Expected<HostFacts> parse(std::string_view text, std::string_view host);
};

/// Days since 1970.
[[nodiscard]] std::int64_t today();

/// The facts in this file; none if it is not there, damaged or of another host. Quick enough for
/// every start: a small file.
[[nodiscard]] HostFacts load_host_facts(const std::string& path);

/// Keeps them in this file, with what it has besides; replaces it at once.
[[nodiscard]] Expected<> save_host_facts(const std::string& path, HostFacts facts);

}  // namespace remit
