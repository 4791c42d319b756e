// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory of peers that the caller reads without a copy.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rdma_btl/shm/peers/endpoint.hpp"
#include "runtime/claim_lines.hpp"

namespace remit::shm {

/// What the caller may read until it says that it has read it, or until the next poll. Its
/// producer must not hear before that that it may write there again. One thread.
class Lending {
 public:
  [[nodiscard]] bool empty() const { return lent_.empty(); }

  /// Bytes of a data area; their cache lines are claimed at the end.
  void lend(std::span<std::byte> bytes) { lent_.push_back({bytes, nullptr}); }
  /// Bytes that go with a mailbox: it is not ours either, for the peer's answer may come there.
  void lend(std::span<std::byte> bytes, Endpoint& mail) {
    mail.mail = false;
    lent_.push_back({bytes, &mail});
  }

  void end() {
    for (const Lent& lent : lent_) {
      if (lent.mail != nullptr) {
        lent.mail->mail = true;
      } else {
        claim_lines(lent.bytes.data(), lent.bytes.size());
      }
    }
    lent_.clear();
  }

 private:
  struct Lent {
    std::span<std::byte> bytes;
    Endpoint* mail;  ///< whose mailbox they go with; null: they are in a data area
  };
  std::vector<Lent> lent_;
};

}  // namespace remit::shm
