# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Buffers that come with descriptors: what each is to its routine, and so which of the functions of
bindings/fortran/choice_buffer.hpp makes of it what C takes."""

from __future__ import annotations

import dataclasses
from typing import Mapping

from fortran_table import Argument, Form
from tables import TableError


@dataclasses.dataclass(frozen=True)
class Place:
    """A buffer: the line that makes it, and what C gets for it and for what it says about it."""

    line: str
    passed: Mapping[str, str]


def subject(form: Form) -> str:
    """Whose error handler hears of a buffer that cannot be."""
    for argument in form.arguments():
        kind = {"COMMUNICATOR": "MPI_Comm", "WINDOW": "MPI_Win", "FILE": "MPI_File",
                "SESSION": "MPI_Session"}.get(argument.kind)
        if kind and argument.direction == "in":
            return f"Subject(handle<{kind}>(*{argument.name}))"
    return "Subject()"


def family(form: Form) -> str:
    """The routine's name without what says how it completes, in lower case."""
    name = form.routine.short_name.lower().removesuffix("_init")
    return name[1:] if name.startswith("i") and name != "init" else name


def count(form: Form, buffer: str) -> str:
    """The count of a buffer, which may have become another; it still fits."""
    return f"c_{buffer}.count()" if form.large else f"static_cast<int>(c_{buffer}.count())"


def pointer(form: Form, argument: Argument) -> str:
    """The address of a buffer, which may be one that only a root has."""
    name = argument.name
    at_root = {"gather": "recvbuf", "gatherv": "recvbuf", "scatter": "sendbuf",
               "scatterv": "sendbuf", "reduce": "recvbuf"}
    if at_root.get(family(form)) == name:
        return f"address_at_root(*{name}, *root, handle<MPI_Comm>(*comm))"
    return address_of(argument)


def address_of(argument: Argument) -> str:
    """What C gets for an address, which may be that of a sentinel."""
    return f"{'memory_at' if argument.rule == 'memory' else 'buffer_at'}({argument.name})"


def access(argument: Argument) -> str:
    return "Access::read" if argument.direction == "in" else "Access::write"


def peers(form: Form, name: str) -> str:
    if "neighbor" in form.routine.name.lower():
        kind = "destinations" if name == "sendbuf" else "sources"
        return f"Peers{{handle<MPI_Comm>(*comm), Peers::Kind::{kind}}}"
    return "Peers{handle<MPI_Comm>(*comm)}"


def made(form: Form, argument: Argument, count_text: str, kind: str, use: str = "") -> str:
    """The line that makes a ChoiceBuffer."""
    name = argument.name
    return (f"ChoiceBuffer c_{name}(*{name}, {pointer(form, argument)}, {count_text}, {kind}"
            f"{', ' + use if use else ''});")


def datatype(name: str) -> str:
    return f"handle<MPI_Datatype>(*{name})"


def place_of(form: Form, argument: Argument) -> Place:
    """What a buffer is to its routine."""
    name = argument.name
    address = {name: f"c_{name}.address()"}
    if argument.rule == "address":
        return Place("", {name: address_of(argument)})
    if argument.rule == "memory":
        return Place(made(form, argument, "0", "MPI_BYTE", "Memory{}"), address)
    arguments = form.arguments()
    following = [a.name for a in arguments[arguments.index(argument) + 1:]]
    if "op" in [a.name for a in arguments] and name in ("sendbuf", "recvbuf", "inbuf", "inoutbuf"):
        return Place(reduced(form, argument), address)
    if name in ("inbuf", "outbuf") and following[0] in ("insize", "outsize"):
        return Place(made(form, argument, f"*{following[0]}", "MPI_BYTE",
                          f"Operand{{{access(argument)}}}"), address)
    return exchanged(form, argument, following)


def reduced(form: Form, argument: Argument) -> str:
    """A buffer of a reduction. Where MPI_IN_PLACE is the other one, it is as long as that."""
    name, how = argument.name, access(argument)
    if not family(form).startswith("reduce_scatter"):
        return made(form, argument, "*count", datatype("datatype"), f"Operand{{{how}}}")
    counts, count_text = "static_cast<const int*>(nullptr)", "*recvcount"
    if family(form) == "reduce_scatter":
        counts, count_text = "recvcounts", "0"
    whole = "true" if name == "sendbuf" else "in_place(sendbuf)"
    return made(form, argument, count_text, datatype("datatype"),
                f"ScatteredOperand{{{counts}, handle<MPI_Comm>(*comm), {how}, {whole}}}")


def exchanged(form: Form, argument: Argument, following: list[str]) -> Place:
    """A buffer with its own count and datatype, or arrays of them."""
    name = argument.name
    first = following[0]
    if first == "partitions":
        return Place(made(form, argument, "*count", datatype("datatype"), "Partitions{*partitions}"),
                     {name: f"c_{name}.address()", "count": f"c_{name}.count()",
                      "datatype": f"c_{name}.type()"})
    if first in ("sendcounts", "recvcounts"):
        displs, kind = following[1], following[2]
        several = kind.endswith("types")
        use = (f"VaryingBlocks{{{first}, {displs}, {f'c_{kind}.data()' if several else 'nullptr'}, "
               f"{peers(form, name)}, {access(argument)}}}")
        passed = {name: f"c_{name}.address()"}
        if several:
            return Place(made(form, argument, "0", "MPI_BYTE", use), passed)
        return Place(made(form, argument, "0", datatype(kind), use),
                     passed | {kind: f"c_{name}.type()"})
    kind = following[1]
    if not kind.endswith("type"):
        raise TableError(f"fortran_api.tsv: {form.routine.name}: {name}: nobody knows what it is")
    passed = {name: f"c_{name}.address()", first: count(form, name), kind: f"c_{name}.type()"}
    for_each = {"recvbuf": ("gather", "allgather", "neighbor_allgather"), "sendbuf": ("scatter",)}
    use = ""
    if family(form) in (*for_each.get(name, ()), "alltoall", "neighbor_alltoall"):
        use = f"Blocks{{{peers(form, name)}, {access(argument)}}}"
    return Place(made(form, argument, f"*{first}", datatype(kind), use), passed)
