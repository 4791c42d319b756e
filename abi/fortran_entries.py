# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""C++ for Fortran's routines: entries of libmpifort_abi that convert their arguments, a line for each
that needs it, and call the C function of their name (bindings/fortran/marshal.hpp has what they use).

Each body is a template over the C function, so that the entry of PMPI_X is that of MPI_X with
another callee. There are up to four forms of a routine: with plain buffers or with descriptors of
them, and each of these with large counts.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Sequence

from c_forms import COLUMNS, filled
from fortran_buffers import address_of, place_of, subject
from fortran_table import HANDLES, RESULTS, Argument, Form, Piece, Routine
from tables import Function, Parameter, TableError

# Which chapters (functions.tsv) a file has.
FILES = {
    "fortran/coll.cpp": ("Collective operations", ("coll",)),
    "fortran/comm.cpp": ("Communicators, groups, topologies, attributes and processes",
                         ("attr", "comm", "dynamic", "group", "topo")),
    "fortran/env.cpp": ("The environment, errors, info, sessions and tools",
                        ("abi", "errhan", "external", "info", "init", "misc", "session")),
    "fortran/io.cpp": ("Files", ("io",)),
    "fortran/pt2pt.cpp": ("Point-to-point communication", ("partitioned", "pt2pt")),
    "fortran/rma.cpp": ("One-sided communication", ("rma",)),
    "fortran/type.cpp": ("Datatypes", ("type",)),
}
# What calls C by way of a function with the same arguments, which gets C's as its first one
# (bindings/fortran/entries.hpp and what that includes).
BY_WAY_OF = {f"MPI_{name}": name.lower() for name in (
    "Comm_spawn", "Comm_spawn_multiple", "Grequest_start", "Info_create_env", "Info_get",
    "Info_get_string", "Init", "Init_thread", "Op_create", "Op_free", "Register_datarep",
    "Session_get_nth_pset")
} | {"MPI_Attr_get": "get_attr", "MPI_Attr_put": "set_attr", "MPI_Keyval_create": "create_keyval",
} | {f"MPI_{kind}_create_errhandler": "create_errhandler"
     for kind in ("Comm", "File", "Session", "Win")
} | {f"MPI_{kind}_{name}": name
     for kind in ("Comm", "Type", "Win") for name in ("create_keyval", "get_attr", "set_attr")}
# What MPI-3.0 has removed under these names and is the same under others (bindings/fortran/removed.cpp
# has the rest).
MPI_1_NAMES = {f"MPI_Comm_{what}_errhandler": f"mpi_errhandler_{what}_"
               for what in ("create", "get", "set")}
# Integers of Fortran, by the types of C.
INTEGERS = {"int": "INTEGER", "MPI_Aint": "INT(ADDRESS)", "MPI_Count": "INT(COUNT)",
            "MPI_Offset": "INT(OFFSET)"}


def error(routine: Routine, argument: Argument, what: str) -> TableError:
    return TableError(f"fortran_api.tsv: {routine.name}: {argument.name}: {what}")


def length_of(argument: Argument) -> str:
    return argument.rule.removeprefix("length=") if argument.rule.startswith("length=") else ""


def handle(routine: Routine, argument: Argument, c: Parameter) -> Piece:
    name, length = argument.name, length_of(argument)
    if c.plain:
        return Piece(f"const int* {name}", "", f"handle<{c.type}>(*{name})")
    written = {"in": "In", "out": "Out", "inout": "Inout"}[argument.direction]
    const = "const " if written == "In" else ""
    if argument.rule == "whole":
        return Piece(f"{const}int* {name}", "", name)
    if c.array or length:
        if not length:
            raise error(routine, argument, "an array of handles needs the rule length=")
        lasting = routine.name.startswith("MPI_I") or routine.name.endswith("_init")
        shared = "Kept" if c.const and lasting and c.type == "MPI_Datatype" else ""
        return Piece(f"{const}int* {name}",
                     f"{shared}Handles{written}<{c.type}> c_{name}({name}, {length});",
                     f"c_{name}.data()")
    return Piece(f"{const}int* {name}", f"Handle{written}<{c.type}> c_{name}({name});",
                 f"c_{name}.data()")


