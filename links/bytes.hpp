// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Values as bytes for another process of the same architecture, and back.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace remit {

template <class T>
void put(std::vector<std::byte>& out, T value) {
  static_assert(std::is_integral_v<T>);
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

inline void put_text(std::vector<std::byte>& out, std::string_view text) {
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  out.insert(out.end(), bytes, bytes + text.size());
}

/// Takes values off the front of bytes; `good` turns false when they end early.
struct ByteReader {
  std::span<const std::byte> rest;
  bool good = true;

  std::span<const std::byte> take(std::size_t count) {
    if (rest.size() < count) {
      good = false;
      return {};
    }
    const auto taken = rest.first(count);
    rest = rest.subspan(count);
    return taken;
  }
  template <class T>
  T number() {
    T value{};
    if (const auto bytes = take(sizeof value); bytes.size() == sizeof value)
      std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string text(std::size_t count) {
    const auto bytes = take(count);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

}  // namespace remit
