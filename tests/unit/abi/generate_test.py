#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""abi/generate.py: what it makes together with what is written by hand defines each function of the
ABI once; how a body of each form looks; that it reads well; and that a table with a mistake is refused
with words for whoever made it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # the source folder may be read-only
TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "abi"))

import c_forms
import fortran_entries
import fortran_include
import fortran_modules
import fortran_table
import tables

FUNCTIONS = tables.read_functions()
FORMS = tables.read_forms(FUNCTIONS)
OUTPUTS = sorted({form.output for form in FORMS})
ROUTINES = fortran_table.read_routines(FUNCTIONS)
CONSTANTS = fortran_table.read_constants()
FORTRAN = {**fortran_modules.MODULES, **fortran_include.FILES}
WEAK = re.compile(r"^REMIT_WEAK\((\w+)\);", re.M)


def line_of(table, start):
    """The number of the line that begins like that."""
    lines = (TOP / "abi" / table).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if line.startswith(start))


def generated(output):
    return c_forms.text_of(output, FUNCTIONS, FORMS)


class Whole(unittest.TestCase):
    def test_each_function_is_defined_once(self):
        texts = [generated(output) for output in OUTPUTS]
        hand = [path for path in (TOP / "bindings").rglob("*.cpp") if "generated" not in path.parts]
        texts += [path.read_text(encoding="utf-8") for path in hand]
        defined = [f"MPI_{name}" for text in texts for name in WEAK.findall(text)]
        self.assertEqual(sorted(name for name in set(defined) if defined.count(name) > 1), [])
        self.assertEqual(sorted(set(FUNCTIONS) - set(defined)), [])

    def test_make_knows_each_file_and_each_end_is_included(self):
        make = (TOP / "abi" / "local.mk").read_text(encoding="utf-8")
        files = re.findall(r"^\tbindings/generated/(\S+)", make, re.M)
        self.assertEqual(sorted(files), sorted([*OUTPUTS, *FORTRAN, *fortran_entries.FILES]))
        for end in (output for output in OUTPUTS if output.endswith(".inc")):
            host = TOP / "bindings" / end.replace(".inc", ".cpp")
            self.assertIn(f'#include "bindings/generated/{end}"', host.read_text(encoding="utf-8"))

    def test_every_run_makes_the_same(self):
        for output in OUTPUTS:
            runs = {subprocess.run([sys.executable, TOP / "abi" / "generate.py", output], check=True,
                                   stdout=subprocess.PIPE, timeout=60,
                                   env={**os.environ, "PYTHONHASHSEED": seed}).stdout
                    for seed in ("1", "2")}
            self.assertEqual(runs, {generated(output).encode()}, output)

    @unittest.skipUnless(shutil.which("clang-format-14"), "no clang-format-14")
    def test_clang_format_changes_nothing(self):
        style = f"--style=file:{TOP / '.clang-format'}"
        for output in OUTPUTS:
            text = generated(output)
            formatted = subprocess.run(["clang-format-14", style, "--assume-filename=generated.cpp"],
                                       input=text, check=True, stdout=subprocess.PIPE, text=True,
                                       timeout=60).stdout
            self.assertEqual(text, formatted, output)


class Bodies(unittest.TestCase):
    def body(self, name, of):
        """The definition of MPI_<name>, made from the line of MPI_<of> in forms.tsv."""
        form = next(form for form in FORMS if form.function.name == f"MPI_{of}")
        return c_forms.EMITTERS[form.form](FUNCTIONS[f"MPI_{name}"], form)

    def test_forward(self):
        self.assertEqual(self.body("Ssend_c", "Ssend"), """\
int PMPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm) try {
  return blocking_send<SendMode::synchronous>("MPI_Ssend_c", buf, count, datatype, dest, tag, comm);
} catch (...) {
  return caught("MPI_Ssend_c", comm);
}
REMIT_WEAK(Ssend_c);""")

    def test_without_a_handler_where_the_callee_has_it(self):
        self.assertEqual(self.body("Barrier", "Barrier"), """\
int PMPI_Barrier(MPI_Comm comm) {
  return barrier_of("MPI_Barrier", comm);
}
REMIT_WEAK(Barrier);""")

    def test_collective(self):
        self.assertEqual(self.body("Gatherv_init_c", "Gatherv_init"), """\
int PMPI_Gatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                        void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                        MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info /*info*/,
                        MPI_Request* request) try {
  const auto check = [&](CollectiveCall& call) {
    return check_gatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                         Counts(displs), recvtype, root, comm);
  };
  return persistent_collective("MPI_Gatherv_init_c", request, check);
} catch (...) {
  return caught("MPI_Gatherv_init_c", comm);
}
REMIT_WEAK(Gatherv_init_c);""")

    def test_a_parameter_that_is_too_long_for_its_column(self):
        head = f"int PMPI_{'x' * 60}("
        self.assertEqual(c_forms.filled(head, ["int first", "MPI_Datatype array_of_types[]"], ") {"),
                         f"{head}\n    int first, MPI_Datatype array_of_types[]) {{")


