// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Draws temperature fields as a PNG: a smooth colour map with thin isotherms. No MPI in here.
#pragma once

#include <string>
#include <vector>

// A square field of n x n temperatures, row by row from the top.
struct Field {
  int n = 0;
  std::vector<double> values;
};

// Writes the fields side by side, each scaled to its own hottest point, as an RGB picture.
// False if the file cannot be written; the reason is printed to stderr.
bool write_picture(const std::string& path, const std::vector<Field>& fields);
