// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What libfabric brings to an ofi device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma_btl/ofi/contacts.hpp"

namespace remit::ofi {

/// Reads the completion queue: messages and notifications of peers, and the ends of our own
/// operations. What a message brings stays in its receive, which belongs to the layer above until
/// the next repost(). One thread.
class Receiver {
 public:
  Receiver(Fabric& fabric, Endpoints& endpoints, RequestPool& requests, Lender& lender,
           Lifecycle& lifecycle, Sender& sender, Contacts& contacts, OwnCompletions& own,
           OfiCounters& counters)
      : fabric_(fabric),
        endpoints_(endpoints),
        requests_(requests),
        lender_(lender),
        lifecycle_(lifecycle),
        sender_(sender),
        contacts_(contacts),
        own_(own),
        counters_(counters) {}

  /// Gives receives back to libfabric, and then to those whose messages were there.
  void repost() {
    requests_.repost([this](Request& receive) {
      if (receive.owes) lender_.used(endpoints_[receive.endpoint]);
      receive.owes = false;
    });
  }
  /// What is there, as far as `out` has room; returns how many are to be told.
  [[nodiscard]] std::size_t read(std::span<Completion> out);

 private:
  [[nodiscard]] bool on_completion(const fi_cq_data_entry& entry, Completion& out);
  [[nodiscard]] Endpoint* sender_of(const Request& slot, std::size_t bytes, Header& header);
  [[nodiscard]] bool on_message(Request& slot, std::size_t bytes, Completion& out);
  [[nodiscard]] bool on_remote_data(std::uint64_t data, Completion& out);
  void on_done(Request& request, int status, const std::string& words);
  void on_failure();

  Fabric& fabric_;
  Endpoints& endpoints_;
  RequestPool& requests_;
  Lender& lender_;
  Lifecycle& lifecycle_;
  Sender& sender_;
  Contacts& contacts_;
  OwnCompletions& own_;
  OfiCounters& counters_;
};

}  // namespace remit::ofi
