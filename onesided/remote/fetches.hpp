// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Results that an origin waits for: what it gets, and what was there before it changed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "datatype/layout.hpp"
#include "links/process_id.hpp"
#include "onesided/remote/traffic.hpp"
#include "pt2pt/request.hpp"

namespace remit {

/// Results of one window, by tokens that name them to targets and are never used again: an answer
/// that comes too late finds nothing. The thread that holds the process.
class Fetches {
 public:
  Fetches(Progress& progress, WindowTraffic& traffic) : progress_(progress), traffic_(traffic) {}
  ~Fetches();
  Fetches(const Fetches&) = delete;
  Fetches& operator=(const Fetches&) = delete;

  /// A result that is to come from `proc`, in any number of parts. Its memory is in use until it
  /// has ended; its layout is copied.
  [[nodiscard]] std::uint64_t begin(ProcId proc, const View& result);
  /// So many of its bytes are asked for. False: it has failed, nothing more is to be asked.
  [[nodiscard]] bool ask(std::uint64_t token, std::size_t bytes);
  /// All of it was asked for. `done`, if not null, is completed when it has ended.
  void all_asked(std::uint64_t token, Request* done);

  /// Bytes have come from `proc`. False: they make no sense.
  [[nodiscard]] bool take(ProcId proc, std::uint64_t token, std::size_t offset,
                          std::span<const std::byte> bytes);
  /// It will not come. `code`: an MPI error class.
  void fail(ProcId proc, std::uint64_t token, int code);
  /// Nothing comes from `proc` any more.
  void fail_all(ProcId proc, int code);

  /// Results that `proc` owes.
  [[nodiscard]] bool any_of(ProcId proc) const { return open_.contains(proc); }

 private:
  struct Fetch {
    ProcId proc;
    Layout layout;
    View result;
    std::size_t missing = 0;  ///< bytes of it that have not come
    std::size_t asked = 0;    ///< of them, asked for
    bool asking = true;
    int code = MPI_SUCCESS;
    Request* done = nullptr;
  };
  using Place = std::map<std::uint64_t, Fetch>::iterator;
  [[nodiscard]] static bool has_ended(const Fetch& fetch) {
    return !fetch.asking && (fetch.missing == 0 || fetch.code != MPI_SUCCESS);
  }
  void fail(Fetch& fetch, int code);
  void end(Place place);

  Progress& progress_;
  WindowTraffic& traffic_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Fetch> fetches_;
  std::map<ProcId, std::size_t> open_;  // how many each process owes; none: no entry
};

}  // namespace remit
