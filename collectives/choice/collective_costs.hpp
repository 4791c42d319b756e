// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a process knows of the costs of collectives, whatever the communicator.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "links/process_id.hpp"

namespace remit {

class CollectiveTable;

/// The table of costs, which is loaded when it is first asked for, and what members of boards have
/// measured, which serves their next boards. There is one of these in each process
/// (Process::kept()); one thread at a time.
class CollectiveCosts {
 public:
  using LoadTable = std::function<std::shared_ptr<const CollectiveTable>()>;

  /// Says how the table is loaded; before anybody asks for it.
  void set_table(LoadTable load) { load_ = std::move(load); }
  /// Null: nobody has said how to load it.
  [[nodiscard]] const CollectiveTable* table() {
    if (load_ != nullptr) table_ = std::exchange(load_, nullptr)();
    return table_.get();
  }

  /// Nanoseconds to write a page of a board that the process `neighbour` has read, and to read one
  /// that it has written, with its cache lines taken or not (PageTimer); 0: not measured yet.
  [[nodiscard]] std::uint32_t& page_ns(ProcId neighbour, bool taken) {
    return page_ns_[{neighbour, taken}];
  }

 private:
  LoadTable load_;
  std::shared_ptr<const CollectiveTable> table_;
  std::map<std::pair<ProcId, bool>, std::uint32_t> page_ns_;
};

}  // namespace remit
