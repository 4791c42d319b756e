// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Buffered sends (MPI-5.0, section 3.6).
#pragma once

#include <list>
#include <memory>
#include <string>

#include "bindings/instance.hpp"

namespace remit {

/// The memory attached for buffered sends and the messages in it. A message is packed into the
/// first gap that holds it and MPI_BSEND_OVERHEAD; its place is free again when its send is done.
class BsendBuffer {
 public:
  ~BsendBuffer() = default;

  /// `size` counts the overheads, as the standard says. MPI_BUFFER_AUTOMATIC takes memory as
  /// needed.
  [[nodiscard]] bool attached() const { return attached_; }
  void attach(void* address, MPI_Count size);

  /// Packs and starts one message. MPI_ERR_BUFFER if no gap is large enough.
  [[nodiscard]] int send(Instance& instance, const View& view, int dest, int tag, CommObject& comm);

  /// Waits until every buffered message has been sent.
  void drain(Instance& instance, const WaitSubject* subject = nullptr);
  /// drain() and detach.
  void detach(Instance& instance, const WaitSubject* subject, void*& address, MPI_Count& size);

  /// Why the last send() of `view` found no room.
  [[nodiscard]] std::string explain(const View& view) const;

 private:
  struct Segment {
    std::byte* start;
    std::size_t length;                       // with overhead
    std::unique_ptr<std::byte[]> own_memory;  // automatic buffers only
    Request request{RequestKind::send};
    CommObject* comm;

    Segment(std::byte* s, std::size_t n, CommObject* c) : start(s), length(n), comm(c) {}
  };
  void reclaim();
  [[nodiscard]] std::list<Segment>::iterator place(std::size_t length, CommObject& comm);

  bool attached_ = false;
  bool automatic_ = false;
  void* address_ = nullptr;
  std::size_t size_ = 0;
  std::list<Segment> segments_;  // ascending by start
};

}  // namespace remit
