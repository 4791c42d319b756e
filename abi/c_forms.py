# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""C++ for the MPI functions that are only forwarded: one short body for each row of forms.tsv and
for its large-count twin, laid out as clang-format does it (.clang-format, tests/unit/abi).

A file that ends in .cpp stands alone; what these functions call is declared in a header. One that
ends in .inc is the end of the file in bindings/ with its name, whose anonymous namespace has what
they call: so nothing but that file can call it, and the compiler sees it all at once.
"""

from __future__ import annotations

from typing import Iterable, Sequence

from tables import COLLECTIVE_DRIVERS, Form, Function, Parameter, TableError

COLUMNS = 100
# A communicator, window, file or session: an error is raised on it (bindings/weak.hpp).
RAISED_ON = ("MPI_Comm", "MPI_Win", "MPI_File", "MPI_Session")
# Without a file of their own: the handler of MPI_FILE_NULL hears of it (MPI-5.0, section 14.7).
OF_NO_FILE = ("MPI_Register_datarep", "MPI_Register_datarep_c")
INTEGERS = ("int", "MPI_Count", "MPI_Aint")

TITLES = {
    "coll/nonblocking.cpp": "Nonblocking collective operations (MPI-5.0, sections 6.12 and 8.7).",
    "coll/persistent.cpp": "Persistent collective operations (MPI-5.0, sections 6.13 and 8.8).",
}


def filled(head: str, pieces: Sequence[str], tail: str) -> str:
    """A list in parentheses that begins after `head` and ends by `tail`: as many pieces to a line
    as fit, below each other; further to the left if one of them is too long for that."""
    if not pieces:
        return head + tail
    ended = [*(f"{piece}," for piece in pieces[:-1]), pieces[-1] + tail]
    margin = len(head)
    lines = [head + ended[0]]
    if any(margin + len(piece) > COLUMNS for piece in ended):
        margin = len(head) - len(head.lstrip()) + 4
        lines = [head, " " * margin + ended[0]]
    for piece in ended[1:]:
        if len(lines[-1]) + 1 + len(piece) <= COLUMNS:
            lines[-1] += f" {piece}"
        else:
            lines.append(" " * margin + piece)
    return "\n".join(lines)


def raised_on(function: Function) -> str:
    """The argument of caught() after the name, with its comma: what an exception is raised on."""
    if function.name in OF_NO_FILE:
        return ", MPI_FILE_NULL"
    for parameter in function.parameters:
        if parameter.type in RAISED_ON and parameter.plain:
            return f", {parameter.name}"
    return ""


def definition(function: Function, used: Iterable[str], body: str, handler: bool) -> str:
    """The function under its PMPI_ name, and its MPI_ name (bindings/weak.hpp). `used`: the names
    of the parameters that the body uses."""
    names = set(used)
    pieces = [p.declared(p.name in names) for p in function.parameters]
    head = filled(f"{function.result} P{function.name}(", pieces, ") try {" if handler else ") {")
    end = ["}"]
    if handler:
        end = ["} catch (...) {", f'  return caught("{function.name}"{raised_on(function)});', "}"]
        # As clang-format has it where that fits.
        joined = f"{head} {body.strip()} {end[0]}"
        if "\n" not in joined and len(joined) <= COLUMNS:
            head, body, *end = joined, *end[1:]
    return "\n".join([head, body, *end, f"REMIT_WEAK({function.short_name});"])


def forward(function: Function, form: Form) -> str:
    """The callee takes the name of the function, what forms.tsv gives it, and all parameters. In
    the form `handled` it has the handler of exceptions itself."""
    names = [p.name for p in function.parameters]
    pieces = [f'"{function.name}"', *form.arguments, *names]
    body = filled(f"  return {form.callee}(", pieces, ");")
    return definition(function, names, body, handler=form.form == "forward")


def counts(parameter: Parameter) -> str:
    """An argument of a check function, which takes arrays of either integer as Counts."""
    is_counts = parameter.array and parameter.type in INTEGERS
    return f"Counts({parameter.name})" if is_counts else parameter.name


def collective(function: Function, form: Form) -> str:
    """The callee checks the arguments; how the call goes on is the form (bindings/coll/call.hpp)."""
    arguments = [p for p in function.parameters if p.type not in ("MPI_Request", "MPI_Info")]
    request = [p for p in function.parameters if p.type == "MPI_Request"]
    pieces = ["call", *form.arguments, *(counts(p) for p in arguments)]
    lambda_head = "  const auto check = [&](CollectiveCall& call) {"
    body = f"{lambda_head} return {form.callee}({', '.join(pieces)}); }};"
    if len(body) > COLUMNS:
        check = filled(f"    return {form.callee}(", pieces, ");")
        body = f"{lambda_head}\n{check}\n  }};"
    driver = [f'"{function.name}"', *(p.name for p in request), "check"]
    body += "\n" + filled(f"  return {form.form}_collective(", driver, ");")
    return definition(function, [p.name for p in arguments + request], body, handler=True)


EMITTERS = {
    "forward": forward,
    "handled": forward,
    **dict.fromkeys(COLLECTIVE_DRIVERS, collective),
}


def head_of_file(output: str, forms: Sequence[Form]) -> str:
    """The comment at the top; in a file that stands alone, what it includes."""
    lines = [
        "// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause",
        "// Made by abi/generate.py from abi/functions.tsv and abi/forms.tsv: change these.",
    ]
    if output.endswith(".inc"):
        host = f"bindings/{output.removesuffix('.inc')}.cpp"
        return "\n".join([*lines, f"// The end of {host}: MPI functions that only forward to it."])
    header = "bindings/coll/call.hpp"
    lines += [f"// {TITLES[output]}", f'#include "{header}"', '#include "bindings/weak.hpp"', ""]
    return "\n".join([*lines, "using namespace remit;"])


def check_outputs(forms: Iterable[Form]) -> None:
    """Refuses a file that nothing is known of."""
    for form in forms:
        if form.output not in TITLES and not form.output.endswith(".inc"):
            raise TableError(f"{form.place}: unknown output {form.output!r}; one of"
                             f" {', '.join(TITLES)}, or FILE.inc for the end of bindings/FILE.cpp")


def text_of(output: str, functions: dict[str, Function], forms: Iterable[Form]) -> str:
    """The text of one file in bindings/generated/."""
    mine = [form for form in forms if form.output == output]
    if not mine:
        raise TableError(f"forms.tsv: no line has the output {output!r}")
    parts = [head_of_file(output, mine)]
    for form in mine:
        emit = EMITTERS[form.form]
        parts.append(emit(form.function, form))
        if form.function.large_twin:
            parts.append(emit(functions[form.function.large_twin], form))
    return "\n\n".join(parts) + "\n"
