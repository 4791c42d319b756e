// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The standard streams of ranks whose reader and writer are on another host: bytes, not lines. What
// waits on the way is bounded on both ways.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "launcher/host/spawn.hpp"

namespace remit::launcher {

/// One thread.
class RankPipes {
 public:
  /// What may be on its way from one host.
  static constexpr std::size_t kOutputWindow = std::size_t{1} << 20;

  struct Callbacks {
    std::function<void(int rank, int stream, std::string bytes)> output;
    std::function<void(int rank, int stream)> ended;
    std::function<void(int rank, std::size_t bytes)> input_taken;
    std::function<void(int rank)> input_closed;
  };

  RankPipes(asio::io_context& io, Callbacks callbacks)
      : io_(io), callbacks_(std::move(callbacks)) {}

  /// What becomes descriptors 0, 1 and 2 of a rank; the caller closes them.
  [[nodiscard]] Expected<std::array<int, 3>> make_ends(int rank, bool merge, bool has_input);

  /// So much of the output has reached its place.
  void output_taken(std::size_t bytes);
  /// Nobody reads this stream any more: a rank that writes meets a broken pipe.
  void close_outputs(int stream);
  void input(int rank, const std::string& bytes);
  void input_end(int rank);

 private:
  struct Output {
    Output(asio::io_context& io, int fd, int rank_number, int stream_number)
        : pipe(io, fd), rank(rank_number), stream(stream_number) {}
    asio::posix::stream_descriptor pipe;
    int rank;
    int stream;
    bool waiting = false;
  };
  struct Input {
    Input(asio::io_context& io, int fd) : pipe(io, fd) {}
    asio::posix::stream_descriptor pipe;
    std::string waiting;
    std::string writing;
    bool ending = false;
  };

  void read(Output& output);
  void read_once(Output& output);
  void end(Output& output);
  void write(int rank, Input& input);

  asio::io_context& io_;
  Callbacks callbacks_;
  std::map<std::pair<int, int>, Output> outputs_;  // by rank and stream
  std::map<int, Input> inputs_;
  std::size_t under_way_ = 0;
  std::string buffer_;
};

}  // namespace remit::launcher
