# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Buffers that come with descriptors: what each is to its routine, and so which of the functions of
bindings/fortran/choice_buffer.hpp makes of it what C takes."""

from __future__ import annotations

import dataclasses
from typing import Mapping

from fortran_table import Argument, Form
from tables import TableError

# Memory that MPI keeps, or that one element lies in: it is handed on, or refused if it is a section.
KEPT_MEMORY = frozenset(f"MPI_{name}" for name in (
    "Buffer_attach", "Comm_attach_buffer", "Compare_and_swap", "Fetch_and_op",
    "Session_attach_buffer", "Win_attach", "Win_create"))
# Only the address of its beginning counts.
ADDRESS_ALONE = frozenset(f"MPI_{name}" for name in (
    "File_read_all_end", "File_read_at_all_end", "File_read_ordered_end", "File_write_all_end",
    "File_write_at_all_end", "File_write_ordered_end", "Free_mem", "Get_address", "Win_detach"))


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


def pointer(form: Form, name: str) -> str:
    """The address of a buffer, which may be one that only a root has."""
    at_root = {"gather": "recvbuf", "gatherv": "recvbuf", "scatter": "sendbuf",
               "scatterv": "sendbuf", "reduce": "recvbuf"}
    if at_root.get(family(form)) == name:
        return f"address_at_root(*{name}, *root, handle<MPI_Comm>(*comm))"
    return f"buffer_at({name}->first())"


def access(argument: Argument) -> str:
    return "Access::read" if argument.direction == "in" else "Access::write"


def peers(form: Form, name: str) -> str:
    if "neighbor" in form.routine.name.lower():
        kind = "destinations" if name == "sendbuf" else "sources"
        return f"Peers{{handle<MPI_Comm>(*comm), Peers::Kind::{kind}}}"
    return "Peers{handle<MPI_Comm>(*comm)}"


def place_of(form: Form, argument: Argument) -> Place:
    """What a buffer is to its routine."""
    name, routine = argument.name, form.routine.name
    address = {name: f"c_{name}.address()"}
    at = f"*{name}, {pointer(form, name)}"
    if routine in ADDRESS_ALONE:
        return Place("", {name: f"buffer_at({name}->first())"})
    if routine in KEPT_MEMORY:
        return Place(f"const ChoiceBuffer c_{name} = ChoiceBuffer::memory({at});", address)
    arguments = form.arguments()
    following = [a.name for a in arguments[arguments.index(argument) + 1:]]
    if "op" in [a.name for a in arguments] and name in ("sendbuf", "recvbuf", "inbuf", "inoutbuf"):
        return Place(f"auto c_{name} = {reduced(form, argument, at)};", address)
    if name in ("inbuf", "outbuf") and following[0] in ("insize", "outsize"):
        return Place(f"auto c_{name} = ChoiceBuffer::packed({at}, *{following[0]}, "
                     f"{access(argument)});", address)
    return exchanged(form, argument, at, following)


def reduced(form: Form, argument: Argument, at: str) -> str:
    """A buffer of a reduction. Where MPI_IN_PLACE is the other one, it is as long as that."""
    name, kind = argument.name, f"handle<MPI_Datatype>(*datatype), {access(argument)}"
    in_comm = f"handle<MPI_Datatype>(*datatype), handle<MPI_Comm>(*comm), {access(argument)}"
    if family(form) == "reduce_scatter_block":
        whole = f"ChoiceBuffer::reduced_blocks({at}, *recvcount, {in_comm})"
        own = f"ChoiceBuffer::reduced({at}, *recvcount, {kind})"
    elif family(form) == "reduce_scatter":
        whole = f"ChoiceBuffer::reduced_varying({at}, recvcounts, {in_comm})"
        own = f"ChoiceBuffer::reduced({at}, own_count(*{name}, recvcounts, *comm), {kind})"
    else:
        return f"ChoiceBuffer::reduced({at}, *count, {kind})"
    return whole if name == "sendbuf" else f"in_place(sendbuf) ? {whole} : {own}"


def exchanged(form: Form, argument: Argument, at: str, following: list[str]) -> Place:
    """A buffer with its own count and datatype, or arrays of them."""
    name = argument.name
    first = following[0]
    if first == "partitions":
        return Place(f"auto c_{name} = ChoiceBuffer::partitions({at}, *partitions, *count, "
                     "handle<MPI_Datatype>(*datatype));",
                     {name: f"c_{name}.address()", "count": f"c_{name}.count()",
                      "datatype": f"c_{name}.type()"})
    if first in ("sendcounts", "recvcounts"):
        displs, kind = following[1], following[2]
        about = f"{first}, {displs}"
        if kind.endswith("types"):
            return Place(f"auto c_{name} = ChoiceBuffer::varying_types({at}, {about}, "
                         f"c_{kind}.array(), {peers(form, name)}, {access(argument)});",
                         {name: f"c_{name}.address()"})
        return Place(f"auto c_{name} = ChoiceBuffer::varying({at}, {about}, "
                     f"handle<MPI_Datatype>(*{kind}), {peers(form, name)}, {access(argument)});",
                     {name: f"c_{name}.address()", kind: f"c_{name}.type()"})
    kind = following[1]
    if not kind.endswith("type"):
        raise TableError(f"fortran_api.tsv: {form.routine.name}: {name}: nobody knows what it is")
    passed = {name: f"c_{name}.address()", first: count(form, name), kind: f"c_{name}.type()"}
    what = f"{at}, *{first}, handle<MPI_Datatype>(*{kind})"
    for_each = {"recvbuf": ("gather", "allgather", "neighbor_allgather"), "sendbuf": ("scatter",)}
    both = ("alltoall", "neighbor_alltoall")
    if family(form) in (*for_each.get(name, ()), *both):
        return Place(f"auto c_{name} = ChoiceBuffer::blocks({what}, {peers(form, name)}, "
                     f"{access(argument)});", passed)
    return Place(f"auto c_{name} = ChoiceBuffer({what});", passed)
