// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Line cutting, the writer thread, and the pipes to and from ranks.
#include "launcher/io_forward.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <asio/buffer.hpp>
#include <asio/post.hpp>
#include <asio/write.hpp>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace remit::launcher {
namespace {

constexpr std::size_t kReadSize = 64 * 1024;
constexpr std::chrono::milliseconds kPromptSilence{100};

}  // namespace

void LineBuffer::emit(std::string_view bytes, std::string* out) {
  if (prefix_.empty()) {
    out->append(bytes);
    return;
  }
  while (!bytes.empty()) {
    if (!in_line_) out->append(prefix_);
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
  Shared(asio::io_context& context, int descriptor, Callbacks functions)
      : io(context), fd(descriptor), callbacks(std::move(functions)) {}

  asio::io_context& io;
  int fd;
  Callbacks callbacks;
  std::mutex mutex;
  std::condition_variable ready;
  std::string waiting;
  std::size_t writing = 0;
  bool was_full = false;
  bool closed = false;
  bool broken = false;

  [[nodiscard]] bool is_full() const { return waiting.size() + writing >= kHighWater; }
};

OutputSink::OutputSink(asio::io_context& io, int fd, Callbacks callbacks)
    : shared_(std::make_shared<Shared>(io, fd, std::move(callbacks))) {}

OutputSink::~OutputSink() {
  // Never joined: it may be stuck in a write to a reader that has stopped.
  if (thread_.joinable()) thread_.detach();
}

void OutputSink::write(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::lock_guard lock(shared_->mutex);
  if (shared_->broken) return;
  if (!thread_.joinable()) thread_ = std::thread(run, shared_);
  shared_->waiting.append(bytes);
  shared_->was_full = shared_->was_full || shared_->is_full();
  shared_->ready.notify_one();
}

bool OutputSink::is_full() {
  const std::lock_guard lock(shared_->mutex);
  return shared_->is_full();
}

void OutputSink::close() {
  const std::lock_guard lock(shared_->mutex);
  shared_->closed = true;
  if (!thread_.joinable()) {
    asio::post(shared_->io, shared_->callbacks.drained);
  } else {
    shared_->ready.notify_one();
  }
}

void OutputSink::run(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  while (true) {
    shared->ready.wait(lock, [&] { return shared->closed || !shared->waiting.empty(); });
    if (shared->waiting.empty()) break;
    const std::string bytes = std::move(shared->waiting);
    shared->waiting.clear();
    shared->writing = bytes.size();
    const bool broken = shared->broken;
    lock.unlock();
    if (!broken) write_all(*shared, bytes);
    lock.lock();
    shared->writing = 0;
    if (shared->was_full && !shared->is_full()) {
      shared->was_full = false;
      asio::post(shared->io, shared->callbacks.room);
    }
  }
  asio::post(shared->io, shared->callbacks.drained);
}

void OutputSink::write_all(Shared& shared, const std::string& bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(shared.fd, bytes.data() + written, bytes.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      // Somebody else made the shared descriptor nonblocking.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else if (errno != EINTR) {
      const int error = errno;
      const std::lock_guard lock(shared.mutex);
      shared.broken = true;
      asio::post(shared.io, [failed = shared.callbacks.failed, error] { failed(error); });
      return;
    }
  }
}

RankOutput::RankOutput(asio::io_context& io, int fd, OutputSink& sink, std::string prefix,
                       bool show_prompts, std::function<void()> ended)
    : pipe_(io, fd),
      prompt_timer_(io),
      sink_(sink),
      lines_(std::move(prefix)),
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

void RankOutput::wait() {
  if (sink_.is_full()) return;  // resume() follows when there is room
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
  sink_.write(text_);
  if (show_prompts_ && lines_.has_partial_line()) {
    prompt_timer_.expires_after(kPromptSilence);
    prompt_timer_.async_wait([this](std::error_code error) {
      if (error || !open_) return;
      text_.clear();
      lines_.flush(&text_);
      sink_.write(text_);
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
  sink_.write(text_);
  prompt_timer_.cancel();
  std::error_code ignored;
  pipe_.close(ignored);
  ended_();
}

TerminalInput::TerminalInput(asio::io_context& io, int pipe_write_end)
    : ready_(io), pipe_(io, pipe_write_end) {
  // asio makes what it watches nonblocking. A terminal is shared with the shell, so asio gets an
  // epoll descriptor that watches it instead.
  const int watcher = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  ::epoll_ctl(watcher, EPOLL_CTL_ADD, STDIN_FILENO, &event);
  ready_.assign(watcher);
}

void TerminalInput::resume() {
  if (!busy_ && pipe_.is_open()) wait_for_input();
}

void TerminalInput::wait_for_input() {
  if (::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return;  // in the background
  busy_ = true;
  ready_.async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code error) {
    busy_ = false;
    if (!error) read_once();
  });
}

void TerminalInput::read_once() {
  if (::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return;
  data_.resize(kReadSize);
  const ssize_t count = ::read(STDIN_FILENO, data_.data(), data_.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return wait_for_input();
  if (count <= 0) {
    std::error_code ignored;
    pipe_.close(ignored);
    return;
  }
  data_.resize(static_cast<std::size_t>(count));
  write_rest();
}

void TerminalInput::write_rest() {
  busy_ = true;
  asio::async_write(pipe_, asio::buffer(data_), [this](std::error_code error, std::size_t) {
    busy_ = false;
    if (!error) return wait_for_input();
    std::error_code ignored;  // rank 0 has closed its input, or is gone
    pipe_.close(ignored);
  });
}

}  // namespace remit::launcher
