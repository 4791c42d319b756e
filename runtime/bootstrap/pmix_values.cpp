// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Values of PMIx.
#include "runtime/bootstrap/pmix_values.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>

#include "runtime/copy.hpp"

namespace remit {

PmixValuePtr pmix_known(const pmix_proc_t& proc, const char* key) {
  pmix_info_t optional;
  bool yes = true;
  PMIX_INFO_CONSTRUCT(&optional);
  PMIX_INFO_LOAD(&optional, PMIX_OPTIONAL, &yes, PMIX_BOOL);
  pmix_value_t* value = nullptr;
  const pmix_status_t status = PMIx_Get(&proc, key, &optional, 1, &value);
  PMIX_INFO_DESTRUCT(&optional);
  return PmixValuePtr(status == PMIX_SUCCESS ? value : nullptr);
}

std::optional<long> pmix_number(const pmix_value_t* value) {
  if (value == nullptr) return std::nullopt;
  switch (value->type) {
    case PMIX_INT:
      return value->data.integer;
    case PMIX_INT8:
      return value->data.int8;
    case PMIX_INT16:
      return value->data.int16;
    case PMIX_INT32:
      return value->data.int32;
    case PMIX_INT64:
      return static_cast<long>(value->data.int64);
    case PMIX_UINT:
      return static_cast<long>(value->data.uint);
    case PMIX_UINT8:
      return value->data.uint8;
    case PMIX_UINT16:
      return value->data.uint16;
    case PMIX_UINT32:
      return static_cast<long>(value->data.uint32);
    case PMIX_UINT64:
      return static_cast<long>(value->data.uint64);
    case PMIX_SIZE:
      return static_cast<long>(value->data.size);
    case PMIX_PROC_RANK:
      return static_cast<long>(value->data.rank);
    default:
      return std::nullopt;
  }
}

std::optional<std::string> pmix_text(const pmix_value_t* value) {
  if (value == nullptr || value->type != PMIX_STRING || value->data.string == nullptr) {
    return std::nullopt;
  }
  std::string text(std::strlen(value->data.string), '\0');
  copy_bytes(text.data(), value->data.string, text.size());  // the description of a host is long
  return text;
}

std::vector<int> parse_rank_list(std::string_view text) {
  std::vector<int> ranks;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int first = 0;
    auto parsed = std::from_chars(at, end, first);
    if (parsed.ec != std::errc{}) return {};
    int last = first;
    if (parsed.ptr < end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
      if (parsed.ec != std::errc{}) return {};
    }
    for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
    at = parsed.ptr + 1;
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::vector<int> pmix_ranks(const pmix_value_t* value, const char* nspace) {
  if (value == nullptr || value->type != PMIX_DATA_ARRAY || value->data.darray == nullptr ||
      value->data.darray->type != PMIX_PROC) {
    return {};
  }
  const auto* procs = static_cast<const pmix_proc_t*>(value->data.darray->array);
  std::vector<int> ranks;
  for (std::size_t i = 0; i < value->data.darray->size; ++i) {
    if (std::strcmp(procs[i].nspace, nspace) != 0) return {};
    ranks.push_back(static_cast<int>(procs[i].rank));
  }
  return ranks;
}

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (end > at) names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

}  // namespace remit
