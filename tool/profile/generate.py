#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Prints a file of tool/generated/, made from abi/functions.tsv: the wrappers of all MPI functions,
or the list of their names.

usage: generate.py wrappers.cpp | functions.inc
"""

from __future__ import annotations

import pathlib
import sys
import zlib
from typing import Optional

sys.dont_write_bytecode = True  # the source folder may be read-only
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "abi"))
import tables  # noqa: E402

# Nothing waits in these, nothing is moved, and programs may call them in the innermost loop.
PLAIN = {"MPI_Aint_add", "MPI_Aint_diff", "MPI_Wtime", "MPI_Wtick"}
BY_HAND = {"MPI_Pcontrol", "MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Session_init",
           "MPI_Session_finalize"}
BEFORE = {
    "MPI_Abort": "aborting(errorcode);",
    "MPI_Comm_free": "const MPI_Comm freed = comm == nullptr ? MPI_COMM_NULL : *comm;",
    "MPI_Comm_disconnect": "const MPI_Comm freed = comm == nullptr ? MPI_COMM_NULL : *comm;",
    "MPI_Win_free": "const MPI_Win freed = win == nullptr ? MPI_WIN_NULL : *win;",
}
# Before the call and after it: until it is done others may ask for the handle, and at once another
# object may get it.
AROUND = {
    "MPI_Comm_free": "forget_ranks(freed);",
    "MPI_Comm_disconnect": "forget_ranks(freed);",
    "MPI_Win_free": "forget_ranks(freed);",
    "MPI_Type_free": "forget_types();",
}
ROOTED_GATHER = {"Gather", "Gatherv", "Scatter", "Scatterv"}


def is_wrapped(function: tables.Function) -> bool:
    name = function.name
    return not (name in PLAIN or name.startswith("MPI_T_") or
                name.endswith(("_toint", "_fromint", "_c2f", "_f2c", "_f2f08", "_f082f", "_f082c",
                               "_c2f08")))


def moved_by_transfer(function: tables.Function, names: set[str]) -> Optional[str]:
    """A point-to-point, one-sided or file function."""
    if {"origin_count", "origin_datatype", "target_rank", "win"} <= names:
        if "result_count" in names:  # the origin counts for nothing with MPI_NO_OP
            return "accessed(result_count, result_datatype, target_rank, win)"
        return "accessed(origin_count, origin_datatype, target_rank, win)"
    if {"datatype", "target_rank", "win"} <= names:
        return "accessed(1, datatype, target_rank, win)"
    if {"fh", "count", "datatype"} <= names:
        return "transferred(count, datatype)"
    if {"sendcount", "sendtype", "dest", "comm"} <= names:
        return "sent(sendcount, sendtype, dest, comm)"
    if {"count", "datatype", "dest", "comm"} <= names:
        return "sent(count, datatype, dest, comm)"
    if {"count", "datatype", "source", "comm"} <= names or {"count", "datatype", "message"} <= names:
        return "received(count, datatype)"
    return None


def moved_by_collective(function: tables.Function, names: set[str]) -> Optional[str]:
    base = function.short_name.removesuffix("_c")
    if base.startswith("I") and base[1:2].islower():
        base = base[1:].capitalize()
    insignificant = "root == MPI_PROC_NULL"
    text = None
    if base in ("Scatter", "Scatterv"):
        text = ("recvbuf == MPI_IN_PLACE ? Moved{} : shared(recvcount, recvtype)")
    elif base == "Alltoall":
        text = ("sendbuf == MPI_IN_PLACE ? shared_with_each(recvcount, recvtype, comm)"
                " : shared_with_each(sendcount, sendtype, comm)")
    elif base == "Allgather":
        text = ("sendbuf == MPI_IN_PLACE ? shared(recvcount, recvtype)"
                " : shared(sendcount, sendtype)")
    elif {"sendcount", "sendtype"} <= names:
        text = "sendbuf == MPI_IN_PLACE ? Moved{} : shared(sendcount, sendtype)"
    elif {"recvcount", "datatype"} <= names:  # Reduce_scatter_block
        text = "shared_with_each(recvcount, datatype, comm)"
    elif {"count", "datatype"} <= names:
        text = "shared(count, datatype)"
    if text is None or "root" not in names:
        return text
    if base in ROOTED_GATHER:
        insignificant += " || root == MPI_ROOT"
    return f"{insignificant} ? Moved{{}} : {text}"


def moved(function: tables.Function) -> Optional[str]:
    names = {parameter.name for parameter in function.parameters}
    if function.short_name.removesuffix("_c").endswith(("_init", "_local")):
        return None
    if function.chapter == "coll" and "comm" in names:
        return moved_by_collective(function, names)
    if function.chapter in ("pt2pt", "rma", "io"):
        return moved_by_transfer(function, names)
    return None


def envelope(function: tables.Function) -> str:
    """What a trace shows of a call: its tag and its communicator."""
    plain = {each.name for each in function.parameters if each.plain}
    tag = next((name for name in ("tag", "sendtag") if name in plain), None)
    has_comm = any(each.name == "comm" and each.declared() == "MPI_Comm comm"
                   for each in function.parameters)
    if tag is None and not has_comm:
        return ""
    return f", {{{tag or 'kNoTag'}, {'number_of(comm)' if has_comm else '0'}}}"


def wrapper(function: tables.Function, number: int) -> str:
    declared = ", ".join(parameter.declared() for parameter in function.parameters) or "void"
    passed = ", ".join(parameter.name for parameter in function.parameters)
    if declared == "void" or passed == "":
        declared, passed = "void", ""
    name = function.name
    peer = next((each.name for each in function.parameters if each.plain and
                 each.name in ("dest", "target_rank", "source")), "kUnknownPeer")
    before = [f"  {BEFORE[name]}"] if name in BEFORE else []
    what = moved(function)
    amount = f"returned == MPI_SUCCESS ? ({what}) : Moved{{}}" if what else "Moved{}"
    around = [f"  {AROUND[name]}"] if name in AROUND else []
    return "\n".join([
        f"int {name}({declared}) {{",
        f"  const auto next = next_of<decltype({name})>({number});",
        f"  const Call call = enter({number}, __builtin_return_address(0), "
        f"__builtin_frame_address(0), {peer});",
        *before,
        *around,
        f"  const int returned = next({passed});",
        "  const std::uint64_t end = ticks();",
        *around,
        f"  leave(call, end, {amount}{envelope(function)});",
        "  return returned;",
        "}",
    ])


def wrappers(functions: list[tables.Function]) -> str:
    texts = [wrapper(function, number) for number, function in enumerate(functions)
             if function.name not in BY_HAND]
    return "\n".join([
        "// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause",
        "// Made by tool/profile/generate.py from abi/functions.tsv. clang-format off",
        '#include "mpi.h"',
        '#include "tool/profile/peers.hpp"',
        '#include "tool/profile/recorder.hpp"',
        "",
        "using namespace remit::profile;",
        "",
        'extern "C" {',
        "",
        "\n\n".join(texts),
        "",
        '}  // extern "C"',
        "",
    ])


def names(functions: list[tables.Function]) -> str:
    rows = "\n".join(f'    {{"{function.name}", "{function.chapter}"}},' for function in functions)
    checksum = zlib.crc32(" ".join(function.name for function in functions).encode())
    ids = "\n".join(f"inline constexpr std::uint32_t k{name.removeprefix('MPI_')} = {number};"
                    for number, name in enumerate(function.name for function in functions)
                    if name in BY_HAND)
    return "\n".join([
        "// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause",
        "// Made by tool/profile/generate.py from abi/functions.tsv.",
        f"inline constexpr std::size_t kFunctions = {len(functions)};",
        f"inline constexpr std::uint64_t kFunctionHash = {checksum}U;",
        "namespace number {",
        ids,
        "}  // namespace number",
        "inline constexpr std::array<FunctionRow, kFunctions> kFunctionRows{{",
        rows,
        "}};",
        "",
    ])


def main(arguments: list[str]) -> int:
    makers = {"wrappers.cpp": wrappers, "functions.inc": names}
    if len(arguments) != 1 or arguments[0] not in makers:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        functions = sorted((function for function in tables.read_functions().values()
                            if is_wrapped(function)), key=lambda function: function.name)
        sys.stdout.write(makers[arguments[0]](functions))
    except (tables.TableError, OSError) as problem:
        print(f"generate.py: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
