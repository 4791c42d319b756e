// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a member of a window lets the others' adapters reach.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "links/device_memory.hpp"
#include "onesided/adapter/adapter_port.hpp"
#include "onesided/adapter/adapter_words.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Its words and its memory, registered while this lives. It ends by the thread that drives the
/// devices, before they do, and before the memory.
class AdapterMemory {
 public:
  /// An error: this process has no such adapter, or it refuses the memory.
  [[nodiscard]] static Expected<std::unique_ptr<AdapterMemory>> offer(AdapterPort& port, void* base,
                                                                      std::size_t bytes);

  [[nodiscard]] LinkDevice& adapter() const { return *adapter_; }
  [[nodiscard]] const AdapterKeys& keys() const { return keys_; }
  /// The same as a message.
  [[nodiscard]] std::span<const std::byte> key_bytes() const {
    return std::as_bytes(std::span(&keys_, 1));
  }
  /// For tests and reports: what is in them now.
  [[nodiscard]] const AdapterWords& words() const { return *words_; }

 private:
  AdapterMemory() = default;

  LinkDevice* adapter_ = nullptr;
  std::unique_ptr<AdapterWords> words_;
  AdapterKeys keys_;
  MemoryLease words_lease_, memory_lease_;
};

}  // namespace remit
