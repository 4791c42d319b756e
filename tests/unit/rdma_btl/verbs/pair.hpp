// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Two verbs devices of one process: one whose registrations are under test, and its peer, which
// reads and writes that memory through the adapter.
#pragma once

#include <sched.h>

#include <array>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "rdma_btl/verbs/verbs_device.hpp"
#include "rdma_btl/verbs/verbs_params.hpp"

namespace remit::testing {

/// One thread at a time.
class VerbsPair {
 public:
  /// `mask`: the words of verbs_mask. An error if this host has no RDMA adapter.
  static Expected<std::unique_ptr<VerbsPair>> open(std::string_view mask = "") {
    if (!verbs::any_rdma_device()) return fail(MPI_ERR_OTHER, "this host has no RDMA adapter");
    auto pair = std::make_unique<VerbsPair>();
    VerbsConfig config;
    config.mask = verbs_mask_from(mask).value();
    for (const PeerName name : {0, 1}) {
      config.name = name;
      auto device = VerbsDevice::create(config);
      if (!device) return tl::unexpected<Error>(std::move(device.error()));
      (name == 0 ? pair->near_ : pair->far_) = std::move(*device);
    }
    const auto staging =
        pair->far_->register_memory(pair->staging_.data(), pair->staging_.size(), Access::all);
    if (!staging) return tl::unexpected<Error>(staging.error());
    pair->region_ = *staging;
    const auto way = pair->far_->connect(0, pair->near_->local_address());
    if (!way) return tl::unexpected<Error>(way.error());
    pair->way_ = *way;
    while (!pair->far_->connected(pair->way_)) pair->progress();
    return pair;
  }

  VerbsPair() = default;
  ~VerbsPair() {
    if (far_) far_->deregister(region_);
  }
  VerbsPair(const VerbsPair&) = delete;
  VerbsPair& operator=(const VerbsPair&) = delete;

  [[nodiscard]] VerbsDevice& device() { return *near_; }

  /// Copies what the peer reads through `region` for [address, address + length) to `out`.
  [[nodiscard]] bool adapter_read(const Region& region, const void* address, void* out,
                                  std::size_t length) {
    if (!move(OpKind::get, region, address, length)) return false;
    std::memcpy(out, staging_.data(), length);
    return true;
  }
  /// Lets the peer write `in` through `region` to [address, address + length).
  [[nodiscard]] bool adapter_write(const Region& region, const void* address, const void* in,
                                   std::size_t length) {
    std::memcpy(staging_.data(), in, length);
    // A write is known to have arrived when a read behind it has come back, on every adapter.
    std::byte last{};
    return move(OpKind::put, region, address, length) &&
           adapter_read(region, static_cast<const std::byte*>(address) + length - 1, &last, 1);
  }

 private:
  static constexpr std::size_t kLongest = std::size_t{1} << 20;

  bool move(OpKind kind, const Region& region, const void* address, std::size_t length) {
    if (length > kLongest) return false;
    const Piece piece{staging_.data(), length, region_.local_key};
    Operation operation;
    operation.kind = kind;
    operation.local = {&piece, 1};
    operation.remote = {reinterpret_cast<std::uintptr_t>(address), region.remote_key};
    operation.cookie = ++cookie_;
    while (far_->post(way_, {&operation, 1}) == 0) progress();
    done_ = failed_ = false;
    while (!done_ && !failed_) progress();
    return done_ && !failed_;
  }

  void progress() {
    bool idle = true;
    for (VerbsDevice* const device : {near_.get(), far_.get()}) {
      std::array<Completion, 8> out;
      const std::size_t count = device->poll(out);
      idle = idle && count == 0;
      for (const Completion& event : std::span(out).first(count)) {
        failed_ =
            failed_ || event.kind == CompletionKind::endpoint_failed || event.status != MPI_SUCCESS;
        done_ = done_ || (event.kind == CompletionKind::local && event.cookie == cookie_);
      }
    }
    if (idle) ::sched_yield();
  }

  std::vector<std::byte> staging_ = std::vector<std::byte>(kLongest);
  std::unique_ptr<VerbsDevice> near_;
  std::unique_ptr<VerbsDevice> far_;
  Region region_;
  EndpointId way_ = 0;
  std::uint64_t cookie_ = 0;
  bool done_ = false;
  bool failed_ = false;
};

}  // namespace remit::testing
