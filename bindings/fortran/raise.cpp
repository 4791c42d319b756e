// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/raise.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>

namespace remit::fortran {

namespace {

/// Error codes for words. C's error handlers get a code and nothing else, so words need one that
/// was added for them. Each class has a few, whose words change in turn.
class Words {
 public:
  int code_for(int error_class, std::string text) {
    text.resize(std::min<std::size_t>(text.size(), MPI_MAX_ERROR_STRING - 1));
    const std::lock_guard lock(mutex_);
    std::deque<Code>& codes = codes_[error_class];
    for (const Code& known : codes) {
      if (known.text == text) return known.code;
    }
    int code = error_class;
    if (codes.size() == kCodesOfClass) {
      code = codes.front().code;
      codes.pop_front();
    } else if (PMPI_Add_error_code(error_class, &code) != MPI_SUCCESS) {
      return error_class;
    }
    PMPI_Add_error_string(code, text.c_str());
    codes.push_back({code, std::move(text)});
    return code;
  }

 private:
  static constexpr std::size_t kCodesOfClass = 4;
  struct Code {
    int code;
    std::string text;
  };
  std::mutex mutex_;
  std::map<int, std::deque<Code>> codes_;  ///< of each class, the oldest first
};

/// Calls the error handler of a subject.
struct Call {
  int code;
  void operator()(MPI_Comm comm) const { PMPI_Comm_call_errhandler(comm, code); }
  void operator()(MPI_Win win) const { PMPI_Win_call_errhandler(win, code); }
  void operator()(MPI_File file) const { PMPI_File_call_errhandler(file, code); }
  void operator()(MPI_Session session) const { PMPI_Session_call_errhandler(session, code); }
  void operator()(std::monostate /*none*/) const {
    int initialized = 0;
    PMPI_Initialized(&initialized);
    if (initialized != 0) PMPI_Comm_call_errhandler(MPI_COMM_SELF, code);
  }
};

}  // namespace

int raise(const Subject& subject, int error_class, const char* function, const std::string& words) {
  static auto* const all = new Words;
  const int code = all->code_for(error_class, std::string(function) + ": " + words);
  std::visit(Call{code}, subject);
  return code;
}

}  // namespace remit::fortran
