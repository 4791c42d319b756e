// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Line cutting, the writer thread, and the pipes to and from ranks.
#include "launcher/streams/io_forward.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <asio/buffer.hpp>
#include <asio/post.hpp>
#include <asio/write.hpp>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <utility>

#include "launcher/report/crash_report.hpp"
#include "runtime/clock.hpp"

namespace remit::launcher {
namespace {

constexpr std::size_t kReadSize = 64 * 1024;
constexpr std::chrono::milliseconds kPromptSilence{100};

}  // namespace

void LineBuffer::emit(std::string_view bytes, std::string* out) {
  if (prefix_.empty() && !stamp_) {
    out->append(bytes);
    return;
  }
  while (!bytes.empty()) {
    if (!in_line_) {
      if (stamp_) out->append(stamp_());
      out->append(prefix_);
    }
    const std::size_t newline = bytes.find('\n');
    in_line_ = newline == std::string_view::npos;
    const std::string_view line = bytes.substr(0, in_line_ ? bytes.size() : newline + 1);
    out->append(line);
    bytes.remove_prefix(line.size());
  }
}

void LineBuffer::append(std::string_view bytes, std::string* out) {
  const std::size_t last = bytes.rfind('\n');
  if (last != std::string_view::npos) {
    pending_.append(bytes.substr(0, last + 1));
    emit(pending_, out);
    pending_.clear();
    bytes.remove_prefix(last + 1);
  }
  pending_.append(bytes);
  if (pending_.size() >= kMaxLine) flush(out);
}

void LineBuffer::flush(std::string* out) {
  emit(pending_, out);
  pending_.clear();
}

void LineBuffer::finish(std::string* out) {
  flush(out);
  if (in_line_) out->push_back('\n');
  in_line_ = false;
}

struct OutputSink::Shared {
  Shared(asio::io_context& context, Callbacks functions)
      : io(context), callbacks(std::move(functions)) {}

  struct Piece {
    int fd;
    std::string bytes;
    std::size_t done = 0;  // of them are written
  };

  asio::io_context& io;
  Callbacks callbacks;
  std::mutex mutex;
  std::condition_variable ready;    // something waits, or the end
  std::condition_variable written;  // nothing waits
  std::vector<Piece> waiting;
  std::size_t waiting_bytes = 0;
  std::size_t writing_bytes = 0;
  bool was_full = false;
  bool closed = false;
  bool has_thread = false;
  bool finished = false;
  bool in_line = false;    // the last text had no newline at its end
  std::set<int> broken;    // descriptors
  std::vector<int> owned;  // to be closed at the end

  [[nodiscard]] bool is_full() const { return waiting_bytes + writing_bytes >= kHighWater; }

  void fail(int fd, int error) {
    {
      const std::lock_guard lock(mutex);
      if (!broken.insert(fd).second) return;
    }
    tell_failure(fd, error);
  }

  void tell_failure(int fd, int error) {
    asio::post(io, [failed = callbacks.failed, fd, error] { failed(fd, error); });
  }

  /// Writes a part of what waits, of which there must be some. Called with the mutex, where no
  /// thread writes. False: there was no room within `patience`.
  bool write_some(std::chrono::milliseconds patience);