def logical(routine: Routine, argument: Argument, c: Parameter) -> Piece:
    name, length = argument.name, length_of(argument)
    if c.plain:
        return Piece(f"const int* {name}", "", f"truth(*{name})")
    if not c.array:
        return Piece(f"int* {name}", f"LogicalOut c_{name}({name});", f"c_{name}.data()")
    if not length:
        raise error(routine, argument, "an array of LOGICAL needs the rule length=")
    if argument.direction == "in":
        return Piece(f"const int* {name}", f"LogicalsIn c_{name}({name}, {length});",
                     f"c_{name}.data()")
    return Piece(f"int* {name}", f"LogicalsOut c_{name}({name}, {length});", f"c_{name}.data()")


def string(routine: Routine, argument: Argument) -> Piece:
    name = argument.name
    if argument.rule == "whole":
        return Piece(f"char* {name}", "", f"FortranStrings{{{name}, {name}_length}}")
    if argument.direction == "in":
        strip = ", Blanks::none" if argument.rule == "strip" else ""
        return Piece(f"const char* {name}",
                     f"const StringIn c_{name}({name}, {name}_length{strip});", f"c_{name}.data()")
    size = length_of(argument) or "".join(re.findall(r"LEN=(MPI_\w+)", argument.f08))
    if not size:
        raise error(routine, argument, "a string of C needs the rule length=")
    return Piece(f"char* {name}", f"StringOut<{size}> c_{name}({name}, {name}_length);",
                 f"c_{name}.data()")


def index(argument: Argument, c: Parameter) -> Piece:
    name = argument.name
    line = f"IndicesOut c_{name}({name}, *incount);" if c.array else f"IndexOut c_{name}({name});"
    return Piece(f"int* {name}", line, f"c_{name}.data()")


def integer(routine: Routine, argument: Argument, c: Parameter, declared: str) -> Piece:
    if not declared.startswith(INTEGERS[c.type]):
        raise error(routine, argument, f"{declared} in Fortran, but {c.type} in C")
    if c.plain:
        return Piece(f"const {c.type}* {argument.name}", "", f"*{argument.name}")
    pointer = dataclasses.replace(c, name=argument.name)
    if not c.array.startswith("[]["):
        pointer = dataclasses.replace(pointer, array="", pointers=1)
    return Piece(pointer.declared(), "", argument.name)


def piece(form: Form, argument: Argument) -> Piece:
    """What an argument is in a body with plain buffers."""
    routine, large, name = form.routine, form.large, argument.name
    c = routine.parameter(argument, large)
    declared = argument.large if large else (argument.f08 or argument.f90)
    if "FUNCTION" in argument.kind:
        return Piece(f"Procedure {name}", "", name)
    if argument.kind.startswith(("ATTRIBUTE_VAL", "EXTRA_STATE")):
        kind = "int" if declared == "INTEGER" else "MPI_Aint"
        reads = argument.direction == "in"
        return Piece(f"{'const ' if reads else ''}{kind}* {name}", "", f"{'*' if reads else ''}{name}")
    if argument.kind == "C_BUFFER2":
        told = "true" if large or form.f08_alone else "false"
        return Piece(f"void* {name}", f"DetachedOut c_{name}({name}, {told});", f"c_{name}.data()")
    if c.type in HANDLES:
        return handle(routine, argument, c)
    if argument.kind == "BUFFER" or argument.kind == "C_BUFFER":
        passed = address_of(argument) if argument.kind == "BUFFER" else name
        return Piece(f"{'const ' if c.const else ''}void* {name}", "", passed)
    if argument.kind == "LOGICAL":
        return logical(routine, argument, c)
    if argument.kind.startswith("STRING") and c.type == "char":
        return string(routine, argument)
    if c.type == "MPI_Status":
        return Piece(f"{'const ' if c.const else ''}int* {name}", "", f"status_at({name})")
    if argument.kind == "WEIGHT":
        return Piece(f"{'const ' if c.const else ''}int* {name}", "", f"weights_at({name})")
    if argument.rule == "+1":
        return index(argument, c)
    if c.type == "void" and c.pointers == 1:
        return Piece(f"{'const ' if c.const else ''}void* {name}", "", f"buffer_at({name})")
    if c.type in INTEGERS:
        return integer(routine, argument, c, declared)
    raise error(routine, argument, f"nobody knows how a {argument.kind} becomes a {c.type}")


