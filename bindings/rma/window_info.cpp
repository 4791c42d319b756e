// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Info of windows (MPI-5.0, section 12.2).
#include "bindings/rma/window_info.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>
#include <string_view>

#include "bindings/env/info_objects.hpp"

namespace remit {

namespace {

struct WindowFlag {
  const char* key;
  bool WindowSpec::*value;
};
constexpr std::array kWindowFlags = {
    WindowFlag{"no_locks", &WindowSpec::no_locks},
    WindowFlag{"same_size", &WindowSpec::same_size},
    WindowFlag{"same_disp_unit", &WindowSpec::same_displacement_unit},
    WindowFlag{"alloc_shared_noncontig", &WindowSpec::noncontiguous},
};

constexpr const char* kAlignmentKey = "mpi_minimum_memory_alignment";
constexpr const char* kGranularityKey = "mpi_accumulate_granularity";

int bad_value(Entry& entry, const std::string& key, const std::string& value, const char* rule) {
  return entry.fail(MPI_ERR_INFO_VALUE, "the info value of {} is '{}'; it must be {}", key, value,
                    rule);
}

std::optional<std::size_t> number_in(const std::string& text) {
  std::size_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return {};
  return value;
}

/// "none", or some of the four orders, with commas between.
bool is_ordering(std::string_view text) {
  constexpr std::array<std::string_view, 4> kOrders = {"rar", "raw", "war", "waw"};
  if (text == "none") return true;
  while (true) {
    const std::size_t end = text.find(',');
    if (std::find(kOrders.begin(), kOrders.end(), text.substr(0, end)) == kOrders.end()) {
      return false;
    }
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

int read_number(Entry& entry, const std::string& key, const std::string& text, WindowSpec& spec) {
  const std::optional<std::size_t> number = number_in(text);
  if (key == kGranularityKey) {
    if (!number) return bad_value(entry, key, text, "a number of bytes, or 0");
    spec.accumulate_granularity = *number;
    return MPI_SUCCESS;
  }
  if (!number || !std::has_single_bit(*number)) {
    return bad_value(entry, key, text, "a power of two, in bytes");
  }
  spec.alignment = *number;
  return MPI_SUCCESS;
}

int read_key(Entry& entry, const std::string& key, const std::string& text, WindowSpec& spec,
             WindowHints& hints) {
  for (const WindowFlag& flag : kWindowFlags) {
    if (key != flag.key) continue;
    if (text != "true" && text != "false") return bad_value(entry, key, text, "true or false");
    spec.*flag.value = text == "true";
    return MPI_SUCCESS;
  }
  if (key == kAlignmentKey || key == kGranularityKey) return read_number(entry, key, text, spec);
  if (key == "accumulate_ordering") {
    if (!is_ordering(text)) {
      return bad_value(entry, key, text, "none, or a list of rar, raw, war and waw with commas");
    }
    hints.accumulate_ordering = text;
  } else if (key == "accumulate_ops") {
    if (text != "same_op" && text != "same_op_no_op") {
      return bad_value(entry, key, text, "same_op or same_op_no_op");
    }
    hints.accumulate_ops = text;
  }
  return MPI_SUCCESS;
}

/// Whether a key of kWindowFlags means something for such a window.
bool applies(const WindowFlag& flag, int flavor) {
  if (flag.value == &WindowSpec::no_locks) return true;
  if (flag.value == &WindowSpec::noncontiguous) return flavor == MPI_WIN_FLAVOR_SHARED;
  return flavor != MPI_WIN_FLAVOR_DYNAMIC;
}

}  // namespace

int read_window_info(Entry& entry, MPI_Info info, WindowSpec& spec, WindowHints& hints) {
  if (info == MPI_INFO_NULL) return MPI_SUCCESS;
  InfoObject* object = nullptr;
  if (int err = entry.info(info, object)) return err;
  for (const auto& [key, value] : object->entries) {
    if (int err = read_key(entry, key, value, spec, hints)) return err;
  }
  return MPI_SUCCESS;
}

InfoObject* make_window_info(const WindowSpec& spec, const WindowHints& hints,
                             const std::string& memory_alloc_kinds) {
  auto made = std::make_unique<InfoObject>();
  auto& entries = made->entries;
  for (const WindowFlag& flag : kWindowFlags) {
    if (!applies(flag, spec.flavor)) continue;
    entries.emplace_back(flag.key, spec.*flag.value ? "true" : "false");
  }
  if (spec.flavor == MPI_WIN_FLAVOR_ALLOCATE || spec.flavor == MPI_WIN_FLAVOR_SHARED) {
    constexpr std::size_t kLeast = 64;  // a cache line: what the memory of windows begins with
    entries.emplace_back(kAlignmentKey, std::to_string(std::max(spec.alignment, kLeast)));
  }
  entries.emplace_back(kGranularityKey, std::to_string(spec.accumulate_granularity));
  entries.emplace_back("accumulate_ordering", hints.accumulate_ordering);
  entries.emplace_back("accumulate_ops", hints.accumulate_ops);
  entries.emplace_back("mpi_memory_alloc_kinds", memory_alloc_kinds);
  return made.release();
}

}  // namespace remit
