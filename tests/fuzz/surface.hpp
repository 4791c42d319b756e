// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What reads bytes that others have written: one surface for each kind of reader, with what must be
// true of it whatever the bytes are. Beside the properties that a surface checks itself, each run
// is bounded in time (by libFuzzer) and in memory (by check_surface()).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace remit::fuzz {

struct Surface {
  const char* name;
  std::size_t longest;  ///< inputs, in bytes
  /// Memory that may live at a time during a run: this, and so much for each byte of the input.
  std::size_t memory;
  std::size_t memory_per_byte;
  void (*run)(std::string_view bytes);
  /// Inputs by which to begin, made by the code that writes what this reads.
  std::vector<std::string> (*seeds)();
};

constexpr std::size_t kKb = 1024;

/// Those of each file, put together by all_surfaces().
[[nodiscard]] std::vector<Surface> greeting_surfaces();
[[nodiscard]] std::vector<Surface> wire_surfaces();
[[nodiscard]] std::vector<Surface> tree_surfaces();
[[nodiscard]] std::vector<Surface> rank_surfaces();
[[nodiscard]] std::vector<Surface> device_surfaces();
[[nodiscard]] std::vector<Surface> text_surfaces();
[[nodiscard]] std::vector<Surface> all_surfaces();

/// Runs it on one input, and ends the program if a property does not hold.
void check_surface(const Surface& surface, std::string_view bytes);

/// A property that does not hold: says so and aborts, which is a finding.
[[noreturn]] void violated(const char* property, const std::string& details = {});
inline void require(bool holds, const char* property) {
  if (!holds) violated(property);
}

/// Takes decisions off the front of an input; zero when it has ended.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] unsigned char byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  /// So many bytes; those that are missing are zero.
  [[nodiscard]] std::string take(std::size_t count) {
    std::string taken(rest_.substr(0, count));
    rest_.remove_prefix(taken.size());
    taken.resize(count);
    return taken;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace remit::fuzz