def pieces_of(form: Form) -> list[Piece]:
    """All arguments. The lines of those with descriptors need the arrays of others."""
    if not form.descriptors:
        return [piece(form, argument) for argument in form.arguments()]
    places = {argument.name: place_of(form, argument) for argument in form.arguments()
              if argument.choice}
    passed: dict[str, str] = {}
    for place in places.values():
        passed |= place.passed
    pieces = []
    for argument in form.arguments():
        name = argument.name
        if name in places:
            pieces.append(Piece(f"const Descriptor* {name}", places[name].line, passed[name]))
        elif argument.kind.startswith("STRING"):
            pieces.append(Piece(f"const Descriptor* {name}", f"const StringIn c_{name}(*{name});",
                                f"c_{name}.data()"))
        else:
            plain = piece(form, argument)
            pieces.append(dataclasses.replace(plain, passed=passed.get(name, plain.passed)))
    return pieces


def lines_of(form: Form, pieces: Sequence[Piece]) -> list[str]:
    """What comes before the call: first the arrays of types, which buffers are laid out by."""
    lines = [p.line for p in pieces if p.line]
    lines.sort(key=lambda line: "ChoiceBuffer" in line or line.startswith("HandleOut"))
    checks = []
    for argument in form.arguments():
        if f"ChoiceBuffer c_{argument.name}(" in "\n".join(lines):
            raised = f'c_{argument.name}.raise({subject(form)}, "{form.function.name}", ' \
                     f'"{argument.name}")'
            checks += [f"if (!c_{argument.name}.ok())", f"  return set(ierror, {raised});"]
    out = [line for line in lines if line.startswith("HandleOut")]
    return [line for line in lines if line not in out] + checks + out


def declared_parameters(form: Form) -> list[tuple[str, str]]:
    """The parameters of an entry, with their types, and their names alone. The lengths of strings
    come last, as compilers have it."""
    routine = form.routine
    texts = [p.declared for p in pieces_of(form)]
    names = [a.name for a in form.arguments()]
    if any(a.name == "ierror" for a in routine.arguments):
        texts.append("int* ierror")
        names.append("ierror")
    if not form.descriptors:
        strings = [a.name for a in form.arguments() if a.kind.startswith("STRING")
                   and "CHARACTER" in (a.f08 + a.f90)]
        texts += [f"std::size_t {name}_length" for name in strings]
        names += [f"{name}_length" for name in strings]
    return list(zip(texts, names))


def result_of(routine: Routine) -> str:
    return {"": "void", "INT(ADDRESS)": "MPI_Aint",
            "DOUBLE PRECISION": "double"}[RESULTS.get(routine.name, "")]


def body(form: Form) -> str:
    """The templates that convert and call. Where there is a quick way, all else has a function of its
    own, which takes the entry's place on the stack: so the quick way saves no registers for it."""
    quick = quick_way(form)
    if not quick:
        return template(form, "[[gnu::always_inline]] inline", form.body, careful_way(form))
    careful = form.body.replace("_entry", "_careful")
    names = [name for _, name in declared_parameters(form)]
    quick.append(filled(f"  return {careful}<Call>(", names, ");"))
    return "\n\n".join([template(form, "[[gnu::noinline]]", careful, careful_way(form)),
                        template(form, "[[gnu::always_inline]] inline", form.body, quick)])


def template(form: Form, how: str, name: str, lines: Sequence[str]) -> str:
    parameters = [text for text, _ in declared_parameters(form)]
    head = filled(f"{how} {result_of(form.routine)} {name}(", parameters, ") {")
    return "\n".join(["template <auto Call>", head, *(wrapped(line) for line in lines), "}"])


