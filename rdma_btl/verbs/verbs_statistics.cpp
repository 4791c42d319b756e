// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device's counters by name.
#include "rdma_btl/verbs/verbs_device.hpp"

namespace remit {

std::vector<Statistic> VerbsDevice::statistics() const {
  const VerbsCounters& c = counters_;
  return {{"sends", c.sends},
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
}

}  // namespace remit