  /// After the last write. What is written nevertheless has its end here, too, but no second one.
  void finish() {
    std::unique_lock lock(mutex);
    if (std::exchange(finished, true)) return;
    const std::vector<int> files = std::exchange(owned, {});
    lock.unlock();
    for (const int fd : files) {
      // A file system may find out only here that it has no room.
      if (::close(fd) != 0 && errno != EINTR) fail(fd, errno);
    }
    asio::post(io, callbacks.drained);
  }
};

OutputSink::OutputSink(asio::io_context& io, Callbacks callbacks)
    : later_(io), shared_(std::make_shared<Shared>(io, std::move(callbacks))) {}

OutputSink::~OutputSink() {
  // Never joined: it may be stuck in a write to a reader that has stopped.
  if (thread_.joinable()) thread_.detach();
}

void OutputSink::write(int fd, std::string_view bytes) {
  const std::lock_guard lock(shared_->mutex);
  append(fd, bytes);
}

void OutputSink::write_lines(int fd, std::string_view text) {
  if (text.empty()) return;
  const std::lock_guard lock(shared_->mutex);
  if (shared_->in_line) append(fd, "\n");
  append(fd, text);
}

// Called with the mutex, as what follows.
void OutputSink::append(int fd, std::string_view bytes) {
  if (bytes.empty()) return;
  if (shared_->broken.contains(fd)) return;
  if (shared_->waiting.empty() || shared_->waiting.back().fd != fd) {
    shared_->waiting.push_back({fd, {}});
  }
  shared_->waiting.back().bytes.append(bytes);
  shared_->in_line = bytes.back() != '\n';
  shared_->waiting_bytes += bytes.size();
  shared_->was_full = shared_->was_full || shared_->is_full();
  if (!shared_->has_thread) start_thread();
  if (shared_->has_thread) {
    shared_->ready.notify_one();
  } else {
    write_later(std::chrono::milliseconds(0));
  }
}

void OutputSink::start_thread() {
  if (thread_.joinable()) return;  // it has ended
  try {
    thread_ = std::thread(run, shared_);
    shared_->has_thread = true;
  } catch (const std::system_error&) {  // limits of processes or memory
  } catch (const std::bad_alloc&) {
  }
}

bool OutputSink::is_full() {
  const std::lock_guard lock(shared_->mutex);
  return shared_->is_full();
}

void OutputSink::own(int fd) {
  const std::lock_guard lock(shared_->mutex);
  shared_->owned.push_back(fd);
}

void OutputSink::close() {
  const std::lock_guard lock(shared_->mutex);
  shared_->closed = true;
  if (shared_->has_thread) {
    shared_->ready.notify_one();
  } else {
    write_later(std::chrono::milliseconds(0));
  }
}

void OutputSink::run(const std::shared_ptr<Shared>& shared) noexcept {
  try {
    write_waiting(*shared);
  } catch (...) {  // no memory to call the main thread with
    report_exception();
  }
  const std::lock_guard lock(shared->mutex);
  shared->has_thread = false;
  shared->writing_bytes = 0;
  shared->written.notify_all();
}

void OutputSink::write_waiting(Shared& shared) {
  std::unique_lock lock(shared.mutex);
  while (true) {
    shared.ready.wait(lock, [&] { return shared.closed || !shared.waiting.empty(); });
    if (shared.waiting.empty()) break;
    const std::vector<Shared::Piece> pieces = std::exchange(shared.waiting, {});
    shared.writing_bytes = std::exchange(shared.waiting_bytes, 0);
    lock.unlock();
    for (const Shared::Piece& piece : pieces) {
      write_all(shared, piece.fd, std::string_view(piece.bytes).substr(piece.done));
    }
    lock.lock();
    shared.writing_bytes = 0;
    shared.written.notify_all();
    if (shared.was_full && !shared.is_full()) {
      shared.was_full = false;
      asio::post(shared.io, shared.callbacks.room);
    }
  }
  lock.unlock();
  shared.finish();
}

void OutputSink::write_all(Shared& shared, int fd, std::string_view bytes) {
  {
    const std::lock_guard lock(shared.mutex);
    if (shared.broken.contains(fd)) return;
  }
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(fd, bytes.data() + written, bytes.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      // Somebody else made the shared descriptor nonblocking.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else if (errno != EINTR) {
      return shared.fail(fd, errno);
    }
  }
}

// --- without a thread

