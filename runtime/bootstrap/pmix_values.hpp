// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a PMIx server knows, as values of C++.
#pragma once

#include <pmix.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/error.hpp"

namespace remit {

/// An error with the words of PMIx for `status` behind ours.
template <class... Args>
tl::unexpected<Error> fail_pmix(pmix_status_t status, fmt::format_string<Args...> format,
                                Args&&... args) {
  return fail(MPI_ERR_OTHER, "{}: {}", fmt::format(format, std::forward<Args>(args)...),
              PMIx_Error_string(status));
}

struct ReleasePmixValue {
  void operator()(pmix_value_t* value) const { PMIX_VALUE_RELEASE(value); }
};
using PmixValuePtr = std::unique_ptr<pmix_value_t, ReleasePmixValue>;

/// One value that the server knows without asking anybody; null if it does not. Job-level keys must
/// be asked as optional: Slurm never answers a request for one it has not.
[[nodiscard]] PmixValuePtr pmix_known(const pmix_proc_t& proc, const char* key);

/// Servers differ in the type that they give a number. nullopt, also below: it is none, or null.
[[nodiscard]] std::optional<long> pmix_number(const pmix_value_t* value);
[[nodiscard]] std::optional<std::string> pmix_text(const pmix_value_t* value);
/// The processes of an array, if all are of the job `nspace`.
[[nodiscard]] std::vector<int> pmix_ranks(const pmix_value_t* value, const char* nspace);

/// "0,1,4-6" as numbers, ascending; empty if it is no such list.
[[nodiscard]] std::vector<int> parse_rank_list(std::string_view text);
/// "a,b" as words; empty ones are left out.
[[nodiscard]] std::vector<std::string> split_names(const std::string& list);

/// What the server says to one query; it need not know any of them.
class PmixAnswer {
 public:
  /// About the job of `self`. `set`: of the process set with this name; null: in general.
  PmixAnswer(const pmix_proc_t& self, const char* key, const char* set) {
    pmix_query_t query;
    PMIX_QUERY_CONSTRUCT(&query);
    pmix_status_t status = PMIX_SUCCESS;
    PMIX_ARGV_APPEND(status, query.keys, key);
    PMIX_QUERY_QUALIFIERS_CREATE(&query, set == nullptr ? 1 : 2);
    PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_NSPACE, self.nspace, PMIX_STRING);
    if (set != nullptr) PMIX_INFO_LOAD(&query.qualifiers[1], PMIX_PSET_NAME, set, PMIX_STRING);
    if (status == PMIX_SUCCESS) status = PMIx_Query_info(&query, 1, &answers_, &count_);
    if (status != PMIX_SUCCESS) count_ = 0;
    PMIX_QUERY_DESTRUCT(&query);
  }
  ~PmixAnswer() {
    if (answers_ != nullptr) PMIX_INFO_FREE(answers_, count_);
  }
  PmixAnswer(const PmixAnswer&) = delete;
  PmixAnswer& operator=(const PmixAnswer&) = delete;

  [[nodiscard]] const pmix_value_t* value() const {
    return count_ == 0 ? nullptr : &answers_[0].value;
  }

 private:
  pmix_info_t* answers_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace remit
