// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The copy functions of Remit alone, beside memcpy and raw loops, by length, distance modulo 4096
// and temperature. Prints a line for each: temperature, bytes, distance, then name and nanoseconds
// of each way to copy, the lowest of some batches. benchmarks/copies makes a map of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

#include "runtime/copy.hpp"

#ifdef __x86_64__
#include <emmintrin.h>
#endif

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLine = 64;
/// Cold copies go through so much memory, each to a place that has not been touched for as long.
constexpr std::size_t kCold = std::size_t{384} << 20;

using CopyFunction = void (*)(void* to, const void* from, std::size_t n);

void by_c_library(void* to, const void* from, std::size_t n) {
  std::memcpy(to, from, n);
}

template <unsigned kBytes>
void by_vectors(void* to, const void* from, std::size_t n) {
  remit::copy_by_vectors(kBytes, to, from, n);
}

#ifdef __x86_64__
void by_string_instruction(void* to, const void* from, std::size_t n) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

/// Stores that go past the caches.
void by_streaming(void* to_any, const void* from_any, std::size_t n) {
  auto* to = static_cast<std::byte*>(to_any);
  const auto* from = static_cast<const std::byte*>(from_any);
  const std::size_t head =
      std::min(n, (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine);
  std::memcpy(to, from, head);
  to += head;
  from += head;
  n -= head;
  constexpr std::size_t kWords = kLine / sizeof(__m128i);
  for (; n >= kLine; n -= kLine, to += kLine, from += kLine) {
    __m128i line[kWords];
    std::memcpy(line, from, kLine);
    for (std::size_t i = 0; i < kWords; ++i) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, line[i]);
    }
  }
  _mm_sfence();
  std::memcpy(to, from, n);
}
#endif

struct Way {
  std::string_view name;
  CopyFunction copy;
};

std::vector<Way> ways() {
  std::vector<Way> all = {{"remit", remit::copy_bytes}, {"memcpy", by_c_library}};
#ifdef __x86_64__
  all.push_back({"string", by_string_instruction});
  all.push_back({"streaming", by_streaming});
#endif
  all.push_back({"vectors16", by_vectors<16>});
  all.push_back({"vectors32", by_vectors<32>});
  all.push_back({"vectors64", by_vectors<64>});
  return all;
}

double now_ns() {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

class Memory {
 public:
  explicit Memory(std::size_t bytes)
      : bytes_(bytes), begin_(static_cast<std::byte*>(std::aligned_alloc(kPage, bytes))) {
    if (begin_ == nullptr) {
      fmt::print(stderr, "copy_loops: there are no {} bytes\n", bytes);
      std::exit(1);
    }
    std::memset(begin_, 1, bytes);
  }
  ~Memory() { std::free(begin_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  /// The n-th place for so many bytes behind a page.
  [[nodiscard]] std::byte* place(std::size_t n, std::size_t bytes) const {
    const std::size_t step = (bytes + 2 * kPage - 1) / kPage * kPage;
    return begin_ + n % (bytes_ / step) * step;
  }

 private:
  std::size_t bytes_;
  std::byte* begin_;
};

/// Copies of so many bytes at a distance.
struct Cell {
  bool cold;
  std::size_t bytes;
  std::size_t distance;
};

/// Nanoseconds of one copy, each way's lowest of some batches. The ways take turns, so that what
/// else happens on the machine disturbs all of them.
std::vector<double> measure(const std::vector<Way>& all, const Memory& from, const Memory& to,
                            const Cell& cell) {
  constexpr int kBatches = 12;
  constexpr std::size_t kBatchBytes = std::size_t{256} << 10;
  const std::size_t copies = std::clamp<std::size_t>(kBatchBytes / cell.bytes, 1, 256);
  static std::size_t next = 0;
  std::vector<double> lowest(all.size(), std::numeric_limits<double>::max());
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  static std::mt19937 random(
      1);  // each way also pays for what the one before it has left in the caches
  for (int batch = 0; batch < kBatches; ++batch) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t way : order) {
      // Once before the clock runs, if the data are to be in a cache.
      for (std::size_t warm = 0; !cell.cold && warm < 2; ++warm) {
        all[way].copy(to.place(0, cell.bytes) + cell.distance, from.place(0, cell.bytes),
                      cell.bytes);
      }
      const double start = now_ns();
      for (std::size_t i = 0; i < copies; ++i) {
        const std::size_t n = cell.cold ? next++ : 0;
        all[way].copy(to.place(n, cell.bytes) + cell.distance, from.place(n, cell.bytes),
                      cell.bytes);
      }
      lowest[way] = std::min(lowest[way], (now_ns() - start) / static_cast<double>(copies));
    }
  }
  return lowest;
}

std::vector<std::size_t> distances(bool fine) {
  std::vector<std::size_t> all;
  for (std::size_t d = 0; d < 64; d += fine || d == 0 ? 1 : d < 32 && d % 8 != 0 ? d : 8) {
    all.push_back(d);
  }
  all.insert(all.end(), {31, 33, 63});
  for (std::size_t d = 64; d < kPage; d += fine ? 64 : 256) all.push_back(d);
  all.insert(all.end(), {2064, 4032, 4064, 4080, 4095});
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  bool fine = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    fine = word == "--fine";
    if (fine) continue;
    const bool asked = word == "--help" || word == "-h";
    fmt::print(asked ? stdout : stderr,
               "{}usage: copy_loops [--fine]\n  --fine  every distance to 64, then each 64\n",
               asked ? "" : fmt::format("copy_loops: unknown option {}\n", word));
    return asked ? 0 : 2;
  }
  const std::vector<Way> all = ways();
  const Memory from(kCold);
  const Memory to(kCold);
  for (const bool cold : {false, true}) {
    for (std::size_t bytes = 64; bytes <= std::size_t{4} << 20; bytes *= 4) {
      for (const std::size_t distance : distances(fine)) {
        fmt::print("{}\t{}\t{}", cold ? "cold" : "hot", bytes, distance);
        const std::vector<double> ns = measure(all, from, to, {cold, bytes, distance});
        for (std::size_t way = 0; way < all.size(); ++way) {
          fmt::print("\t{} {:.1f}", all[way].name, ns[way]);
        }
        fmt::print("\n");
        std::fflush(stdout);
      }
    }
  }
}
