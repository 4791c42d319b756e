// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The one queue per endpoint for operations that a device did not accept: the only back-pressure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "rdma_btl/device.hpp"

namespace remit {

/// The operations of one device that wait to be offered again, in order for each endpoint. Belongs
/// to the thread that holds the process. Its memory is bounded by who pushes: see size(), bytes().
class PendingQueue {
 public:
  /// Nothing waits at all. One load.
  [[nodiscard]] bool empty() const { return size_ == 0; }

  /// Nothing waits for this endpoint: the next operation may be posted directly. One load as long
  /// as nothing waits at all.
  [[nodiscard]] bool empty(EndpointId endpoint) const {
    return size_ == 0 || endpoint >= slot_.size() || slot_[endpoint] == kNoSlot;
  }

  /// Whether something waits for an endpoint of which `predicate` is true.
  template <class Predicate>
  [[nodiscard]] bool waits_for(Predicate&& predicate) const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [&](const Waiting& waiting) { return predicate(waiting.endpoint); });
  }

  /// Calls visit(const Operation&) for everything that waits.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Waiting& waiting : waiting_) {
      for (const Entry& entry : waiting.entries) visit(entry.operation);
    }
  }

  /// Everything that waits here waits in `to` from now on, for `endpoint`.
  void move_all(PendingQueue& to, EndpointId endpoint);

  /// Posts what the device takes and keeps the rest. Nothing overtakes what waits already. Throws
  /// std::bad_alloc if there is no memory for one: it is neither posted nor kept, nor are those
  /// behind it.
  void post(Device& device, EndpointId endpoint, std::span<const Operation> operations);

  /// Keeps a copy: of the pieces, and of a send's bytes. Other operations' memory stays in use
  /// until their completion, as if the device had accepted them. Throws std::bad_alloc, and keeps
  /// nothing then.
  void push(EndpointId endpoint, const Operation& operation);

  /// Offers everything that waits again, each endpoint's in order; call after poll(). Returns how
  /// many operations were accepted.
  std::size_t flush(Device& device);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Bytes of sends held here.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    Operation operation;  ///< its pieces point into `pieces`
    std::unique_ptr<Piece[]> pieces;
    std::unique_ptr<std::byte[]> payload;  ///< of a send
    std::size_t payload_bytes = 0;
  };
  /// An endpoint for which something waits.
  struct Waiting {
    EndpointId endpoint = 0;
    std::list<Entry> entries;
  };
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
  static constexpr std::size_t kBatch = 16;  ///< operations offered by one post()

  [[nodiscard]] static Entry copy(const Operation& operation);
  [[nodiscard]] std::list<Entry>& entries_of(EndpointId endpoint);
  [[nodiscard]] std::size_t flush_one(Device& device, Waiting& waiting);

  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> slot_;  ///< by endpoint: index in waiting_
};

}  // namespace remit