class Fortran(unittest.TestCase):
    def entries(self):
        return {output: fortran_entries.text_of(output, ROUTINES) for output in fortran_entries.FILES}

    def test_the_table_is_complete(self):
        self.assertEqual(len(ROUTINES), 434)
        self.assertEqual(sum(routine.has_large for routine in ROUTINES), 159)
        self.assertEqual(sum(routine.in_f08 for routine in ROUTINES), 429)
        in_fortran = {routine.name for routine in ROUTINES}
        lacking = {name for name in FUNCTIONS if name not in in_fortran and not name.endswith("_c")
                   and not name.startswith("MPI_T_") and not name.endswith(("_toint", "_fromint"))}
        self.assertEqual(lacking, set())

    def test_each_name_is_defined_once_and_has_its_twin(self):
        names = [name for text in self.entries().values()
                 for name in re.findall(r"^(?:void|double|MPI_Aint) (\w+)\($|^(?:void|double|MPI_Aint) "
                                        r"(\w+)\(|^REMIT_ALIAS\((\w+),", text, re.M)]
        flat = ["".join(found) for found in names]
        self.assertEqual([name for name in flat if flat.count(name) > 1], [])
        for name in flat:
            if "pmpi_" not in name:
                self.assertIn(name.replace("mpi_", "pmpi_", 1), flat)

    def test_what_the_modules_name_is_defined(self):
        text = "".join(self.entries().values())
        text += (TOP / "bindings/fortran/fortran_only.cpp").read_text(encoding="utf-8")
        module = fortran_modules.f08_module(ROUTINES, CONSTANTS, True)
        labels = re.findall(r'NAME="(\w+)"', module)
        self.assertGreater(len(labels), 500)
        for label in labels:
            self.assertTrue(re.search(rf"\b{label}[(,]", text), label)

    def test_lines_are_as_long_as_each_form_allows(self):
        for output, make in FORTRAN.items():
            for number, line in enumerate(make(ROUTINES, CONSTANTS).splitlines(), start=1):
                place = f"{output}:{number}: {line}"
                if not output.endswith("mpif.h"):
                    self.assertLessEqual(len(line), 132, place)
                elif not line.startswith("!"):
                    self.assertTrue(len(line) <= 72 or (len(line) == 73 and line[72] == "&"), place)
                    self.assertRegex(line, r"^      \S|^     &", place)

    def test_an_entry(self):
        text = self.entries()["fortran/pt2pt.cpp"]
        self.assertIn("""\
template <auto Call>
[[gnu::noinline]] void isend_ts_careful(const Descriptor* buf, const int* count,
                                        const int* datatype, const int* dest, const int* tag,
                                        const int* comm, int* request, int* ierror) {
  const auto c_comm = handle<MPI_Comm>(*comm);
  ChoiceBuffer c_buf(*buf, buffer_at(buf), *count, handle<MPI_Datatype>(*datatype));
  if (!c_buf.ok())
    return set(ierror, c_buf.raise(Subject(c_comm), "MPI_Isend", "buf"));
  HandleOut<MPI_Request> c_request(request);
  const int error = Call(c_buf.address(), static_cast<int>(c_buf.count()), c_buf.type(), *dest,
                         *tag, c_comm, c_request.data());
  if (error == MPI_SUCCESS) {
    c_buf.keep_until(c_request.value(), false);
  }
  set(ierror, error);
}

template <auto Call>
[[gnu::always_inline]] inline void isend_ts_entry(const Descriptor* buf, const int* count,
                                                  const int* datatype, const int* dest,
                                                  const int* tag, const int* comm, int* request,
                                                  int* ierror) {
  if (all_predefined(*datatype, *comm) &&
      buf->is_whole()) {
    HandleOut<MPI_Request> c_request(request);
    return set(ierror, Call(buffer_at(buf->base_addr), *count, predefined<MPI_Datatype>(*datatype),
                            *dest, *tag, predefined<MPI_Comm>(*comm), c_request.data()));
  }
  return isend_ts_careful<Call>(buf, count, datatype, dest, tag, comm, request, ierror);
}
""", text)


