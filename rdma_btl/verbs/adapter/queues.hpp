// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The queues of an adapter that all connections share.
#pragma once

#include <cstdint>

#include "rdma_btl/verbs/api.hpp"
#include "rdma_btl/verbs/verbs_config.hpp"
#include "runtime/error.hpp"

namespace remit::verbs {

/// A protection domain, one completion queue and, where the adapter has such, one shared receive
/// queue. One thread.
class Queues {
 public:
  Queues() = default;
  /// Memory of the domain must be deregistered before.
  ~Queues();
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;

  /// The functions of the library must outlive this. `receives`: of the shared queue. An adapter
  /// that turns out to have none masks it in `config`.
  [[nodiscard]] Expected<> make(const VerbsApi& ibv, ibv_context* context,
                                ibv_comp_channel* channel, std::size_t receives,
                                VerbsConfig& config);
  /// Destroys the queues, before the memory that they use is deregistered.
  void close();

  [[nodiscard]] ibv_pd* domain() const { return domain_; }
  [[nodiscard]] ibv_cq* completions() const { return completions_; }
  /// Null: each connection has a queue of its own.
  [[nodiscard]] ibv_srq* shared_receives() const { return shared_; }
  /// What a new queue pair is to have.
  [[nodiscard]] ibv_qp_init_attr queue_pair(const VerbsConfig& config, std::uint32_t max_sge,
                                            std::uint32_t max_inline) const;

 private:
  const VerbsApi* ibv_ = nullptr;
  ibv_pd* domain_ = nullptr;
  ibv_cq* completions_ = nullptr;
  ibv_srq* shared_ = nullptr;
};

}  // namespace remit::verbs
