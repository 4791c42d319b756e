# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Fortran for programs to compile with: the modules mpi_f08 and mpi, which are interfaces and
constants without any code, and what both share (remit_mpi_base)."""

from __future__ import annotations

import functools
import re
from typing import Callable, Iterable, Mapping, Optional, Sequence

from fortran_table import HANDLES, RESULTS, Argument, Constant, Form, Routine
from tables import FOLDER, read_rows

COLUMNS = 100
HEAD = "! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause"
# Each with its declaration and its name for the linker (bindings/fortran/sentinels.hpp). The
# modules' object files are not linked, so that these are the library's.
SENTINELS = (
    ("MPI_BOTTOM", "integer(c_int)", ""), ("MPI_IN_PLACE", "integer(c_int)", ""),
    ("MPI_BUFFER_AUTOMATIC", "integer(c_int)", ""),
    ("MPI_ERRCODES_IGNORE", "integer(c_int)", "(1)"), ("MPI_UNWEIGHTED", "integer(c_int)", "(1)"),
    ("MPI_WEIGHTS_EMPTY", "integer(c_int)", "(1)"),
    ("MPI_ARGV_NULL", "character(kind=c_char)", "(1)"),
    ("MPI_ARGVS_NULL", "character(kind=c_char)", "(1, 1)"),
)
# A choice argument of compilers that cannot hand on descriptors, and of the mpi module: of any type
# and rank, by its address. Each compiler has its own words for that.
DIRECTIVES = ("!GCC$ ATTRIBUTES NO_ARG_CHECK :: {0}", "!DIR$ IGNORE_TKR {0}",
              "!DEC$ ATTRIBUTES NO_ARG_CHECK :: {0}")
# Where MPI_Count and MPI_Aint are the same these have two forms with the same arguments; and those
# of callbacks differ in nothing that a generic name could tell. The latter have a name of their own.
SMALL_ALONE = frozenset(f"MPI_{name}" for name in (
    "File_get_type_extent", "Type_create_resized", "Type_get_extent", "Type_get_true_extent"))
OWN_LARGE_NAME = frozenset({"MPI_Op_create", "MPI_Register_datarep"})

@functools.cache
def callbacks(kind: str) -> dict[str, str]:
    """The arguments of procedures, by their names: fortran_callbacks.tsv explains them."""
    rows = read_rows(FOLDER / "fortran_callbacks.tsv", ("name", "kind", "arguments"))
    return {row["name"]: row["arguments"] for row in rows if row["kind"] == kind}


def folded(text: str, indent: int) -> list[str]:
    """A statement, on as many lines as it needs; broken after commas."""
    lines, margin = [], " " * indent
    while len(margin + text) > COLUMNS:
        cut = text.rindex(", ", 0, COLUMNS - len(margin) - 2) + 1
        lines.append(f"{margin}{text[:cut]} &")
        text, margin = text[cut:].strip(), " " * (indent + 4)
    return [*lines, margin + text]


def typed(text: str) -> str:
    """A type of the table as Fortran has it."""
    return re.sub(r"INT\((\w+)\)", r"INTEGER(KIND=MPI_\1_KIND)", text)


def declaration(name: str, declared: str) -> str:
    type_text, _, shape = declared.partition(" ::")
    return f"{typed(type_text)} :: {name}{shape}"


def choice(name: str, attributes: str = "") -> list[str]:
    """A choice argument without a descriptor."""
    return [f"TYPE(*){attributes} :: {name}", *(line.format(name) for line in DIRECTIVES)]


def body(name: str, arguments: Sequence[tuple[str, str]], bind: str = "",
         result: str = "", choices: Iterable[str] = ()) -> list[str]:
    """An interface body. Shapes name other arguments, so scalars are declared first."""
    names = ", ".join(argument for argument, _ in arguments)
    suffix = f' BIND(C, NAME="{bind}")' if bind else ""
    what = "FUNCTION" if result else "SUBROUTINE"
    lines = folded(f"{what} {name}({names}){suffix}", 4) + ["      IMPORT"]
    if result:
        lines.append(f"      {typed(result)} :: {name}")
    for argument, declared in sorted(arguments, key=lambda pair: " ::" in pair[1]):
        if argument in choices:
            attributes = ", ASYNCHRONOUS" if "ASYNCHRONOUS" in declared else ""
            text, *directives = choice(argument, attributes)
            lines += [f"      {text}", *directives]
        else:
            lines.append("      " + declaration(argument, declared))
    return lines + [f"    END {what}"]


def callback_arguments(text: str, integers: bool) -> list[tuple[str, str]]:
    """What fortran_callbacks.tsv says, in mpi_f08 or with INTEGER for handles."""
    pairs = []
    for piece in text.split():
        name, _, kind = piece.partition(":")
        if kind == "C":
            kind = "TYPE(C_PTR), VALUE"
        elif kind.startswith("MPI_"):
            kind = "INTEGER" if integers else f"TYPE({kind})"
        pairs.append((name, kind))
    return pairs


def types_module() -> str:
    """The types of handles and statuses. Apart, for the object file of this module alone is linked:
    gfortran has in it what class(*) needs of a type."""
    lines = [HEAD, "! The types of the modules mpi and mpi_f08; programs use those.",
             "module remit_mpi_types", "  use, intrinsic :: iso_c_binding, only: c_int",
             "  implicit none", "  private :: c_int", "", "  type, bind(C) :: MPI_Status",
             "    integer(c_int) :: MPI_SOURCE", "    integer(c_int) :: MPI_TAG",
             "    integer(c_int) :: MPI_ERROR", "    integer(c_int), private :: MPI_INTERNAL(5)",
             "  end type"]
    for handle in HANDLES:
        lines += [f"  type, bind(C) :: {handle}", "    integer(c_int) :: MPI_VAL", "  end type"]
    return "\n".join(lines + ["end module", ""])


def base_module(constants: Sequence[Constant]) -> str:
    """What the modules mpi and mpi_f08 share beside types: integers, sentinels, operators."""
    lines = [HEAD, "! What the modules mpi and mpi_f08 share; programs use those.",
             "module remit_mpi_base",
             "  use, intrinsic :: iso_c_binding, only: c_int, c_char", "  use remit_mpi_types",
             "  implicit none", "  private :: c_int, c_char", ""]
    for kind in ("ADDRESS", "COUNT", "OFFSET"):
        lines.append(f"  integer, parameter :: MPI_{kind}_KIND = selected_int_kind(18)")
    lines += ["  integer, parameter :: MPI_INTEGER_KIND = kind(0)",
              "  integer, parameter :: MPI_STATUS_SIZE = 8, MPI_SOURCE = 1, MPI_TAG = 2, "
              "MPI_ERROR = 3"]
    for constant in constants:
        if not constant.type:
            kind = f"(MPI_{constant.kind}_KIND)" if constant.kind else ""
            lines.append(f"  integer{kind}, parameter :: {constant.name} = {constant.value}")
    lines.append("")
    for name, kind, shape in SENTINELS:
        label = f"remit_{name.removeprefix('MPI_').lower()}_"
        lines.append(f'  {kind}, bind(C, name="{label}"), protected :: {name}{shape}')
    for operator, suffix in (("==", "eq"), ("/=", "ne")):
        lines += ["", f"  interface operator({operator})"]
        for handle in HANDLES:
            name = f"remit_{handle.removeprefix('MPI_').lower()}_{suffix}"
            lines += [f"    pure function {name}(a, b)", f"      import :: {handle}",
                      f"      type({handle}), intent(in) :: a, b", f"      logical :: {name}",
                      "    end function"]
        lines.append("  end interface")
    return "\n".join(lines + ["end module", ""])


def handle_constants(constants: Sequence[Constant], integers: bool) -> list[str]:
    lines = []
    for constant in constants:
        if constant.type and integers:
            lines.append(f"  integer, parameter :: {constant.name} = {constant.value}")
        elif constant.type:
            lines += folded(f"type({constant.type}), parameter :: {constant.name} = "
                            f"{constant.type}({constant.value})", 2)
    return lines


def statuses(integers: bool) -> list[str]:
    """MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE, whose types differ among the modules."""
    kind, first, second = "type(MPI_Status)", "", "(1)"
    if integers:
        kind, first, second = "integer(c_int)", "(MPI_STATUS_SIZE)", "(MPI_STATUS_SIZE, 1)"
    return [f'  {kind}, bind(C, name="remit_status_ignore_"), protected :: '
            f"MPI_STATUS_IGNORE{first}",
            f'  {kind}, bind(C, name="remit_statuses_ignore_"), protected :: '
            f"MPI_STATUSES_IGNORE{second}"]


def flags(supported: bool) -> list[str]:
    value = ".true." if supported else ".false."
    return [f"  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = {value}",
            f"  logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = {value}"]


def specific(routine: Routine, large: bool, profiled: bool, descriptors: bool) -> tuple[str, list[str]]:
    """A specific procedure of mpi_f08: its name, and its interface body."""
    described = descriptors and routine.choice
    name = ("P" if profiled else "") + routine.name + ("_c" if large else "")
    name += "_f08ts" if described else "_f08"
    bind = Form(routine, large, described).symbol(profiled) if described else ""
    pairs = [(argument.name, text) for argument, text in routine.f08_arguments(large)]
    choices = [] if described else [a.name for a in routine.arguments if a.choice]
    return name, body(name, pairs, bind, RESULTS.get(routine.name, ""), choices)


def f08_module(routines: Sequence[Routine], constants: Sequence[Constant],
               descriptors: bool) -> str:
    """The module mpi_f08: with descriptors of buffers, or for compilers that cannot hand them on.
    A routine of one form is a procedure under its name, not a generic one, so that a compiler can
    say which argument is wrong; its name for the linker is the standard's (section 19.1.5)."""
    single: list[str] = []
    renamed: list[str] = []
    generic: list[str] = []
    for routine in routines:
        if not routine.in_f08 or (routine.name == "MPI_Sizeof" and not descriptors):
            continue
        forms = [False]
        if routine.has_large and routine.name not in SMALL_ALONE:
            forms.append(True)
        for profiled in (False, True):
            specifics = [specific(routine, large, profiled, descriptors) for large in forms]
            prefix = "P" if profiled else ""
            if len(specifics) == 2 and routine.name not in OWN_LARGE_NAME:
                lines = [line for _, lines in specifics for line in lines]
                generic += [f"  interface {prefix}{routine.name}", *lines, "  end interface"]
                continue
            for (name, lines), large in zip(specifics, forms):
                single += lines
                own = "_c" if large else ""
                renamed.append(f"{prefix}{routine.name}{own} => {name}")
    lines = [HEAD, "! The module mpi_f08" + ("" if descriptors else " for compilers that cannot "
             "hand on descriptors of arrays") + ", made from the tables in abi/ "
             "(abi/fortran_modules.py).", "module remit_mpi_f08_procedures",
             "  use, intrinsic :: iso_c_binding, only: c_ptr", "  use remit_mpi_base",
             "  implicit none", "  private :: c_ptr", "", "  abstract interface"]
    for name, text in callbacks("interface").items():
        lines += body(name, callback_arguments(text, False))
    lines += ["  end interface", "", "  interface"]
    for name, text in callbacks("predefined").items():
        lines += body(name, callback_arguments(text, False))
    lines += [*single, "  end interface", "end module", "", "module mpi_f08",
              "  use, intrinsic :: iso_c_binding, only: c_ptr", "  use remit_mpi_base"]
    public = [*callbacks("interface"), *callbacks("predefined")]
    for start in range(0, len(renamed), 40):
        lines += folded("use remit_mpi_f08_procedures, only: " +
                        ", ".join(renamed[start:start + 40]), 2)
    lines += folded("use remit_mpi_f08_procedures, only: " + ", ".join(public), 2)
    lines += ["  implicit none", "  private :: c_ptr", "", *flags(descriptors), *statuses(False),
              *handle_constants(constants, integers=False), "", *generic, "end module", ""]
    return "\n".join(lines)


