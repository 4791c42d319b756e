// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Error classes, codes and strings that the program adds (MPI-5.0, section 9.5), and the words of
// the last error.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "mpi.h"
#include "runtime/error.hpp"

namespace remit {

/// Kept from the first use until the program ends, as these functions work before MPI_Init and
/// after MPI_Finalize. Any thread. The errors that it returns are those of the MPI functions.
class ErrorBook {
 public:
  /// Numbers are never given twice, so a stale one names nothing.
  [[nodiscard]] int add_class();
  [[nodiscard]] Expected<int> add_code(int error_class);
  [[nodiscard]] Expected<> set_string(int code, std::string text);
  [[nodiscard]] Expected<> remove_class(int error_class);
  [[nodiscard]] Expected<> remove_code(int code);
  [[nodiscard]] Expected<> remove_string(int code);

  /// Of an added class or code; nothing for others.
  [[nodiscard]] std::optional<int> class_of(int code) const;
  [[nodiscard]] std::optional<std::string> text_of(int code) const;

  /// The value of MPI_LASTUSEDCODE, at an address that stays.
  [[nodiscard]] int* last_used() { return &last_used_; }

  /// Keeps the words of an error that was raised with `code`, for MPI_Error_string.
  void note(int code, std::string words);
  /// The last words noted, if they belong to `code`; else empty.
  [[nodiscard]] std::string noted(int code) const;

 private:
  struct Added {
    int error_class;  ///< a class is its own
    std::optional<std::string> text;
  };
  /// What MPI_Add_error_class or MPI_Add_error_code made.
  [[nodiscard]] Expected<std::map<int, Added>::iterator> find(int code, const char* argument);

  mutable std::mutex mutex_;
  std::map<int, Added> added_;
  int last_used_ = MPI_ERR_LASTCODE;
  int noted_code_ = MPI_SUCCESS;
  std::string noted_words_;
};

/// The one of this program.
[[nodiscard]] ErrorBook& error_book();

}  // namespace remit
