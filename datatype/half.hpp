// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// IEEE 754 binary16 (Fortran's REAL*2) in software: C++ compilers of today do not all have it.
#pragma once

#include <bit>
#include <cstdint>

namespace remit {

/// A binary16 number that computes in float and rounds to nearest even after each operation.
class Half {
 public:
  Half() = default;
  constexpr explicit Half(float value) : bits_(encode(value)) {}
  constexpr explicit operator float() const { return decode(bits_); }
  [[nodiscard]] constexpr std::uint16_t bits() const { return bits_; }
  [[nodiscard]] static constexpr Half from_bits(std::uint16_t bits) {
    Half half;
    half.bits_ = bits;
    return half;
  }

  friend constexpr Half operator+(Half a, Half b) { return Half(float(a) + float(b)); }
  friend constexpr Half operator-(Half a, Half b) { return Half(float(a) - float(b)); }
  friend constexpr Half operator*(Half a, Half b) { return Half(float(a) * float(b)); }
  friend constexpr bool operator<(Half a, Half b) { return float(a) < float(b); }
  friend constexpr bool operator>(Half a, Half b) { return float(a) > float(b); }

 private:
  static constexpr float decode(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
    const std::uint32_t rest = half & 0x7fffu;
    if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000u | ((rest & 0x3ffu) << 13));
    if (rest >= 0x400) return std::bit_cast<float>(sign | ((rest << 13) + ((127u - 15u) << 23)));
    const float subnormal = static_cast<float>(rest) * 0x1p-24F;
    return sign != 0 ? -subnormal : subnormal;
  }

  static constexpr std::uint16_t encode(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint32_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    std::uint32_t half = 0;
    if (magnitude > 0x7f800000u) {
      half = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    } else if (magnitude >= 0x477ff000u) {
      half = 0x7c00u;  // rounds to infinity
    } else if (magnitude >= 0x38800000u) {
      const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
      half = (rounded - ((127u - 15u) << 23)) >> 13;
    } else {
      // Adding 2^-1 * 2^0 puts the unit of a subnormal half at the last place of the float.
      const float aligned = std::bit_cast<float>(magnitude) + 0.5F;
      half = std::bit_cast<std::uint32_t>(aligned) - std::bit_cast<std::uint32_t>(0.5F);
    }
    return static_cast<std::uint16_t>(sign | half);
  }

  std::uint16_t bits_;
};

}  // namespace remit
