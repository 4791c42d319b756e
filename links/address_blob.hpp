// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a process publishes of itself: the addresses of its devices and the window of eager data
// that each peer may send it at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/error.hpp"

namespace remit {

struct AddressBlob {
  struct Entry {
    std::string device;              ///< Caps::name, less than 256 bytes
    std::vector<std::byte> address;  ///< less than 65536 bytes
  };
  std::uint32_t first_window = 0;  ///< units of receive memory reserved for each peer
  std::vector<Entry> devices;
};

[[nodiscard]] std::vector<std::byte> encode(const AddressBlob& blob);
/// MPI_ERR_INTERN if the bytes are not a blob of this version.
[[nodiscard]] Expected<AddressBlob> decode(std::span<const std::byte> bytes);

}  // namespace remit
