// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a collective algorithm sees: who it is, messages it can await, scratch memory.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>

#include "datatype/datatype.hpp"
#include "pt2pt/communicator.hpp"
#include "pt2pt/engine.hpp"
#include "pt2pt/request.hpp"
#include "runtime/task.hpp"

namespace remit {

struct DirectOnBoard;

/// What collective operations need of whatever moves their messages. The engine of pt2pt/ is one;
/// the LogGP machine of benchmarks/logp, whose header stands in for that of pt2pt/, is another.
template <class E>
concept MessageEngine = requires(E& engine, Request& request, const View& view,
                                 const CommCore& comm, ProcId proc) {
  engine.isend(request, view, int{}, int{}, comm, SendMode::standard, true);
  engine.irecv(request, view, int{}, int{}, comm, true);
  { engine.progress() } -> std::same_as<int>;
  { engine.process() } -> std::same_as<Process&>;
  { engine.links().host_path(proc) } -> std::same_as<Links::HostPath>;
  { engine.links().lost(proc) } -> std::same_as<bool>;
};
static_assert(MessageEngine<Engine>);

/// `count` elements of `type` at `buffer` as a message buffer.
[[nodiscard]] inline View view_of(const void* buffer, MPI_Count count, const Datatype& type) {
  return View{const_cast<void*>(buffer), count, &type.layout()};
}

/// One running collective operation of one process. Messages of concurrent operations on one
/// communicator are told apart by the operation's sequence number, which is their tag, on the
/// communicator's collective context.
///
/// Errors: a member whose message fails notes that and plays its part to the end, so that no other
/// member waits for it in vain. What it sends from then on has a wrong length, which the receivers
/// note as their error: a failed operation does not pass for a successful one.
///
/// For one that an exception ends there is no such way out: it ends the job.
class CollCtx final : public TaskContext {
 public:
  /// `polls`: how often an await looks for completion itself before it suspends. `on_board`: how
  /// members of a direct operation meet without messages; only for a blocking call whose algorithm
  /// never suspends then.
  CollCtx(Engine& engine, const CommCore& comm, std::uint32_t sequence, FrameArena& arena,
          int polls, const DirectOnBoard* on_board = nullptr)
      : engine_(engine),
        comm_(comm),
        tag_(static_cast<int>(sequence & 0x7fffffffU)),
        arena_(arena),
        polls_(polls),
        on_board_(on_board) {}

  /// A part of `whole` among other processes: those of `comm`, which has contexts of its own. Its
  /// messages have the tag of the whole.
  CollCtx(CollCtx& whole, const CommCore& comm)
      : engine_(whole.engine_),
        comm_(comm),
        tag_(whole.tag_),
        arena_(whole.arena_),
        polls_(whole.polls_) {
    fail(whole.error());
  }
  /// After a part has ended: its error is the whole's.
  void take_error(const CollCtx& part) { fail(part.error()); }

  [[nodiscard]] FrameArena& arena() { return arena_; }
  [[nodiscard]] int rank() const { return comm_.rank; }
  /// Members of the (local) group.
  [[nodiscard]] int size() const { return comm_.size(); }
  /// Members of the other group; inter-communicators only.
  [[nodiscard]] int remote_size() const { return comm_.remote->size(); }
  [[nodiscard]] const CommCore& comm() const { return comm_; }
  [[nodiscard]] Engine& engine() { return engine_; }

  /// Returns only where no other member waits for this one.
  void broken_off(int error) override;

  /// Uninitialized memory until the operation ends.
  [[nodiscard]] std::byte* scratch(std::size_t bytes) {
    return static_cast<std::byte*>(arena_.allocate(bytes == 0 ? 1 : bytes));
  }

  /// Memory for `count` elements of `type`, as a pointer to the first element's origin, which is
  /// aligned for every type (a user function may read elements as its own structure).
  [[nodiscard]] std::byte* scratch(MPI_Count count, const Datatype& type) {
    if (count == 0) return scratch(0);
    constexpr MPI_Count kAlign = alignof(std::max_align_t);
    const MPI_Count others = (count - 1) * type.extent();
    const MPI_Count below = others < 0 ? -others : 0;  // a negative extent grows downwards
    const MPI_Count span = type.true_extent() + (others < 0 ? -others : others);
    const MPI_Count lead = (type.true_lb() - below) & (kAlign - 1);
    return scratch(static_cast<std::size_t>(lead + span)) + (lead + below - type.true_lb());
  }

  /// Null: by messages.
  [[nodiscard]] const DirectOnBoard* on_board() const { return on_board_; }

  /// Low level: starts one half; the request must live until complete. For fan-outs.
  void start_send(Request& request, const View& buffer, int peer) {
    const View out = error() == MPI_SUCCESS ? buffer : spoiled(buffer);
    engine_.isend(request, out, peer, tag_, comm_, SendMode::standard, true);
  }
  void start_receive(Request& request, const View& buffer, int peer) {
    engine_.irecv(request, buffer, peer, tag_, comm_, true);
  }

  /// Awaits requests that live elsewhere: `co_await c.all(requests)`.
  class [[nodiscard]] AllAwaiter {
   public:
    AllAwaiter(CollCtx& c, std::span<Request> requests) : c_(c), requests_(requests) {}
    AllAwaiter(const AllAwaiter&) = delete;
    AllAwaiter& operator=(const AllAwaiter&) = delete;

