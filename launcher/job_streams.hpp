// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// All streams of a job: mpirun's standard input, output and error, the files of ranks, and the
// pipes between them and the ranks.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/io_forward.hpp"
#include "launcher/job.hpp"
#include "launcher/options.hpp"

namespace remit::launcher {

/// Used from the io_context's thread, where all callbacks run.
class JobStreams {
 public:
  struct Callbacks {
    std::function<void()> ended;  ///< the output of a rank has come to its end
    /// An output cannot be written; in words, with what to do.
    std::function<void(std::string cause)> failed;
    std::function<void()> closed;  ///< after close()
  };

  JobStreams(asio::io_context& io, const Options& options, const Job& job, Callbacks callbacks);

  /// What becomes descriptors 0, 1 and 2 of a rank. The caller closes them when the rank has them,
  /// and calls started() then. Fails for want of descriptors, or where a file cannot be made.
  [[nodiscard]] tl::expected<std::array<int, 3>, LaunchError> make_ends(int rank);
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

  /// Prints on standard error behind what the ranks have written so far.
  void say(const std::string& text);
  /// Waits until everything is written; then `last_words`, whose answer is printed on standard
  /// error; then callbacks.closed.
  void close(std::function<std::string()> last_words);

 private:
  struct RankStreams {
    std::unique_ptr<RankOutput> out;
    std::unique_ptr<RankOutput> err;
  };

  [[nodiscard]] std::unique_ptr<OutputSink> make_sink();
  tl::expected<OutputRoute, LaunchError> route(const std::string& pattern, int rank, int fd);
  tl::expected<int, LaunchError> open_file(const std::string& path);
  tl::expected<int, LaunchError> make_input(int rank);
  [[nodiscard]] OutputSink& sink_of(int fd) { return fd == 2 && err_ ? *err_ : *out_; }
  [[nodiscard]] std::unique_ptr<RankOutput> make_output(int rank, int pipe, OutputRoute route);
  void resume_outputs();
  void output_failed(int fd, int error);
  void close_next();

  asio::io_context& io_;
  const Options& options_;
  const Job& job_;
  Callbacks callbacks_;
  std::unique_ptr<OutputSink> files_;
  std::unique_ptr<OutputSink> out_;
  std::unique_ptr<OutputSink> err_;  // null: the same as out_
  std::unique_ptr<InputCopier> input_;
  std::vector<RankStreams> ranks_;
  std::map<std::string, int> file_fds_;
  std::map<int, std::string> file_names_;
  std::vector<OutputSink*> to_close_;
  std::function<std::string()> last_words_;
  int null_fd_ = -1;
  bool reader_left_ = false;
  bool error_reader_left_ = false;
};

}  // namespace remit::launcher
