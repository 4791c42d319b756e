// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The entry points that libFuzzer calls, and replay.cpp where there is no libFuzzer. Options of
// this program begin with two dashes, which libFuzzer leaves alone:
//   --surface=NAME   the one that gets the inputs; needed
//   --seeds=FOLDER   writes its seeds there and ends
//   --list           prints "libFuzzer" or "replay", then the surfaces with the longest input of
//                    each, and ends
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "tests/fuzz/memory_watch.hpp"
#include "tests/fuzz/surface.hpp"

namespace remit::fuzz {
namespace {

const Surface* chosen = nullptr;
int errors = STDERR_FILENO;  // libFuzzer may close the standard one

const std::vector<Surface>& surfaces() {
  static const std::vector<Surface> list = all_surfaces();
  return list;
}

const Surface* find_surface(std::string_view name) {
  for (const Surface& surface : surfaces()) {
    if (name == surface.name) return &surface;
  }
  return nullptr;
}

[[noreturn]] void refuse(const std::string& words) {
  fmt::print(stderr, "{}\n", words);
  std::exit(2);
}

void write_seeds(const Surface& surface, const std::string& folder) {
  int number = 0;
  for (const std::string& seed : surface.seeds()) {
    std::ofstream file(fmt::format("{}/seed-{}", folder, number++), std::ios::binary);
    file << seed;
    if (!file) refuse("cannot write seeds to " + folder);
  }
}

}  // namespace

std::vector<Surface> all_surfaces() {
  std::vector<Surface> all;
  for (const auto& some : {greeting_surfaces(), wire_surfaces(), tree_surfaces(), rank_surfaces(),
                           device_surfaces(), text_surfaces()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

void violated(const char* property, const std::string& details) {
  const std::string words = fmt::format("violated: {} {}\n", property, details);
  (void)!::write(errors, words.data(), words.size());
  std::abort();
}

void check_surface(const Surface& surface, std::string_view bytes) {
  static bool warm = false;  // what is made once and kept is nobody's debt
  if (!std::exchange(warm, true)) surface.run(surface.seeds().front());
  const MemoryWatch watch;
  surface.run(bytes);
  const std::size_t bound = surface.memory + surface.memory_per_byte * bytes.size();
  if (watch.highest() > bound) {
    violated("memory is bounded by the bytes received",
             fmt::format("({} bytes lived at a time, {} of input allow {})", watch.highest(),
                         bytes.size(), bound));
  }
}

}  // namespace remit::fuzz

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  using namespace remit::fuzz;
  errors = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  std::string seeds;
  for (int i = 1; i < *count; ++i) {
    const std::string_view word = (*words)[i];
    if (word == "--list") {
      fmt::print("{}\n", REMIT_HAS_LIBFUZZER != 0 ? "libFuzzer" : "replay");
      for (const Surface& surface : surfaces()) {
        fmt::print("{} {}\n", surface.name, surface.longest);
      }
      std::exit(0);
    }
    if (word.starts_with("--surface=")) chosen = find_surface(word.substr(10));
    if (word.starts_with("--seeds=")) seeds = word.substr(8);
  }
  if (chosen == nullptr) refuse("which surface? --list names them, --surface=NAME chooses one");
  if (!seeds.empty()) {
    write_seeds(*chosen, seeds);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace remit::fuzz;
  check_surface(*chosen, std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}

#if REMIT_HAS_LIBFUZZER
// With --enable-together a group of a library brings files that are here once more, watched. The
// linker takes these; the address sanitizer would not have both.
extern "C" [[gnu::visibility("default")]] const char* __asan_default_options() {
  return "detect_odr_violation=0";
}
#endif
