// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations of windows by an adapter that needs nothing of the target's processor, through
// registered memory of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "links/links.hpp"
#include "runtime/error.hpp"
#include "runtime/progress.hpp"

namespace remit {

/// The endpoint of a process at an adapter.
struct AdapterWay {
  LinkDevice* device = nullptr;
  EndpointId endpoint = 0;
};

/// Registered memory for one operation or several.
struct AdapterBuffer {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  std::uint64_t key = 0;

  [[nodiscard]] Piece piece(std::size_t offset, std::size_t length) const {
    return {begin + offset, length, key};
  }
};

/// Those of all windows of a process that are under way, by their cookies, and the buffers that
/// they use. The thread that drives the links.
class AdapterPort {
 public:
  /// Bytes of a buffer, of either kind.
  static constexpr std::size_t kSmall = 256;
  static constexpr std::size_t kLarge = 16384;
  /// Cookies of it have this bit; those of others of the same user do not.
  static constexpr std::uint64_t kCookie = std::uint64_t{1} << 61;

  /// Is told that all of some operations have ended: MPI_SUCCESS, or the error class of the first
  /// that failed.
  using Finish = std::function<void(int status)>;

  AdapterPort(Progress& progress, Links& links) : progress_(progress), links_(links) {}
  AdapterPort(const AdapterPort&) = delete;
  AdapterPort& operator=(const AdapterPort&) = delete;

  /// The device whose atomics windows may go by; null: no device of this process has such.
  [[nodiscard]] LinkDevice* adapter() const;
  /// Registers the buffers with a device, once; all later calls are about the same one. The words
  /// of the device if it refuses.
  [[nodiscard]] Expected<> open(LinkDevice& device);

  /// A buffer of at least so many bytes, kLarge at most. Waits until one is free, which those that
  /// are in use bring about without any target; whoever has a small one must not wait for another
  /// one. Behind open().
  [[nodiscard]] AdapterBuffer take(std::size_t bytes);
  void give_back(const AdapterBuffer& buffer);

  /// Starts operations, in their order, whose end is told together. Cookies are set here.
  void start(const AdapterWay& way, std::span<Operation> operations, Finish finish);
  /// The same, and waits. The status.
  [[nodiscard]] int run(const AdapterWay& way, std::span<Operation> operations);

  /// One of its operations has ended.
  void completed(std::uint64_t value, int status);

 private:
  struct UnderWay {
    std::size_t left = 0;
    int status = MPI_SUCCESS;
    Finish finish;
  };
  struct FreeMemory {
    void operator()(std::byte* memory) const;
  };

  Progress& progress_;
  Links& links_;
  LinkDevice* opened_ = nullptr;
  std::unique_ptr<std::byte[], FreeMemory> memory_;
  MemoryLease lease_;                      ///< of it
  std::vector<std::byte*> small_, large_;  ///< the free ones
  std::vector<UnderWay> under_way_;        ///< by what cookies have besides kCookie
  std::vector<std::uint32_t> unused_;      ///< ... of which these are free
};

/// A buffer until the end of a function.
class HeldBuffer {
 public:
  HeldBuffer(AdapterPort& port, std::size_t bytes) : port_(port), buffer_(port.take(bytes)) {}
  ~HeldBuffer() { port_.give_back(buffer_); }
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;

  [[nodiscard]] const AdapterBuffer& operator*() const { return buffer_; }
  [[nodiscard]] const AdapterBuffer* operator->() const { return &buffer_; }

 private:
  AdapterPort& port_;
  AdapterBuffer buffer_;
};

}  // namespace remit
