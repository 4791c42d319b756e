// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The heat example's picture: colours interpolated in Oklab (even steps look even), isotherms, PNG
// by libpng.

#include "heat2d_picture.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace {

constexpr int kPanel = 640;     // pixels of one panel's side
constexpr int kMargin = 24;     // pixels around and between the panels
constexpr int kIsotherms = 10;  // lines between cold and hottest

struct Rgb {
  double r, g, b;  // linear light, 0 to 1
};

struct Oklab {
  double l, a, b;
};

double to_linear(int byte) {
  const double s = byte / 255.0;
  return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}

unsigned char to_byte(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  const double s = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<unsigned char>(std::lround(255 * s));
}

// The two matrices of Oklab's definition (B. Ottosson, 2020).
Oklab to_oklab(Rgb c) {
  const double l = std::cbrt(0.4122214708 * c.r + 0.5363325363 * c.g + 0.0514459929 * c.b);
  const double m = std::cbrt(0.2119034982 * c.r + 0.6806995451 * c.g + 0.1073969566 * c.b);
  const double s = std::cbrt(0.0883024619 * c.r + 0.2817188376 * c.g + 0.6299787005 * c.b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Rgb to_rgb(Oklab c) {
  const double l = std::pow(c.l + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
  const double m = std::pow(c.l - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
  const double s = std::pow(c.l - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

Oklab mix(Oklab x, Oklab y, double t) {
  return {x.l + t * (y.l - x.l), x.a + t * (y.a - x.a), x.b + t * (y.b - x.b)};
}

// From night blue through violet, crimson and amber to near white; lightness only rises.
Oklab heat_colour(double heat) {
  static const std::array<std::array<int, 3>, 8> kAnchors = {{{10, 12, 32},
                                                              {38, 24, 92},
                                                              {98, 28, 132},
                                                              {166, 38, 116},
                                                              {222, 66, 78},
                                                              {246, 122, 42},
                                                              {253, 192, 74},
                                                              {255, 248, 214}}};
  const double place = std::clamp(heat, 0.0, 1.0) * (kAnchors.size() - 1);
  const auto low = std::min<size_t>(static_cast<size_t>(place), kAnchors.size() - 2);
  const auto colour = [](const std::array<int, 3>& c) {
    return to_oklab({to_linear(c[0]), to_linear(c[1]), to_linear(c[2])});
  };
  return mix(colour(kAnchors[low]), colour(kAnchors[low + 1]), place - static_cast<double>(low));
}

// Bilinear value at a place in units of the plate's side; 0 on and outside the edge.
double sample(const Field& field, double x, double y) {
  const double column = x * (field.n + 1) - 1, row = y * (field.n + 1) - 1;
  const int c = static_cast<int>(std::floor(column)), r = static_cast<int>(std::floor(row));
  const auto value = [&](int i, int j) {
    const bool inside = i >= 0 && j >= 0 && i < field.n && j < field.n;
    return inside ? field.values[static_cast<size_t>(i) * field.n + j] : 0.0;
  };
  const double u = column - c, v = row - r;
  return (1 - v) * ((1 - u) * value(r, c) + u * value(r, c + 1)) +
         v * ((1 - u) * value(r + 1, c) + u * value(r + 1, c + 1));
}

// How much of a pixel an isotherm covers: its distance in heat over the slope gives pixels.
double isotherm_cover(double heat, double slope) {
  const double level = heat * kIsotherms;
  const double nearest = std::round(level);
  if (nearest < 1 || nearest > kIsotherms - 1 || slope <= 0) return 0;
  const double pixels = std::abs(level - nearest) / kIsotherms / slope;
  return std::clamp(1.1 - pixels, 0.0, 1.0);
}

void draw_panel(const Field& field, int left, int picture_width, std::vector<unsigned char>& rgb) {
  double hottest = 1e-300;
  for (const double v : field.values) hottest = std::max(hottest, v);
  const double step = 1.0 / kPanel;
  const auto heat_at = [&](double x, double y) {
    return std::pow(std::max(0.0, sample(field, x, y) / hottest), 0.7);  // lifts the faint glow
  };
  const Oklab light = to_oklab({1, 1, 1});
  for (int row = 0; row < kPanel; ++row) {
    for (int column = 0; column < kPanel; ++column) {
      const double x = (column + 0.5) * step, y = (row + 0.5) * step;
      const double heat = heat_at(x, y);
      const double slope = std::hypot(heat_at(x + step, y) - heat_at(x - step, y),
                                      heat_at(x, y + step) - heat_at(x, y - step)) /
                           2;
      const Oklab colour = mix(heat_colour(heat), light, 0.28 * isotherm_cover(heat, slope));
      const Rgb c = to_rgb(colour);
      unsigned char* pixel =
          &rgb[3 * (static_cast<size_t>(row + kMargin) * picture_width + left + column)];
      pixel[0] = to_byte(c.r);
      pixel[1] = to_byte(c.g);
      pixel[2] = to_byte(c.b);
    }
  }
}

}  // namespace

bool write_picture(const std::string& path, const std::vector<Field>& fields) {
  const int panels = static_cast<int>(fields.size());
  const int width = panels * kPanel + (panels + 1) * kMargin;
  const int height = kPanel + 2 * kMargin;
  std::vector<unsigned char> rgb(3 * static_cast<size_t>(width) * height, 252);
  for (int panel = 0; panel < panels; ++panel) {
    draw_panel(fields[static_cast<size_t>(panel)], kMargin + panel * (kPanel + kMargin), width,
               rgb);
  }
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, path.c_str(), 0, rgb.data(), 0, nullptr) != 0) return true;
  std::fprintf(stderr, "heat2d: cannot write %s: %s\n", path.c_str(), image.message);
  return false;
}
