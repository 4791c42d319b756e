# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Fortran's routines as typed Python values (fortran_api.tsv, which explains its columns), each
beside the C function that does what it does."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from typing import Mapping, Optional

from tables import FOLDER, Function, Parameter, Row, read_rows

API_COLUMNS = ("routine", "n", "name", "kind", "dir", "f08_decl", "f08_large_decl", "f90_decl",
               "flags", "rule")
RULE = re.compile(r"-|\+1|strip|whole|address|memory|length=.+")
# Functions of no argument, of which the table has no row.
CLOCKS = ("MPI_Wtick", "MPI_Wtime")
# Not subroutines; the type that they return, as Fortran declares it.
RESULTS = {"MPI_Aint_add": "INT(ADDRESS)", "MPI_Aint_diff": "INT(ADDRESS)",
           "MPI_Wtick": "DOUBLE PRECISION", "MPI_Wtime": "DOUBLE PRECISION"}


@dataclasses.dataclass(frozen=True)
class Argument:
    """An argument of a Fortran routine."""

    name: str
    kind: str
    direction: str
    f08: str  # its declaration in the mpi_f08 module; "" if it is absent there
    large: str  # the same in the large-count form
    f90: str  # the same in the mpi module and mpif.h
    rule: str

    @property
    def choice(self) -> bool:
        """Whether it may be of any type."""
        return self.f90.startswith("<type>") and self.kind != "C_BUFFER2"


@dataclasses.dataclass(frozen=True)
class Routine:
    """A Fortran routine, in all its forms."""

    name: str  # with MPI_
    arguments: tuple[Argument, ...]
    function: Optional[Function]  # C's
    large_function: Optional[Function]

    @property
    def short_name(self) -> str:
        return self.name.removeprefix("MPI_")

    @property
    def choice(self) -> bool:
        return any(argument.choice for argument in self.arguments)

    @property
    def in_f08(self) -> bool:
        return self.name in CLOCKS or any(argument.f08 for argument in self.arguments)

    @property
    def in_f90(self) -> bool:
        return self.name in CLOCKS or any(argument.f90 for argument in self.arguments)

    @property
    def has_large(self) -> bool:
        return any(argument.large for argument in self.arguments)

    def f08_arguments(self, large: bool) -> list[tuple[Argument, str]]:
        """Those of a form in the mpi_f08 module, with their declarations."""
        pairs = ((a, a.large if large else a.f08) for a in self.arguments)
        return [(argument, text) for argument, text in pairs if text]

    def f90_arguments(self) -> list[tuple[Argument, str]]:
        """Those in the mpi module and mpif.h."""
        return [(argument, argument.f90) for argument in self.arguments if argument.f90]

    def parameter(self, argument: Argument, large: bool = False) -> Parameter:
        """C's parameter for an argument. Names differ where Fortran's is a function of C
        (index), so the place in the list says which."""
        function = self.large_function if large else self.function
        assert function is not None, self.name
        form = [a for a in self.arguments if large or a.f08 or a.f90 or "argv" in a.name
                or a.kind in ("ARGUMENT_COUNT", "VARARGS")]
        return function.parameters[form.index(argument)]


@dataclasses.dataclass(frozen=True)
class Form:
    """A form of a routine: the names of its entry and of its body, and what it passes to C."""

    routine: Routine
    large: bool = False
    descriptors: bool = False
    f08_alone: bool = False  # where mpif.h has the same types for another meaning

    @property
    def function(self) -> Function:
        function = self.routine.large_function if self.large else self.routine.function
        assert function is not None, self.routine.name
        return function

    @property
    def body(self) -> str:
        """The name of the template."""
        large, f08 = "_c" if self.large else "", "_f08" if self.f08_alone else ""
        ts = "_ts" if self.descriptors else ""
        return self.routine.short_name.lower() + large + f08 + ts + "_entry"

    def symbol(self, profiled: bool) -> str:
        """The name of the entry, for the linker."""
        name = ("pmpi_" if profiled else "mpi_") + self.routine.short_name.lower()
        large = "_c" if self.large else ""
        if self.descriptors:
            return f"remit_{name}{large}_f08ts"
        return f"{name}{large}_f08_" if self.large or self.f08_alone else f"{name}_"

    def arguments(self) -> list[Argument]:
        arguments = [a for a in self.routine.arguments if a.name != "ierror"]
        if self.large:
            return [a for a in arguments if a.large]
        return [a for a in arguments if a.f08 or a.f90]


