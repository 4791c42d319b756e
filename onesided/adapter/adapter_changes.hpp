// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Accumulates in windows whose members change each other's memory by their adapters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "datatype/layout.hpp"
#include "onesided/adapter/adapter_peers.hpp"
#include "onesided/elements/accumulate.hpp"
#include "onesided/elements/element_walk.hpp"
#include "onesided/memory/granule.hpp"
#include "pt2pt/request.hpp"

namespace remit {

/// Which way an element goes depends on its type and address alone. An integer of 64 bits, aligned,
/// is changed by the adapter's atomics: a sum by one, everything else by a comparison and a swap,
/// until nobody has come between. All other elements are changed under their granule's lock in the
/// member's words: taken by a swap; then they are got, computed here, put and the lock is given
/// back. In each case the member does nothing. The thread that holds the process.
class AdapterChanges {
 public:
  explicit AdapterChanges(AdapterPeers& peers) : peers_(peers) {}

  /// As accumulate(). Sums of such integers that nobody wants to see, and one that is fetched, are
  /// under way on return; all else is done. `done` completes with the result.
  [[nodiscard]] Expected<> accumulate(int rank, const Accumulation& what, const View* origin,
                                      const View& target, const View* result, Request* done);
  /// As compare_and_swap(); the result is there after a flush.
  [[nodiscard]] Expected<> compare_and_swap(int rank, const Datatype& element,
                                            std::uint64_t address, const void* replacement,
                                            const void* compare, void* result);

  /// A fetch of one such integer, where nothing is out of the ordinary: a sum with what `operand`
  /// points to; null: nothing but the fetch. False: nothing was done.
  [[nodiscard]] bool try_fetch(int rank, std::uint64_t address, const void* operand, void* result);
  /// The same of a comparison and swap.
  [[nodiscard]] bool try_swap(int rank, std::uint64_t address, const void* replacement,
                              const void* compare, void* result);

  /// Whether elements of the type are changed by atomics where they are aligned.
  [[nodiscard]] static bool is_word(const Datatype& element);

  /// Granule locks that were not free when this process wanted them.
  [[nodiscard]] std::uint64_t waits() const { return waits_; }

 private:
  class Granules;

  /// What is done to some elements.
  struct Batch {
    const Accumulation& what;
    const ElementArray& array;
    std::span<const ElementRun> runs;
    const std::byte* in;  ///< arrays; null: MPI_NO_OP
    std::byte* out;       ///< null: nobody wants what was there
    std::size_t bytes;    ///< of all batches of the operation
  };
  void fetch_word(AdapterPeer& peer, std::uint64_t addend, std::uint64_t address, std::byte* result,
                  Request* done);
  void swap_word(AdapterPeer& peer, std::uint64_t address, const void* replacement,
                 const void* compare, void* result);
  void add_words(AdapterPeer& peer, const Batch& batch);
  [[nodiscard]] Expected<> change_words(AdapterPeer& peer, const Batch& batch);
  [[nodiscard]] Expected<> change_locked(AdapterPeer& peer, const Batch& batch);
  [[nodiscard]] Expected<> write_back(AdapterPeer& peer, const Batch& batch,
                                      const std::shared_ptr<HeldBuffer>& buffer);
  [[nodiscard]] Expected<> change(AdapterPeer& peer, const Batch& batch);
  [[nodiscard]] Expected<> swap_locked(AdapterPeer& peer, std::uint64_t address, std::size_t bytes,
                                       const void* replacement, const void* compare, void* result);

  AdapterPeers& peers_;
  std::uint64_t waits_ = 0;
};

}  // namespace remit
