// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What daemons say to each other, and its form on a connection: a header of fixed size, then a
// payload of values (wire.hpp). Hosts of one job have one byte order; the greeting checks it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/error.hpp"

namespace remit::launcher {

enum class MessageKind : std::uint32_t {
  // To mpirun.
  hello = 1,     ///< host name, its processors, its folders
  failed,        ///< node, why: a daemon could not be started, or was lost
  said,          ///< node, text: what a daemon wrote on its standard error
  ready,         ///< the PMIx server runs
  refused,       ///< why the job cannot run there
  spawned,       ///< rank, pid (-1: it was not), status, words
  exited,        ///< rank, wait status
  connected,     ///< rank
  finalized,     ///< rank
  aborted,       ///< rank, status, words
  interrupted,   ///< signal: the daemon was told to end
  output,        ///< rank, stream (1, 2), bytes
  output_end,    ///< rank, stream
  empty,         ///< no process of the job is left there
  input_taken,   ///< rank, bytes
  input_closed,  ///< rank: it reads no more
  // To daemons.
  plan,          ///< the tree: see TreePlan
  job,           ///< see write_job()
  launch,        ///< start the ranks
  signal_ranks,  ///< signal
  signal_all,    ///< signal
  output_taken,  ///< bytes
  close_output,  ///< stream: nobody reads it any more
  input,         ///< rank, bytes
  input_end,     ///< rank
  finish,        ///< end everything
  // Among servers: see HostExchange.
  collect,
  collected,
  modex,
  modex_answer,
  publish,
  published,
  lookup,
  found,
  unpublish,
};
inline constexpr auto kLastKind = MessageKind::unpublish;

struct Message {
  static constexpr std::int32_t kEveryone = -1;

  MessageKind kind = MessageKind::hello;
  std::int32_t from = 0;
  std::int32_t to = 0;  ///< a node, or kEveryone: all below the sender
  std::string payload;
};

/// The bytes of a message.
[[nodiscard]] std::string encode(const Message& message);

/// Cuts a stream of bytes into messages. Whatever the bytes are, memory stays within that of one
/// largest message and what append() was given.
class MessageParser {
 public:
  /// A job of a million ranks is below that.
  static constexpr std::size_t kMaxPayload = std::size_t{256} << 20;

  void append(std::string_view bytes) { pending_.append(bytes); }
  /// The next whole message; nullopt: more bytes are needed. After an error nothing can follow.
  [[nodiscard]] Expected<std::optional<Message>> next();

 private:
  std::string pending_;
  std::size_t at_ = 0;  // what is before was taken
};

}  // namespace remit::launcher
