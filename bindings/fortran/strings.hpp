// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// strings.hpp: CHARACTER of Fortran, which is padded with blanks, and strings of C, which end at a
// NUL.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace remit::fortran {

struct Descriptor;

/// A string, or an array of strings that have one length.
struct FortranStrings {
  char* text;
  std::size_t length;
};

/// Which blanks around a string belong to it.
enum class Blanks { leading, none };

/// Without the blanks around it that are no part of it.
std::string_view stripped(const char* fortran, std::size_t length, Blanks blanks);

/// A string that C reads during a call. Trailing blanks are no part of it; MPI-5.0 has leading ones
/// taken off, too, for keys and values of info (section 10) and what is spawned (section 11.8.2).
class StringIn {
 public:
  StringIn(const char* fortran, std::size_t length, Blanks blanks = Blanks::leading);
  /// One that comes with a descriptor.
  explicit StringIn(const Descriptor& fortran);

  [[nodiscard]] const char* data() const { return long_ ? long_.get() : short_; }

 private:
  static constexpr std::size_t kShort = 256;
  char short_[kShort];
  std::unique_ptr<char[]> long_;
};

/// Copies a string into a variable and fills it up with blanks.
void pad(char* fortran, std::size_t length, const char* text);

/// A string that C writes, of at most `kSize` characters with its NUL. If C writes none, as after
/// an error, the variable of the program stays as it was.
template <int kSize>
class StringOut {
 public:
  StringOut(char* fortran, std::size_t length) : fortran_(fortran), length_(length) {
    std::memset(buffer_, kUnwritten, sizeof(buffer_));
  }
  StringOut(const StringOut&) = delete;
  StringOut& operator=(const StringOut&) = delete;
  ~StringOut() {
    if (std::memchr(buffer_, 0, sizeof(buffer_)) != nullptr) pad(fortran_, length_, buffer_);
  }
  [[nodiscard]] char* data() { return buffer_; }

 private:
  static constexpr int kUnwritten = 0x7f;
  char* fortran_;
  std::size_t length_;
  char buffer_[kSize];
};

}  // namespace remit::fortran
