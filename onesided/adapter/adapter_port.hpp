// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations of windows by an adapter that needs nothing of the target's processor, through
// registered memory of the library.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "links/links.hpp"
#include "onesided/adapter/put_notice.hpp"
#include "onesided/tally.hpp"
#include "pt2pt/request.hpp"
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

/// What is to be done once operations have ended: a function of their status, which lies in place,
/// so that none takes memory. Movable; it need not be called.
class Ending {
 public:
  Ending() = default;
  template <std::invocable<int> Function>
  requires(!std::is_same_v<Function, Ending>) Ending(Function function) { put(function); }
  Ending(Ending&& other) noexcept { take(other); }
  Ending& operator=(Ending&& other) noexcept {
    if (this == &other) return *this;
    drop();
    take(other);
    return *this;
  }
  ~Ending() { drop(); }

  /// It is this one from now on.
  template <std::invocable<int> Function>
  void set(Function function) {
    drop();
    put(function);
  }
  /// It is none.
  void clear() {
    drop();
    call_ = nullptr;
    move_ = nullptr;
  }

  [[nodiscard]] explicit operator bool() const { return call_ != nullptr; }
  /// `status`: MPI_SUCCESS, or the error class of the first that failed.
  void operator()(int status) { call_(room_, status); }

 private:
  static constexpr std::size_t kRoom = 64;

  template <class Function>
  void put(Function& function) {
    static_assert(sizeof(Function) <= kRoom && alignof(Function) <= alignof(std::uint64_t));
    static_assert(std::is_nothrow_move_constructible_v<Function>);
    ::new (static_cast<void*>(room_)) Function(std::move(function));
    call_ = call<Function>;
    move_ = nullptr;
    if constexpr (!std::is_trivially_copyable_v<Function>) move_ = move<Function>;
  }
  template <class Function>
  static void call(std::byte* room, int status) {
    (*std::launder(reinterpret_cast<Function*>(room)))(status);
  }
  /// `to` null: destroys it.
  template <class Function>
  static void move(std::byte* from, std::byte* to) {
    auto* const function = std::launder(reinterpret_cast<Function*>(from));
    if (to != nullptr) ::new (static_cast<void*>(to)) Function(std::move(*function));
    std::destroy_at(function);
  }
  void take(Ending& other) {
    call_ = std::exchange(other.call_, nullptr);
    move_ = std::exchange(other.move_, nullptr);
    if (call_ == nullptr) return;
    if (move_ != nullptr) return move_(other.room_, room_);
    std::memcpy(room_, other.room_, kRoom);
  }
  void drop() {
    if (move_ != nullptr) move_(room_, nullptr);
  }

  void (*call_)(std::byte* room, int status) = nullptr;     ///< null: there is nothing to do
  void (*move_)(std::byte* from, std::byte* to) = nullptr;  ///< null: its bytes are all there is
  alignas(std::uint64_t) std::byte room_[kRoom];
};

/// Those of all windows of a process that are under way, by their cookies, and the buffers that
/// they use. The thread that drives the links.
class AdapterPort {
 public:
  /// Bytes of a buffer, of either kind.
  static constexpr std::size_t kSmall = 256;
  static constexpr std::size_t kLarge = 16384;
  static constexpr std::size_t kSmallBuffers = 256;
  static constexpr std::size_t kLargeBuffers = 24;
  /// Cookies of it have this bit; those of others of the same user do not.
  static constexpr std::uint64_t kCookie = std::uint64_t{1} << 61;

  AdapterPort(Progress& progress, Links& links) : progress_(progress), links_(links) {}
  AdapterPort(const AdapterPort&) = delete;
  AdapterPort& operator=(const AdapterPort&) = delete;

  /// The device whose atomics windows may go by; null: no device of this process has such.
  [[nodiscard]] LinkDevice* adapter() const;
  /// Registers the buffers with a device, once; all later calls are about the same one. The words
  /// of the device if it refuses.
  [[nodiscard]] Expected<> open(LinkDevice& device);
  /// Whether that was done with this one.
  [[nodiscard]] bool serves(const LinkDevice& device) const { return opened_ == &device; }

