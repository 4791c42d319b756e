// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Standard input of ranks of other hosts: what mpirun reads for them, sent to their daemons.
#pragma once

#include <asio/io_context.hpp>
#include <cstddef>
#include <map>
#include <memory>

#include "launcher/pmix/host_exchange.hpp"
#include "launcher/tree/tree_node.hpp"

namespace remit::launcher {

/// So much is under way to a rank as a window allows: the rest stays in its pipe, so that mpirun
/// holds no more than that. "rank" is the number of a process. For the io_context's thread.
class InputFeeds {
 public:
  /// `exchange` knows where a rank runs. All outlive it.
  InputFeeds(asio::io_context& io, TreeNode& tree, const HostExchange& exchange);
  ~InputFeeds();

  /// What can be read from `fd` becomes the standard input of a rank. Takes the descriptor over.
  void add(int rank, int fd);
  /// The rank has taken so much; nothing if it has no feed.
  void taken(int rank, std::size_t bytes);
  /// The rank reads no more.
  void close(int rank);
  /// Nothing is read any more.
  void clear();

 private:
  struct Feed;
  void read_next(int rank);

  asio::io_context& io_;
  TreeNode& tree_;
  const HostExchange& exchange_;
  std::map<int, std::unique_ptr<Feed>> feeds_;
};

}  // namespace remit::launcher
