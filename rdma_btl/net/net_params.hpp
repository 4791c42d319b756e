// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parameter of all devices over IP networks.
#pragma once

#include <string>

#include "runtime/params.hpp"

namespace remit {

inline const ParamDecl interface_param{
    "interface", std::string(), "",
    "network interface for messages between hosts, of the devices tcp and ofi: its name (eth0), an "
    "address of it, or a network (10.1.0.0/16); empty: the best one"};

}  // namespace remit
