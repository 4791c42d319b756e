// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What ranks write reaches mpirun's output in whole lines; what mpirun reads reaches rank 0.
#pragma once

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/clock.hpp"

namespace remit::launcher {

/// Cuts a stream of bytes into pieces that end with a newline. Pure.
class LineBuffer {
 public:
  /// A line longer than this is passed on in pieces, so that memory stays bounded.
  static constexpr std::size_t kMaxLine = 64 * 1024;

  /// `prefix` is put in front of every line ("" for none), and before that what `stamp` returns
  /// when the line begins to leave (empty function: nothing).
  explicit LineBuffer(std::string prefix, std::function<std::string()> stamp = {})
      : prefix_(std::move(prefix)), stamp_(std::move(stamp)) {}

  /// Takes more bytes; appends what may be written now to `out`.
  void append(std::string_view bytes, std::string* out);

  /// Appends the beginning of a line that has no newline yet.
  void flush(std::string* out);

  /// The end of the stream: like flush(), and with a prefix the last line gets its newline.
  void finish(std::string* out);

  [[nodiscard]] bool has_partial_line() const { return !pending_.empty(); }
  /// Lines pass as they are: nothing is put in front of them.
  [[nodiscard]] bool is_plain() const { return prefix_.empty() && !stamp_; }
  [[nodiscard]] std::string_view pending() const { return pending_; }

 private:
  void emit(std::string_view bytes, std::string* out);

  std::string prefix_;
  std::function<std::string()> stamp_;
  std::string pending_;
  bool in_line_ = false;  // a part of the current line was already passed on
};

/// Some of mpirun's outputs. Writing is done by a thread of its own with blocking writes: a
/// descriptor may be a file or a terminal shared with others, so its flags are left alone. Where no
/// thread can be started (limits of memory or processes) the io_context's writes, piece by piece,
/// as long as there is room.
class OutputSink {
 public:
  /// More than this waiting: writers should pause until on_room.
  static constexpr std::size_t kHighWater = 1024 * 1024;

  struct Callbacks {
    std::function<void()> room;  ///< what waited has become little again
    /// Descriptor and errno; once a descriptor, whose later output is discarded.
    std::function<void(int, int)> failed;
    std::function<void()> drained;  ///< after close(): everything is written
  };

  /// Callbacks run in the io_context's thread.
  OutputSink(asio::io_context& io, Callbacks callbacks);
  ~OutputSink();
  OutputSink(const OutputSink&) = delete;
  OutputSink& operator=(const OutputSink&) = delete;

  void write(int fd, std::string_view bytes);
  /// Text that begins a line: behind an unfinished one a newline comes first.
  void write_lines(int fd, std::string_view text);
  [[nodiscard]] bool is_full();
  /// Takes over a descriptor to be closed at the end; an error of that is one of writing, too.
  void own(int fd);
  /// No more writes; `drained` follows.
  void close();

  using Time = MonotonicTime;
  /// Waits until everything is written, without the io_context and its callbacks. False: not until
  /// `end`, because a reader is slow.
  bool flush(Time end);
  /// Writes behind what was flushed, in the calling thread and without memory. False as above.
  static bool write_now(int fd, std::string_view bytes, Time end);

 private:
  struct Shared;
  void append(int fd, std::string_view bytes);
  void start_thread();
  void write_later(std::chrono::milliseconds pause);
  void write_what_fits();
  static void run(const std::shared_ptr<Shared>& shared) noexcept;
  static void write_waiting(Shared& shared);
  static void write_all(Shared& shared, int fd, std::string_view bytes);

  asio::steady_timer later_;
  bool writes_later_ = false;
  std::shared_ptr<Shared> shared_;  // also the thread's, which may outlive this object
  std::thread thread_;
};

/// Where the text of one rank's stdout or stderr goes: one place or two.
class OutputRoute {
 public:
  void add(OutputSink* sink, int fd) { ends_.push_back({sink, fd}); }
  void write(std::string_view text) const {
    for (const End& end : ends_) end.sink->write(end.fd, text);
  }
  [[nodiscard]] bool is_full() const {
    return std::ranges::any_of(ends_, [](const End& end) { return end.sink->is_full(); });
  }
  /// As OutputSink::flush() and then write_now().
  bool write_now(std::string_view text, OutputSink::Time until) const {
    return std::ranges::all_of(ends_, [&](const End& end) {
      return end.sink->flush(until) && OutputSink::write_now(end.fd, text, until);
    });
  }

 private:
  struct End {
    OutputSink* sink;
    int fd;
  };
  std::vector<End> ends_;
};

/// The read end of one rank's stdout or stderr.
class RankOutput {
 public:
  /// Takes over `fd`. With `show_prompts` an unfinished line is passed on after a short silence.
  RankOutput(asio::io_context& io, int fd, OutputRoute route, LineBuffer lines, bool show_prompts,
             std::function<void()> ended);

  /// Starts, or goes on after a pause.
  void resume();
  /// Gives up reading: the rank's next write meets a broken pipe.
  void close();
  /// What the rank has written so far is written, without the io_context. False: not until `end`.
  bool drain(OutputSink::Time end);
  [[nodiscard]] bool is_open() const { return open_; }

 private:
  void wait();
  void read_once();
  bool pass_on(std::string_view bytes, OutputSink::Time end);
  void end();

  asio::posix::stream_descriptor pipe_;
  asio::steady_timer prompt_timer_;
  OutputRoute route_;
  LineBuffer lines_;
  std::string text_;
  bool show_prompts_;
  bool open_ = true;
  bool waiting_ = false;
  std::function<void()> ended_;
};

/// Copies mpirun's standard input to pipes that are the standard input of ranks: of a terminal, and
/// where several ranks get all of it. Any other standard input is given to its rank itself. Reads
/// nothing from a terminal while mpirun is in the background. The slowest reader sets the pace; one
/// that closes its input or ends is forgotten.
class InputCopier {
 public:
  explicit InputCopier(asio::io_context& io);

  /// One more reader; takes over the write end of its pipe. Before start().
  void add(int pipe_write_end);
  void start();
  /// After SIGCONT, when mpirun may have come to the foreground.
  void resume();

 private:
  void wait_for_input();
  void read_once();
  void write_to_all();
  void written(std::size_t index, std::error_code error);
  void close_all();
  [[nodiscard]] bool in_background() const;

  asio::io_context& io_;
  asio::posix::stream_descriptor ready_;  // an epoll descriptor that watches the input
  bool is_file_ = false;                  // what cannot be watched is always ready
  bool is_terminal_ = false;
  std::vector<asio::posix::stream_descriptor> pipes_;
  std::string data_;
  std::size_t writing_ = 0;  // pipes that have not taken all of data_
  bool started_ = false;
  bool busy_ = false;
};

}  // namespace remit::launcher