def mpi_arguments(routine: Routine) -> list[tuple[str, str]]:
    return [(a.name, text) for a, text in routine.f90_arguments()]


def with_pointer(routine: Routine, name: str) -> list[str]:
    """The form of the mpi module that gives an address as TYPE(C_PTR)."""
    pairs = [(a.name, "TYPE(C_PTR)" if a.kind == "C_BUFFER" else text)
             for a, text in routine.f90_arguments()]
    return body(f"{name}_CPTR", pairs)


def mpi_routine(routine: Routine, prefix: str) -> Optional[list[str]]:
    """An interface of the mpi module."""
    name = prefix + routine.name.upper()
    if not routine.in_f90 or routine.name == "MPI_Sizeof":
        return None
    choices = [a.name for a in routine.arguments if a.choice or a.kind == "C_BUFFER2"]
    lines = body(name, mpi_arguments(routine), "", RESULTS.get(routine.name, ""), choices)
    if any(a.kind == "C_BUFFER" for a in routine.arguments):
        return [f"  interface {name}", *lines, *with_pointer(routine, name), "  end interface"]
    return ["  interface", *lines, "  end interface"]


def mpi_module(routines: Sequence[Routine], constants: Sequence[Constant],
               descriptors: bool) -> str:
    """The module mpi. Without descriptors it lacks MPI_Sizeof, which tells a size by them."""
    lines = [HEAD, "! The module mpi, made from the tables in abi/ (abi/fortran_modules.py).",
             "module mpi", "  use, intrinsic :: iso_c_binding, only: c_ptr, c_int",
             "  use remit_mpi_base", "  implicit none", "  private :: c_ptr, c_int", "",
             *flags(False), *statuses(True), *handle_constants(constants, integers=True), "",
             "  interface"]
    for name, text in callbacks("predefined").items():
        if not name.endswith("_C"):
            lines += body(name, callback_arguments(text, True))
    for name, text in callbacks("predefined").items():
        if name.startswith("MPI_COMM_"):
            old = name.replace("_COMM", "")
            lines += body(old, [(argument, kind.replace("INT(ADDRESS)", "INTEGER"))
                                for argument, kind in callback_arguments(text, True)])
    lines.append("  end interface")
    for prefix in ("", "P"):
        if descriptors:
            lines += [f"  interface {prefix}MPI_SIZEOF",
                      *body(f"remit_{prefix.lower()}mpi_sizeof",
                            [("x", "TYPE(*) ::(..)"), ("size", "INTEGER"), ("ierror", "INTEGER")],
                            f"remit_{prefix.lower()}mpi_sizeof_f08ts"), "  end interface"]
        for routine in routines:
            lines += mpi_routine(routine, prefix) or []
    return "\n".join(lines + ["end module", ""])


# What each file is made by.
Maker = Callable[[Sequence[Routine], Sequence[Constant]], str]
MODULES: Mapping[str, Maker] = {
    "fortran/remit_mpi_types.f90": lambda routines, constants: types_module(),
    "fortran/remit_mpi_base.f90": lambda routines, constants: base_module(constants),
    "fortran/mpi.f90": lambda routines, constants: mpi_module(routines, constants, True),
    "fortran/mpi_f08.f90": lambda routines, constants: f08_module(routines, constants, True),
    "fortran/plain/mpi.f90": lambda routines, constants: mpi_module(routines, constants, False),
    "fortran/plain/mpi_f08.f90": lambda routines, constants: f08_module(routines, constants, False),
}