def quick_way(form: Form) -> list[str]:
    """The call of most programs: whole arrays, predefined handles. Then C has all values as they are,
    and no function is called but C's."""
    pieces = [piece(form, argument) for argument in form.arguments()]
    lines = [f"    {p.line}" for p in pieces if p.line]
    if not form.routine.choice or not subject(form).startswith("Subject(handle<MPI_Comm>") or \
            any("HandleOut<MPI_Request>" not in line for line in lines):
        return []
    passed = [p.passed.replace("handle<", "predefined<") for p in pieces]
    if form.descriptors:
        passed = [re.sub(r"buffer_at\((\w+)\)", r"buffer_at(\1->base_addr)", text) for text in passed]
    handles = re.findall(r"predefined<\w+>\((\*\w+)\)", " ".join(passed))
    whole = [f"{a.name}->is_whole()" for a in form.arguments() if a.choice and form.descriptors]
    conditions = " &&\n      ".join([f"all_predefined({', '.join(handles)})", *whole])
    return [f"  if ({conditions}) {{", *lines, filled("    return set(ierror, Call(", passed, "));"),
            "  }"]


def careful_way(form: Form) -> list[str]:
    """Each argument converted, whatever it is."""
    routine = form.routine
    pieces = pieces_of(form)
    lines = lines_of(form, pieces) + before(form)
    passed = [p.passed for p in pieces]
    callee, way = "Call", BY_WAY_OF.get(routine.name)
    if way:
        callee, passed = way, ["Call", *passed]
    lines, passed, then = once(form, lines, passed, after(form))
    lines = [f"  {line}" for line in lines]
    if "ierror" not in [a.name for a in routine.arguments]:
        back = "return " if routine.name in RESULTS else ""
        return [*lines, filled(f"  {back}with_a_frame(Call(", passed, "));")]
    if not then:
        return [*lines, filled(f"  set(ierror, {callee}(", passed, "));")]
    return [*lines, filled(f"  const int error = {callee}(", passed, ");"), *then,
            "  set(ierror, error);"]


def once(form: Form, lines: list[str], passed: list[str],
         then: list[str]) -> tuple[list[str], list[str], list[str]]:
    """The same with each handle that is used more than once converted once, before all else."""
    everything = "\n".join(lines + passed + then)
    converted = []
    for handle_text in dict.fromkeys(re.findall(r"handle<MPI_\w+>\(\*\w+\)", everything)):
        if everything.count(handle_text) > 1:
            name = "c_" + handle_text.partition("*")[2].rstrip(")")
            converted.append(f"const auto {name} = {handle_text};")
            lines, passed, then = ([text.replace(handle_text, name) for text in texts]
                                   for texts in (lines, passed, then))
    return converted + lines, passed, then


def completion(form: Form) -> str:
    """What tells those who wait for requests that some are complete (bindings/fortran/marshal.hpp)."""
    name, names = form.routine.name, [a.name for a in form.arguments()]
    if name == "MPI_Request_free":
        return "freed(c_request)"
    if re.fullmatch("MPI_(Wait|Test|Request_get_status)_?(all|any|some)?", name) is None:
        return ""
    told = ["c_array_of_requests" if "array_of_requests" in names else "c_request"]
    if name == "MPI_Request_get_status":
        told = ["handle<MPI_Request>(*request)"]
    told += [f"c_{n}" for n in ("array_of_indices", "index", "flag") if n in names][:1]
    return f"completed({', '.join(told)})"


def before(form: Form) -> list[str]:
    """What is done before the call, beside converting."""
    started = {"MPI_Start": "c_request", "MPI_Startall": "c_array_of_requests"}.get(form.routine.name)
    return [f"started({started});"] if started else []


