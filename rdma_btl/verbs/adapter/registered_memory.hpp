// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory that the adapter may reach.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "rdma_btl/device.hpp"
#include "rdma_btl/verbs/adapter/opened_adapter.hpp"
#include "runtime/error.hpp"

namespace remit::verbs {

/// Words for a registration that failed.
[[nodiscard]] tl::unexpected<Error> registration_error(int error, std::size_t bytes,
                                                       const char* what);

/// Registrations of the layer above, and blocks of the device's own. All end with this. One thread.
class RegisteredMemory {
 public:
  /// A registered piece of the device's own memory.
  struct Block {
    void* base = nullptr;
    std::size_t bytes = 0;
    ibv_mr* mr = nullptr;
  };

  RegisteredMemory(const OpenedAdapter& adapter, const VerbsConfig& config)
      : adapter_(adapter), config_(config) {}
  ~RegisteredMemory();
  RegisteredMemory(const RegisteredMemory&) = delete;
  RegisteredMemory& operator=(const RegisteredMemory&) = delete;

  /// New memory, not seen by children of fork(). `access`: IBV_ACCESS_...; `what`: for the error.
  [[nodiscard]] Expected<Block> make_block(std::size_t bytes, int access, const char* what);

  /// As Device::register_memory() and deregister().
  [[nodiscard]] Expected<Region> add(void* address, std::size_t length, Access access);
  void remove(const Region& region);

  /// Bytes registered now, the device's own included.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  [[nodiscard]] Expected<Region> add_all_memory();
  [[nodiscard]] Region keep(void* address, std::size_t length, ibv_mr* mr);

  const OpenedAdapter& adapter_;
  const VerbsConfig& config_;
  std::vector<Block> blocks_;
  std::unordered_map<std::uint64_t, ibv_mr*> regions_;
  std::uint64_t next_region_ = 1;
  std::uint64_t bytes_ = 0;
};

}  // namespace remit::verbs
