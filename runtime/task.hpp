// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Task<T>: a lazily started coroutine whose frame comes from the arena of the operation that it
// serves. Collective algorithms are written as Tasks.
#pragma once

#include <algorithm>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "mpi.h"
#include "runtime/error.hpp"

namespace remit {

/// Bump allocator for coroutine frames and scratch buffers of one operation. Memory is returned
/// all at once by reset() or the destructor; a persistent operation reuses it on each start.
class FrameArena {
 public:
  FrameArena() = default;
  FrameArena(const FrameArena&) = delete;
  FrameArena& operator=(const FrameArena&) = delete;
  ~FrameArena() { release(); }

  /// Memory aligned to max_align_t, valid until reset(). Throws std::bad_alloc.
  [[nodiscard]] void* allocate(std::size_t bytes) {
    bytes = (bytes + kAlign - 1) & ~(kAlign - 1);
    if (bytes > static_cast<std::size_t>(end_ - next_)) grow(bytes);
    void* result = next_;
    next_ += bytes;
    return result;
  }

  /// Forgets everything handed out. Keeps the newest block for reuse, unless it is so large that
  /// keeping it would be a leak.
  void reset() {
    if (head_ != nullptr && head_->bytes > kMostKept) release();
    if (head_ == nullptr) {
      next_ = inline_;
      end_ = inline_ + sizeof inline_;
      return;
    }
    Block* keep = head_;
    free_chain(std::exchange(keep->previous, nullptr));
    next_ = reinterpret_cast<std::byte*>(keep) + kHeader;
    end_ = next_ + keep->bytes;
  }

 private:
  static constexpr std::size_t kAlign = alignof(std::max_align_t);
  static constexpr std::size_t kFirstBlock = 4096;
  static constexpr std::size_t kMostKept = std::size_t{16} << 20;
  /// Blocks double up to here; larger ones are as large as what is asked for.
  static constexpr std::size_t kMostDoubled = std::size_t{4} << 20;
  struct Block {
    Block* previous;
    std::size_t bytes;
  };
  static constexpr std::size_t kHeader = (sizeof(Block) + kAlign - 1) & ~(kAlign - 1);

  void grow(std::size_t bytes) {
    const std::size_t doubled = head_ == nullptr ? kFirstBlock : head_->bytes * 2;
    const std::size_t size = std::max(std::min(doubled, kMostDoubled), bytes);
    void* memory = std::malloc(kHeader + size);
    if (memory == nullptr) throw std::bad_alloc();
    head_ = new (memory) Block{head_, size};
    next_ = static_cast<std::byte*>(memory) + kHeader;
    end_ = next_ + size;
  }
  static void free_chain(Block* block) {
    while (block != nullptr) std::free(std::exchange(block, block->previous));
  }
  void release() { free_chain(std::exchange(head_, nullptr)); }

  alignas(kAlign) std::byte inline_[1024];
  std::byte* next_ = inline_;
  std::byte* end_ = inline_ + sizeof inline_;
  Block* head_ = nullptr;
};

/// Arenas at rest, kept so that blocking operations find warm memory.
class FrameArenaPool {
 public:
  [[nodiscard]] std::unique_ptr<FrameArena> take() {
    if (idle_.empty()) return std::make_unique<FrameArena>();
    std::unique_ptr<FrameArena> arena = std::move(idle_.back());
    idle_.pop_back();
    return arena;
  }
  void give_back(std::unique_ptr<FrameArena> arena) {
    arena->reset();
    idle_.push_back(std::move(arena));
  }

 private:
  std::vector<std::unique_ptr<FrameArena>> idle_;
};

/// An arena for the time of one scope.
class FrameArenaLease {
 public:
  explicit FrameArenaLease(FrameArenaPool& pool) : pool_(pool), arena_(pool.take()) {}
  ~FrameArenaLease() {
    if (arena_ != nullptr) pool_.give_back(std::move(arena_));
  }
  FrameArenaLease(const FrameArenaLease&) = delete;
  FrameArenaLease& operator=(const FrameArenaLease&) = delete;
  FrameArena& operator*() const { return *arena_; }
  /// Its memory is never used again: messages under way may still write there.
  void abandon() { (void)arena_.release(); }