bool OutputSink::Shared::write_some(std::chrono::milliseconds patience) {
  Piece& piece = waiting.front();
  pollfd room{piece.fd, POLLOUT, 0};
  if (::poll(&room, 1, static_cast<int>(patience.count())) == 0) return false;
  // A pipe that has room takes so much without waiting.
  const std::size_t size = std::min<std::size_t>(piece.bytes.size() - piece.done, PIPE_BUF);
  const ssize_t count = ::write(piece.fd, piece.bytes.data() + piece.done, size);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  const int error = count < 0 ? errno : 0;
  const std::size_t left = piece.bytes.size() - piece.done;
  const std::size_t gone = count < 0 ? left : static_cast<std::size_t>(count);
  const int fd = piece.fd;
  waiting_bytes -= gone;
  piece.done += gone;
  if (gone == left) {
    waiting.erase(waiting.begin());
  } else if (piece.done > piece.bytes.size() / 2) {
    piece.bytes.erase(0, std::exchange(piece.done, 0));  // it may grow as fast as it is written
  }
  if (error != 0 && broken.insert(fd).second) tell_failure(fd, error);
  return true;
}

void OutputSink::write_later(std::chrono::milliseconds pause) {
  if (std::exchange(writes_later_, true)) return;
  later_.expires_after(pause);
  later_.async_wait([this](std::error_code error) {
    writes_later_ = false;
    if (!error) write_what_fits();
  });
}

void OutputSink::write_what_fits() {
  constexpr int kTurns = 16;  // then others of the io_context's thread have theirs
  constexpr std::chrono::milliseconds kPause{5};
  std::unique_lock lock(shared_->mutex);
  if (shared_->has_thread) return;
  bool fits = true;
  for (int turn = 0; turn < kTurns && fits && !shared_->waiting.empty(); ++turn) {
    fits = shared_->write_some(std::chrono::milliseconds(0));
  }
  const bool has_room = shared_->was_full && !shared_->is_full();
  if (has_room) shared_->was_full = false;
  const bool ends = shared_->waiting.empty() && shared_->closed;
  if (!shared_->waiting.empty()) write_later(fits ? std::chrono::milliseconds(0) : kPause);
  lock.unlock();
  if (has_room) shared_->callbacks.room();
  if (ends) shared_->finish();
}

bool OutputSink::flush(Time end) {
  constexpr std::chrono::milliseconds kTurn{10};
  std::unique_lock lock(shared_->mutex);
  shared_->written.wait_until(lock, end, [&] {
    return !shared_->has_thread || (shared_->waiting.empty() && shared_->writing_bytes == 0);
  });
  if (shared_->has_thread) return shared_->waiting.empty() && shared_->writing_bytes == 0;
  while (!shared_->waiting.empty() && MonotonicClock::now() < end) {
    shared_->write_some(kTurn);
  }
  return shared_->waiting.empty();
}

bool OutputSink::write_now(int fd, std::string_view bytes, Time end) {
  while (!bytes.empty()) {
    pollfd room{fd, POLLOUT, 0};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - MonotonicClock::now());
    if (left.count() <= 0 || ::poll(&room, 1, static_cast<int>(left.count())) == 0) return false;
    const ssize_t count = ::write(fd, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    if (count < 0 && errno != EAGAIN && errno != EINTR) return true;  // nobody reads it
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return true;
}

RankOutput::RankOutput(asio::io_context& io, int fd, OutputRoute route, LineBuffer lines,
                       bool show_prompts, std::function<void()> ended)
    : pipe_(io, fd),
      prompt_timer_(io),
      route_(std::move(route)),
      lines_(std::move(lines)),
      show_prompts_(show_prompts),
      ended_(std::move(ended)) {
  pipe_.non_blocking(true);
}

void RankOutput::resume() {
  if (open_ && !waiting_) wait();
}

void RankOutput::close() {
  if (!open_) return;
  end();
}

// There may be no memory: plain lines need none.
bool RankOutput::pass_on(std::string_view bytes, OutputSink::Time end) {
  if (lines_.is_plain()) return route_.write_now(bytes, end);
  text_.clear();
  lines_.append(bytes, &text_);
  return route_.write_now(text_, end);
}

bool RankOutput::drain(OutputSink::Time end) {
  std::array<char, kReadSize> bytes;
  if (!open_) return route_.write_now({}, end);
  if (lines_.is_plain() && !route_.write_now(lines_.pending(), end)) return false;
  ssize_t count = 0;
  while ((count = ::read(pipe_.native_handle(), bytes.data(), bytes.size())) > 0) {
    if (!pass_on({bytes.data(), static_cast<std::size_t>(count)}, end)) return false;
  }
  if (lines_.is_plain()) return true;
  text_.clear();
  lines_.finish(&text_);
  return route_.write_now(text_, end);
}

void RankOutput::wait() {
  if (route_.is_full()) return;  // resume() follows when there is room
  waiting_ = true;
  pipe_.async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code error) {
    waiting_ = false;
    if (!error && open_) read_once();
  });
}