  /// A buffer of at least so many bytes, kLarge at most. Waits until one is free, which those that
  /// are in use bring about without any target; whoever has a small one must not wait for another
  /// one. Behind open().
  [[nodiscard]] AdapterBuffer take(std::size_t bytes);
  void give_back(const AdapterBuffer& buffer);

  /// Starts operations, in their order, whose end is told together, and counted as one by `tally`
  /// (null: by nobody). Cookies are set here.
  void start(const AdapterWay& way, std::span<Operation> operations, Ending finish, Tally* tally);
  /// The same of puts, by a device that keeps order, the last of which has a notice. False: it was
  /// started without.
  [[nodiscard]] bool start_with_notice(const AdapterWay& way, std::span<Operation> puts,
                                       Ending finish, Tally* tally, const PutNotice& notice);
  /// The same, and waits. The status.
  [[nodiscard]] int run(const AdapterWay& way, std::span<Operation> operations);
  /// A put or a get of one piece.
  struct Move {
    OpKind kind = OpKind::put;
    RemoteAddress remote;
    std::byte* local = nullptr;
    std::size_t bytes = 0;    ///< kLarge at most
    Request* done = nullptr;  ///< of a get: completed with it; null: nobody asks
    PutNotice notice = {};    ///< of a put
  };
  /// Starts one through a buffer, so that a put's memory is free on return. False: the device or
  /// buffers are not free for it, and nothing was done.
  [[nodiscard]] bool try_move(const AdapterWay& way, const Move& move, Tally& tally);

  /// One of its operations has ended.
  void completed(std::uint64_t value, int status);

 private:
  struct UnderWay {
    std::size_t left = 0;
    int status = MPI_SUCCESS;
    Tallied tallied;
    Ending finish;
  };
  /// What a buffer is in use for by try_move().
  struct BufferedMove {
    Tallied tallied;
    std::byte* to = nullptr;  ///< where what a get has fetched belongs; null: a put
    std::size_t bytes = 0;
    Request* done = nullptr;
  };
  /// Cookies of these have this bit, too, and the number of the buffer.
  static constexpr std::uint64_t kMoveCookie = std::uint64_t{1} << 60;
  static constexpr std::size_t kSmallBytes = kSmallBuffers * kSmall;
  struct FreeMemory {
    void operator()(std::byte* memory) const;
  };

  [[nodiscard]] std::uint32_t take_number();
  /// Notes that operations begin, by their cookies.
  void begin(std::span<Operation> operations, Ending finish, Tally* tally);
  [[nodiscard]] std::vector<std::byte*>& free_of(std::size_t bytes) {
    return bytes <= kSmall ? small_ : large_;
  }
  /// A buffer that is free.
  [[nodiscard]] AdapterBuffer pop(std::size_t bytes) {
    const bool is_small = bytes <= kSmall;
    std::vector<std::byte*>& free = free_of(bytes);
    std::byte* const begin = free.back();
    free.pop_back();
    return {begin, is_small ? kSmall : kLarge, lease_.region().local_key};
  }
  [[nodiscard]] std::size_t number_of(const AdapterBuffer& buffer) const {
    const auto offset = static_cast<std::size_t>(buffer.begin - memory_.get());
    return offset < kSmallBytes ? offset / kSmall : kSmallBuffers + (offset - kSmallBytes) / kLarge;
  }
  void end_move(std::size_t number, int status);

  Progress& progress_;
  Links& links_;
  LinkDevice* opened_ = nullptr;
  std::unique_ptr<std::byte[], FreeMemory> memory_;
  MemoryLease lease_;                                              ///< of it
  std::vector<std::byte*> small_, large_;                          ///< the free ones
  std::array<BufferedMove, kSmallBuffers + kLargeBuffers> moves_;  ///< by buffer
  /// By what cookies have besides kCookie. They stay where they are.
  std::vector<std::unique_ptr<UnderWay>> under_way_;
  std::vector<std::uint32_t> unused_;  ///< ... of which these are free
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
