// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// As PNG: shapes onto an array of pixels, and that through libpng's simplified interface, which is
// declared here, since its header need not be installed where this is built.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "programs/profile/drawing.hpp"

namespace remit::profiles {
namespace {

// png_image and its constants (png.h of libpng 1.6).
struct PngImage {
  void* opaque;
  std::uint32_t version;
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t format;
  std::uint32_t flags;
  std::uint32_t colormap_entries;
  std::uint32_t warning_or_error;
  std::array<char, 64> message;
};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kRgb = 2;
using WriteToFile = int(PngImage*, const char*, int, const void*, std::int32_t, const void*);

constexpr int kScale = 2;  // pixels of a unit

WriteToFile* find_writer() {
  static void* const library = ::dlopen("libpng16.so.16", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  return reinterpret_cast<WriteToFile*>(::dlsym(library, "png_image_write_to_file"));
}

// Letters of five columns and seven rows, a number a row; of the texts of pictures.
struct Glyph {
  char letter;
  std::array<std::uint8_t, 7> rows;
};
constexpr std::array kGlyphs{
    Glyph{'0', {14, 17, 19, 21, 25, 17, 14}}, Glyph{'1', {4, 12, 4, 4, 4, 4, 14}},
    Glyph{'2', {14, 17, 1, 6, 8, 16, 31}},    Glyph{'3', {14, 17, 1, 6, 1, 17, 14}},
    Glyph{'4', {2, 6, 10, 18, 31, 2, 2}},     Glyph{'5', {31, 16, 30, 1, 1, 17, 14}},
    Glyph{'6', {6, 8, 16, 30, 17, 17, 14}},   Glyph{'7', {31, 1, 2, 4, 4, 8, 8}},
    Glyph{'8', {14, 17, 17, 14, 17, 17, 14}}, Glyph{'9', {14, 17, 17, 15, 1, 2, 12}},
    Glyph{'.', {0, 0, 0, 0, 0, 12, 12}},      Glyph{',', {0, 0, 0, 0, 12, 4, 8}},
    Glyph{':', {0, 12, 12, 0, 12, 12, 0}},    Glyph{'(', {2, 4, 8, 8, 8, 4, 2}},
    Glyph{')', {8, 4, 2, 2, 2, 4, 8}},        Glyph{'I', {14, 4, 4, 4, 4, 4, 14}},
    Glyph{'M', {17, 27, 21, 21, 17, 17, 17}}, Glyph{'P', {30, 17, 17, 30, 16, 16, 16}},
    Glyph{'S', {15, 16, 16, 14, 1, 1, 30}},   Glyph{'T', {31, 4, 4, 4, 4, 4, 4}},
    Glyph{'a', {0, 0, 14, 1, 15, 17, 15}},    Glyph{'b', {16, 16, 30, 17, 17, 17, 30}},
    Glyph{'c', {0, 0, 14, 16, 16, 17, 14}},   Glyph{'d', {1, 1, 15, 17, 17, 17, 15}},
    Glyph{'e', {0, 0, 14, 17, 31, 16, 14}},   Glyph{'f', {6, 9, 8, 28, 8, 8, 8}},
    Glyph{'g', {0, 15, 17, 17, 15, 1, 14}},   Glyph{'h', {16, 16, 30, 17, 17, 17, 17}},
    Glyph{'i', {4, 0, 12, 4, 4, 4, 14}},      Glyph{'j', {2, 0, 6, 2, 2, 18, 12}},
    Glyph{'k', {16, 16, 18, 20, 24, 20, 18}}, Glyph{'l', {12, 4, 4, 4, 4, 4, 14}},
    Glyph{'m', {0, 0, 26, 21, 21, 21, 21}},   Glyph{'n', {0, 0, 30, 17, 17, 17, 17}},
    Glyph{'o', {0, 0, 14, 17, 17, 17, 14}},   Glyph{'p', {0, 0, 30, 17, 30, 16, 16}},
    Glyph{'r', {0, 0, 22, 25, 16, 16, 16}},   Glyph{'s', {0, 0, 15, 16, 14, 1, 30}},
    Glyph{'t', {8, 8, 28, 8, 8, 9, 6}},       Glyph{'u', {0, 0, 17, 17, 17, 19, 13}},
    Glyph{'v', {0, 0, 17, 17, 17, 10, 4}},    Glyph{'w', {0, 0, 17, 17, 21, 21, 10}},
    Glyph{'x', {0, 0, 17, 10, 4, 10, 17}},    Glyph{'y', {0, 17, 17, 17, 15, 1, 14}},
};
constexpr int kAdvance = 6;  // columns of a letter and the gap behind it

// Pixels of three bytes.
class Canvas {
 public:
  explicit Canvas(const Drawing& drawing)
      : width_(static_cast<int>(std::ceil(drawing.width)) * kScale),
        height_(static_cast<int>(std::ceil(drawing.height)) * kScale),
        pixels_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * 3, 0xFF) {}

  void fill(const DrawnBox& box) {
    const int left = std::clamp(pixel(box.x), 0, width_);
    const int right = std::clamp(pixel(box.x + box.width), 0, width_);
    const int top = std::clamp(pixel(box.y), 0, height_);
    const int bottom = std::clamp(pixel(box.y + box.height), 0, height_);
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) mix(x, y, box.colour, box.opacity);
    }
  }
  void write(const DrawnText& text) {
    const int letters = static_cast<int>(text.text.size());
    int x = pixel(text.x) - (text.ends_here ? letters * kAdvance * kScale : 0);
    const int top = pixel(text.y) - 7 * kScale;
    for (const char letter : text.text) {
      const auto glyph = std::ranges::find(kGlyphs, letter, &Glyph::letter);
      for (int row = 0; glyph != kGlyphs.end() && row < 7; ++row) {
        for (int column = 0; column < 5; ++column) {
          if ((glyph->rows[static_cast<std::size_t>(row)] >> (4 - column) & 1U) == 0) continue;
          dot(x + column * kScale, top + row * kScale);
        }
      }
      x += kAdvance * kScale;
    }
  }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] const void* data() const { return pixels_.data(); }

 private:
  [[nodiscard]] static int pixel(double units) {
    return static_cast<int>(std::lround(units * kScale));
  }
  void dot(int left, int top) {
    for (int y = std::max(top, 0); y < std::min(top + kScale, height_); ++y) {
      for (int x = std::max(left, 0); x < std::min(left + kScale, width_); ++x) mix(x, y, 0, 1);
    }
  }
  void mix(int x, int y, std::uint32_t colour, double opacity) {
    const std::size_t at = (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                            static_cast<std::size_t>(x)) *
                           3;
    for (std::size_t i = 0; i < 3; ++i) {
      const double part = static_cast<double>(colour >> (16 - 8 * i) & 0xFFU);
      const double before = pixels_[at + i];
      pixels_[at + i] = static_cast<std::uint8_t>(std::lround(before + (part - before) * opacity));
    }
  }

  int width_;
  int height_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace

bool can_write_png() {
  return find_writer() != nullptr;
}

Expected<> write_png(const Drawing& drawing, const std::string& path) {
  WriteToFile* const write = find_writer();
  if (write == nullptr) {
    return fail(MPI_ERR_OTHER, "{}: libpng16.so.16 is not installed (Debian: libpng16-16)", path);
  }
  Canvas canvas(drawing);
  for (const DrawnBox& box : drawing.boxes) canvas.fill(box);
  for (const DrawnText& text : drawing.texts) canvas.write(text);
  PngImage image{};
  image.version = kVersion;
  image.width = static_cast<std::uint32_t>(canvas.width());
  image.height = static_cast<std::uint32_t>(canvas.height());
  image.format = kRgb;
  if (write(&image, path.c_str(), 0, canvas.data(), 0, nullptr) != 0) return {};
  return fail(MPI_ERR_OTHER, "{} cannot be written: {}", path,
              std::string_view(image.message.data(),
                               ::strnlen(image.message.data(), image.message.size())));
}

}  // namespace remit::profiles