def after(form: Form) -> list[str]:
    """What is done after the call: the error is in `error`."""
    name, names = form.routine.name, [a.name for a in form.arguments()]
    if completion(form):
        return [f"  {completion(form)};"]
    if "request" not in names or form.arguments()[-1].direction != "out":
        return []
    ending = f"c_request.value(), {'true' if name.endswith('_init') else 'false'}"
    kept = [a.name for a in form.arguments() if form.descriptors and a.choice]
    lines = [f"    c_{buffer}.keep_until({ending});" for buffer in kept]
    if "op" in names:
        lines.append(f"    hold_op(handle<MPI_Op>(*op), {ending});")
    return ["  if (error == MPI_SUCCESS) {", *lines, "  }"] if lines else []


def wrapped(line: str) -> str:
    """A statement that is too long for a line has its arguments below each other."""
    if len(line) <= COLUMNS or "\n" in line:
        return line
    head, _, rest = line.partition("(")
    return filled(head + "(", split_arguments(rest.removesuffix(");")), ");")


def split_arguments(text: str) -> list[str]:
    """The arguments of a call, which commas separate outside of parentheses."""
    pieces, depth = [""], 0
    for character in text:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return [piece.strip() for piece in pieces]


def entries(form: Form) -> str:
    """The two functions that Fortran calls, and their other names."""
    routine = form.routine
    parameters = declared_parameters(form)
    texts, names = [text for text, _ in parameters], [name for _, name in parameters]
    blocks = []
    for profiled in (False, True):
        symbol = form.symbol(profiled)
        callee = callee_of(form, profiled)
        back = "" if result_of(routine) == "void" else "return "
        call = f"{form.body}<{callee}>" if callee else form.body
        blocks.append("\n".join([filled(f"{result_of(routine)} {symbol}(", texts, ") {"),
                                 filled(f"  {back}{call}(", names, ");"), "}"]))
        blocks += [f"REMIT_ALIAS({other}, {symbol});" for other in other_names(form, symbol)]
    return "\n".join(blocks)


def other_names(form: Form, symbol: str) -> list[str]:
    """An entry of mpif.h is most often that of mpi_f08, too, whose types look the same."""
    if form.descriptors or form.large or form.f08_alone:
        return []
    kinds = [a.kind for a in form.arguments()]
    names = [] if "C_BUFFER2" in kinds else [f"{symbol[:-1]}_f08_"]
    if form.routine.name in MPI_1_NAMES:
        names.append(symbol.partition("mpi_")[0] + MPI_1_NAMES[form.routine.name])
    return names + ([f"{symbol[:-1]}_cptr_"] if "C_BUFFER" in kinds else [])


def callee_of(form: Form, profiled: bool) -> str:
    return ("P" if profiled else "") + form.function.name


def forms_of(routine: Routine) -> list[Form]:
    forms = [Form(routine)]
    if any(a.kind == "C_BUFFER2" for a in routine.arguments):
        forms.append(Form(routine, f08_alone=True))
    if routine.has_large:
        forms.append(Form(routine, large=True))
    if routine.choice:
        forms.append(Form(routine, descriptors=True))
        if routine.has_large:
            forms.append(Form(routine, large=True, descriptors=True))
    return forms


def of_file(output: str, routines: Sequence[Routine]) -> list[Routine]:
    chapters = FILES[output][1]
    return [r for r in routines if r.function and r.function.chapter in chapters]


def text_of(output: str, routines: Sequence[Routine]) -> str:
    """A whole file: bodies, then the entries."""
    forms = [form for routine in of_file(output, routines) for form in forms_of(routine)]
    head = ["// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause",
            f"// {FILES[output][0]} for Fortran, made from the tables in abi/ (abi/fortran_entries.py).",
            "", '#include "bindings/fortran/entries.hpp"', "",
            "namespace remit::fortran {", ""]
    bodies = [body(form) for form in forms]
    middle = ["", 'extern "C" {', "#pragma GCC visibility push(default)", ""]
    end = ["", "#pragma GCC visibility pop", '}  // extern "C"', "",
           "}  // namespace remit::fortran", ""]
    return "\n".join(head + ["\n\n".join(bodies)] + middle +
                     ["\n\n".join(entries(form) for form in forms)] + end)
