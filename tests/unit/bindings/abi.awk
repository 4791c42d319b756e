# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
# abi.awk: turns the tables of the standard ABI into a program that compiles only if
# include/mpi.h declares every type and function as they say, and that checks every value. With
# fint.tsv, what mpi_fint.h declares too; without it, that mpi.h alone does not.
# usage: awk -v lang=c|c++ -v fint=yes|no -f abi.awk \
#          constants.tsv types.tsv functions.tsv [fint.tsv]

BEGIN {
  FS = "\t"
  print "// Made by abi.awk from abi/*.tsv; not to be edited."
  if (fint != "yes") print "#define REMIT_ABI_ONLY"
  print "#include \"mpi.h\"\n"
  print "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>"
  if (lang == "c++") {
    print "#include <type_traits>"
    print "#define SAME_TYPE(x, ...) static_assert(std::is_same<decltype(x), __VA_ARGS__>::value, #x)"
    print "#define ASSERT(x) static_assert(x, #x)"
    print "#define ALIGN(t) alignof(t)"
  } else {
    print "#define SAME_TYPE(x, ...) _Static_assert(_Generic((x), __VA_ARGS__: 1, default: 0), #x)"
    print "#define ASSERT(x) _Static_assert(x, #x)"
    print "#define ALIGN(t) _Alignof(t)"
  }
}

/^#/ { next }
FILENAME ~ /fint/ { fortran_name(); next }
FILENAME ~ /constants/ { constant(); next }
FILENAME ~ /types/ { type(); next }
FILENAME ~ /functions/ { function_pair(); next }

function constant() {
  ++constants
  name[constants] = $1
  value[constants] = $4
  # The integers are macros, as with most libraries, though the standard has enumerators: see mpi.h.
  if ($6 == "macro" || $2 == "int") {
    print "#ifndef " $1 "\n#error " $1 " is not a macro\n#endif"
    print "SAME_TYPE(" $1 ", " $2 ");"
  } else {
    print "#ifdef " $1 "\n#error " $1 " is a macro, not an enumerator\n#endif"
    print "SAME_TYPE(" $1 ", " (lang == "c" ? "int" : $2) ");"
  }
  if ($2 == "int" || $2 ~ /^enum/) print "ASSERT(" $1 " == " $4 ");"
}

function type(    size) {
  ++types
  size = $4 + 0
  if ($3 ~ /^\(not declared\)/) {
    if (fint != "yes") print "typedef struct { int of_this_test; } " $1 ";"
  }
  else if ($2 == "helper macro") print "#ifdef " $1 "\n#error " $1 " is visible\n#endif"
  else if ($2 == "include guard") print "#ifndef " $1 "\n#error " $1 " is missing\n#endif"
  else if ($2 ~ /^field of /) field(substr($2, 10), size)
  else if ($2 ~ /^struct tag/) tags = tags "struct " $1 " { int of_this_test; };\n"
  else if ($2 == "struct" || $2 == "enum typedef") size_of(size)
  else {
    print $3 ";"  # an identical typedef may be repeated, another one may not
    if (size > 0) size_of(size)
  }
}

function size_of(size) {
  print "ASSERT(sizeof(" $1 ") == " size ");\nASSERT(ALIGN(" $1 ") == " $5 ");"
}

function field(owner, size) {
  print "ASSERT(offsetof(" owner ", " $1 ") == " $6 ");"
  print "ASSERT(sizeof(((" owner "*)0)->" $1 ") == " size ");"
}

function function_pair() {
  ++functions
  print "SAME_TYPE(&" $1 ", " $2 " (*)(" $3 "));"
  print "SAME_TYPE(&" $10 ", " $2 " (*)(" $3 "));"
  if ($10 != "P" $1) print "#error the twin of " $1 " is " $10 " in the table"
}

function fortran_name() {
  ++fortran_names
  if ($2 == "variable") print "SAME_TYPE(" $1 ", " $3 ");"
  else if ($2 == "function") {
    print "SAME_TYPE(&" $1 ", " $3 " (*)(" $4 "));"
    print "SAME_TYPE(&P" $1 ", " $3 " (*)(" $4 "));"
  } else if ($3 == "int") print "ASSERT(sizeof(" $1 ") == sizeof(int));\ntypedef int " $1 ";"
  else fortran_status()
}

function fortran_status(    names, i) {
  split("MPI_SOURCE MPI_TAG MPI_ERROR MPI_internal", names, " ")
  print "ASSERT(sizeof(" $1 ") == sizeof(MPI_Status));"
  for (i = 1; i <= 4; ++i)
    print "ASSERT(offsetof(" $1 ", " names[i] ") == offsetof(MPI_Status, " names[i] "));"
}

END {
  printf "%s", tags
  print "static const struct { const char* name; long long got, want; } constants[] = {"
  for (i = 1; i <= constants; ++i)
    print "    {\"" name[i] "\", (long long)(intptr_t)(" name[i] "), " value[i] "LL},"
  print "};"
  print "int main(void) {"
  print "  int wrong = 0;"
  print "  for (unsigned i = 0; i < sizeof(constants) / sizeof(constants[0]); ++i)"
  print "    if (constants[i].got != constants[i].want) {"
  print "      printf(\"%s is %lld, not %lld\\n\", constants[i].name, constants[i].got,"
  print "             constants[i].want);"
  print "      ++wrong;"
  print "    }"
  print "  printf(\"" constants " constants, " types " types, " functions " functions and their twins: \""
  print "         \"%d values wrong\\n\", wrong);"
  print "  return wrong != 0;"
  print "}"
  if (constants != 365 || types != 77 || functions != 664)
    print "#error the tables are not whole: " constants " " types " " functions
  if (fortran_names != (fint == "yes" ? 34 : 0)) print "#error fint.tsv is not whole: " fortran_names
}
