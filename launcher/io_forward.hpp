// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What ranks write reaches mpirun's output in whole lines; what mpirun reads reaches rank 0.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace remit::launcher {

/// Cuts a stream of bytes into pieces that end with a newline. Pure.
class LineBuffer {
 public:
  /// A line longer than this is passed on in pieces, so that memory stays bounded.
  static constexpr std::size_t kMaxLine = 64 * 1024;

  /// `prefix` is put in front of every line ("" for none).
  explicit LineBuffer(std::string prefix) : prefix_(std::move(prefix)) {}

  /// Takes more bytes; appends what may be written now to `out`.
  void append(std::string_view bytes, std::string* out);

  /// Appends the beginning of a line that has no newline yet.
  void flush(std::string* out);

  /// The end of the stream: like flush(), and with a prefix the last line gets its newline.
  void finish(std::string* out);

  [[nodiscard]] bool has_partial_line() const { return !pending_.empty(); }

 private:
  void emit(std::string_view bytes, std::string* out);

  std::string prefix_;
  std::string pending_;
  bool in_line_ = false;  // a part of the current line was already passed on
};

/// One of mpirun's outputs. Writing is done by a thread of its own with blocking writes: the
/// descriptor may be a file or a terminal shared with others, so its flags are left alone.
class OutputSink {
 public:
  /// More than this waiting: writers should pause until on_room.
  static constexpr std::size_t kHighWater = 1024 * 1024;

  struct Callbacks {
    std::function<void()> room;       ///< what waited has become little again
    std::function<void(int)> failed;  ///< errno; once; later output is discarded
    std::function<void()> drained;    ///< after close(): everything is written
  };

  /// Callbacks run in the io_context's thread.
  OutputSink(asio::io_context& io, int fd, Callbacks callbacks);
  ~OutputSink();
  OutputSink(const OutputSink&) = delete;
  OutputSink& operator=(const OutputSink&) = delete;

  void write(std::string_view bytes);
  [[nodiscard]] bool is_full();
  /// No more writes; `drained` follows.
  void close();

 private:
  struct Shared;
  static void run(const std::shared_ptr<Shared>& shared);
  static void write_all(Shared& shared, const std::string& bytes);

  std::shared_ptr<Shared> shared_;  // also the thread's, which may outlive this object
  std::thread thread_;
};

/// The read end of one rank's stdout or stderr.
class RankOutput {
 public:
  /// Takes over `fd`. With `show_prompts` an unfinished line is passed on after a short silence.
  RankOutput(asio::io_context& io, int fd, OutputSink& sink, std::string prefix, bool show_prompts,
             std::function<void()> ended);

  /// Starts, or goes on after a pause.
  void resume();
  /// Gives up reading: the rank's next write meets a broken pipe.
  void close();
  [[nodiscard]] bool is_open() const { return open_; }

 private:
  void wait();
  void read_once();
  void end();

  asio::posix::stream_descriptor pipe_;
  asio::steady_timer prompt_timer_;
  OutputSink& sink_;
  LineBuffer lines_;
  std::string text_;
  bool show_prompts_;
  bool open_ = true;
  bool waiting_ = false;
  std::function<void()> ended_;
};

/// Copies a terminal to the pipe that is rank 0's standard input. Only for terminals: any other
/// standard input is given to rank 0 itself. Reads nothing while mpirun is in the background.
class TerminalInput {
 public:
  TerminalInput(asio::io_context& io, int pipe_write_end);

  /// Starts; also after SIGCONT, when mpirun may have come to the foreground.
  void resume();

 private:
  void wait_for_input();
  void read_once();
  void write_rest();

  asio::posix::stream_descriptor ready_;  // an epoll descriptor that watches the terminal
  asio::posix::stream_descriptor pipe_;
  std::string data_;
  bool busy_ = false;
};

}  // namespace remit::launcher
