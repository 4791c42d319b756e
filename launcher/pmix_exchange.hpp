// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the PMIx server of one host asks of those of the others.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "launcher/data_store.hpp"

namespace remit::launcher {

/// Everything runs in the io_context's thread; answers come from inside a call or later.
class PmixExchange {
 public:
  PmixExchange() = default;
  PmixExchange(const PmixExchange&) = delete;
  PmixExchange& operator=(const PmixExchange&) = delete;
  virtual ~PmixExchange() = default;

  /// `data`: that of all hosts, one behind the other; `number`: another one for each operation.
  using Collected = std::function<void(std::string data, std::uint64_t number)>;
  using Data = std::function<void(int pmix_status, std::string data)>;

  /// A collective operation of `ranks` (ascending; empty: of all), to which every host that has
  /// some of them contributes. Operations of one name and the same ranks follow each other.
  virtual void collect(const std::string& name, const std::vector<int>& ranks, std::string data,
                       Collected done) = 0;
  /// What a rank of another host has published for its peers, when it has.
  virtual void modex(int rank, Data done) = 0;

  /// The job's published data; see DataStore.
  virtual void publish(const std::vector<DataStore::Item>& items,
                       std::function<void(bool)> done) = 0;
  virtual void lookup(const std::vector<std::string>& keys, bool wait, int timeout_s,
                      DataStore::Answer answer) = 0;
  virtual void unpublish(const std::string& owner_job, int owner_rank,
                         const std::vector<std::string>& keys, std::function<void(bool)> done) = 0;
};

}  // namespace remit::launcher
