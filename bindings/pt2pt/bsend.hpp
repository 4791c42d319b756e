// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Buffered sends (MPI-5.0, section 3.6).
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "bindings/process/instance.hpp"

namespace remit {

/// The memory attached for buffered sends to a communicator, a session or the MPI process, and the
/// messages in it. A message is packed into a gap that holds it and MPI_BSEND_OVERHEAD; its place
/// is free again when its send is done.
class BsendBuffer final : public ProgressSource, public std::enable_shared_from_this<BsendBuffer> {
 public:
  BsendBuffer() = default;
  BsendBuffer(const BsendBuffer&) = delete;
  BsendBuffer& operator=(const BsendBuffer&) = delete;
  ~BsendBuffer() override { stop_watching(); }

  /// `size` counts the overheads, as the standard says. MPI_BUFFER_AUTOMATIC takes memory as
  /// needed.
  [[nodiscard]] bool attached() const { return attached_; }
  void attach(void* address, MPI_Count size);

  /// Packs and starts one message. MPI_ERR_BUFFER if no gap is large enough, MPI_ERR_NO_MEM if an
  /// automatic buffer could not grow.
  [[nodiscard]] int send(Instance& instance, const View& view, int dest, int tag, CommObject& comm);

  /// Waits until every buffered message has been sent.
  void drain(Instance& instance, const WaitSubject* subject = nullptr);
  /// Completes `request` when every message that is in the buffer now has been sent.
  void flush(Instance& instance, Request& request);
  /// drain() and detach.
  void detach(Instance& instance, const WaitSubject* subject, void*& address, MPI_Count& size);
  /// Its communicator or session was freed: what is in it still leaves, and keeps it alive.
  void abandon(Instance& instance);

  /// Why the last send() of `view` found no room.
  [[nodiscard]] std::string explain(const View& view) const;

  // ProgressSource, while somebody wants to know when messages have left. The engine wakes
  // sleepers: nothing else can make a message leave.
  int progress() override;
  void arm() override {}
  void disarm() override {}
  void wait_fds(std::vector<int>&) const override {}

 private:
  struct Segment {
    std::byte* start;
    std::size_t length;                       // with overhead
    std::unique_ptr<std::byte[]> own_memory;  // automatic buffers only
    Request request{RequestKind::send};
    CommObject* comm;
    std::uint64_t number;  // in the order of sending

    Segment(std::byte* s, std::size_t n, CommObject* c, std::uint64_t i)
        : start(s), length(n), comm(c), number(i) {}
  };
  using Segments = std::list<Segment>;
  struct Flush {
    Request* request;
    std::uint64_t below;  // the messages of lower numbers must have left
  };

  int reclaim();
  int complete_flushes();
  void watch(Instance& instance);
  void stop_watching();
  [[nodiscard]] Segments::iterator place(std::size_t length, CommObject& comm);
  [[nodiscard]] Segments::iterator place_own(std::size_t length, CommObject& comm);
  [[nodiscard]] Segments::iterator place_behind(Segments::iterator before, std::size_t length,
                                                CommObject& comm);
  [[nodiscard]] Segments::iterator find_room(Instance& instance, std::size_t length,
                                             CommObject& comm);

  bool attached_ = false;
  bool automatic_ = false;
  void* address_ = nullptr;
  std::size_t size_ = 0;
  Segments segments_;                            // ascending by start, unless automatic
  Segments::iterator newest_ = segments_.end();  // where room is looked for first
  std::size_t reclaim_at_ = 0;                   // segments
  std::uint64_t next_number_ = 0;
  std::vector<Flush> flushes_;
  Progress* watching_ = nullptr;             // where it is a source
  std::shared_ptr<BsendBuffer> keep_alive_;  // itself, meanwhile
};

/// The buffer that a buffered send on `comm` uses: that of the communicator, else that of its
/// session, else that of the MPI process, which may have none attached (section 3.6).
[[nodiscard]] BsendBuffer& bsend_buffer(Instance& instance, const CommObject& comm);

}  // namespace remit
