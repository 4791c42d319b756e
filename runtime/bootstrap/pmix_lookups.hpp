// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Look-ups of peers' addresses through PMIx, which answers on a thread of its own.
#pragma once

#include <pmix.h>

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/bootstrap/bootstrap.hpp"

namespace remit {

/// The addresses that the ranks of this process's job publish. All functions are for the thread
/// that holds the MPI process.
class PmixLookups {
 public:
  /// `key`: under which addresses are published. `self`: any process of the job.
  PmixLookups(const pmix_proc_t& self, std::string key);
  ~PmixLookups();
  PmixLookups(const PmixLookups&) = delete;
  PmixLookups& operator=(const PmixLookups&) = delete;

  [[nodiscard]] const std::string& key() const { return key_; }

  /// Asks for the address of a rank, which need not have published it yet. Never blocks.
  void ask(int rank);
  /// The answer is this error.
  void refuse(int rank, Error error);
  /// The next answer, if there is one.
  std::optional<Bootstrap::Answer> poll();
  /// Readable when poll() has something to do.
  [[nodiscard]] int wait_fd() const { return wait_fd_; }

 private:
  struct Asked;
  struct Reply;
  class Mailbox;
  class Retries;
  static Reply reply_to(int rank, pmix_status_t status, const pmix_value_t* value);
  static void on_answer(pmix_status_t status, pmix_value_t* value, void* data);

  pmix_proc_t self_;
  std::string key_;
  std::shared_ptr<Mailbox> mailbox_;
  std::list<Asked> asked_;
  std::unique_ptr<Retries> retries_;
  int wait_fd_;  ///< an epoll set of the mailbox's event and the timer of the retries
};

}  // namespace remit
