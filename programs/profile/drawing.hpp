// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A picture as shapes, for the formats that it is written in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/error.hpp"

namespace remit::profiles {

struct DrawnBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  std::uint32_t colour = 0;  ///< 0xRRGGBB
  double opacity = 1;
};

struct DrawnText {
  double x = 0;
  double y = 0;  ///< of its base line
  bool ends_here = false;
  bool is_title = false;
  std::string text;
};

struct Drawing {
  double width = 0;
  double height = 0;
  std::vector<DrawnBox> boxes;  ///< in this order, on white
  std::vector<DrawnText> texts;
};

[[nodiscard]] std::string to_svg(const Drawing& drawing);

/// Writes a file, with twice as many pixels as the drawing has units. libpng is opened for it; the
/// error says where it is missing.
[[nodiscard]] Expected<> write_png(const Drawing& drawing, const std::string& path);
/// Whether libpng is there.
[[nodiscard]] bool can_write_png();

}  // namespace remit::profiles
