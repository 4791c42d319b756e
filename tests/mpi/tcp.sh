#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# tcp.sh: the MPI test programs over the device tcp.
exec "$(dirname "$0")/over_network.sh" tcp "$@"
