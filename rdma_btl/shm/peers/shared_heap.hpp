// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory of this process that others on the host can map: what MPI_Alloc_mem hands out.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "rdma_btl/device.hpp"
#include "rdma_btl/host_memory.hpp"
#include "runtime/os/os.hpp"

namespace remit::shm {

/// One a process, made at the first allocation: a range of addresses as large as all allocations
/// may become, backed as it is touched. It is never unmapped, for a buffer may outlive the device
/// that it was taken from. After fork() the child shares what there is with its parent, and what it
/// allocates itself is of a heap of its own. Any thread.
class SharedHeap {
 public:
  /// The process's.
  static SharedHeap& of_process();

  /// At least `bytes`, whole pages, whose contents are not defined. Null: there is not so much, or
  /// the process's limits allow no heap.
  [[nodiscard]] void* allocate(std::size_t bytes);
  /// Its pages go back to the system, but those of the last few small pieces: for programs make and
  /// free windows in loops, and fresh pages cost more than all the rest of that.
  [[nodiscard]] Released release(void* memory);

  // What a peer needs to map it; valid after the first allocate() that was not refused.
  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Of its file: what tells it from others.
  [[nodiscard]] std::uint64_t inode() const { return inode_; }
  [[nodiscard]] const std::byte* begin() const { return mapping_.data(); }
  [[nodiscard]] std::size_t size() const { return mapping_.size(); }

 private:
  SharedHeap() = default;
  /// A piece of memory that is free.
  struct Piece {
    std::size_t offset = 0;
    std::size_t length = 0;
  };
  static constexpr std::size_t kMostKept = 8;  ///< pieces
  static constexpr std::size_t kLargestKept = std::size_t{256} << 10;

  [[nodiscard]] bool open();
  /// Keeps the piece with its pages, and gives back the one that was kept for the longest time.
  void keep(Piece piece);
  void give_back(Piece piece);
  [[nodiscard]] void* use(Piece piece);

  std::mutex mutex_;
  pid_t owner_ = 0;  ///< who tried to open it
  Fd fd_;
  std::uint64_t inode_ = 0;
  Mapping mapping_;
  std::vector<Mapping> inherited_;           ///< of the process that this one was forked from
  std::map<std::size_t, std::size_t> free_;  ///< offset, length; no two touch each other
  std::vector<Piece> kept_;  ///< in the order of their release; they are not in `free_`
  std::unordered_map<std::size_t, std::size_t> used_;
};

}  // namespace remit::shm
