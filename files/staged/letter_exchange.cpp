// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/letter_exchange.hpp"

#include <algorithm>
#include <new>

namespace remit {

namespace {

/// Starts a letter, or gives it up: what was begun of it without memory cannot be begun again.
void post(Engine& engine, const CommCore& comm, FileLetter& letter) {
  const View memory = bytes_view(letter.memory.data(), letter.memory.size());
  try {
    if (letter.is_sent) {
      engine.isend(*letter.request, memory, letter.rank, letter.tag, comm);
    } else {
      engine.irecv(*letter.request, memory, letter.rank, letter.tag, comm);
    }
  } catch (const std::bad_alloc&) {
    letter.request->status.error = MPI_ERR_NO_MEM;
    letter.request->complete = true;
  }
}

}  // namespace

void LetterExchange::start(Engine& engine, const CommCore& comm, std::span<FileLetter> letters) {
  letters_ = letters;
  for (FileLetter& letter : letters) {
    letter.request.emplace(letter.is_sent ? RequestKind::send : RequestKind::receive);
    post(engine, comm, letter);
  }
}

bool LetterExchange::is_complete() const {
  return std::all_of(letters_.begin(), letters_.end(),
                     [](const FileLetter& letter) { return letter.request->complete; });
}

Outcome LetterExchange::end() {
  Outcome all;
  for (FileLetter& letter : letters_) {
    const OpStatus& status = letter.request->status;
    const bool came = !letter.is_sent && status.error == MPI_SUCCESS;
    letter.received = came ? static_cast<std::size_t>(status.bytes) : 0;
    if (status.error == MPI_SUCCESS || !all) continue;
    all = fail(status.error, "{}: a message {} rank {} was lost", kLostTouch,
               letter.is_sent ? "to" : "from", letter.rank);
  }
  return all;
}

void LetterExchange::await_suspend(std::coroutine_handle<> handle) {
  waiter_.handle = handle;
  waiter_.pending = 0;
  for (FileLetter& letter : letters_) {
    if (letter.request->complete) continue;
    letter.request->waiter = &waiter_;
    ++waiter_.pending;
  }
}

}  // namespace remit
