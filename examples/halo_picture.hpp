// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The picture of the halo example: times over sizes, a curve for each style.
#pragma once

#include <string>
#include <vector>

// One style's times in microseconds, one for each size.
struct Curve {
  std::string name;
  std::vector<double> times;
};

// Writes an SVG file with logarithmic axes; `sizes` in bytes, ascending. False, and says why, if it
// cannot be written.
bool write_timing_picture(const std::string& path, const std::string& title,
                          const std::vector<long>& sizes, const std::vector<Curve>& curves);
