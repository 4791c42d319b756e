// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Pipes and files of ranks, and in which order outputs are closed.
#include "launcher/streams/job_streams.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "runtime/clock.hpp"

namespace remit::launcher {
namespace {

bool same_file(int a, int b) {
  struct stat first {};
  struct stat second {};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino && !S_ISCHR(first.st_mode);
}

// "2026-01-31 23:59:59.123 "
std::string time_stamp() {
  timeval now{};
  ::gettimeofday(&now, nullptr);
  std::tm local{};
  ::localtime_r(&now.tv_sec, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  return fmt::format("{}.{:03} ", text.data(), now.tv_usec / 1000);
}

void close_all(std::initializer_list<int> fds) {
  for (const int fd : fds) {
    if (fd >= 0) ::close(fd);
  }
}

}  // namespace

JobStreams::JobStreams(asio::io_context& io, const Options& options, Callbacks callbacks)
    : io_(io),
      options_(options),
      callbacks_(std::move(callbacks)),
      files_(make_sink()),
      out_(make_sink()),
      null_fd_(::open("/dev/null", O_RDWR | O_CLOEXEC)) {
  // Two writers to one pipe or file could tear each other's lines.
  if (!same_file(STDOUT_FILENO, STDERR_FILENO)) err_ = make_sink();
}

void JobStreams::add(const Job& job) {
  for (const Rank& rank : job.ranks) {
    const std::string& host = job.hosts[static_cast<std::size_t>(rank.host)].name;
    ranks_.push_back({job.label(rank.rank), host, job.is_spawned()});
  }
}

std::unique_ptr<OutputSink> JobStreams::make_sink() {
  return std::make_unique<OutputSink>(
      io_, OutputSink::Callbacks{[this] { resume_outputs(); },
                                 [this](int fd, int error) { output_failed(fd, error); },
                                 [this] { close_next(); }});
}

// Where a stream of a rank goes: into a file, to mpirun's own output, or both.
tl::expected<OutputRoute, LaunchError> JobStreams::route(const std::string& pattern, int rank,
                                                         int fd) {
  OutputRoute route;
  if (!pattern.empty()) {
    const RankStreams& whose = ranks_[static_cast<std::size_t>(rank)];
    const auto file = files_.open(output_file(pattern, whose.label, whose.host));
    if (!file) return tl::unexpected(file.error());
    route.add(&files_.sink(), *file);
  }
  if (pattern.empty() || options_.output.copy) route.add(&sink_of(fd), fd);
  return route;
}

// mpirun's input is given to one rank as it is, so that nothing is read which that rank does not
// read; of a terminal, or for all ranks, it is copied.
tl::expected<int, LaunchError> JobStreams::make_input(int rank) {
  const int reader = options_.input.rank;
  if (!reads(rank)) return ::fcntl(null_fd_, F_DUPFD_CLOEXEC, 3);
  if (reader != InputTo::kAll && ::isatty(STDIN_FILENO) != 1) {
    const int input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    ::dup2(null_fd_, STDIN_FILENO);
    return input;
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  if (!input_) input_ = std::make_unique<InputCopier>(io_);
  input_->add(ends[1]);
  return ends[0];
}

LineBuffer JobStreams::make_lines(int rank) const {
  const OutputStyle& style = options_.output;
  const RankStreams& whose = ranks_[static_cast<std::size_t>(rank)];
  return LineBuffer(line_prefix(style, whose.label, whose.host),
                    style.timestamp ? time_stamp : std::function<std::string()>());
}

bool JobStreams::reads(int rank) const {
  const bool all = options_.input.rank == InputTo::kAll;
  return !ranks_[static_cast<std::size_t>(rank)].spawned && (all || options_.input.rank == rank);
}

bool JobStreams::shows_prompts(int rank) const {
  return reads(rank) && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
}

std::unique_ptr<RankOutput> JobStreams::make_output(int rank, int pipe, OutputRoute route) {
  return std::make_unique<RankOutput>(io_, pipe, std::move(route), make_lines(rank),
                                      shows_prompts(rank), [this] { callbacks_.ended(); });
}

tl::expected<int, LaunchError> JobStreams::make_remote(int rank) {
  const OutputStyle& style = options_.output;
  auto out = route(style.out_file, rank, STDOUT_FILENO);
  if (!out) return tl::unexpected(out.error());
  const bool prompts = shows_prompts(rank);
  remote_.try_emplace({rank, STDOUT_FILENO}, RemoteOutput{*out, make_lines(rank), prompts});
  if (!style.merge) {
    auto err = route(style.err_file, rank, STDERR_FILENO);
    if (!err) return tl::unexpected(err.error());
    remote_.try_emplace({rank, STDERR_FILENO}, RemoteOutput{*err, make_lines(rank), prompts});
  }
  if (!reads(rank)) return -1;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return tl::unexpected(LaunchError{
        1, fmt::format("cannot make the input of rank {}: {}", rank, std::strerror(errno))});
  }
  if (!input_) input_ = std::make_unique<InputCopier>(io_);
  input_->add(ends[1]);
  return ends[0];
}

bool JobStreams::take_output(int rank, int stream, std::string_view bytes) {
  const auto found = remote_.find({rank, stream});
  if (found == remote_.end()) return true;
  RemoteOutput& output = found->second;
  std::string text;
  output.lines.append(bytes, &text);
  if (output.show_prompts) output.lines.flush(&text);
  output.route.write(text);
  return !output.route.is_full();
}

void JobStreams::end_output(int rank, int stream) {
  const auto found = remote_.find({rank, stream});
  if (found == remote_.end()) return;
  std::string text;
  found->second.lines.finish(&text);
  found->second.route.write(text);
  remote_.erase(found);
  callbacks_.ended();
}

tl::expected<std::array<int, 3>, LaunchError> JobStreams::make_ends(int rank) {
  const OutputStyle& style = options_.output;
  auto out_route = route(style.out_file, rank, STDOUT_FILENO);
  if (!out_route) return tl::unexpected(out_route.error());
  auto err_route = style.merge ? out_route : route(style.err_file, rank, STDERR_FILENO);
  if (!err_route) return tl::unexpected(err_route.error());
  int out[2] = {-1, -1};
  int err[2] = {-1, -1};
  auto input = make_input(rank);
  const auto make_err = [&] {
    if (!style.merge) return ::pipe2(err, O_CLOEXEC) == 0;
    err[1] = ::fcntl(out[1], F_DUPFD_CLOEXEC, 3);
    return err[1] >= 0;
  };
  if (!input || *input < 0 || ::pipe2(out, O_CLOEXEC) != 0 || !make_err()) {
    const int error = errno;
    close_all({input.value_or(-1), out[0], out[1], err[0], err[1]});
    return tl::unexpected(LaunchError{
        1, fmt::format("cannot make the pipes of rank {}: {}; raise the limit of open files "
                       "('ulimit -n')",
                       rank, std::strerror(error))});
  }
  RankStreams& streams = ranks_[static_cast<std::size_t>(rank)];
  streams.out = make_output(rank, out[0], std::move(*out_route));
  streams.out->resume();
  if (!style.merge) {
    streams.err = make_output(rank, err[0], std::move(*err_route));
    streams.err->resume();
  }
  return std::array{*input, out[1], err[1]};
}

void JobStreams::started() {
  if (input_) input_->start();
}

void JobStreams::resume_input() {
  if (input_) input_->resume();
}

bool JobStreams::is_open() const {
  return !remote_.empty() || std::ranges::any_of(ranks_, [](const RankStreams& streams) {
    return (streams.out && streams.out->is_open()) || (streams.err && streams.err->is_open());
  });
}

bool JobStreams::is_slow() {
  return out_->is_full() || (err_ && err_->is_full()) || files_.sink().is_full();
}

void JobStreams::resume_outputs() {
  for (RankStreams& streams : ranks_) {
    if (streams.out) streams.out->resume();
    if (streams.err) streams.err->resume();
  }
  callbacks_.room();
}

void JobStreams::output_failed(int fd, int error) {
  if (const std::string path = files_.path_of(fd); !path.empty()) {
    return callbacks_.failed(
        fmt::format("cannot write the output file {}: {}", path, std::strerror(error)));
  }
  const bool is_out = fd == STDOUT_FILENO;
  if (error == EPIPE) {
    // As in any pipeline: a rank that still writes meets the broken pipe itself.
    (is_out ? reader_left_ : error_reader_left_) = true;
    callbacks_.reader_left(is_out ? STDOUT_FILENO : STDERR_FILENO);
    for (RankStreams& streams : ranks_) {
      std::unique_ptr<RankOutput>& output = is_out || !streams.err ? streams.out : streams.err;
      if (output) output->close();
    }
    return;
  }
  const char* name = is_out ? "standard output" : "standard error";
  if (error == EBADF) {
    return callbacks_.failed(fmt::format(
        "cannot write {}: it is closed (>&-); send what nobody shall read to /dev/null", name));
  }
  callbacks_.failed(fmt::format("cannot write {}: {}", name, std::strerror(error)));
}

void JobStreams::say(const std::string& text) {
  sink_of(STDERR_FILENO).write_lines(STDERR_FILENO, text);
}

// First the ranks' output, then mpirun's own last word.
void JobStreams::close(std::function<std::string()> final_message) {
  if (final_message_) return;
  final_message_ = std::move(final_message);
  to_close_ = {err_ ? err_.get() : out_.get()};
  if (err_) to_close_.push_back(out_.get());
  to_close_.push_back(&files_.sink());
  to_close_.back()->close();
}

bool JobStreams::drain(std::chrono::seconds patience) {
  const auto end = MonotonicClock::now() + patience;
  bool all = true;
  for (const RankStreams& streams : ranks_) {
    for (const auto& output : {&streams.out, &streams.err}) {
      if (*output) all = (*output)->drain(end) && all;
    }
  }
  // What others have left there: of ranks of other hosts, and mpirun's own words.
  for (OutputSink* sink : {out_.get(), err_.get(), &files_.sink()}) {
    if (sink != nullptr) all = sink->flush(end) && all;
  }
  return all;
}

// A sink has drained.
void JobStreams::close_next() {
  to_close_.pop_back();
  if (to_close_.empty()) return callbacks_.closed();
  if (to_close_.size() == 1) say(final_message_());
  to_close_.back()->close();
}

}  // namespace remit::launcher