class Mistakes(unittest.TestCase):
    """Edits of a copy of abi/; generate.py refuses it and says where and why."""

    def refused(self, table, old, new, *words, line=None, output="coll/persistent.cpp"):
        """With `old` replaced by `new`. `line`: where the mistake is seen, if not there."""
        with tempfile.TemporaryDirectory() as temporary:
            abi = pathlib.Path(temporary) / "abi"
            abi.mkdir()
            for path in (TOP / "abi").glob("*.*"):
                (abi / path.name).write_bytes(path.read_bytes())
            text = (abi / table).read_text(encoding="utf-8")
            self.assertIn(old, text)
            (abi / table).write_text(text.replace(old, new, 1), encoding="utf-8")
            line = line or text[:text.index(old)].count("\n") + 1
            ran = subprocess.run([sys.executable, abi / "generate.py", output],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))
        for word in (f"{table}:{line}: ", *words):
            self.assertIn(word, ran.stderr)
        self.assertNotIn("Traceback", ran.stderr)

    def test_types(self):
        self.refused("functions.tsv", "MPI_Bcast\tint\tvoid *buffer, int count",
                     "MPI_Bcast\tint\tvoid *buffer, MPI_Cuont count",
                     "unknown type 'MPI_Cuont' of count", "types.tsv")
        self.refused("functions.tsv", "MPI_Bcast\tint\t", "MPI_Bcast\tMPI_Err\t",
                     "unknown type 'MPI_Err' that MPI_Bcast returns")
        self.refused("functions.tsv", "MPI_Bcast\tint\tvoid *buffer", "MPI_Bcast\tint\tvoid buffer*",
                     "cannot understand the parameter 'void buffer*'")

    def test_fortran(self):
        self.refused("fortran_api.tsv", "MPI_Bcast\t2\tcount", "MPI_Bcast\t3\tcount",
                     "argument 3 of MPI_Bcast where 2 comes", output="fortran/coll.cpp")
        self.refused("fortran_api.tsv", "MPI_Bcast\t1\t", "MPI_Bcost\t1\t",
                     "MPI_Bcost is no function of functions.tsv", output="fortran/coll.cpp")

    def test_columns(self):
        self.refused("functions.tsv", "#name\tret\t", "#name\tresult\t", "unknown column 'result'", "ret")
        self.refused("forms.tsv", "\tcall\toutput", "\tcall", "missing", "output")
        self.refused("forms.tsv", "MPI_Bcast\thandled\tbcast_of\t", "MPI_Bcast\thandled\t",
                     "3 values for 4 columns")

    def test_functions(self):
        self.refused("forms.tsv", "MPI_Ibcast\t", "MPI_Ibacst\t", "MPI_Ibacst is no function")
        self.refused("forms.tsv", "MPI_Barrier_init\t", "MPI_Bcast_init\t", "MPI_Bcast_init", "twice",
                     line=line_of("forms.tsv", "MPI_Bcast_init\t"))
        self.refused("functions.tsv", "MPI_Bcast_c\t", "MPI_Bcast_d\t", "MPI_Bcast", "no MPI_Bcast_c",
                     line=line_of("functions.tsv", "MPI_Bcast\t"))

    def test_forms(self):
        self.refused("forms.tsv", "MPI_Ibcast\tnonblocking", "MPI_Ibcast\tasynchronous",
                     "unknown form 'asynchronous'", "nonblocking")
        self.refused("forms.tsv", "MPI_Ibcast\tnonblocking", "MPI_Ibcast\tpersistent",
                     "'nonblocking' in functions.tsv, not 'persistent'")
        self.refused("forms.tsv", "check_bcast", "check bcast", "cannot understand the call 'check bcast'")
        self.refused("forms.tsv", "MPI_Ibcast\tnonblocking\tcheck_bcast\tcoll/nonblocking.cpp",
                     "MPI_Ibcast\tnonblocking\tcheck_bcast\tcoll/new.cpp", "coll/new.cpp")


if __name__ == "__main__":
    unittest.main()
