// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// fortran_arrays.hpp: array sections as gfortran and flang describe them, made by hand, and a walk
// over their elements that knows nothing of what is tested.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "bindings/fortran/descriptor.hpp"

namespace remit::testing {

/// A descriptor byte by byte, as the compilers lay it out: the class under test is not used.
inline std::array<std::byte, sizeof(fortran::Descriptor)> descriptor_bytes(
    bool flang, void* base, std::size_t elem_len, int type,
    const std::vector<std::array<std::ptrdiff_t, 2>>& extent_and_stride) {
  std::array<std::byte, sizeof(fortran::Descriptor)> bytes{};
  const auto put = [&](std::size_t at, auto value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  put(0, base);
  put(8, elem_len);
  put(16, std::int32_t{flang ? 20240719 : 1});
  put(20, static_cast<std::int8_t>(extent_and_stride.size()));
  if (flang) {
    put(21, static_cast<std::int8_t>(type));
  } else {
    put(22, static_cast<std::int16_t>(type));
  }
  for (std::size_t i = 0; i < extent_and_stride.size(); ++i) {
    put(24 + 24 * i, std::ptrdiff_t{flang ? 1 : 0});
    put(32 + 24 * i, extent_and_stride[i][0]);
    put(40 + 24 * i, extent_and_stride[i][1]);
  }
  return bytes;
}

/// An array section in memory of its own, with room around it that nobody may touch.
class ArraySection {
 public:
  /// `extent_and_stride` in bytes. `wrong_length`: gfortran 12 with class(*).
  ArraySection(std::string name, bool flang, std::size_t elem_len,
               std::vector<std::array<std::ptrdiff_t, 2>> extent_and_stride, bool wrong_length)
      : name_(std::move(name)), elem_len_(elem_len), dims_(std::move(extent_and_stride)) {
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = static_cast<std::ptrdiff_t>(elem_len);
    for (const auto& [extent, stride] : dims_) {
      const std::ptrdiff_t span = extent > 0 ? (extent - 1) * stride : 0;
      (span < 0 ? low : high) += span;
    }
    memory_.resize(static_cast<std::size_t>(high - low) + 2 * kRoom);
    first_ = kRoom - low;
    descriptor_ = descriptor_bytes(flang, base(), wrong_length ? elem_len * 13 : elem_len,
                                   wrong_length ? -1 : 1, dims_);
  }
  ArraySection(const ArraySection&) = delete;
  ArraySection& operator=(const ArraySection&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] void* base() { return memory_.data() + first_; }
  [[nodiscard]] const fortran::Descriptor& descriptor() const {
    return *reinterpret_cast<const fortran::Descriptor*>(descriptor_.data());
  }
  [[nodiscard]] std::vector<std::byte>& memory() { return memory_; }
  [[nodiscard]] std::ptrdiff_t bytes() const {
    return static_cast<std::ptrdiff_t>(places().size() * elem_len_);
  }

  /// The section as a compiler would copy it before a call, and after it.
  [[nodiscard]] std::vector<std::byte> row() const {
    std::vector<std::byte> out;
    for (const std::ptrdiff_t place : places()) {
      const auto from = memory_.begin() + place;
      out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(elem_len_));
    }
    return out;
  }
  void set_row(const std::vector<std::byte>& row) {
    std::size_t at = 0;
    for (const std::ptrdiff_t place : places()) {
      std::memcpy(memory_.data() + place, row.data() + at, elem_len_);
      at += elem_len_;
    }
  }

 private:
  static constexpr std::ptrdiff_t kRoom = 256;

  /// Where each element begins, in array element order.
  [[nodiscard]] std::vector<std::ptrdiff_t> places() const {
    std::vector<std::ptrdiff_t> out;
    std::vector<std::ptrdiff_t> index(dims_.size(), 0);
    for (const auto& [extent, stride] : dims_) {
      if (extent == 0) return out;
    }
    for (;;) {
      std::ptrdiff_t place = first_;
      for (std::size_t i = 0; i < dims_.size(); ++i) place += index[i] * dims_[i][1];
      out.push_back(place);
      std::size_t i = 0;
      while (i < dims_.size() && ++index[i] == dims_[i][0]) index[i++] = 0;
      if (i == dims_.size()) return out;
    }
  }

  std::string name_;
  std::size_t elem_len_;
  std::vector<std::array<std::ptrdiff_t, 2>> dims_;
  std::vector<std::byte> memory_;
  std::ptrdiff_t first_ = 0;
  std::array<std::byte, sizeof(fortran::Descriptor)> descriptor_{};
};

}  // namespace remit::testing
