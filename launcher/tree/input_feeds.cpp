// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Pipes read within a window.
#include "launcher/tree/input_feeds.hpp"

#include <algorithm>
#include <array>
#include <asio/buffer.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <string_view>
#include <system_error>

#include "launcher/tree/wire.hpp"

namespace remit::launcher {
namespace {

constexpr std::size_t kInputWindow = std::size_t{256} << 10;

}  // namespace

struct InputFeeds::Feed {
  Feed(asio::io_context& io, int fd) : pipe(io, fd) {}
  asio::posix::stream_descriptor pipe;
  std::array<char, 1 << 16> buffer{};
  std::size_t under_way = 0;
  bool reading = false;
};

InputFeeds::InputFeeds(asio::io_context& io, TreeNode& tree, const HostExchange& exchange)
    : io_(io), tree_(tree), exchange_(exchange) {}

InputFeeds::~InputFeeds() = default;

void InputFeeds::add(int rank, int fd) {
  feeds_[rank] = std::make_unique<Feed>(io_, fd);
  read_next(rank);
}

void InputFeeds::taken(int rank, std::size_t bytes) {
  const auto feed = feeds_.find(rank);
  if (feed == feeds_.end()) return;
  feed->second->under_way -= std::min(bytes, feed->second->under_way);
  read_next(rank);
}

void InputFeeds::close(int rank) {
  const auto feed = feeds_.find(rank);
  if (feed == feeds_.end()) return;
  std::error_code ignored;
  feed->second->pipe.close(ignored);
}

void InputFeeds::clear() {
  feeds_.clear();
}

void InputFeeds::read_next(int rank) {
  Feed& feed = *feeds_.at(rank);
  if (feed.reading || !feed.pipe.is_open() || feed.under_way >= kInputWindow) return;
  feed.reading = true;
  feed.pipe.async_read_some(asio::buffer(feed.buffer),
                            [this, rank](std::error_code error, std::size_t size) {
                              const auto found = feeds_.find(rank);
                              if (found == feeds_.end() || !found->second->pipe.is_open())
                                return;  // closed meanwhile
                              Feed& source = *found->second;
                              source.reading = false;
                              WireWriter writer;
                              writer.number(rank);
                              const int node = exchange_.node_of(rank);
                              if (error) {
                                std::error_code ignored;
                                source.pipe.close(ignored);
                                return tree_.send(node, MessageKind::input_end, writer.bytes());
                              }
                              source.under_way += size;
                              writer.text(std::string_view(source.buffer.data(), size));
                              tree_.send(node, MessageKind::input, writer.bytes());
                              read_next(rank);
                            });
}

}  // namespace remit::launcher
