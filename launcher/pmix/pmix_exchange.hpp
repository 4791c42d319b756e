// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the PMIx server of one host asks of those of the others.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "launcher/plan/job.hpp"
#include "launcher/plan/process_runs.hpp"
#include "launcher/pmix/data_store.hpp"

namespace remit::launcher {

/// What a process tells others by PMIx_Notify_event.
struct PmixEvent {
  int status = 0;
  ProcessName source;
  int range = 0;     ///< pmix_data_range_t
  int infos = 0;     ///< how many there are in
  std::string info;  ///< packed by PMIx
};

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

  /// A collective operation of `members`, of one job or several, to which every host that has some
  /// of them contributes. Operations of one name and the same members follow each other.
  virtual void collect(const std::string& name, const ProcessRuns& members, std::string data,
                       Collected done) = 0;
  /// What a process of another host has published for its peers, when it has.
  virtual void modex(int process, Data done) = 0;

  /// The published data of all jobs; see DataStore.
  virtual void publish(const std::vector<DataStore::Item>& items,
                       std::function<void(bool)> done) = 0;
  virtual void lookup(const std::vector<std::string>& keys, bool wait, int timeout_s,
                      DataStore::Answer answer) = 0;
  virtual void unpublish(const std::string& owner_job, int owner_rank,
                         const std::vector<std::string>& keys, std::function<void(bool)> done) = 0;

  /// To the servers of all other hosts, where all events arrive in one order.
  virtual void notify(const PmixEvent& event) = 0;

  /// What others ask of the server of this host. Before that they are answered with an error.
  struct Server {
    /// What a process of this host has published for its peers, when it has.
    std::function<void(int process, Data done)> data;
    /// A process of another host has told this.
    std::function<void(const PmixEvent& event)> notified;
  };
  virtual void set_server(Server server) = 0;
};

}  // namespace remit::launcher