@dataclasses.dataclass(frozen=True)
class Piece:
    """What an argument is in a body: its declaration, the line that converts it, what C gets."""

    declared: str
    line: str
    passed: str


def read_argument(row: Row) -> Argument:
    if RULE.fullmatch(row["rule"]) is None:
        raise row.error(f"unknown rule {row['rule']!r}")
    f08 = "" if row["f08_decl"] == "-" else row["f08_decl"]
    large = {"-": "", "=": f08}.get(row["f08_large_decl"], row["f08_large_decl"])
    f90 = "" if row["f90_decl"] == "-" else row["f90_decl"]
    rule = "" if row["rule"] == "-" else row["rule"]
    return Argument(row["name"], row["kind"], row["dir"], f08, large, f90, rule)


def read_routines(functions: Mapping[str, Function],
                  folder: pathlib.Path = FOLDER) -> list[Routine]:
    """All routines, in the order of the table, which goes by their names."""
    found: dict[str, list[Argument]] = {name: [] for name in CLOCKS}
    for row in read_rows(folder / "fortran_api.tsv", API_COLUMNS):
        arguments = found.setdefault(row["routine"], [])
        arguments.append(read_argument(row))
        if row["n"] != str(len(arguments)):
            raise row.error(f"argument {row['n']} of {row['routine']} where {len(arguments)} comes")
        function = functions.get(row["routine"])
        if function is None and row["routine"] not in ONLY_IN_FORTRAN:
            raise row.error(f"{row['routine']} is no function of functions.tsv")
    return [Routine(name, tuple(found[name]), functions.get(name), functions.get(name + "_c"))
            for name in sorted(found)]


ONLY_IN_FORTRAN = frozenset({"MPI_F_sync_reg", "MPI_Sizeof", "MPI_Status_f082f", "MPI_Status_f2f08"})


@dataclasses.dataclass(frozen=True)
class Constant:
    """A named constant as Fortran has it: a handle, or an integer of a kind."""

    name: str
    type: str  # MPI_Comm, ..., or "" for an integer
    kind: str  # of the integer: "" or OFFSET
    value: int


HANDLES = ("MPI_Comm", "MPI_Datatype", "MPI_Errhandler", "MPI_File", "MPI_Group", "MPI_Info",
           "MPI_Message", "MPI_Op", "MPI_Request", "MPI_Session", "MPI_Win")
CONSTANT_COLUMNS = ("name", "ctype", "value", "dec", "category", "form", "note")


def read_constants(folder: pathlib.Path = FOLDER) -> list[Constant]:
    """Those of constants.tsv that Fortran has. A string's largest length is one less than in C,
    which counts the NUL at the end."""
    constants = []
    for row in read_rows(folder / "constants.tsv", CONSTANT_COLUMNS):
        name, category = row["name"], row["category"]
        if name.startswith(("MPI_T_", "MPI_F_")) or "callback" in category:
            continue
        if row["ctype"] in HANDLES:
            constants.append(Constant(name, row["ctype"], "", int(row["dec"])))
        elif row["ctype"] == "int":
            less = 1 if category == "max string size" else 0
            constants.append(Constant(name, "", "", int(row["dec"]) - less))
        elif row["ctype"] == "MPI_Offset":
            constants.append(Constant(name, "", "OFFSET", int(row["dec"])))
    return constants
