// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Parallel sample sort of 64-bit keys: each rank sorts its own, a sample of all gives the
// splitters, one all-to-all brings each range of keys to its rank, a merge finishes. Checks order
// and content.
//
//   mpirun -n 4 ./sample_sort --keys 20000000 --keys-are uniform

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "command_line.hpp"

namespace {

using Keys = std::vector<std::uint64_t>;

constexpr int kSamplesPerRank =
    64;  // a rank's share then exceeds the mean by little: about 1/sqrt(64)

struct World {
  int rank = 0;
  int ranks = 1;
};

// A good mix of all bits (the finalizer of splitmix64): random keys that depend on their index
// alone.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t make_key(const std::string& kind, std::uint64_t index, std::uint64_t total) {
  if (kind == "equal") return 42;
  if (kind == "sorted") return index;
  if (kind == "reverse") return total - index;
  if (kind == "skewed") {  // few small keys very often, a long tail
    const double u = static_cast<double>(mix(index) >> 11) * 0x1p-53;
    return static_cast<std::uint64_t>(1.0 / (1e-9 + u));
  }
  return mix(index);
}

// What must not change by sorting, whatever the order: how many keys, and two sums over them.
struct Fingerprint {
  std::uint64_t count = 0, sum = 0, mixed = 0;
  bool operator==(const Fingerprint& o) const {
    return count == o.count && sum == o.sum && mixed == o.mixed;
  }
};

Fingerprint fingerprint(const Keys& keys) {
  std::array<std::uint64_t, 3> mine = {keys.size(), 0, 0}, all{};
  for (const auto key : keys) {
    mine[1] += key;
    mine[2] += mix(key);
  }
  MPI_Allreduce(mine.data(), all.data(), 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return {all[0], all[1], all[2]};
}

// A key with its place before the exchange: no two are equal, so that many equal keys are shared
// out evenly too.
struct Splitter {
  std::uint64_t key, rank, index;
  [[nodiscard]] auto order() const { return std::tie(key, rank, index); }
};
static_assert(sizeof(Splitter) == 3 * sizeof(std::uint64_t));

// Evenly spaced samples of every rank's sorted keys, all sorted, every k-th of which is a splitter.
std::vector<Splitter> choose_splitters(const Keys& sorted, World w) {
  std::vector<Splitter> mine, all(static_cast<size_t>(w.ranks) * kSamplesPerRank);
  for (int i = 0; i < kSamplesPerRank; ++i) {
    // A rank without keys offers the largest place there is, which splits nothing off.
    Splitter s{std::numeric_limits<std::uint64_t>::max(), static_cast<std::uint64_t>(w.ranks), 0};
    if (!sorted.empty()) {
      const size_t index = (2 * static_cast<size_t>(i) + 1) * sorted.size() / (2 * kSamplesPerRank);
      s = {sorted[index], static_cast<std::uint64_t>(w.rank), index};
    }
    mine.push_back(s);
  }
  constexpr int kWords = 3 * kSamplesPerRank;
  MPI_Allgather(mine.data(), kWords, MPI_UINT64_T, all.data(), kWords, MPI_UINT64_T,
                MPI_COMM_WORLD);
  std::sort(all.begin(), all.end(),
            [](const Splitter& a, const Splitter& b) { return a.order() < b.order(); });
  std::vector<Splitter> splitters;
  for (int r = 1; r < w.ranks; ++r) {
    splitters.push_back(all[static_cast<size_t>(r) * kSamplesPerRank]);
  }
  return splitters;
}

// How many of this rank's sorted keys lie before the splitter.
size_t keys_before(const Keys& sorted, const Splitter& s, World w) {
  const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), s.key);
  const auto rank = static_cast<std::uint64_t>(w.rank);
  if (rank < s.rank) return static_cast<size_t>(high - sorted.begin());
  if (rank > s.rank) return static_cast<size_t>(low - sorted.begin());
  return s.index;
}

std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets(counts.size(), 0);
  std::partial_sum(counts.begin(), counts.end() - 1, offsets.begin() + 1);
  return offsets;
}

