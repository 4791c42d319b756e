// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// As SVG.
#include "programs/profile/drawing.hpp"

#include <fmt/format.h>

namespace remit::profiles {

std::string to_svg(const Drawing& drawing) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      drawing.width, drawing.height);
  for (const DrawnBox& box : drawing.boxes) {
    const std::string opacity =
        box.opacity < 1 ? fmt::format(" fill-opacity=\"{:.2f}\"", box.opacity) : "";
    text += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"#{:06x}\"{}/>\n",
        box.x, box.y, box.width, box.height, box.colour, opacity);
  }
  for (const DrawnText& each : drawing.texts) {
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", each.x, each.y,
                        each.ends_here ? " text-anchor=\"end\"" : "",
                        each.is_title ? " font-size=\"14\"" : "", each.text);
  }
  return text + "</svg>\n";
}

}  // namespace remit::profiles
