// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parameters of the devices over IP networks.
#pragma once

#include <string>

#include "runtime/params.hpp"

namespace remit {

inline const ParamDecl interface_param{
    "interface", std::string(), "",
    "network interface for messages between hosts, of the devices tcp and ofi: its name (eth0), an "
    "address of it, or a network (10.1.0.0/16); empty: the best one"};

inline const ParamDecl tcp_congestion_param{
    "tcp_congestion", std::string(), "",
    "congestion control of the device tcp: a name from "
    "/proc/sys/net/ipv4/tcp_available_congestion_control; empty: the system's, but for bbr, which "
    "spreads what is sent over time, cubic or reno to hosts that are less than 1 ms away"};

}  // namespace remit
