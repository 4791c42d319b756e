// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "halo_picture.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace {

constexpr double kWidth = 640, kHeight = 400, kLeft = 70, kRight = 150, kTop = 50, kBottom = 50;
constexpr std::array<const char*, 5> kColours = {"#3b6fb6", "#2f9e6e", "#b7791f", "#d6336c",
                                                 "#7048c8"};

// Where values of a range lie on a logarithmic axis, from `start` over `length`.
class Axis {
 public:
  Axis(double low, double high, double start, double length)
      : low_(low), range_(std::log(high / low)), start_(start), length_(length) {}
  [[nodiscard]] double at(double value) const {
    return start_ + length_ * std::log(value / low_) / range_;
  }

 private:
  double low_, range_, start_, length_;
};

void text(std::FILE* file, double x, double y, const char* anchor, const std::string& words,
          const char* colour = "#333") {
  std::fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x, y,
               anchor, colour, words.c_str());
}

std::string size_name(long bytes) {
  if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) return std::to_string(bytes >> 20) + " MB";
  if (bytes >= 1 << 10 && bytes % (1 << 10) == 0) return std::to_string(bytes >> 10) + " KB";
  return std::to_string(bytes) + " B";
}

void draw_axes(std::FILE* file, const Axis& x, const Axis& y, const std::vector<long>& sizes,
               double low, double high) {
  for (double power = 1e-3; power <= high; power *= 10) {
    for (const double step : {power, 2 * power, 5 * power}) {
      if (step < low || step > high) continue;
      std::fprintf(file,
                   "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e6e6ea\"/>\n",
                   kLeft, kWidth - kRight, y.at(step), y.at(step));
      std::array<char, 32> number{};
      std::snprintf(number.data(), number.size(), "%g", step);
      text(file, kLeft - 8, y.at(step) + 4, "end", number.data(), "#777");
    }
  }
  for (const long size : sizes) {
    text(file, x.at(static_cast<double>(size)), kHeight - kBottom + 20, "middle", size_name(size),
         "#777");
  }
}

void draw_curve(std::FILE* file, const Axis& x, const Axis& y, const std::vector<long>& sizes,
                const Curve& curve, const char* colour, double name_at) {
  std::string points;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::array<char, 64> point{};
    const double across = x.at(static_cast<double>(sizes[i])), up = y.at(curve.times[i]);
    std::snprintf(point.data(), point.size(), "%.1f,%.1f ", across, up);
    points += point.data();
    std::fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\" fill=\"%s\"/>\n", across, up,
                 colour);
  }
  std::fprintf(file, "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n",
               points.c_str(), colour);
  std::fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n",
               kWidth - kRight + 20, name_at - 4, colour);
  text(file, kWidth - kRight + 32, name_at, "start", curve.name);
}

}  // namespace

bool write_timing_picture(const std::string& path, const std::string& title,
                          const std::vector<long>& sizes, const std::vector<Curve>& curves) {
  double low = 1e30, high = 0;
  for (const Curve& curve : curves) {
    for (const double time : curve.times) {
      low = std::min(low, time / 1.3);
      high = std::max(high, time * 1.3);
    }
  }
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "halo: cannot write %s: %s\n", path.c_str(), std::strerror(errno));
    return false;
  }
  const Axis x(static_cast<double>(sizes.front()) / 1.5, static_cast<double>(sizes.back()) * 1.5,
               kLeft, kWidth - kLeft - kRight);
  const Axis y(low, high, kHeight - kBottom, kTop + kBottom - kHeight);
  std::fprintf(file,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
               "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
               "<rect width=\"%g\" height=\"%g\" fill=\"#fff\"/>\n",
               kWidth, kHeight, kWidth, kHeight);
  text(file, kLeft, 26, "start", title);
  draw_axes(file, x, y, sizes, low, high);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    draw_curve(file, x, y, sizes, curves[i], kColours.at(i % kColours.size()),
               kTop + 24 + 22 * static_cast<double>(i));
  }
  std::fprintf(file, "</svg>\n");
  const bool written = std::ferror(file) == 0;
  return std::fclose(file) == 0 && written;
}
