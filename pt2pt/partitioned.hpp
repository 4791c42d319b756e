// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication (MPI-5.0, chapter 4): one message whose parts become ready, and arrive,
// one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "pt2pt/engine.hpp"
#include "runtime/task.hpp"

namespace remit {

/// The arguments of MPI_Psend_init or MPI_Precv_init, checked.
struct PartitionedArgs {
  View partition{};  ///< the first one; the others follow it
  int partitions = 0;
  int peer = MPI_PROC_NULL;  ///< may be that
  int tag = 0;
  CommCore comm;
  /// Of a send: the tag of its first partition. The process gives each partition one of its own.
  int first_tag = 0;
};

/// One side of a partitioned operation, started any number of times.
///
/// A sender names its partitions (how many, of how many bytes, under which tags) in one message to
/// the receiver when the operation is made; these meet in the order in which both sides made their
/// operations, on a context of their own. Then each partition of the sender travels as a message of
/// its own as soon as it is ready, on a second context. A receiver posts receives for the sender's
/// partitions, whatever its own are: one of its own has arrived when all that overlap it have.
class Partitioned {
 public:
  /// `whole` completes with the operation; it must outlive this object.
  Partitioned(Engine& engine, Request& whole, const PartitionedArgs& args);
  virtual ~Partitioned() = default;
  Partitioned(const Partitioned&) = delete;
  Partitioned& operator=(const Partitioned&) = delete;

  [[nodiscard]] virtual bool sends() const = 0;
  [[nodiscard]] int partitions() const { return args_.partitions; }

  /// Starts it, the first time or again after completion.
  virtual void start() = 0;
  /// For MPI_Finalize: completes a receive that nothing can complete any more.
  virtual void cancel() {}
  /// Whether the engine is done with this object, if the operation is not under way.
  [[nodiscard]] bool settled() const { return naming_.complete; }

  /// Where the frames of its coroutines are.
  [[nodiscard]] FrameArena& arena() { return arena_; }

 protected:
  /// What the sender tells the receiver.
  struct Names {
    std::uint64_t bytes = 0;  ///< of one partition
    std::uint32_t partitions = 0;
    std::int32_t first_tag = 0;
  };

  /// Suspends a coroutine until the requests that `waiter` counts are complete.
  struct [[nodiscard]] Pause {
    Waiter& waiter;
    [[nodiscard]] bool await_ready() const { return waiter.pending == 0; }
    void await_suspend(std::coroutine_handle<> handle) { waiter.handle = handle; }
    void await_resume() const {}
  };

  void prepare();
  /// Counts a request that is not complete among those that `waiter_` waits for. No call that could
  /// complete it may lie between this and the Pause.
  void watch(Request& request);
  void finish();
  void note(const Request& request);
  /// Fresh requests for `count` messages.
  void make_messages(std::size_t count, RequestKind kind);
  [[nodiscard]] static View names_view(Names& names);
  [[nodiscard]] CommCore on_context(ContextId offset) const;
  /// `count` elements from `first` on.
  [[nodiscard]] View elements(MPI_Count first, MPI_Count count) const;
  [[nodiscard]] bool to_nobody() const { return args_.peer == MPI_PROC_NULL; }

  Engine& engine_;
  Request& whole_;
  const PartitionedArgs args_;
  const CommCore parts_comm_;
  Names names_;
  Request naming_;  // the message with the names
  std::deque<Request> messages_;
  Waiter waiter_;  // of the messages under way
  FrameArena arena_;
  Task<int> task_;
};

class PartitionedSend final : public Partitioned {
 public:
  PartitionedSend(Engine& engine, Request& whole, const PartitionedArgs& args);
  [[nodiscard]] bool sends() const override { return true; }
  void start() override;

  /// Whether a partition of the operation under way was made ready already.
  [[nodiscard]] bool is_ready(int partition) const {
    return ready_[static_cast<std::size_t>(partition)];
  }
  [[nodiscard]] bool all_ready() const { return not_ready_ == 0; }
  /// Sends a partition that was not ready.
  void ready(int partition);

 private:
  static Task<int> body(PartitionedSend& self);

  std::vector<bool> ready_;
  int not_ready_ = 0;
};

class PartitionedReceive final : public Partitioned {
 public:
  PartitionedReceive(Engine& engine, Request& whole, const PartitionedArgs& args);
  [[nodiscard]] bool sends() const override { return false; }
  void start() override;
  void cancel() override;

  /// Whether the whole of a partition is in the buffer.
  [[nodiscard]] bool arrived(int partition);

 private:
  static Task<int> body(PartitionedReceive& self);
  void post();
  [[nodiscard]] View place_of(std::size_t message);
  void unpack(std::size_t message);

  std::size_t partition_bytes_ = 0;
  std::size_t total_bytes_ = 0;
  bool posted_ = false;
  /// Of partitions of the sender that end inside an element which is not contiguous: where they
  /// arrive. Else empty, as once they were unpacked.
  std::vector<std::vector<std::byte>> staged_;
};

}  // namespace remit
