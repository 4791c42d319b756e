// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Elements of arrays in words for callers in Fortran; in a program of C none are changed.
// tests/fortran/new_module.f90 has an error of a Fortran call.
#include "bindings/env/fortran_words.hpp"

#include <gtest/gtest.h>

namespace remit {
namespace {

TEST(FortranWords, ElementsCountFromOne) {
  EXPECT_EQ(with_fortran_elements("counts[0] is -1; it must not be negative"),
            "counts(1) is -1; it must not be negative");
  EXPECT_EQ(with_fortran_elements("a[9] and b[10]"), "a(10) and b(11)");
}

TEST(FortranWords, WhatIsNoElementStays) {
  for (const char* words : {"", "[", "a[", "a[1", "a[x]", "a[]", "a[1 2]", "no brackets"}) {
    EXPECT_EQ(with_fortran_elements(words), words);
  }
}

TEST(FortranWords, ProgramsOfCHaveThemAsTheyAre) {
  EXPECT_EQ(in_callers_words("counts[0] is -1"), "counts[0] is -1");
}

}  // namespace
}  // namespace remit