    bool await_ready() {
      return c_.poll_until([this] { return done(); });
    }
    void await_suspend(std::coroutine_handle<> handle) {
      waiter_.handle = handle;
      for (Request& r : requests_) {
        if (r.complete) continue;
        r.waiter = &waiter_;
        ++waiter_.pending;
      }
    }
    void await_resume() const {
      for (const Request& r : requests_) c_.note(r);
    }

   private:
    [[nodiscard]] bool done() const {
      for (const Request& r : requests_) {
        if (!r.complete) return false;
      }
      return true;
    }
    CollCtx& c_;
    std::span<Request> requests_;
    Waiter waiter_;
  };
  AllAwaiter all(std::span<Request> requests) { return {*this, requests}; }

  /// A message each way at once; either half may be absent. The requests live in the awaiter, which
  /// lives in the coroutine's frame.
  class [[nodiscard]] ExchangeAwaiter {
   public:
    ExchangeAwaiter(CollCtx& c, const View* send, int dest, const View* receive, int source)
        : c_(c), sends_(send != nullptr), receives_(receive != nullptr) {
      send_.complete = !sends_;
      receive_.complete = !receives_;
      if (receive != nullptr) c_.start_receive(receive_, *receive, source);
      if (send != nullptr) c_.start_send(send_, *send, dest);
    }
    ExchangeAwaiter(const ExchangeAwaiter&) = delete;
    ExchangeAwaiter& operator=(const ExchangeAwaiter&) = delete;

    bool await_ready() {
      return c_.poll_until([this] { return send_.complete && receive_.complete; });
    }
    void await_suspend(std::coroutine_handle<> handle) {
      waiter_.handle = handle;
      for (Request* r : {&send_, &receive_}) {
        if (r->complete) continue;
        r->waiter = &waiter_;
        ++waiter_.pending;
      }
    }
    void await_resume() const {
      if (sends_) c_.note(send_);
      if (receives_) c_.note(receive_);
    }

   private:
    CollCtx& c_;
    Request send_{RequestKind::send};
    Request receive_{RequestKind::receive};
    Waiter waiter_;
    bool sends_;
    bool receives_;
  };

  /// `auto turn = c.turn(); co_await turn;` In the middle of long work: lets what else is ready go
  /// on, unless the call blocks, which has nothing else to do.
  class [[nodiscard]] TurnAwaiter {
   public:
    explicit TurnAwaiter(CollCtx& c) : c_(c) {}
    [[nodiscard]] bool await_ready() const { return c_.polls_ > 1; }
    void await_suspend(std::coroutine_handle<> handle) {
      c_.engine_.process().progress().ready(handle);
    }
    void await_resume() const {}

   private:
    CollCtx& c_;
  };
  TurnAwaiter turn() { return TurnAwaiter(*this); }

  /// `auto departure = c.send(view, peer); co_await departure;` The operation starts at once, the
  /// await waits for it. What went wrong is in error().
  ExchangeAwaiter send(const View& buffer, int peer) {
    return ExchangeAwaiter(*this, &buffer, peer, nullptr, 0);
  }
  ExchangeAwaiter receive(const View& buffer, int peer) {
    return ExchangeAwaiter(*this, nullptr, 0, &buffer, peer);
  }
  ExchangeAwaiter sendrecv(const View& out, int dest, const View& in, int source) {
    return ExchangeAwaiter(*this, &out, dest, &in, source);
  }
  /// As sendrecv; a null pointer leaves that half out.
  ExchangeAwaiter exchange(const View* out, int dest, const View* in, int source) {
    return ExchangeAwaiter(*this, out, dest, in, source);
  }

 private:
  /// Every receive of a collective knows its length beforehand: any other length says that the
  /// sender failed, or that the members' counts do not agree.
  void note(const Request& request) {
    if (error() != MPI_SUCCESS) return;
    int error = request.status.error;
    if (request.kind == RequestKind::receive) {
      const std::size_t expected = request.view.size();
      if (error == MPI_SUCCESS && static_cast<std::size_t>(request.status.bytes) != expected) {
        error = MPI_ERR_OTHER;
      } else if (error == MPI_ERR_TRUNCATE && expected == 0) {
        error = MPI_ERR_OTHER;
      }
    }
    fail(error);
  }

  /// What a failed member sends instead of `buffer`.
  static View spoiled(const View& buffer) {
    static constexpr std::byte kByte{};
    return view_of(&kByte, buffer.size() == 0 ? 1 : 0, predefined(MPI_BYTE));
  }

  /// Looks for completion a bounded number of times. Polls devices only: what became ready runs
  /// from the run queue later, so that algorithms never nest.
  template <class Done>
  bool poll_until(Done&& done) {
    for (int i = 0; i < polls_; ++i) {
      if (done()) return true;
      engine_.progress();
    }
    return done();
  }

  Engine& engine_;
  const CommCore& comm_;
  int tag_;
  FrameArena& arena_;
  int polls_;
  const DirectOnBoard* on_board_ = nullptr;
};

}  // namespace remit
