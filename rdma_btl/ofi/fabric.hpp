// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What an ofi device has opened of libfabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rdma_btl/ofi/api.hpp"
#include "rdma_btl/ofi/provider.hpp"

namespace remit::ofi {

/// A completion that is an error.
struct Failure {
  void* context = nullptr;  ///< of the request
  int status = 0;           ///< an MPI error class
  std::string words;
};

/// One endpoint for reliable datagrams, its completion queue and address vector, and the memory
/// that is registered. Owns them, and closes them in the order that libfabric asks for. One thread.
class Fabric {
 public:
  /// `log`, which must outlive this, may be null.
  Fabric(const Api& api, Log* log) : api_(api), log_(log), info_(nullptr, {api.freeinfo}) {}

  /// Opens everything, with a completion queue of so many entries. Puts and gets need that the
  /// provider can register all memory at once: rma() says whether they are there. `cq_data` allows
  /// writes that carry a notification.
  [[nodiscard]] Expected<> open(Plan& plan, std::size_t queue_entries, bool cq_data);
  void close();
  /// Whether it is open.
  explicit operator bool() const { return endpoint_ != nullptr; }

  /// The provider and the interface, for people.
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const fi_info& info() const { return *info_; }
  [[nodiscard]] fid_ep* endpoint() const { return endpoint_.get(); }
  [[nodiscard]] fid_cq* queue() const { return queue_.get(); }
  /// Our address, for peers' add_peer().
  [[nodiscard]] std::span<const std::byte> address() const { return address_; }

  /// Makes a peer known; the error is libfabric's.
  [[nodiscard]] Expected<fi_addr_t> add_peer(const void* address);
  /// Registers memory for messages, until close(). Returns what libfabric wants to see with it;
  /// null: nothing.
  [[nodiscard]] Expected<void*> register_buffers(std::byte* base, std::size_t bytes);

  [[nodiscard]] bool rma() const { return all_memory_ != nullptr; }
  /// Of all memory of this process, for puts and gets of peers: a secret.
  [[nodiscard]] std::uint64_t memory_key() const {
    return all_memory_ ? ::fi_mr_key(all_memory_.get()) : 0;
  }
  /// Whether operations to a peer follow each other in one stream of bytes, so that a read behind
  /// writes comes back when these are at their target.
  [[nodiscard]] bool in_one_stream() const;
  /// Eight bytes of ours that such a read of a peer may fetch.
  [[nodiscard]] RemoteAddress proof() const {
    return {reinterpret_cast<std::uintptr_t>(&proof_), memory_key()};
  }
  /// Whether a write carries a notification.
  [[nodiscard]] bool remote_data() const { return remote_data_; }

  /// The descriptor that is readable when the completion queue has something, after quiet().
  [[nodiscard]] Expected<int> wait_fd() const;
  /// libfabric has nothing, and its descriptor will say when that changes.
  [[nodiscard]] bool quiet();
  /// Takes the error that the completion queue has reported; its context is null if it is of no
  /// request, which is logged, or if there is none.
  [[nodiscard]] Failure take_failure();
  /// libfabric's words for a result below 0.
  [[nodiscard]] const char* words_of(long result) const {
    return api_.strerror(static_cast<int>(-result));
  }

 private:
  [[nodiscard]] Expected<> open_domain(std::size_t queue_entries);
  void open_wait_set();
  [[nodiscard]] Expected<> open_endpoint();
  void reach_all_memory();
  [[nodiscard]] tl::unexpected<Error> refused(long error, const char* attempt) const;

  Api api_;
  Log* log_ = nullptr;
  std::string description_;
  Info info_;
  Owned<fid_fabric> fabric_;
  Owned<fid_domain> domain_;
  Owned<fid_av> peers_;
  Owned<fid_wait> wait_set_;  ///< of the queue; null: it has a descriptor of its own
  Owned<fid_cq> queue_;
  std::vector<Owned<fid_mr>> buffers_;
  Owned<fid_mr> all_memory_;
  Owned<fid_ep> endpoint_;
  std::vector<std::byte> address_;
  bool remote_data_ = false;
  std::uint64_t proof_ = 0;
};

}  // namespace remit::ofi
