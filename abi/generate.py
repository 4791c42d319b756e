#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Prints a file of bindings/generated/: MPI functions that only forward, Fortran's entries and
modules, made from the tables of this folder. make runs it for each such file.

usage: generate.py OUTPUT       e.g. generate.py coll/persistent.cpp
       generate.py --list       the names of all files
"""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True  # the source folder may be read-only
import c_forms
import fortran_entries
import fortran_include
import fortran_modules
import fortran_table
import tables

FORTRAN = {**fortran_modules.MODULES, **fortran_include.FILES}


def fortran_text(output: str, routines: list[fortran_table.Routine]) -> str:
    if output in fortran_entries.FILES:
        return fortran_entries.text_of(output, routines)
    if output not in FORTRAN:
        raise tables.TableError(f"nothing is made for {output!r}; --list prints what is")
    return FORTRAN[output](routines, fortran_table.read_constants())


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        functions = tables.read_functions()
        forms = tables.read_forms(functions)
        c_forms.check_outputs(forms)
        if arguments[0] == "--list":
            print("\n".join(sorted({form.output for form in forms} | set(FORTRAN) |
                                   set(fortran_entries.FILES))))
        elif arguments[0].startswith("fortran/"):
            sys.stdout.write(fortran_text(arguments[0], fortran_table.read_routines(functions)))
        else:
            sys.stdout.write(c_forms.text_of(arguments[0], functions, forms))
    except (tables.TableError, OSError) as problem:
        print(f"generate.py: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
