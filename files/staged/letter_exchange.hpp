// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Sending and receiving what a collective access tells its driver to.
#pragma once

#include <coroutine>
#include <span>

#include "files/agreement.hpp"
#include "files/staged/shared_access.hpp"
#include "pt2pt/engine.hpp"

namespace remit {

/// Letters of one member, all under way at once. The thread that holds the process. It must stay
/// until it is complete.
class LetterExchange {
 public:
  LetterExchange() = default;
  LetterExchange(const LetterExchange&) = delete;
  LetterExchange& operator=(const LetterExchange&) = delete;

  /// Again and again, after end(). Letters and what they refer to must stay until then. Those that
  /// there is no memory for are tried again for a second, in which it does not return, for whoever
  /// waits for one of them would wait for ever; in the end they are lost.
  void start(Engine& engine, const CommCore& comm, std::span<FileLetter> letters);
  [[nodiscard]] bool is_complete() const;
  /// When it is complete: says in the letters what has come. The error names whom it was lost for.
  [[nodiscard]] Outcome end();

  // `co_await exchange;` until it is complete. One coroutine.
  [[nodiscard]] bool await_ready() const { return is_complete(); }
  void await_suspend(std::coroutine_handle<> handle);
  void await_resume() const {}

 private:
  std::span<FileLetter> letters_;
  Waiter waiter_;
};

}  // namespace remit
