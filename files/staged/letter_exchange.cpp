// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/letter_exchange.hpp"

#include <algorithm>

namespace remit {

void LetterExchange::start(Engine& engine, const CommCore& comm, std::span<FileLetter> letters) {
  letters_ = letters;
  requests_.emplace();
  for (const FileLetter& letter : letters) {
    Request& request =
        requests_->emplace_back(letter.is_sent ? RequestKind::send : RequestKind::receive);
    const View memory = bytes_view(letter.memory.data(), letter.memory.size());
    if (letter.is_sent) {
      engine.isend(request, memory, letter.rank, letter.tag, comm);
    } else {
      engine.irecv(request, memory, letter.rank, letter.tag, comm);
    }
  }
}

bool LetterExchange::is_complete() const {
  return std::all_of(requests_->begin(), requests_->end(),
                     [](const Request& request) { return request.complete; });
}

Outcome LetterExchange::end() {
  Outcome all;
  for (std::size_t i = 0; i < letters_.size(); ++i) {
    const OpStatus& status = (*requests_)[i].status;
    FileLetter& letter = letters_[i];
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
  for (Request& request : *requests_) {
    if (request.complete) continue;
    request.waiter = &waiter_;
    ++waiter_.pending;
  }
}

}  // namespace remit
