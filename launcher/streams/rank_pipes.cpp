// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Pipes of ranks to messages and back.
#include "launcher/streams/rank_pipes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <asio/buffer.hpp>
#include <asio/write.hpp>
#include <cerrno>

namespace remit::launcher {
namespace {

constexpr std::size_t kPipeReadBytes = std::size_t{64} << 10;

// Of the system call that has just failed.
tl::unexpected<Error> no_descriptor() {
  return fail_errno(MPI_ERR_OTHER, errno, "cannot make the pipes of a rank (see 'ulimit -n')");
}

// Both ends, or an error.
Expected<std::array<int, 2>> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return no_descriptor();
  return ends;
}

}  // namespace

Expected<std::array<int, 3>> RankPipes::make_ends(int rank, bool merge, bool has_input) {
  std::array<int, 3> fds{-1, -1, -1};
  const auto give_back = [&fds](const Error& error) -> tl::unexpected<Error> {
    for (const int fd : fds) {
      if (fd >= 0) ::close(fd);
    }
    return tl::unexpected(error);
  };
  if (has_input) {
    const auto ends = make_pipe();
    if (!ends) return give_back(ends.error());
    fds[0] = (*ends)[0];
    inputs_.try_emplace(rank, io_, (*ends)[1]);
  } else {
    fds[0] = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fds[0] < 0) return give_back(no_descriptor().value());
  }
  for (int stream = 1; stream <= 2; ++stream) {
    if (stream == 2 && merge) {
      fds[2] = ::fcntl(fds[1], F_DUPFD_CLOEXEC, 3);
      if (fds[2] < 0) return give_back(no_descriptor().value());
      break;
    }
    const auto ends = make_pipe();
    if (!ends) return give_back(ends.error());
    fds[static_cast<std::size_t>(stream)] = (*ends)[1];
    const auto [place, is_new] =
        outputs_.try_emplace({rank, stream}, io_, (*ends)[0], rank, stream);
    place->second.pipe.non_blocking(true);
    read(place->second);
  }
  return fds;
}

void RankPipes::read(Output& output) {
  if (output.waiting || !output.pipe.is_open() || under_way_ >= kOutputWindow) return;
  output.waiting = true;
  output.pipe.async_wait(asio::posix::stream_descriptor::wait_read,
                         [this, &output](std::error_code error) {
                           output.waiting = false;
                           if (!error && output.pipe.is_open()) read_once(output);
                         });
}

void RankPipes::read_once(Output& output) {
  if (under_way_ >= kOutputWindow) return;  // others were first; output_taken() goes on
  buffer_.resize(kPipeReadBytes);
  const ssize_t count = ::read(output.pipe.native_handle(), buffer_.data(), buffer_.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return read(output);
  if (count <= 0) return end(output);
  const auto size = static_cast<std::size_t>(count);
  under_way_ += size;
  callbacks_.output(output.rank, output.stream, buffer_.substr(0, size));
  read(output);
}

void RankPipes::end(Output& output) {
  std::error_code ignored;
  output.pipe.close(ignored);
  callbacks_.ended(output.rank, output.stream);
}

void RankPipes::output_taken(std::size_t bytes) {
  under_way_ -= std::min(bytes, under_way_);
  for (auto& [key, output] : outputs_) read(output);
}

void RankPipes::close_outputs(int stream) {
  for (auto& [key, output] : outputs_) {
    if (output.stream == stream && output.pipe.is_open()) end(output);
  }
}

void RankPipes::input(int rank, const std::string& bytes) {
  const auto found = inputs_.find(rank);
  if (found == inputs_.end()) return;
  found->second.waiting += bytes;
  if (found->second.writing.empty()) write(rank, found->second);
}

void RankPipes::input_end(int rank) {
  const auto found = inputs_.find(rank);
  if (found == inputs_.end()) return;
  found->second.ending = true;
  if (found->second.writing.empty()) inputs_.erase(found);
}

void RankPipes::write(int rank, Input& input) {
  input.writing = std::exchange(input.waiting, {});
  asio::async_write(input.pipe, asio::buffer(input.writing),
                    [this, rank](std::error_code error, std::size_t size) {
                      const auto found = inputs_.find(rank);
                      if (found == inputs_.end()) return;
                      Input& written = found->second;
                      written.writing.clear();
                      if (error) {
                        inputs_.erase(found);
                        return callbacks_.input_closed(rank);
                      }
                      callbacks_.input_taken(rank, size);
                      if (!written.waiting.empty()) return write(rank, written);
                      if (written.ending) inputs_.erase(found);
                    });
}

}  // namespace remit::launcher
