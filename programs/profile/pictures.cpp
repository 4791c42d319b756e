// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Pictures as SVG. Many ranks share a row: it shows their mean.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "programs/profile/advice.hpp"
#include "programs/profile/formats.hpp"

namespace remit::profiles {
namespace {

constexpr std::size_t kMostRows = 256;
constexpr double kLeft = 70;
constexpr double kWidth = 800;
constexpr double kTop = 40;

struct Rows {
  std::size_t count;
  std::size_t ranks_a_row;
  double height;
};

Rows rows_of(const Profile& profile) {
  const std::size_t ranks = profile.ranks.size();
  const std::size_t together = (ranks + kMostRows - 1) / kMostRows;
  const std::size_t count = (ranks + together - 1) / together;
  return {count, together, std::clamp(400.0 / static_cast<double>(count), 2.0, 24.0)};
}

std::string begin_picture(const Rows& rows, const std::string& title) {
  const double height = kTop + static_cast<double>(rows.count) * rows.height + 50;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"{2}\" y=\"22\" font-size=\"14\">{3}</text>\n",
      kLeft + kWidth + 20, height, kLeft, title);
}

std::string label(const Profile& profile, const Rows& rows, std::size_t row) {
  const std::size_t step = std::max<std::size_t>(1, static_cast<std::size_t>(14 / rows.height));
  if (row % step != 0) return {};
  return fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6,
                     kTop + (static_cast<double>(row) + 0.5) * rows.height + 4,
                     profile.ranks[row * rows.ranks_a_row].label);
}

// The mean of a figure over the ranks of a row.
template <class Figure>
double mean(const Profile& profile, const Rows& rows, std::size_t row, const Figure& figure) {
  const std::size_t begin = row * rows.ranks_a_row;
  const std::size_t end = std::min(begin + rows.ranks_a_row, profile.ranks.size());
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += figure(profile.ranks[i]);
  return sum / static_cast<double>(end - begin);
}

struct Part {
  const char* name;
  const char* colour;
  double (*seconds)(const Rank& rank);
};

// Colours that people who see fewer colours tell apart.
constexpr std::array<Part, 3> kParts{{
    {"computing", "#4477aa", [](const Rank& rank) { return rank.outside(); }},
    {"waiting", "#ee6677", [](const Rank& rank) { return std::min(rank.waiting(), rank.mpi); }},
    {"in MPI otherwise", "#ccbb44",
     [](const Rank& rank) { return rank.mpi - std::min(rank.waiting(), rank.mpi); }},
}};

}  // namespace

std::string ranks_picture(const Profile& profile) {
  const Rows rows = rows_of(profile);
  std::string text = begin_picture(rows, fmt::format("Time by rank, {}", duration(profile.run)));
  for (std::size_t row = 0; row < rows.count; ++row) {
    double at = kLeft;
    text += label(profile, rows, row);
    for (const Part& part : kParts) {
      const double width =
          mean(profile, rows, row, part.seconds) / std::max(profile.run, 1e-9) * kWidth;
      text += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", at,
          kTop + static_cast<double>(row) * rows.height, std::max(width, 0.0), rows.height * 0.86,
          part.colour);
      at += std::max(width, 0.0);
    }
  }
  const double below = kTop + static_cast<double>(rows.count) * rows.height + 26;
  double at = kLeft;
  for (const Part& part : kParts) {
    text += fmt::format(
        "<rect x=\"{0:.0f}\" y=\"{1:.0f}\" width=\"12\" height=\"12\" fill=\"{2}\"/>"
        "<text x=\"{3:.0f}\" y=\"{4:.0f}\">{5}</text>\n",
        at, below - 10, part.colour, at + 18, below, part.name);
    at += 150;
  }
  return text + "</svg>\n";
}

std::string strip_picture(const Profile& profile) {
  const Rows rows = rows_of(profile);
  constexpr double kCell = kWidth / static_cast<double>(kStripColumns);
  std::string text = begin_picture(
      rows, fmt::format("Share of MPI over time (dark: all), {}", duration(profile.run)));
  for (std::size_t row = 0; row < rows.count; ++row) {
    text += label(profile, rows, row);
    for (std::size_t column = 0; column < kStripColumns; ++column) {
      const double share = mean(profile, rows, row, [column](const Rank& rank) {
        return std::max(rank.strip_mpi[column], 0.0);
      });
      if (share <= 0) continue;
      text += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#8a1c3c\" "
          "fill-opacity=\"{:.2f}\"/>\n",
          kLeft + static_cast<double>(column) * kCell,
          kTop + static_cast<double>(row) * rows.height, kCell, rows.height, share);
    }
  }
  return text + "</svg>\n";
}

}  // namespace remit::profiles
