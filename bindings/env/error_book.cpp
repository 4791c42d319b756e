// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Error classes, codes and strings that the program adds (MPI-5.0, section 9.5). All of these
// functions may be called at any time, by any thread.
#include "bindings/env/error_book.hpp"

#include <algorithm>
#include <cstring>

#include "bindings/env/error_table.hpp"
#include "bindings/env/errors.hpp"
#include "bindings/process/instance.hpp"
#include "bindings/weak.hpp"

namespace remit {

ErrorBook& error_book() {
  return made_once(library().error_book);
}

int ErrorBook::add_class() {
  const std::lock_guard lock(mutex_);
  const int made = ++last_used_;
  added_.emplace(made, Added{made, {}});
  return made;
}

Expected<int> ErrorBook::add_code(int error_class) {
  const std::lock_guard lock(mutex_);
  if (!is_predefined_class(error_class)) {
    const auto found = added_.find(error_class);
    if (found == added_.end() || found->second.error_class != error_class) {
      return fail(MPI_ERR_ARG, "errorclass is {}, which is no error class", error_class);
    }
  }
  const int made = ++last_used_;
  added_.emplace(made, Added{error_class, {}});
  return made;
}

Expected<std::map<int, ErrorBook::Added>::iterator> ErrorBook::find(int code,
                                                                    const char* argument) {
  const auto found = added_.find(code);
  if (found != added_.end()) return found;
  return fail(MPI_ERR_ARG, "{} is {}, which was not added (or removed already){}", argument, code,
              is_predefined_class(code) ? "; it is predefined" : "");
}

Expected<> ErrorBook::set_string(int code, std::string text) {
  const std::lock_guard lock(mutex_);
  const auto found = find(code, "errorcode");
  if (!found) return tl::unexpected(found.error());
  if (text.size() >= MPI_MAX_ERROR_STRING) {
    return fail(MPI_ERR_ARG, "string has {} characters; at most {} are allowed", text.size(),
                MPI_MAX_ERROR_STRING - 1);
  }
  (*found)->second.text = std::move(text);
  return {};
}

Expected<> ErrorBook::remove_class(int error_class) {
  const std::lock_guard lock(mutex_);
  const auto found = find(error_class, "errorclass");
  if (!found) return tl::unexpected(found.error());
  if ((*found)->second.error_class != error_class) {
    return fail(MPI_ERR_ARG, "errorclass is {}, which is an error code; MPI_Remove_error_code",
                error_class);
  }
  const auto code = std::find_if(added_.begin(), added_.end(), [=](const auto& entry) {
    return entry.second.error_class == error_class && entry.first != error_class;
  });
  if (code != added_.end()) {
    return fail(MPI_ERR_ARG, "class {} still has the error code {}; remove it first", error_class,
                code->first);
  }
  if ((*found)->second.text) {
    return fail(MPI_ERR_ARG,
                "class {} still has an error string; remove it first (MPI_Remove_error_string)",
                error_class);
  }
  added_.erase(*found);
  return {};
}

Expected<> ErrorBook::remove_code(int code) {
  const std::lock_guard lock(mutex_);
  const auto found = find(code, "errorcode");
  if (!found) return tl::unexpected(found.error());
  if ((*found)->second.error_class == code) {
    return fail(MPI_ERR_ARG, "errorcode is {}, which is an error class; MPI_Remove_error_class",
                code);
  }
  if ((*found)->second.text) {
    return fail(MPI_ERR_ARG,
                "code {} still has an error string; remove it first (MPI_Remove_error_string)",
                code);
  }
  added_.erase(*found);
  return {};
}

Expected<> ErrorBook::remove_string(int code) {
  const std::lock_guard lock(mutex_);
  const auto found = find(code, "errorcode");
  if (!found) return tl::unexpected(found.error());
  if (!(*found)->second.text) return fail(MPI_ERR_ARG, "code {} has no error string", code);
  (*found)->second.text.reset();
  return {};
}

std::optional<int> ErrorBook::class_of(int code) const {
  const std::lock_guard lock(mutex_);
  const auto found = added_.find(code);
  return found == added_.end() ? std::nullopt : std::optional(found->second.error_class);
}

std::optional<std::string> ErrorBook::text_of(int code) const {
  const std::lock_guard lock(mutex_);
  const auto found = added_.find(code);
  if (found == added_.end()) return std::nullopt;
  return found->second.text.value_or("");
}

void ErrorBook::note(int code, std::string words) {
  const std::lock_guard lock(mutex_);
  noted_code_ = code;
  noted_words_ = std::move(words);
}

std::string ErrorBook::noted(int code) const {
  const std::lock_guard lock(mutex_);
  return code == noted_code_ ? noted_words_ : std::string();
}

namespace {

template <class T>
int report(const AnyTimeCall& call, const Expected<T>& result) {
  return result ? MPI_SUCCESS : call.fail(result.error().code, "{}", result.error().message);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Add_error_class(int* errorclass) try {
  const AnyTimeCall call("MPI_Add_error_class");
  if (int err = call.not_null(errorclass, "errorclass")) return err;
  *errorclass = error_book().add_class();
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Add_error_class");
}
REMIT_WEAK(Add_error_class);

int PMPI_Add_error_code(int errorclass, int* errorcode) try {
  const AnyTimeCall call("MPI_Add_error_code");
  if (int err = call.not_null(errorcode, "errorcode")) return err;
  const auto made = error_book().add_code(errorclass);
  if (made) *errorcode = *made;
  return report(call, made);
} catch (...) {
  return caught("MPI_Add_error_code");
}
REMIT_WEAK(Add_error_code);

int PMPI_Add_error_string(int errorcode, const char* string) try {
  const AnyTimeCall call("MPI_Add_error_string");
  if (int err = call.not_null(string, "string")) return err;
  return report(call, error_book().set_string(errorcode, string));
} catch (...) {
  return caught("MPI_Add_error_string");
}
REMIT_WEAK(Add_error_string);

int PMPI_Remove_error_class(int errorclass) try {
  const AnyTimeCall call("MPI_Remove_error_class");
  return report(call, error_book().remove_class(errorclass));
} catch (...) {
  return caught("MPI_Remove_error_class");
}
REMIT_WEAK(Remove_error_class);

int PMPI_Remove_error_code(int errorcode) try {
  const AnyTimeCall call("MPI_Remove_error_code");
  return report(call, error_book().remove_code(errorcode));
} catch (...) {
  return caught("MPI_Remove_error_code");
}
REMIT_WEAK(Remove_error_code);

int PMPI_Remove_error_string(int errorcode) try {
  const AnyTimeCall call("MPI_Remove_error_string");
  return report(call, error_book().remove_string(errorcode));
} catch (...) {
  return caught("MPI_Remove_error_string");
}
REMIT_WEAK(Remove_error_string);

int PMPI_Error_class(int errorcode, int* errorclass) try {
  const AnyTimeCall call("MPI_Error_class");
  if (int err = call.not_null(errorclass, "errorclass")) return err;
  *errorclass = error_class_of(errorcode);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Error_class");
}
REMIT_WEAK(Error_class);

int PMPI_Error_string(int errorcode, char* string, int* resultlen) try {
  const AnyTimeCall call("MPI_Error_string");
  if (int err = call.not_null(string, "string")) return err;
  if (int err = call.not_null(resultlen, "resultlen")) return err;
  std::string text;
  if (auto added = error_book().text_of(errorcode)) {
    text = std::move(*added);
  } else {
    const int error_class = error_class_of(errorcode);
    text = fmt::format("{}: {}", error_class_name(error_class), error_class_text(error_class));
    const std::string words = error_book().noted(errorcode);
    if (errorcode != MPI_SUCCESS && !words.empty()) text += fmt::format(" (last: {})", words);
  }
  text.resize(std::min<std::size_t>(text.size(), MPI_MAX_ERROR_STRING - 1));
  std::memcpy(string, text.c_str(), text.size() + 1);
  *resultlen = static_cast<int>(text.size());
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Error_string");
}
REMIT_WEAK(Error_string);
