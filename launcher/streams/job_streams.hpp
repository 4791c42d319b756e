// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// All streams of a job: mpirun's standard input, output and error, the files of ranks, and the
// pipes between them and the ranks.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/cli/options.hpp"
#include "launcher/plan/job.hpp"
#include "launcher/streams/io_forward.hpp"
#include "launcher/streams/output_files.hpp"

namespace remit::launcher {

/// Used from the io_context's thread, where all callbacks run.
class JobStreams {
 public:
  struct Callbacks {
    std::function<void()> ended;  ///< the output of a rank has come to its end
    /// An output cannot be written; in words, with what to do.
    std::function<void(std::string cause)> failed;
    std::function<void()> closed;  ///< after close()
    std::function<void()> room;    ///< take_output() may be used again
    /// Nobody reads this stream (1, 2) any more.
    std::function<void(int stream)> reader_left;
  };

  JobStreams(asio::io_context& io, const Options& options, Callbacks callbacks);

  /// The next processes, those of a job. Those of a spawned one read nothing. Processes are named
  /// by their numbers (Job::first) below.
  void add(const Job& job);

  /// What becomes descriptors 0, 1 and 2 of a rank. The caller closes them when the rank has them,
  /// and calls started() then. Fails for want of descriptors, or where a file cannot be made.
  [[nodiscard]] tl::expected<std::array<int, 3>, LaunchError> make_ends(int rank);
  /// For a rank of another host: what can be read from the descriptor is its standard input; -1: it
  /// has none.
  [[nodiscard]] tl::expected<int, LaunchError> make_remote(int rank);
  /// Output of such a rank. False: there is no room for more now.
  bool take_output(int rank, int stream, std::string_view bytes);
  void end_output(int rank, int stream);
  /// All ranks have their ends: input may flow.
  void started();

  /// After SIGCONT.
  void resume_input();

  /// Some output of a rank has not ended.
  [[nodiscard]] bool is_open() const;
  /// mpirun's own outputs, or its files, take text more slowly than it comes.
  [[nodiscard]] bool is_slow();
  /// The reader of mpirun's standard output went away with output on its way.
  [[nodiscard]] bool reader_left() const { return reader_left_; }
  [[nodiscard]] bool reader_of_errors_left() const { return error_reader_left_; }

  /// Prints on standard error behind what the ranks have written so far, on a line of its own: a
  /// rank that was killed may have left one unfinished.
  void say(const std::string& text);
  /// Waits until everything is written; then `final_message`, whose answer is printed on standard
  /// error; then callbacks.closed.
  void close(std::function<std::string()> final_message);
  /// Writes what the ranks of this host, which have ended, have written, without the io_context,
  /// and waits for slow readers so long. False: some of it is lost.
  bool drain(std::chrono::seconds patience);

 private:
  struct RankStreams {
    std::string label;
    std::string host;
    bool spawned = false;
    std::unique_ptr<RankOutput> out = nullptr;
    std::unique_ptr<RankOutput> err = nullptr;
  };
  /// What arrives in messages.
  struct RemoteOutput {
    OutputRoute route;
    LineBuffer lines;
    bool show_prompts = false;
  };

  [[nodiscard]] std::unique_ptr<OutputSink> make_sink();
  tl::expected<OutputRoute, LaunchError> route(const std::string& pattern, int rank, int fd);
  tl::expected<int, LaunchError> make_input(int rank);
  [[nodiscard]] LineBuffer make_lines(int rank) const;
  [[nodiscard]] bool reads(int rank) const;
  [[nodiscard]] bool shows_prompts(int rank) const;
  [[nodiscard]] OutputSink& sink_of(int fd) { return fd == 2 && err_ ? *err_ : *out_; }
  [[nodiscard]] std::unique_ptr<RankOutput> make_output(int rank, int pipe, OutputRoute route);
  void resume_outputs();
  void output_failed(int fd, int error);
  void close_next();

  asio::io_context& io_;
  const Options& options_;
  Callbacks callbacks_;
  OutputFiles files_;
  std::unique_ptr<OutputSink> out_;
  std::unique_ptr<OutputSink> err_;  // null: the same as out_
  std::unique_ptr<InputCopier> input_;
  std::vector<RankStreams> ranks_;
  std::map<std::pair<int, int>, RemoteOutput> remote_;  // by rank and stream; open ones
  std::vector<OutputSink*> to_close_;
  std::function<std::string()> final_message_;
  int null_fd_ = -1;
  bool reader_left_ = false;
  bool error_reader_left_ = false;
};

}  // namespace remit::launcher
