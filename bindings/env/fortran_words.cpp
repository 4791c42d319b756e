// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/env/fortran_words.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <charconv>
#include <cstring>
#include <string_view>

namespace remit {

namespace {

constexpr const char* kFortranLibrary = "libmpifort_abi.so.1";

_Unwind_Reason_Code note_fortran(_Unwind_Context* frame, void* found) {
  Dl_info where;
  auto* const address = reinterpret_cast<void*>(_Unwind_GetIP(frame));
  if (dladdr(address, &where) == 0 ||
      std::strstr(where.dli_fname, "libmpifort_abi.so") == nullptr) {
    return _URC_NO_REASON;
  }
  *static_cast<bool*>(found) = true;
  return _URC_END_OF_STACK;
}

/// libmpifort_abi has a frame between the program's call and the function of C.
bool fortran_has_called() {
  void* const library = dlopen(kFortranLibrary, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  dlclose(library);
  bool found = false;
  _Unwind_Backtrace(note_fortran, &found);
  return found;
}

}  // namespace

std::string with_fortran_elements(const std::string& words) {
  std::string told;
  std::string_view left = words;
  for (std::size_t open = left.find('['); open != std::string_view::npos; open = left.find('[')) {
    long index = 0;
    const char* const digits = left.data() + open + 1;
    const auto [end, problem] = std::from_chars(digits, left.data() + left.size(), index);
    told += left.substr(0, open);
    left.remove_prefix(open);
    if (problem != std::errc() || end == left.data() + left.size() || *end != ']') {
      told += '[';
      left.remove_prefix(1);
      continue;
    }
    told += '(' + std::to_string(index + 1) + ')';
    left.remove_prefix(static_cast<std::size_t>(end + 1 - left.data()));
  }
  return told.append(left);
}

std::string in_callers_words(const std::string& words) {
  std::string told = with_fortran_elements(words);
  return told != words && fortran_has_called() ? told : words;
}

}  // namespace remit
