// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Look-ups, repeated until they are answered.
#include "runtime/bootstrap/pmix_lookups.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

#include "runtime/bootstrap/pmix_values.hpp"

namespace remit {

namespace {

Expected<Bytes> blob_in(pmix_status_t status, const pmix_value_t* value, int rank) {
  if (status != PMIX_SUCCESS) {
    return fail_pmix(status, "PMIx cannot give the address of rank {}", rank);
  }
  if (value == nullptr || value->type != PMIX_BYTE_OBJECT) {
    return fail(MPI_ERR_OTHER, "the address of rank {} in PMIx is not a byte object", rank);
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(value->data.bo.bytes);
  return Bytes(bytes, bytes + value->data.bo.size);
}

}  // namespace

/// What came back for a look-up.
struct PmixLookups::Reply {
  Bootstrap::Answer answer;
  bool missing = false;          ///< the server knows of no such key yet
  const Asked* asked = nullptr;  ///< what it answers; null if PMIx was not asked
};

/// Replies on their way from PMIx's thread to the one that holds the MPI process.
class PmixLookups::Mailbox {
 public:
  Mailbox() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Mailbox() {
    if (event_ >= 0) ::close(event_);
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Any thread.
  void put(Reply reply) {
    const std::lock_guard lock(mutex_);
    replies_.push_back(std::move(reply));
    filled_.store(true, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(event_, &one, sizeof one);
  }

  [[nodiscard]] bool empty() const { return !filled_.load(std::memory_order_relaxed); }

  /// The thread of the MPI process; not when empty(). Reading the eventfd and clearing filled_
  /// under the lock keeps both in step with the queue.
  Reply take() {
    const std::lock_guard lock(mutex_);
    Reply reply = std::move(replies_.front());
    replies_.pop_front();
    if (replies_.empty()) {
      filled_.store(false, std::memory_order_relaxed);
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t drained = ::read(event_, &count, sizeof count);
    }
    return reply;
  }

  [[nodiscard]] int event() const { return event_; }

 private:
  std::mutex mutex_;
  std::deque<Reply> replies_;
  std::atomic<bool> filled_{false};
  int event_;
};

/// Look-ups to repeat: a server may answer "not found", or give up after two seconds, for a peer
/// that has not published yet instead of waiting for it. Repeats come after 1 ms, then less and
/// less often.
class PmixLookups::Retries {
 public:
  Retries() : timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {}
  ~Retries() {
    if (timer_ >= 0) ::close(timer_);
  }
  Retries(const Retries&) = delete;
  Retries& operator=(const Retries&) = delete;

  void add(int rank) {
    if (ranks_.empty()) start_timer();
    ranks_.push_back(rank);
  }
  [[nodiscard]] bool empty() const { return ranks_.empty(); }
  /// The ranks to ask again, all at once, if their time has come.
  std::vector<int> take_due() {
    std::uint64_t count = 0;
    if (::read(timer_, &count, sizeof count) <= 0) return {};
    return std::exchange(ranks_, {});
  }
  [[nodiscard]] int timer() const { return timer_; }

 private:
  static constexpr long kMostMs = 50;
  void start_timer() {
    itimerspec when{};
    when.it_value.tv_nsec = delay_ms_ * 1'000'000;
    delay_ms_ = std::min(2 * delay_ms_, kMostMs);
    ::timerfd_settime(timer_, 0, &when, nullptr);
  }

  int timer_;
  long delay_ms_ = 1;
  std::vector<int> ranks_;
};

/// A look-up under way: what the callback of PMIx gets. Belongs to the look-ups, which forget it
/// when they take the reply.
struct PmixLookups::Asked {
  std::shared_ptr<Mailbox> mailbox;
  int rank;
};

PmixLookups::PmixLookups(const pmix_proc_t& self, std::string key)
    : self_(self),
      key_(std::move(key)),
      mailbox_(std::make_shared<Mailbox>()),
      retries_(std::make_unique<Retries>()),
      wait_fd_(::epoll_create1(EPOLL_CLOEXEC)) {
  for (const int fd : {mailbox_->event(), retries_->timer()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    ::epoll_ctl(wait_fd_, EPOLL_CTL_ADD, fd, &event);
  }
}

/// After this process has left PMIx.
PmixLookups::~PmixLookups() {
  if (wait_fd_ >= 0) ::close(wait_fd_);
  // PMIx drops the look-ups that are under way, unless somebody else in this process still uses it:
  // then an answer may come at any time, and what its callback gets must stay.
  if (asked_.empty() || PMIx_Initialized() == 0) return;
  auto kept = std::make_unique<std::list<Asked>>(std::move(asked_));
  (void)kept.release();
}

PmixLookups::Reply PmixLookups::reply_to(int rank, pmix_status_t status,
                                         const pmix_value_t* value) {
  const bool missing = status == PMIX_ERR_NOT_FOUND || status == PMIX_ERR_TIMEOUT;
  return {{rank, blob_in(status, value, rank)}, missing, nullptr};
}

/// On PMIx's thread. The value stays PMIx's.
void PmixLookups::on_answer(pmix_status_t status, pmix_value_t* value, void* data) {
  const auto* asked = static_cast<const Asked*>(data);
  Reply reply = reply_to(asked->rank, status, value);
  reply.asked = asked;
  // Once it is in the mailbox, `asked` may be gone.
  const std::shared_ptr<Mailbox> mailbox = asked->mailbox;
  mailbox->put(std::move(reply));
}

void PmixLookups::ask(int rank) {
  asked_.push_back({mailbox_, rank});
  pmix_proc_t peer = self_;
  peer.rank = static_cast<pmix_rank_t>(rank);
  const pmix_status_t status =
      PMIx_Get_nb(&peer, key_.c_str(), nullptr, 0, on_answer, &asked_.back());
  if (status == PMIX_SUCCESS) return;
  asked_.pop_back();
  if (status == PMIX_OPERATION_SUCCEEDED) {
    const PmixValuePtr value = pmix_known(peer, key_.c_str());
    mailbox_->put(reply_to(rank, value ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, value.get()));
  } else {
    mailbox_->put(reply_to(rank, status, nullptr));
  }
}

void PmixLookups::refuse(int rank, Error error) {
  mailbox_->put({{rank, tl::unexpected(std::move(error))}, false, nullptr});
}

std::optional<Bootstrap::Answer> PmixLookups::poll() {
  if (!retries_->empty()) [[unlikely]] {
    for (const int rank : retries_->take_due()) ask(rank);
  }
  while (!mailbox_->empty()) {
    Reply reply = mailbox_->take();
    asked_.remove_if([&](const Asked& asked) { return &asked == reply.asked; });
    if (!reply.missing) return std::move(reply.answer);
    retries_->add(reply.answer.rank);
  }
  return std::nullopt;
}

}  // namespace remit
