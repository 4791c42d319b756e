# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""mpif.h: fixed form and free form at once. So a statement begins in column 7 and ends in 72; one that
goes on has an & in column 73, which fixed form does not look at, and in column 6 of the next line.

Routines that take buffers or arrays have interfaces, for without these compilers refuse a program
that calls one with two types; programs that declare them EXTERNAL take the form without."""

from __future__ import annotations

from typing import Mapping, Sequence

from fortran_modules import DIRECTIVES, SENTINELS, Maker, callbacks
from fortran_table import RESULTS, Constant, Routine

KIND = "SELECTED_INT_KIND(18)"


def statement(text: str) -> list[str]:
    """A statement on as many lines as it needs, broken after commas."""
    lines, margin = [], "      "
    while len(margin + text) > 72:
        cut = text.rindex(",", 0, 72 - len(margin)) + 1
        lines.append(f"{margin}{text[:cut]}".ljust(72) + "&")
        text, margin = text[cut:].strip(), "     &  "
    return [*lines, margin + text]


def integers(constants: Sequence[Constant]) -> list[str]:
    lines = []
    for constant in constants:
        kind = f"(KIND={KIND})" if constant.kind else ""
        lines += statement(f"INTEGER{kind},PARAMETER::{constant.name}={constant.value}")
    for kind in ("ADDRESS", "COUNT", "OFFSET"):
        lines += statement(f"INTEGER,PARAMETER::MPI_{kind}_KIND={KIND}")
    lines += statement("INTEGER,PARAMETER::MPI_INTEGER_KIND=KIND(0)")
    for name, value in (("STATUS_SIZE", 8), ("SOURCE", 1), ("TAG", 2), ("ERROR", 3)):
        lines += statement(f"INTEGER,PARAMETER::MPI_{name}={value}")
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        lines += statement(f"LOGICAL,PARAMETER::{name}=.FALSE.")
    return lines


def commons() -> list[str]:
    """Each sentinel has a COMMON block of its own, whose name for the linker is the library's."""
    lines = []
    every = [(name, "CHARACTER(1)" if "character" in kind else "INTEGER", shape.replace(" ", ""))
             for name, kind, shape in SENTINELS]
    every += [("MPI_STATUS_IGNORE", "INTEGER", "(8)"), ("MPI_STATUSES_IGNORE", "INTEGER", "(8,1)")]
    for name, kind, shape in every:
        block = f"REMIT_{name.removeprefix('MPI_')}"
        lines += [*statement(f"{kind} {name}{shape}"), *statement(f"COMMON /{block}/ {name}"),
                  *statement(f"SAVE /{block}/")]
    return lines


def functions() -> list[str]:
    lines = []
    for prefix in ("", "P"):
        for name, result in RESULTS.items():
            kind = result.replace("INT(ADDRESS)", f"INTEGER(KIND={KIND})")
            lines += statement(f"{kind} {prefix}{name.upper()}")
            lines += statement(f"EXTERNAL {prefix}{name.upper()}")
    for name in callbacks("predefined"):
        if not name.endswith("_C"):
            lines += statement(f"EXTERNAL {name}")
    for name in ("MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN"):
        lines += statement(f"EXTERNAL {name}")
    return lines


def needs_interface(routine: Routine) -> bool:
    """Whether programs call it with more than one type or rank. Arrays of
    strings cannot have one, and there are no types of MPI."""
    arguments = routine.f90_arguments()
    if routine.name == "MPI_Sizeof" or any(
            "CHARACTER" in text and " ::" in text or "MPI_Status" in text for _, text in arguments):
        return False
    return any(" ::" in text or text == "<type>" for _, text in arguments)


def interface(routine: Routine, prefix: str) -> list[str]:
    """An interface in which an array may be a scalar, too, as with no interface at all."""
    arguments = routine.f90_arguments()
    name = f"{prefix}{routine.name.upper()}"
    names = ",".join(argument.name.upper() for argument, _ in arguments)
    lines = statement(f"SUBROUTINE {name}({names})")
    for argument, text in arguments:
        own = argument.name.upper()
        if " ::" in text or text == "<type>":
            lines += statement(f"TYPE(*) {own}")
            lines += [directive.format(own) for directive in DIRECTIVES]
            continue
        kind = f"INTEGER(KIND={KIND})" if text.startswith("INT(") else text
        lines += statement(f"EXTERNAL {own}" if text == "EXTERNAL" else f"{kind} {own}")
    return lines + statement("END SUBROUTINE")


def include_file(routines: Sequence[Routine], constants: Sequence[Constant],
                 interfaces: bool) -> str:
    lines = ["! Copyright (c) 2026, the Remit authors.", "! SPDX-License-Identifier: BSD-3-Clause",
             "! mpif.h, made from the tables in abi/ (abi/fortran_include.py)",
             *integers(constants), *commons(), *functions()]
    if interfaces:
        lines += statement("INTERFACE")
        for prefix in ("", "P"):
            for routine in routines:
                if needs_interface(routine):
                    lines += interface(routine, prefix)
        lines += statement("END INTERFACE")
    return "\n".join([*lines, ""])


FILES: Mapping[str, Maker] = {
    "fortran/mpif.h": lambda routines, constants: include_file(routines, constants, True),
    "fortran/external/mpif.h": lambda routines, constants: include_file(routines, constants, False),
}
