// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Point-to-point messages of one process: matching, protocols, flow control, over any devices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datatype/datatype.hpp"
#include "pt2pt/communicator.hpp"
#include "pt2pt/request.hpp"
#include "rdma_btl/device.hpp"
#include "runtime/process.hpp"

namespace remit {

enum class SendMode : std::uint8_t { standard, synchronous, ready };

/// A message found by improbe(): no other receive can match it any more. Handle of the engine's.
struct MatchedMessage;

/// Envelope of a message that waits to be received.
struct ProbeResult {
  int source = 0;
  int tag = 0;
  MPI_Count bytes = 0;
};

/// The messages of one process. All calls by the thread that holds the process; none blocks and
/// none allocates in steady state. Arguments were checked by the caller: ranks are valid ranks of
/// `comm` (not MPI_PROC_NULL), tags in range, views of committed types.
class Engine final : public ProgressSource {
 public:
  /// Registers itself as a progress source of `process`.
  Engine(Process& process, std::vector<std::unique_ptr<Device>> devices);
  ~Engine() override;

  /// Starts a send on `comm` (on its collective context if `collective`). `request` completes when
  /// the buffer may be reused (synchronous: when it has been matched, too). Often it is complete on
  /// return.
  void isend(Request& request, const View& buffer, int dest, int tag, const CommCore& comm,
             SendMode mode = SendMode::standard, bool collective = false);

  /// The blocking standard send's fast path: true if the message left completely without a request;
  /// false if nothing was done and isend must be used.
  [[nodiscard]] bool try_send(const View& buffer, int dest, int tag, const CommCore& comm);

  /// Starts a receive; source may be MPI_ANY_SOURCE and tag MPI_ANY_TAG. A message longer than the
  /// view is truncated: the view is filled, the rest dropped, status.error = MPI_ERR_TRUNCATE.
  void irecv(Request& request, const View& buffer, int source, int tag, const CommCore& comm,
             bool collective = false);

  /// Looks for a message without receiving it. Does not poll; call after progress.
  [[nodiscard]] std::optional<ProbeResult> iprobe(int source, int tag, const CommCore& comm);
  /// As iprobe, and takes the message out of matching.
  [[nodiscard]] MatchedMessage* improbe(int source, int tag, const CommCore& comm,
                                        ProbeResult& result);
  void imrecv(Request& request, const View& buffer, MatchedMessage* message);

  /// Cancels a receive that is not matched yet, or a send whose message has not been matched
  /// (a send that left eagerly is not cancelled). The request completes either way.
  void cancel(Request& request);

  /// Waits until everything sent has left for good, then stops accepting. For MPI_Finalize and
  /// disconnect.
  void flush();

  // ProgressSource
  int progress() override;
  void arm() override;
  void disarm() override;
  void wait_fds(std::vector<int>& out) const override;
  [[nodiscard]] int max_sleep_ms() const override;

  Process& process();

  /// The words behind the error of a request or peer, for the message to the user.
  [[nodiscard]] std::string explain(const CommCore& comm, int rank) const;

  /// One row of the protocol table as remit_info prints it.
  struct ProtocolRange {
    std::string device, layout, protocol;
    std::size_t from_bytes, to_bytes;
  };
  [[nodiscard]] std::vector<ProtocolRange> protocols() const;

 private:
  struct State;
  std::unique_ptr<State> state_;  // replaced by plain members where the hot path needs them
};

}  // namespace remit
