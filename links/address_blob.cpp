// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The published address as bytes: version, count, window, then {name, address} with their lengths.
#include "links/address_blob.hpp"

#include "links/bytes.hpp"

namespace remit {

namespace {

constexpr std::uint8_t kVersion = 1;

}  // namespace

std::vector<std::byte> encode(const AddressBlob& blob) {
  std::vector<std::byte> out;
  put(out, kVersion);
  put(out, static_cast<std::uint8_t>(blob.devices.size()));
  put(out, blob.first_window);
  for (const AddressBlob::Entry& entry : blob.devices) {
    put(out, static_cast<std::uint8_t>(entry.device.size()));
    put(out, static_cast<std::uint16_t>(entry.address.size()));
    const auto* name = reinterpret_cast<const std::byte*>(entry.device.data());
    out.insert(out.end(), name, name + entry.device.size());
    out.insert(out.end(), entry.address.begin(), entry.address.end());
  }
  return out;
}

Expected<AddressBlob> decode(std::span<const std::byte> bytes) {
  ByteReader reader{bytes};
  const auto version = reader.number<std::uint8_t>();
  const auto count = reader.number<std::uint8_t>();
  AddressBlob blob;
  blob.first_window = reader.number<std::uint32_t>();
  for (int i = 0; i < count && reader.good; ++i) {
    AddressBlob::Entry entry;
    const auto name_length = reader.number<std::uint8_t>();
    const auto address_length = reader.number<std::uint16_t>();
    const auto name = reader.take(name_length);
    const auto address = reader.take(address_length);
    entry.device.assign(reinterpret_cast<const char*>(name.data()), name.size());
    entry.address.assign(address.begin(), address.end());
    blob.devices.push_back(std::move(entry));
  }
  if (version != kVersion || !reader.good || !reader.rest.empty()) {
    return fail(MPI_ERR_INTERN,
                "a peer's address ({} bytes) cannot be read: are all ranks of one Remit version?",
                bytes.size());
  }
  return blob;
}

}  // namespace remit
