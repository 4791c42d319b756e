// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Driving the parts of the verbs device.
#include "rdma_btl/verbs/progress.hpp"

#include <poll.h>

#include "rdma_btl/verbs/adapter/adapter_events.hpp"
#include "rdma_btl/verbs/clock.hpp"
#include "rdma_btl/verbs/connections/connections.hpp"
#include "rdma_btl/verbs/connections/greetings.hpp"
#include "rdma_btl/verbs/connections/keepalive.hpp"
#include "rdma_btl/verbs/credits/borrowing.hpp"
#include "rdma_btl/verbs/credits/lending.hpp"
#include "rdma_btl/verbs/credits/note_reader.hpp"
#include "rdma_btl/verbs/credits/notes.hpp"
#include "rdma_btl/verbs/messages/receiver.hpp"
#include "rdma_btl/verbs/messages/swaps.hpp"
#include "rdma_btl/verbs/messages/work_queue.hpp"
#include "rdma_btl/verbs/teardown.hpp"

namespace remit::verbs {

std::size_t Progress::poll_all(std::span<Completion> out) {
  if (parts_.receiver.has_used()) parts_.receiver.release();
  std::size_t count = 0;
  if (agenda_.attention) [[unlikely]] {
    if (parts_.borrowing.recalled()) parts_.borrowing.answer_recalls();
    count = attend(out);
  }
  std::array<ibv_wc, kBatch> work;
  const std::size_t wanted = std::min(kBatch, out.size() - count);
  int got = 0;
  do {
    got = wanted == 0 ? 0 : ibv_poll_cq(queue_, static_cast<int>(wanted), work.data());
    if (got > 0) {
      count += take_all(std::span(work).first(static_cast<std::size_t>(got)), out.subspan(count));
    }
  } while (count == 0 && got > 0 && static_cast<std::size_t>(got) == wanted);
  // Who is told of nothing may sleep: what nobody looks at must not wait for the next poll.
  if (count == 0 && parts_.receiver.has_used()) [[unlikely]]
    parts_.receiver.release();
  if (parts_.lending.returns_due()) [[unlikely]]
    parts_.lending.return_credits();
  if (got < 0) [[unlikely]]
    parts_.teardown.fail_all(
        fmt::format("{}: the completion queue is broken", parts_.adapter.chosen().device));
  if (got == 0 && wanted != 0 && (parts_.teardown.has_leaving() || parts_.lending.has_parked()))
      [[unlikely]]
    parts_.teardown.settle();
  if (polls_to_look_ == 0) [[unlikely]]
    look_around();
  if (count == 0 && agenda_.attention) [[unlikely]]
    count = attend(out);
  agenda_.chores = parts_.receiver.has_used() || parts_.lending.returns_due() ||
                   parts_.teardown.has_leaving() || parts_.lending.has_parked();
  return count;
}

std::size_t Progress::take_all(std::span<const ibv_wc> work, std::span<Completion> out) {
  Receiver& receiver = parts_.receiver;
  std::size_t count = 0;
  for (const ibv_wc& done : work) {
    const bool receive = (done.wr_id & ReceivePool::kReceiveBit) != 0;
    // release() is a chore, whether the layer above is told or not.
    if (receive) agenda_.chores = true;
    if (receive ? receiver.take(done, out[count]) : parts_.work.retire(done, out[count])) ++count;
  }
  return count;
}

/// What poll() does besides the completion queue.
std::size_t Progress::attend(std::span<Completion> out) {
  agenda_.attention = false;
  if (agenda_.next_look_ns == 0) service();
  const std::size_t count = agenda_.own.take(out);
  if (parts_.swaps.due()) parts_.swaps.retry();
  if (parts_.notes.due()) parts_.notes.write_due();
  if (parts_.reader.listening()) parts_.reader.listen();
  if (parts_.lending.is_needed()) parts_.lending.find_receives();
  if (agenda_.flush_wanted) {
    agenda_.flush_wanted = false;
    parts_.work.flush_tails();
  }
  agenda_.attention = agenda_.attention || !agenda_.own.empty() || parts_.swaps.due() ||
                      parts_.notes.due() || parts_.borrowing.recalled() ||
                      parts_.lending.is_needed();
  return count;
}

/// Now and then, the events that are not completions: a look costs a system call, and the time is
/// not for nothing either.
void Progress::look_around() {
  constexpr std::uint32_t kPollsPerLook = 64;
  polls_to_look_ = kPollsPerLook;
  if (parts_.reader.listening()) parts_.reader.listen();
  if (now_ns() >= agenda_.next_look_ns) service();
}

void Progress::service() {
  std::array<pollfd, 2> fds = {pollfd{parts_.adapter.listener().channel()->fd, POLLIN, 0},
                               pollfd{parts_.adapter.context()->async_fd, POLLIN, 0}};
  if (::poll(fds.data(), fds.size(), 0) > 0) {
    if (fds[0].revents != 0) parts_.connections.service();
    if (fds[1].revents != 0) parts_.events.service();
  }
  const std::uint64_t now = now_ns();
  if (parts_.connections.has_timers()) parts_.connections.check_timers(now);
  if (parts_.teardown.has_dying()) parts_.teardown.check_dying(now);
  if (now >= parts_.keepalive.due_ns()) parts_.keepalive.run(now);
  if (parts_.greetings.due()) parts_.greetings.send_due();
  agenda_.next_look_ns = now + (parts_.connections.has_timers() ? ms(1) / 20 : ms(1));
}

void Progress::arm() {
  parts_.adapter.wakeup().arm(queue_);
}

void Progress::disarm() {
  agenda_.next_look_ns = 0;
  agenda_.attention = true;
  parts_.adapter.wakeup().disarm(queue_);
}

int Progress::max_sleep_ms(bool any_connection) const {
  // Who waits for flushed() is told of no event when it becomes true.
  const bool soon = agenda_.attention || agenda_.flush_asked || parts_.teardown.has_leaving() ||
                    parts_.lending.returns_due() || parts_.greetings.due();
  if (!parts_.adapter.wakeup().armed() || soon || parts_.swaps.due()) return 1;
  if (parts_.connections.has_timers() || parts_.teardown.has_dying()) return 100;
  if (!any_connection) return -1;
  constexpr int kListenMs = 5;  // nothing tells of a note
  if (parts_.reader.listening()) return kListenMs;
  const std::uint64_t now = now_ns();
  const std::uint64_t due = parts_.keepalive.due_ns();
  return now >= due ? 1 : static_cast<int>((due - now) / ms(1)) + 1;
}

bool Progress::flushed() const {
  const bool outstanding = parts_.work.outstanding() != 0;
  agenda_.flush_wanted = outstanding;
  agenda_.attention = agenda_.attention || outstanding;
  agenda_.flush_asked = outstanding || !parts_.swaps.idle();
  return !agenda_.flush_asked;
}

}  // namespace remit::verbs
