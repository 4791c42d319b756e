// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Two pictures. Many ranks share a row: it shows their mean.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

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

Drawing begin_picture(const Rows& rows, std::string title) {
  Drawing drawing;
  drawing.width = kLeft + kWidth + 20;
  drawing.height = kTop + static_cast<double>(rows.count) * rows.height + 50;
  drawing.texts.push_back({kLeft, 22, false, true, std::move(title)});
  return drawing;
}

void add_label(Drawing& drawing, const Profile& profile, const Rows& rows, std::size_t row) {
  const std::size_t step = std::max<std::size_t>(1, static_cast<std::size_t>(14 / rows.height));
  if (row % step != 0) return;
  drawing.texts.push_back({kLeft - 6, kTop + (static_cast<double>(row) + 0.5) * rows.height + 4,
                           true, false, profile.ranks[row * rows.ranks_a_row].label});
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
  std::uint32_t colour;
  double (*seconds)(const Rank& rank);
  bool (*tells)(const Profile& profile) = nullptr;  ///< null: it is always known
};

// Colours that people who see fewer colours tell apart.
constexpr std::array<Part, 4> kParts{{
    {"computing", 0x4477aa, [](const Rank& rank) { return rank.outside(); }},
    {"waiting", 0xee6677, [](const Rank& rank) { return rank.waited_in_mpi(); }},
    {"moving data", 0x228833, [](const Rank& rank) { return rank.moving(); },
     [](const Profile& profile) { return profile.tells_moving; }},
    {"overhead", 0xccbb44, [](const Rank& rank) { return rank.overhead(); }},
}};

}  // namespace

Drawing ranks_picture(const Profile& profile) {
  const Rows rows = rows_of(profile);
  Drawing drawing = begin_picture(rows, fmt::format("Time by rank, {}", duration(profile.run)));
  for (std::size_t row = 0; row < rows.count; ++row) {
    double at = kLeft;
    add_label(drawing, profile, rows, row);
    for (const Part& part : kParts) {
      const double width = std::max(
          mean(profile, rows, row, part.seconds) / std::max(profile.run, 1e-9) * kWidth, 0.0);
      drawing.boxes.push_back({at, kTop + static_cast<double>(row) * rows.height, width,
                               rows.height * 0.86, part.colour});
      at += width;
    }
  }
  const double below = kTop + static_cast<double>(rows.count) * rows.height + 26;
  double at = kLeft;
  for (const Part& part : kParts) {
    if (part.tells != nullptr && !part.tells(profile)) continue;
    drawing.boxes.push_back({at, below - 10, 12, 12, part.colour});
    drawing.texts.push_back({at + 18, below, false, false, part.name});
    at += 150;
  }
  return drawing;
}

Drawing strip_picture(const Profile& profile) {
  constexpr std::uint32_t kDark = 0x8a1c3c;
  const Rows rows = rows_of(profile);
  constexpr double kCell = kWidth / static_cast<double>(kStripColumns);
  Drawing drawing = begin_picture(
      rows, fmt::format("Share of MPI over time (dark: all), {}", duration(profile.run)));
  for (std::size_t row = 0; row < rows.count; ++row) {
    add_label(drawing, profile, rows, row);
    for (std::size_t column = 0; column < kStripColumns; ++column) {
      const double share = mean(profile, rows, row, [column](const Rank& rank) {
        return std::max(rank.strip_mpi[column], 0.0);
      });
      if (share <= 0) continue;
      drawing.boxes.push_back({kLeft + static_cast<double>(column) * kCell,
                               kTop + static_cast<double>(row) * rows.height, kCell, rows.height,
                               kDark, share});
    }
  }
  return drawing;
}

}  // namespace remit::profiles
