// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a blocking call waits for, in the words of mpirun's report (runtime/call_status.hpp). Making
// one stores a few pointers; everything else happens only once the call has been asleep for long.
#pragma once

#include <span>

#include "bindings/pt2pt/requests.hpp"
#include "runtime/call_status.hpp"

namespace remit {

/// A message, or the looking for one: `args.datatype` may be null.
class MessageWait final : public WaitSubject {
 public:
  /// Both arguments must outlive it.
  MessageWait(const Entry& entry, const MessageArgs& args, CallKind kind)
      : entry_(entry), args_(args), kind_(kind) {}
  void describe(CallRecord& record) const override;

 private:
  const Entry& entry_;
  const MessageArgs& args_;
  CallKind kind_;
};

/// MPI_Sendrecv: either half may be complete.
class ExchangeWait final : public WaitSubject {
 public:
  struct Half {
    const MessageArgs& args;
    const Request& request;
  };
  ExchangeWait(const Entry& entry, Half sending, Half receiving)
      : entry_(entry), sending_(sending), receiving_(receiving) {}
  void describe(CallRecord& record) const override;

 private:
  const Entry& entry_;
  Half sending_;
  Half receiving_;
};

/// Requests of an array: all, or any of them.
class RequestsWait final : public WaitSubject {
 public:
  RequestsWait(const Entry& entry, std::span<const MPI_Request> requests, bool any)
      : entry_(entry), requests_(requests), any_(any) {}
  void describe(CallRecord& record) const override;

 private:
  const Entry& entry_;
  std::span<const MPI_Request> requests_;
  bool any_;
};

/// A blocking collective operation.
class CollectiveWait final : public WaitSubject {
 public:
  CollectiveWait(const Entry& entry, const CommObject& comm, CollectiveKind kind)
      : entry_(entry), comm_(comm), kind_(kind), sequence_(comm.core.collective_sequence) {}
  void describe(CallRecord& record) const override;

 private:
  const Entry& entry_;
  const CommObject& comm_;
  CollectiveKind kind_;
  std::uint32_t sequence_;
};

/// Everything that was sent: MPI_Finalize and its like.
class DepartureWait final : public WaitSubject {
 public:
  explicit DepartureWait(const Entry& entry) : entry_(entry) {}
  void describe(CallRecord& record) const override;

 private:
  const Entry& entry_;
};

}  // namespace remit
