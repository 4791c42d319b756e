// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The short way of small messages: what a device may offer beside its operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rdma_btl/device.hpp"
#include "rdma_btl/pending.hpp"

namespace remit {

/// Sends and receives of small messages without the cost of the general forms. Called by the thread
/// that drives the device. None blocks.
class EagerPath {
 public:
  virtual ~EagerPath() = default;

  /// One send of `head` and `length` bytes of `data`: what Device::post() does with a send of these
  /// two pieces. What is not accepted waits in `refused`, where nothing waits for this endpoint
  /// yet.
  virtual void send(EndpointId endpoint, SendHead head, const void* data, std::size_t length,
                    PendingQueue& refused) = 0;

  /// Sends of so many bytes beat the other ways of a message only while takes_now() says so;
  /// shorter ones always do. Constant while the device is open.
  [[nodiscard]] virtual std::size_t long_send() const = 0;
  static constexpr std::size_t kNeverLong = ~std::size_t{0};

  /// Whether a send of so many bytes behind a header of at most 64 would be accepted now.
  [[nodiscard]] virtual bool takes_now(EndpointId endpoint, std::size_t bytes) = 0;

  /// The other end: if the next thing that has come from the endpoint is a message of a send whose
  /// head is `head` where `mask` has bits, and it has at most `room` bytes of data, these go to
  /// `to`, and the message is taken: poll() will not tell of it. Else a negative number, and
  /// nothing is taken: kNothing has come, or kSomethingElse, which poll() must see to. With
  /// `awaits` a message that is still being written is copied meanwhile; if that takes long it is
  /// not taken, but `to` is written. Drives nothing, so poll() must be called now and then whatever
  /// this finds.
  [[nodiscard]] virtual std::ptrdiff_t receive(EndpointId endpoint, SendHead head, SendHead mask,
                                               void* to, std::size_t room, bool awaits,
                                               SendHead& found) = 0;
  static constexpr std::ptrdiff_t kNothing = -1;
  static constexpr std::ptrdiff_t kSomethingElse = -2;

  /// The caller needs no data of the last poll()'s events any more: their memory may be used again.
  /// Else the next poll() says so.
  virtual void have_read() = 0;
};

/// What EagerPath::send() does, by Device::post().
void post_send(Device& device, EndpointId endpoint, SendHead head, const void* data,
               std::size_t length, PendingQueue& refused);

/// The eager path of a device that offers none, which must outlive it: sends are posted. Its class
/// is not in a header, lest compilers take it for the usual case.
[[nodiscard]] std::unique_ptr<EagerPath> posted_sends(Device& device);

}  // namespace remit
