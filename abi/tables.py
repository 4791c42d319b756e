# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""The tables of this folder as typed Python values: the functions of the ABI and their parameters
(functions.tsv, types.tsv), and which of them are only forwarded, to what (forms.tsv).

Every emitter works on these values alone, so that a row is understood in one place. What a reader
does not understand is an error that names file, line and value; nothing is passed over.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
from typing import Iterator, Mapping, Optional

FOLDER = pathlib.Path(__file__).resolve().parent

FUNCTION_COLUMNS = ("name", "ret", "params", "class", "subclass", "large_count", "since",
                    "deprecated", "in_apis_json", "pmpi")
TYPE_COLUMNS = ("name", "kind", "definition", "size_lp64", "align_lp64", "offset", "note")
FORM_COLUMNS = ("function", "form", "call", "output")

LANGUAGE_TYPES = frozenset({"char", "double", "int", "void"})
COLLECTIVE_DRIVERS = ("blocking", "nonblocking", "persistent")
FORMS = ("forward", "handled", *COLLECTIVE_DRIVERS)


class TableError(Exception):
    """A table that cannot be understood; its text is for whoever edits the table."""


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of a table: its place, for messages, and its value in each column."""

    place: str
    values: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.values[column]

    def error(self, message: str) -> TableError:
        return TableError(f"{self.place}: {message}")


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of an MPI function, as C declares it. `...` has that as its type and no name."""

    name: str
    type: str  # without const, pointers and array: a C type, or one of types.tsv
    const: bool = False
    pointers: int = 0
    array: str = ""  # "[]", "[][3]", or nothing

    @property
    def plain(self) -> bool:
        """Whether it is a value of its type: no pointer and no array."""
        return not (self.pointers or self.array)

    def declared(self, used: bool = True) -> str:
        """Its declaration; a parameter that is not used has its name in a comment."""
        name = self.name if used else f"/*{self.name}*/"
        const = "const " if self.const else ""
        return f"{const}{self.type}{'*' * self.pointers} {name}{self.array}".strip()


@dataclasses.dataclass(frozen=True)
class Function:
    """A function of the ABI: a row of functions.tsv."""

    name: str  # with MPI_
    result: str
    parameters: tuple[Parameter, ...]
    chapter: str  # the columns class and subclass
    section: str
    large_twin: Optional[str]  # the function that takes an MPI_Count where this one takes an int

    @property
    def short_name(self) -> str:
        return self.name.removeprefix("MPI_")


@dataclasses.dataclass(frozen=True)
class Form:
    """What a function that is only forwarded does: a row of forms.tsv (which explains the forms).
    The row stands for the large-count twin of its function too."""

    function: Function
    form: str
    callee: str
    arguments: tuple[str, ...]  # of the callee alone: they come before the function's own
    output: str  # the file in bindings/generated/
    place: str  # of the row, for messages


def read_rows(path: pathlib.Path, columns: tuple[str, ...]) -> Iterator[Row]:
    """The rows of a table of values that tabs separate. Its first line names the columns, after a
    '#'; further lines that begin with '#' are comments."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = tuple(lines[0].removeprefix("#").split("\t")) if lines else ()
    if found != columns:
        unknown = [column for column in found if column not in columns]
        what = f"unknown column {unknown[0]!r}" if unknown else "a column is missing or misplaced"
        raise TableError(f"{path.name}:1: {what}; the columns must be {', '.join(columns)}")
    for number, line in enumerate(lines[1:], start=2):
        if line.startswith("#") or not line:
            continue
        values = line.split("\t")
        place = f"{path.name}:{number}"
        if len(values) != len(columns):
            raise TableError(f"{place}: {len(values)} values for {len(columns)} columns: {line!r}")
        yield Row(place, dict(zip(columns, values)))


def read_types(folder: pathlib.Path = FOLDER) -> frozenset[str]:
    """The types that a parameter may have, and a function may return."""
    kinds = ("integer", "handle", "handle (MPI_T)", "struct", "enum typedef")
    rows = read_rows(folder / "types.tsv", TYPE_COLUMNS)
    names = {row["name"] for row in rows
             if row["kind"] in kinds or row["kind"].startswith("callback typedef")}
    return LANGUAGE_TYPES | names


PARAMETER = re.compile(r"(const )?(\w+) (\**)(\w+)((?:\[\d*\])*)")


def read_parameter(row: Row, text: str, types: frozenset[str]) -> Parameter:
    """One of the parameters in the column of this row."""
    if text == "...":
        return Parameter("", "...")
    match = PARAMETER.fullmatch(text)
    if match is None:
        raise row.error(f"cannot understand the parameter {text!r}; write it as 'const int *name[]'")
    const, base, stars, name, array = match.groups()
    if base not in types:
        raise row.error(f"unknown type {base!r} of {name}; types.tsv lists the types of the ABI")
    return Parameter(name, base, const is not None, len(stars), array)


def read_functions(folder: pathlib.Path = FOLDER) -> dict[str, Function]:
    """All functions of the ABI, by name, in the order of the table."""
    types = read_types(folder)
    rows = list(read_rows(folder / "functions.tsv", FUNCTION_COLUMNS))
    names = {row["name"] for row in rows}
    functions: dict[str, Function] = {}
    for row in rows:
        name, twin = row["name"], row["name"] + "_c"
        if name in functions:
            raise row.error(f"{name} is in the table twice")
        if row["ret"] not in types:
            raise row.error(f"unknown type {row['ret']!r} that {name} returns")
        if row["large_count"] not in ("-", "has_c", "is_c", "x"):
            raise row.error(f"unknown large_count {row['large_count']!r}: -, has_c, is_c or x")
        if row["large_count"] == "has_c" and twin not in names:
            raise row.error(f"{name} has a large-count form, but there is no {twin}")
        texts = [] if row["params"] in ("void", "-") else row["params"].split(", ")
        functions[name] = Function(
            name, row["ret"], tuple(read_parameter(row, text, types) for text in texts),
            row["class"], row["subclass"], twin if row["large_count"] == "has_c" else None)
    return functions


CALL = re.compile(r"([\w:<>]+|-)(?:\((.*)\))?")


def read_forms(functions: Mapping[str, Function], folder: pathlib.Path = FOLDER) -> list[Form]:
    """The functions that are only forwarded, in the order of the table."""
    forms: dict[str, Form] = {}
    for row in read_rows(folder / "forms.tsv", FORM_COLUMNS):
        name = row["function"]
        function = functions.get(name)
        if function is None:
            raise row.error(f"{name} is no function of functions.tsv")
        if name in forms:
            raise row.error(f"{name} is in the table twice")
        if row["form"] not in FORMS:
            raise row.error(f"unknown form {row['form']!r} of {name}; one of {', '.join(FORMS)}")
        if row["form"] in COLLECTIVE_DRIVERS and row["form"] != function.section.rpartition(" ")[2]:
            raise row.error(f"{name} is {function.section!r} in functions.tsv, not {row['form']!r}")
        match = CALL.fullmatch(row["call"])
        if match is None:
            raise row.error(f"cannot understand the call {row['call']!r} of {name}; write it as "
                            "'callee' or 'callee(argument, ...)'")
        callee, arguments = match.groups()
        forms[name] = Form(function, row["form"], callee,
                           tuple(arguments.split(", ")) if arguments else (), row["output"],
                           row.place)
    return list(forms.values())
