// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A stream of messages of which some are asked for (EagerPath::receive()) and the others polled.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "rdma_btl/eager_path.hpp"
#include "tests/unit/rdma_btl/device_world.hpp"

namespace remit::testing {

/// Message i has a head that says so and a pattern of a length that follows from i. Whoever asks
/// for the next one gets it by receive() or by poll(), whichever comes first, and only if it is as
/// was asked for.
class Asking {
 public:
  static constexpr std::uint64_t kCount = 20000;

  Asking(Node& from, Node& to)
      : from_(from),
        to_(to),
        out_(from.connect(to)),
        in_(to.connect(from)),
        posted_from_(posted_sends(from.device)),
        posted_to_(posted_sends(to.device)) {}

  [[nodiscard]] bool done() const { return got_ == kCount; }

  /// At most `n` of them, by either way.
  void send_some(std::uint64_t n) {
    for (; n != 0 && sent_ < kCount && from_.pending.empty(); --n, ++sent_) {
      Bytes data(length_of(sent_));
      fill_pattern(data, sent_);
      SendHead head{sent_, ~sent_};
      if (data.size() < 200) {
        path_of(from_, posted_from_).send(out_, head, data.data(), data.size(), from_.pending);
        continue;
      }
      // As the engine does: head and data are two pieces.
      const std::array pieces = {Piece{&head, sizeof head, 0}, Piece{data.data(), data.size(), 0}};
      Operation operation;
      operation.local = pieces;
      from_.post(out_, operation);
    }
  }

  /// Asks for the next message, unless others were polled; true if it has come. Bits outside of the
  /// mask differ; with trick 1 there is too little room, with trick 2 a bit inside differs.
  [[nodiscard]] bool ask(std::uint64_t trick) {
    if (!to_.receives.empty() || done()) return false;
    const std::size_t length = length_of(got_);
    const std::size_t room = trick == 1 && length != 0 ? length - 1 : length;
    SendHead found;
    Bytes bytes(length + 1, std::byte{0x5a});
    const SendHead mask{~std::uint64_t{0xff00}, 0xffffffff};
    const SendHead head{(got_ ^ 0x1100) + (trick == 2 ? 1 : 0), ~got_ & 0xffffffff};
    const std::ptrdiff_t came =
        path_of(to_, posted_to_).receive(in_, head, mask, bytes.data(), room, true, found);
    EXPECT_EQ(bytes[length], std::byte{0x5a});
    if (came < 0) return false;
    EXPECT_NE(trick, 2U);
    EXPECT_EQ(room, length);
    EXPECT_EQ(static_cast<std::size_t>(came), length);
    EXPECT_EQ(found.first, got_);
    EXPECT_EQ(found.second, ~got_);
    EXPECT_EQ(find_mismatch(std::span(bytes).first(length), got_), -1) << "message " << got_;
    ++got_;
    return true;
  }

  void take_polled() {
    for (const Node::Receive& receive : to_.receives) {
      std::uint64_t number = kCount;
      ASSERT_GE(receive.data.size(), sizeof(SendHead));
      std::memcpy(&number, receive.data.data(), sizeof number);
      EXPECT_EQ(number, got_);
      EXPECT_EQ(find_mismatch(std::span(receive.data).subspan(sizeof(SendHead)), got_), -1);
      ++got_;
    }
    to_.receives.clear();
  }

 private:
  [[nodiscard]] static EagerPath& path_of(Node& node, const std::unique_ptr<EagerPath>& posted) {
    EagerPath* own = node.device.eager_path();
    return own != nullptr ? *own : *posted;
  }
  [[nodiscard]] std::size_t length_of(std::uint64_t i) const {
    const std::size_t most =
        std::min<std::size_t>(from_.device.caps().max_send - sizeof(SendHead), 3000);
    return std::min<std::size_t>(i * i % 11 < 6 ? i % 41 : i * 37 % most, most);
  }

  Node& from_;
  Node& to_;
  EndpointId out_;
  EndpointId in_;
  std::uint64_t sent_ = 0;
  std::uint64_t got_ = 0;
  std::unique_ptr<EagerPath> posted_from_, posted_to_;
};

}  // namespace remit::testing
