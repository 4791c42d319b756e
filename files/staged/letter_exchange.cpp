// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/letter_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

namespace remit {

namespace {

/// Starts a letter, unless there is no memory for it: then nothing of it has begun.
void post(Engine& engine, const CommCore& comm, FileLetter& letter) {
  if (letter.is_posted) return;
  const View memory = bytes_view(letter.memory.data(), letter.memory.size());
  try {
    if (letter.is_sent) {
      engine.isend(*letter.request, memory, letter.rank, letter.tag, comm);
    } else {
      engine.irecv(*letter.request, memory, letter.rank, letter.tag, comm);
    }
    letter.is_posted = true;
  } catch (const std::bad_alloc&) {
  }
}

bool all_posted(std::span<const FileLetter> letters) {
  return std::all_of(letters.begin(), letters.end(),
                     [](const FileLetter& letter) { return letter.is_posted; });
}

/// What is under way may end meanwhile, and its memory is free then.
void pause(Engine& engine) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  try {
    engine.progress();
  } catch (const std::bad_alloc&) {
  }
}

void give_up(FileLetter& letter) {
  if (std::exchange(letter.is_posted, true)) return;
  letter.request->status.error = MPI_ERR_NO_MEM;
  letter.request->complete = true;
}

}  // namespace

void LetterExchange::start(Engine& engine, const CommCore& comm, std::span<FileLetter> letters) {
  letters_ = letters;
  for (FileLetter& letter : letters) {
    letter.request.emplace(letter.is_sent ? RequestKind::send : RequestKind::receive);
    letter.is_posted = false;
    post(engine, comm, letter);
  }
  constexpr int kMostPauses = 1000;
  for (int pauses = 0; !all_posted(letters) && pauses < kMostPauses; ++pauses) {
    pause(engine);
    for (FileLetter& letter : letters) post(engine, comm, letter);
  }
  for (FileLetter& letter : letters) give_up(letter);
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
