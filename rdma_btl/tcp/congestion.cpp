// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/congestion.hpp"

#include "rdma_btl/net/sockets.hpp"

namespace remit::tcp {

Expected<> Congestion::choose(int listener, const std::string& asked) {
  const std::string system = net::congestion_of(listener);
  if (!asked.empty()) {
    first_ = asked;
    if (net::set_congestion(listener, first_)) return {};
    return fail(MPI_ERR_ARG,
                "REMIT_TCP_CONGESTION is '{}', which this host does not have or this user may not "
                "use: see /proc/sys/net/ipv4/tcp_allowed_congestion_control (the system's is {})",
                first_, system);
  }
  if (!system.starts_with("bbr")) return {};
  for (const char* steady : {"cubic", "reno"}) {
    if (!net::set_congestion(listener, steady)) continue;
    first_ = steady;
    far_ = system;
    break;
  }
  return {};
}

unsigned Congestion::settle(int socket, unsigned far_us) const {
  if (far_.empty()) return 0;
  const unsigned round_trip = net::round_trip_us(socket);
  return round_trip >= far_us && net::set_congestion(socket, far_) ? round_trip : 0;
}

}  // namespace remit::tcp