void RankOutput::read_once() {
  std::array<char, kReadSize> bytes;
  const ssize_t count = ::read(pipe_.native_handle(), bytes.data(), bytes.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return wait();
  if (count <= 0) return end();
  text_.clear();
  lines_.append(std::string_view(bytes.data(), static_cast<std::size_t>(count)), &text_);
  route_.write(text_);
  if (show_prompts_ && lines_.has_partial_line()) {
    prompt_timer_.expires_after(kPromptSilence);
    prompt_timer_.async_wait([this](std::error_code error) {
      if (error || !open_) return;
      text_.clear();
      lines_.flush(&text_);
      route_.write(text_);
    });
  } else if (show_prompts_) {
    prompt_timer_.cancel();
  }
  wait();
}

void RankOutput::end() {
  open_ = false;
  text_.clear();
  lines_.finish(&text_);
  route_.write(text_);
  prompt_timer_.cancel();
  std::error_code ignored;
  pipe_.close(ignored);
  ended_();
}

InputCopier::InputCopier(asio::io_context& io)
    : io_(io), ready_(io), is_terminal_(::isatty(STDIN_FILENO) == 1) {
  // asio makes what it watches nonblocking. The input is shared with others, such as the shell, so
  // asio gets an epoll descriptor that watches it instead.
  const int watcher = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  is_file_ = ::epoll_ctl(watcher, EPOLL_CTL_ADD, STDIN_FILENO, &event) != 0;
  ready_.assign(watcher);
}

void InputCopier::add(int pipe_write_end) {
  pipes_.emplace_back(io_, pipe_write_end);
}

void InputCopier::start() {
  if (!std::exchange(started_, true)) resume();
}

void InputCopier::resume() {
  if (started_ && !busy_ && !pipes_.empty()) wait_for_input();
}

bool InputCopier::in_background() const {
  return is_terminal_ && ::tcgetpgrp(STDIN_FILENO) != ::getpgrp();
}

void InputCopier::wait_for_input() {
  if (in_background()) return;
  busy_ = true;
  const auto go_on = [this](std::error_code error) {
    busy_ = false;
    if (!error) read_once();
  };
  if (is_file_) {
    asio::post(io_, [go_on] { go_on({}); });
  } else {
    ready_.async_wait(asio::posix::stream_descriptor::wait_read, go_on);
  }
}

void InputCopier::read_once() {
  if (in_background()) return;
  data_.resize(kReadSize);
  const ssize_t count = ::read(STDIN_FILENO, data_.data(), data_.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return wait_for_input();
  if (count <= 0) return close_all();
  data_.resize(static_cast<std::size_t>(count));
  write_to_all();
}

void InputCopier::write_to_all() {
  busy_ = true;
  writing_ = pipes_.size();
  for (std::size_t i = 0; i < pipes_.size(); ++i) {
    asio::async_write(pipes_[i], asio::buffer(data_),
                      [this, i](std::error_code error, std::size_t) { written(i, error); });
  }
}

void InputCopier::written(std::size_t index, std::error_code error) {
  std::error_code ignored;  // the rank has closed its input, or is gone
  if (error) pipes_[index].close(ignored);
  if (--writing_ > 0) return;
  busy_ = false;
  std::erase_if(pipes_, [](const auto& pipe) { return !pipe.is_open(); });
  if (!pipes_.empty()) wait_for_input();
}

void InputCopier::close_all() {
  pipes_.clear();
}

}  // namespace remit::launcher
