// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The plate of heat2d as one file that all ranks write and read together.
#pragma once

#include <cstdint>
#include <string>

// One rank's part of a plate of n x n points, and where it is in memory.
struct PlatePart {
  int n = 0;
  int first_row = 0;
  int first_column = 0;
  int rows = 0;
  int columns = 0;
  double* corner = nullptr;  // its first point
  int pitch = 0;             // points from one row to the next
};

// What the beginning of the file says.
struct PlateState {
  int n = 0;
  long steps = 0;  // that led to it
};

// All of these are called by all ranks. False: rank 0 has said why.

// The file holds a line of text for each of these numbers, then the points, row by row: whoever
// reads it needs not know how many ranks have written it.
bool save_plate(const std::string& path, long steps, const PlatePart& part);
bool read_plate_state(const std::string& path, PlateState& state);
bool load_plate(const std::string& path, const PlatePart& part);
