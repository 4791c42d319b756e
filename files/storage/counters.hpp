// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What is counted of the transfers of one file.
#pragma once

#include <atomic>
#include <cstdint>

namespace remit {

/// Bytes that programs moved through one open file, by the way that they went. Any thread adds and
/// reads; the numbers may be of slightly different moments.
struct FileCounters {
  /// Adds up by itself, and orders nothing.
  class Counter {
   public:
    void add(std::int64_t amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
    [[nodiscard]] std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

   private:
    std::atomic<std::int64_t> value_{0};
  };

  Counter direct_written;  ///< from the program's memory, each run of the file by itself
  Counter staged_written;  ///< through memory in between
  Counter mapped_written;  ///< into a mapping of the file, piece by piece
  Counter rmw_written;     ///< with bytes between them that were read before (romio_ds_write)
  Counter direct_read;     ///< into the program's memory; out of a mapping of the file, too
  Counter sieved_read;     ///< out of larger pieces that were read
  Counter sieved_bytes;    ///< in these larger pieces
  Counter locks;           ///< of ranges, that transfers took

  // Of collective accesses through memory that the members of a host share.
  Counter shared_given;   ///< put there to be written
  Counter shared_taken;   ///< taken from there, when it had been read
  Counter owner_written;  ///< from there, for all members, by this one
  Counter owner_read;     ///< to there, with what lies between
  Counter from_hosts;     ///< to there, by messages of other hosts
  Counter meetings;       ///< of the members, beside those that agree on the outcome
};

}  // namespace remit
