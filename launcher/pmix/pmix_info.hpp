// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A list of PMIx key-value pairs that owns what it holds.
#pragma once

#include <pmix.h>

#include <cstdint>
#include <string>
#include <vector>

namespace remit::launcher {

class PmixInfo {
 public:
  PmixInfo() = default;
  PmixInfo(const PmixInfo&) = delete;
  PmixInfo& operator=(const PmixInfo&) = delete;
  ~PmixInfo() {
    for (pmix_info_t& info : items_) PMIX_INFO_DESTRUCT(&info);
  }

  void add(const char* key, const std::string& value) { load(key, value.c_str(), PMIX_STRING); }
  void add(const char* key, bool value) { load(key, &value, PMIX_BOOL); }
  void add(const char* key, std::uint16_t value) { load(key, &value, PMIX_UINT16); }
  void add(const char* key, std::uint32_t value) { load(key, &value, PMIX_UINT32); }
  void add(const char* key, std::size_t value) { load(key, &value, PMIX_SIZE); }
  /// A rank, which PMIx distinguishes from a number.
  void add_rank(const char* key, int rank) {
    pmix_rank_t value = static_cast<pmix_rank_t>(rank);
    load(key, &value, PMIX_PROC_RANK);
  }
  /// A process.
  void add(const char* key, const std::string& nspace, int rank) {
    pmix_proc_t value;
    PMIX_LOAD_PROCID(&value, nspace.c_str(), static_cast<pmix_rank_t>(rank));
    load(key, &value, PMIX_PROC);
  }
  /// A string made by PMIx_generate_regex or PMIx_generate_ppn.
  void add_regex(const char* key, const char* value) { load(key, value, PMIX_REGEX); }
  /// The topology itself, not a copy: it must outlive the server.
  void add_topology(const char* key, pmix_topology_t* value) {
    pmix_info_t& info = next(key);
    info.value.type = PMIX_TOPO;
    info.value.data.topo = value;
    borrowed_ = true;
  }
  /// A nested list, copied.
  void add(const char* key, const PmixInfo& list) {
    pmix_data_array_t array{};
    array.type = PMIX_INFO;
    array.size = list.items_.size();
    array.array = const_cast<pmix_info_t*>(list.items_.data());
    load(key, &array, PMIX_DATA_ARRAY);
  }
  /// A list of processes, copied.
  void add(const char* key, const std::vector<pmix_proc_t>& processes) {
    pmix_data_array_t array{};
    array.type = PMIX_PROC;
    array.size = processes.size();
    array.array = const_cast<pmix_proc_t*>(processes.data());
    load(key, &array, PMIX_DATA_ARRAY);
  }

  [[nodiscard]] pmix_info_t* data() { return items_.data(); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  /// Forgets the values that are not owned, so that they are not destroyed.
  void drop_borrowed() {
    for (pmix_info_t& info : items_) {
      if (borrowed_ && info.value.type == PMIX_TOPO) {
        info.value.type = PMIX_UNDEF;
        info.value.data.topo = nullptr;
      }
    }
  }

 private:
  pmix_info_t& next(const char* key) {
    pmix_info_t& info = items_.emplace_back();
    PMIX_INFO_CONSTRUCT(&info);
    PMIX_LOAD_KEY(info.key, key);
    return info;
  }
  void load(const char* key, const void* value, pmix_data_type_t type) {
    pmix_info_t& info = next(key);
    PMIx_Value_load(&info.value, value, type);
  }

  std::vector<pmix_info_t> items_;
  bool borrowed_ = false;
};

}  // namespace remit::launcher
