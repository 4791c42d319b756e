#!/bin/sh
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# conformance.sh: docs/conformance.md says what the code says, and no function that worked
# has stopped working; the check itself notices both.
set -eu
srcdir=${srcdir:-.}
"$srcdir/docs/make_conformance" --check "$srcdir"

# A copy in which one more function does not work, then one fewer.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/docs" "$tmp/bindings" "$tmp/include" "$tmp/abi"
cp "$srcdir/include/mpi.h" "$tmp/include"
cp "$srcdir/abi/forms.tsv" "$tmp/abi"
find "$srcdir/bindings" -name "*.cpp" -exec cp {} "$tmp/bindings" \;
cp "$srcdir/docs/conformance.md" "$srcdir/docs/suites.md" "$tmp/docs"
chmod -R u+w "$tmp"
page="$tmp/docs/conformance.md"
refuse_more() {
  for option in --check ''; do
    # shellcheck disable=SC2086
    if "$srcdir/docs/make_conformance" $option "$tmp" 2>/dev/null; then
      echo "a higher count was accepted"
      exit 1
    fi
  done
}
printf 'MPI_Wtick\tnot_yet\tcomm\tnot_yet/io.cpp\n' >>"$tmp/abi/forms.tsv"
refuse_more
cp "$srcdir/abi/forms.tsv" "$tmp/abi"
echo 'int PMPI_Wtime() { return not_yet("MPI_Wtime"); }' >"$tmp/bindings/more.cpp"
refuse_more
"$srcdir/docs/make_conformance" --allow-more "$tmp"
rm "$tmp/bindings/more.cpp"
if "$srcdir/docs/make_conformance" --check "$tmp" 2>/dev/null; then
  echo "a stale page was accepted"
  exit 1
fi
"$srcdir/docs/make_conformance" "$tmp"
cmp "$page" "$srcdir/docs/conformance.md"
