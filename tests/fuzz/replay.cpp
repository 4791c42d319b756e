// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What stands in for libFuzzer where the compiler has none: replays the files that it is given, or,
// without any, the seeds of the surface and random changes of them.
#include <fmt/core.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/fuzz/surface.hpp"
#include "tests/unit/test_seed.hpp"

extern "C" int LLVMFuzzerInitialize(int* count, char*** words);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace remit::fuzz {
namespace {

constexpr int kChangesOfASeed = 100;

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string changed(std::string bytes, std::mt19937_64& random) {
  for (std::uint64_t changes = 1 + random() % 4; changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 2:
        bytes.erase(at, 1 + random() % 8);
        break;
      default:
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 32));
    }
  }
  return bytes;
}

}  // namespace
}  // namespace remit::fuzz

int main(int count, char** words) {
  using namespace remit::fuzz;
  LLVMFuzzerInitialize(&count, &words);
  int runs = 0;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word.starts_with("-")) continue;
    std::ifstream file(word, std::ios::binary);
    if (!file) {
      fmt::print(stderr, "cannot read {}\n", word);
      return 2;
    }
    run(std::string(std::istreambuf_iterator<char>(file), {}));
    ++runs;
  }
  if (runs == 0) {
    std::mt19937_64 random(remit::testing::test_seed());
    std::string_view name;
    for (int i = 1; i < count; ++i) {
      if (std::string_view(words[i]).starts_with("--surface=")) name = words[i] + 10;
    }
    for (const Surface& surface : all_surfaces()) {
      if (name != surface.name) continue;
      for (const std::string& seed : surface.seeds()) {
        run(seed);
        for (int i = 0; i < kChangesOfASeed; ++i) run(changed(seed, random));
        runs += 1 + kChangesOfASeed;
      }
    }
  }
  fmt::print("{} runs\n", runs);
}
