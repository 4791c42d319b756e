// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device's counters by name. "receiver_not_ready" are connections that died of it,
// "port_receiver_not_ready" refusals by this port, whosever messages they were, which the senders'
// adapters repeat: both are 0 if the lending of receives is right.
#include "rdma_btl/verbs/verbs_device.hpp"

namespace remit {

std::vector<Statistic> VerbsDevice::statistics() const {
  const VerbsCounters& c = counters_;
  std::vector<Statistic> all = {{"sends", c.sends},
                                {"receives", c.receives},
                                {"puts", c.puts},
                                {"gets", c.gets},
                                {"atomics", c.atomics},
                                {"sent_bytes", c.sent_bytes},
                                {"put_bytes", c.put_bytes},
                                {"got_bytes", c.got_bytes},
                                {"notifications", c.notifications},
                                {"notified", c.notified},
                                {"inlined", c.inlined},
                                {"brief", c.brief},
                                {"signalled", c.signalled},
                                {"credit_messages", c.credit_messages},
                                {"starved", c.starved},
                                {"receiver_not_ready", c.rnr},
                                {"receives_added", c.grown},
                                {"recalls", c.recalls},
                                {"loans", c.loans},
                                {"registered_bytes", c.registered},
                                {"connections", c.connections},
                                {"connections_retried", c.retried},
                                {"hosts_asked", c.asked},
                                {"knocks", c.knocks},
                                {"strangers_rejected", c.rejected}};
  if (const auto refusals = verbs::port_refusals(adapter_); refusals) {
    all.push_back({"port_receiver_not_ready", *refusals - port_refusals_});
  }
  return all;
}

}  // namespace remit
