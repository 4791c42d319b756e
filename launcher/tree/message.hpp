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
  ready,         ///< job (Job::number): its ranks there can be started
  refused,       ///< job, why it cannot run there
  spawned,       ///< process (its number: Job::first), pid (-1: it was not), status, words
  exited,        ///< process, wait status, why its loader gave it up or nothing
  connected,     ///< process
  finalized,     ///< process
  aborted,       ///< process, status, words
  interrupted,   ///< signal: the daemon was told to end
  output,        ///< process, stream (1, 2), bytes
  output_end,    ///< process, stream
  empty,         ///< no process of mpirun's jobs is left there
  input_taken,   ///< process, bytes
  input_closed,  ///< process: it reads no more
  order,         ///< number, see write_order(): a process there wants others started
  inspected,     ///< number of the question, see write_inspections()
  control,       ///< see write_control(): a process there wants this
  record,        ///< see pack_record(): what a process there has counted
  clock_told,    ///< what tell_clock said, and its own clock
  // To daemons.
  plan,          ///< the tree: see TreePlan
  job,           ///< see write_job()
  launch,        ///< job: start its ranks
  drop_job,      ///< job: it has ended, or could not be started; kill what runs of it
  ordered,       ///< number of the order, why it failed or nothing, namespace of the new job
  carry_out,     ///< see write_control(): for the processes there
  signal_ranks,  ///< signal
  signal_all,    ///< signal
  output_taken,  ///< bytes
  close_output,  ///< stream: nobody reads it any more
  input,         ///< process, bytes
  input_end,     ///< process
  inspect,       ///< number, jobs: what do the ranks there do?
  tell_clock,    ///< mpirun's clock: see HostClocks
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
  notify,
  notified,
};
inline constexpr auto kLastKind = MessageKind::notified;

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
