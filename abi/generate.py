#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Prints a file of bindings/generated/: MPI functions that only forward, made from the tables of
this folder. make runs it for each such file.

usage: generate.py OUTPUT       e.g. generate.py coll/persistent.cpp
       generate.py --list       the names of all files
"""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True  # the source folder may be read-only
import c_forms
import tables


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        functions = tables.read_functions()
        forms = tables.read_forms(functions)
        c_forms.check_outputs(forms)
        if arguments[0] == "--list":
            print("\n".join(sorted({form.output for form in forms})))
        else:
            sys.stdout.write(c_forms.text_of(arguments[0], functions, forms))
    except (tables.TableError, OSError) as problem:
        print(f"generate.py: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