 private:
  FrameArenaPool& pool_;
  std::unique_ptr<FrameArena> arena_;
};

/// What went wrong in the coroutines of one operation.
class TaskContext {
 public:
  /// The class of the first error so far, or MPI_SUCCESS.
  [[nodiscard]] int error() const { return error_; }
  /// Notes an error class; MPI_SUCCESS is none.
  void fail(int error) {
    if (error_ == MPI_SUCCESS) error_ = error;
  }
  /// An exception, which is being handled, has ended one of them.
  virtual void broken_off(int error) { fail(error); }

 protected:
  ~TaskContext() = default;

 private:
  int error_ = MPI_SUCCESS;
};

/// A coroutine whose first parameter has an `arena()` gets its frame there.
template <class C>
concept HasArena = requires(C& c) {
  { c.arena() } -> std::same_as<FrameArena&>;
};

/// The result of a coroutine that runs when it is first awaited or started, on one thread.
/// Destroying a Task destroys its frame.
///
/// Coroutines report by value, and so does one that an exception ends: its result is the class of
/// the error (error.hpp), which is noted in its TaskContext, too. What it had started is still
/// under way in the arena, which must stay: see ended_by_exception().
template <class T>
class [[nodiscard]] Task {
 public:
  struct promise_type {
    std::optional<T> value;
    std::coroutine_handle<> continuation = std::noop_coroutine();
    TaskContext* context = nullptr;

    template <HasArena Context, class... Args>
    explicit promise_type(Context& first, Args&&...) {
      if constexpr (std::derived_from<Context, TaskContext>) context = &first;
    }

    /// Only context-taking coroutines exist, so that no frame is allocated behind one's back.
    template <HasArena Context, class... Args>
    static void* operator new(std::size_t bytes, Context& context, Args&&...) {
      return context.arena().allocate(bytes);
    }
    /// Inline always: at -O0 GCC 12 takes a called one for a mismatch with the template above.
    [[gnu::always_inline]] static void operator delete(void*, std::size_t) {}

    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct FinalAwaiter {
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
        return self.promise().continuation;
      }
      void await_resume() const noexcept {}
    };
    FinalAwaiter final_suspend() noexcept { return {}; }
    void return_value(T result) { value.emplace(std::move(result)); }
    void unhandled_exception() noexcept {
      if constexpr (std::same_as<T, int>) {
        value.emplace(class_of_exception());
        if (context != nullptr) context->broken_off(*value);
      } else {
        std::terminate();
      }
    }
  };

  Task() = default;
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() { destroy(); }

  /// Runs it until it first suspends or ends. For drivers; inside a coroutine use co_await.
  void start() { handle_.resume(); }
  [[nodiscard]] bool valid() const { return handle_ != nullptr; }
  [[nodiscard]] bool done() const { return handle_.done(); }
  /// The result; done() must be true.
  [[nodiscard]] T& result() { return *handle_.promise().value; }

  auto operator co_await() noexcept {
    struct Awaiter {
      std::coroutine_handle<promise_type> child;
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) noexcept {
        child.promise().continuation = parent;
        return child;
      }
      T await_resume() { return std::move(*child.promise().value); }
    };
    return Awaiter{handle_};
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  void destroy() {
    if (handle_ != nullptr) std::exchange(handle_, nullptr).destroy();
  }
  std::coroutine_handle<promise_type> handle_ = nullptr;
};

/// Whether the result of an operation's coroutines says that an exception may have ended one: no
/// message fails in this way.
[[nodiscard]] inline bool ended_by_exception(int error) {
  return error == MPI_ERR_NO_MEM || error == MPI_ERR_INTERN;
}

}  // namespace remit
