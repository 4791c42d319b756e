// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Making queue pairs.
#include "rdma_btl/verbs/connections/queue_pairs.hpp"

#include <cerrno>

#include "rdma_btl/verbs/credits/lending.hpp"
#include "rdma_btl/verbs/credits/notes.hpp"
#include "rdma_btl/verbs/messages/receiver.hpp"

namespace remit::verbs {

void QueuePairs::destroy(rdma_cm_id* id) {
  if (id->qp == nullptr) return;
  const std::uint32_t qp_num = id->qp->qp_num;
  endpoints_.unbind(qp_num);
  receiver_.forget(qp_num);
  adapter_.cm().destroy_qp(id);
  receiver_.pool().reclaim(qp_num);
}

/// With receives for the peer: leased from the shared queue, or posted to this connection.
Expected<> QueuePairs::make(rdma_cm_id* id, Endpoint& endpoint, bool receives) {
  if (!endpoint.work.made()) endpoint.work.make(config_.send_depth);
  if (Expected<> made = notes_.make(endpoint); !made) return made;
  ibv_qp_init_attr attributes = adapter_.queues().queue_pair(config_, adapter_.limits().max_sge,
                                                             adapter_.limits().max_inline);
  errno = 0;  // not every library of an adapter sets it
  if (adapter_.cm().create_qp(id, adapter_.queues().domain(), &attributes) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno != 0 ? errno : ENOMEM, "creating a queue pair");
  }
  endpoints_.bind(id->qp->qp_num, endpoint);
  std::uint8_t timeout = config_.ack_timeout;
  (void)adapter_.cm().set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout,
                                 sizeof timeout);
  return receives ? lending_.lend_first(id->qp, endpoint) : Expected<>{};
}

}  // namespace remit::verbs
