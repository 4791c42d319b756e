#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# ofi.sh: the MPI test programs over the device ofi.
exec "$(dirname "$0")/over_network.sh" ofi "$@"
