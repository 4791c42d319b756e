// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a process tells those of other jobs about itself, and what it keeps of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "links/process_id.hpp"
#include "rdma_btl/device.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Who a process is, and how to reach it.
struct Passport {
  std::string job;                 ///< less than 65536 bytes, as `host` and `address`
  std::uint32_t rank = 0;          ///< in its MPI_COMM_WORLD
  std::string host;                ///< its launcher's name of it
  std::vector<std::byte> address;  ///< an encoded AddressBlob; empty: nobody has said it yet

  [[nodiscard]] PeerName name() const;
};

[[nodiscard]] std::vector<std::byte> encode(const Passport& passport);
/// Of all passports that stand one behind the other. MPI_ERR_INTERN if these are none.
[[nodiscard]] Expected<std::vector<Passport>> decode_passports(std::span<const std::byte> bytes);

/// The processes of other jobs that this one has heard of, numbered from `first` on: the processes
/// of its own job come before them. None is ever forgotten.
class ForeignProcs {
 public:
  explicit ForeignProcs(ProcId first) : first_(first) {}

  /// The number of a process; a new one for one that was not heard of before.
  [[nodiscard]] ProcId proc_of(PeerName name);
  /// The same, and takes down what its passport says. MPI_ERR_INTERN: its job has the job key of
  /// another one.
  [[nodiscard]] Expected<ProcId> introduce(const Passport& passport);

  [[nodiscard]] PeerName name_of(ProcId proc) const { return names_[index_of(proc)]; }
  [[nodiscard]] const Passport& passport_of(ProcId proc) const {
    return passports_[index_of(proc)];
  }
  /// Processes that have a number, those of its own job included.
  [[nodiscard]] std::size_t known() const { return number_of(first_) + names_.size(); }

 private:
  [[nodiscard]] std::size_t index_of(ProcId proc) const {
    return number_of(proc) - number_of(first_);
  }

  ProcId first_;
  std::vector<PeerName> names_;
  std::deque<Passport> passports_;
  std::unordered_map<PeerName, ProcId> by_name_;
  std::map<std::uint32_t, std::string> jobs_;  ///< by job key
};

}  // namespace remit
