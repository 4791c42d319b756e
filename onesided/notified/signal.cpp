// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/notified/signal.hpp"

#include <atomic>
#include <vector>

#include "onesided/elements/accumulate.hpp"
#include "onesided/synchronization/host_wait.hpp"
#include "onesided/synchronization/window_waits.hpp"
#include "pt2pt/request.hpp"

namespace remit {

Expected<> put_signal(const CommCall& call, WindowOperations& operations, const View& origin,
                      const WindowTarget& target, MPI_Aint signal_displacement,
                      std::uint64_t signal, const Op& op) {
  // A word that is out of the question is found before anything has been put.
  if (auto word = operations.signal_word(target.rank, signal_displacement); !word) {
    return tl::unexpected(word.error());
  }
  if (auto put = operations.put(origin, target); !put) return put;
  if (auto ordered = operations.order_behind(target.rank); !ordered) return ordered;
  // The word is changed under a lock, whose taking orders nothing that was stored before.
  std::atomic_thread_fence(std::memory_order_release);
  const Datatype& type = predefined(MPI_UINT64_T);
  const View value{&signal, 1, &type.layout()};
  const WindowTarget word{target.rank, signal_displacement, 1, &type};
  Request left(RequestKind::send);
  if (auto done = operations.accumulate(&value, op, word, nullptr, &left); !done) return done;
  if (!left.complete) call.progress().wait([&] { return left.complete; });
  return operations.tell_signalled(target.rank);
}

Expected<OwnSignal> OwnSignal::find(Window& window, MPI_Aint displacement) {
  const auto word = window.operations().signal_word(window.comm().rank, displacement);
  if (!word) return tl::unexpected(word.error());
  return OwnSignal(window, *word);
}

/// Under the lock that accumulates take.
std::uint64_t OwnSignal::read() {
  std::uint64_t value = 0;
  const Datatype& type = predefined(MPI_UINT64_T);
  const View result{&value, 1, &type.layout()};
  const auto what =
      Accumulation::of(*predefined_op(reinterpret_cast<std::uintptr_t>(MPI_NO_OP)), type);
  const MemberMemory memory = window_.members().memory(window_.comm().rank);
  // Memory of this process cannot fail.
  static_cast<void>(accumulate(memory, *what, nullptr, word_, &result));
  return value;
}

/// A look at the word takes no lock, and may see half of a copy by the kernel. What passes is read
/// once more with the lock, which whoever has stored it has given back.
bool OwnSignal::passes(SignalTest test, std::uint64_t value) {
  const auto* const word = static_cast<const std::uint64_t*>(word_.base);
  if (!remit::passes(test, __atomic_load_n(word, __ATOMIC_RELAXED), value)) return false;
  return remit::passes(test, read(), value);
}

namespace {

const std::vector<int> kAnyMember;

}  // namespace

bool OwnSignal::look(const CommCall& call, SignalTest test, std::uint64_t value) {
  const MembersWait subject(window_.comm(), call.function, "signal", kAnyMember);
  return call.progress().look([&] { return passes(test, value); }, subject);
}

void OwnSignal::wait(const CommCall& call, SignalTest test, std::uint64_t value) {
  const MembersWait subject(window_.comm(), call.function, "signal", kAnyMember);
  wait_for_word(
      window_.manager(), window_.members().own_control().identity.awaits_signal,
      [&] { return passes(test, value); }, &subject);
}

}  // namespace remit
