#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# digest.sh: every algorithm gives the same results with the same messages on the LogGP
# machine of benchmarks/logp as with the engine over the simulated device, and the right ones.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tests/unit/collectives/digest_engine >"$folder/engine"
tests/unit/collectives/digest_logp >"$folder/machine"
lines=$(wc -l <"$folder/engine")
if [ "$lines" -lt 500 ]; then
  echo "only $lines lines"
  exit 1
fi
if grep WRONG "$folder/engine" "$folder/machine"; then exit 1; fi
diff "$folder/engine" "$folder/machine"
echo "$lines operations are the same"
