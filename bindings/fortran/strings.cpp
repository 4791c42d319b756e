// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/strings.hpp"

#include <algorithm>
#include <new>
#include <string_view>

#include "bindings/fortran/descriptor.hpp"
#include "bindings/fortran/marshal.hpp"

namespace remit::fortran {

std::string_view stripped(const char* fortran, std::size_t length, Blanks blanks) {
  std::string_view text(fortran, length);
  const std::size_t last = text.find_last_not_of(' ');
  if (last == std::string_view::npos) return {};
  text = text.substr(0, last + 1);
  return blanks == Blanks::leading ? text : text.substr(text.find_first_not_of(' '));
}

StringIn::StringIn(const char* fortran, std::size_t length, Blanks blanks) {
  const std::string_view text = stripped(fortran, length, blanks);
  char* to = short_;
  if (text.size() >= kShort) {
    long_.reset(new (std::nothrow) char[text.size() + 1]);
    to = long_.get();
    if (to == nullptr) out_of_memory();
  }
  *std::copy(text.begin(), text.end(), to) = '\0';
}

StringIn::StringIn(const Descriptor& fortran)
    : StringIn(static_cast<const char*>(fortran.base_addr), fortran.elem_len) {}

void pad(char* fortran, std::size_t length, const char* text) {
  const std::string_view used = std::string_view(text).substr(0, length);
  char* const end = std::copy(used.begin(), used.end(), fortran);
  std::fill(end, fortran + length, ' ');
}

}  // namespace remit::fortran