// Sends each range of keys to its rank; `runs` gets the bounds of the sorted pieces received.
Keys exchange(const Keys& sorted, const std::vector<Splitter>& splitters, World w,
              std::vector<size_t>& runs) {
  std::vector<int> send_counts, receive_counts(static_cast<size_t>(w.ranks));
  size_t begin = 0;
  for (int r = 0; r < w.ranks; ++r) {
    const bool last = r + 1 == w.ranks;
    const size_t end =
        last ? sorted.size() : keys_before(sorted, splitters[static_cast<size_t>(r)], w);
    send_counts.push_back(static_cast<int>(end - begin));
    begin = end;
  }
  MPI_Alltoall(send_counts.data(), 1, MPI_INT, receive_counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const std::vector<int> send_offsets = offsets_of(send_counts);
  const std::vector<int> receive_offsets = offsets_of(receive_counts);
  runs.assign(receive_offsets.begin(), receive_offsets.end());
  runs.push_back(runs.back() + static_cast<size_t>(receive_counts.back()));
  Keys received(runs.back());
  MPI_Alltoallv(sorted.data(), send_counts.data(), send_offsets.data(), MPI_UINT64_T,
                received.data(), receive_counts.data(), receive_offsets.data(), MPI_UINT64_T,
                MPI_COMM_WORLD);
  return received;
}

// Merges neighbouring sorted runs, pair by pair, until one is left.
void merge_runs(Keys& keys, std::vector<size_t> runs) {
  const auto at = [&](size_t i) { return keys.begin() + static_cast<std::ptrdiff_t>(i); };
  while (runs.size() > 2) {
    std::vector<size_t> longer = {0};
    for (size_t i = 0; i + 2 < runs.size(); i += 2) {
      std::inplace_merge(at(runs[i]), at(runs[i + 1]), at(runs[i + 2]));
      longer.push_back(runs[i + 2]);
    }
    if (longer.back() != runs.back()) longer.push_back(runs.back());
    runs = longer;
  }
}

Keys sample_sort(Keys keys, World w) {
  std::sort(keys.begin(), keys.end());
  const std::vector<Splitter> splitters = choose_splitters(keys, w);
  std::vector<size_t> runs;
  Keys received = exchange(keys, splitters, w, runs);
  merge_runs(received, runs);
  return received;
}

// Each rank's keys in order, and not below the largest key of any rank before.
bool globally_sorted(const Keys& keys, World w) {
  // The largest key up to and including this rank travels along the ranks, so that empty ones pass
  // it on.
  std::uint64_t before = 0;
  if (w.rank > 0) {
    MPI_Recv(&before, 1, MPI_UINT64_T, w.rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  int good = std::is_sorted(keys.begin(), keys.end()) && (keys.empty() || before <= keys.front());
  const std::uint64_t largest = keys.empty() ? before : std::max(before, keys.back());
  if (w.rank + 1 < w.ranks) {
    MPI_Send(&largest, 1, MPI_UINT64_T, w.rank + 1, 0, MPI_COMM_WORLD);
  }
  int all_good = 0;
  MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all_good != 0;
}

// Runs the whole example; 0 if the result is right.
int run(World w, long total, const std::string& kind) {
  const auto first = static_cast<std::uint64_t>(total * w.rank / w.ranks);
  const auto last = static_cast<std::uint64_t>(total * (w.rank + 1) / w.ranks);
  Keys keys;
  keys.reserve(last - first);
  for (auto i = first; i < last; ++i) {
    keys.push_back(make_key(kind, i, static_cast<std::uint64_t>(total)));
  }
  const Fingerprint before = fingerprint(keys);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1);  // a profiling tool sees what is timed, and no more
  const double start = MPI_Wtime();
  const Keys sorted = sample_sort(std::move(keys), w);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  MPI_Pcontrol(0);
  const bool in_order = globally_sorted(sorted, w);
  const bool same_keys = fingerprint(sorted) == before;
  const auto share = static_cast<std::uint64_t>(sorted.size());
  std::uint64_t largest_share = 0;
  MPI_Reduce(&share, &largest_share, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  const bool right = in_order && same_keys;
  if (w.rank == 0) {
    std::printf(
        "sample_sort: %ld %s keys, %d ranks: %.2f s, %.1f M keys/s, fullest rank %.2f of the "
        "mean\n",
        total, kind.c_str(), w.ranks, seconds, 1e-6 * static_cast<double>(total) / seconds,
        static_cast<double>(largest_share) * w.ranks / static_cast<double>(total));
    std::printf("sample_sort: order %s, content %s: %s\n", in_order ? "right" : "WRONG",
                same_keys ? "unchanged" : "CHANGED", right ? "PASS" : "FAIL");
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  World w;
  MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &w.ranks);
  long total = 10'000'000;
  std::string kind = "uniform";
  CommandLine line("sample_sort", "parallel sort of 64-bit keys");
  line.add("--keys", total, 1, "number of keys, over all ranks");
  line.add("--keys-are", kind, "uniform, skewed, sorted, reverse or equal",
           {"uniform", "skewed", "sorted", "reverse", "equal"});
  bool go = line.parse(argc, argv, w.rank == 0);
  // MPI's counts are int: half of their range leaves room for a rank that gets more than its share.
  if (go && total / w.ranks > std::numeric_limits<int>::max() / 2) {
    go = line.complain("--keys is too large for this number of ranks", w.rank == 0);
  }
  const int status = go ? run(w, total, kind) : line.exit_code();
  MPI_Finalize();
  return status;
}
