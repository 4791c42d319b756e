// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ofi device's counters by name.
#include "rdma_btl/ofi/ofi_device.hpp"

namespace remit {

std::vector<Statistic> OfiDevice::statistics() const {
  const OfiCounters& c = counters_;
  return {{"sends", c.sends},
          {"receives", c.receives},
          {"puts", c.puts},
          {"gets", c.gets},
          {"sent_bytes", c.sent_bytes},
          {"put_bytes", c.put_bytes},
          {"got_bytes", c.got_bytes},
          {"notifications", c.notifications},
          {"notified", c.notified},
          {"provider_busy", c.busy},
          {"starved", c.starved},
          {"credit_messages", c.credit_messages},
          {"wishes", c.wishes},
          {"recalls", c.recalls},
          {"receives_added", c.grown},
          {"connections", c.connections},
          {"connections_settled", c.settled},
          {"strangers_rejected", c.rejected}};
}

}  // namespace remit
