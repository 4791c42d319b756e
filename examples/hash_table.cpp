// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A distributed hash table that counts words, by passive atomics alone: no rank receives anything
// or answers anybody. All ranks insert all kinds of keys at the same time. Open addressing: a key's
// home slot follows from its hash, compare_and_swap takes the slot if it is empty, fetch_and_op
// counts, and a slot of another key sends the search to the next one. Checks the count of every
// key.
//
//   mpirun -n 4 ./hash_table --inserts 200000 --keys 20000

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "command_line.hpp"

namespace {

constexpr std::int64_t kEmpty = 0;   // no key is 0
constexpr std::int64_t kSpread = 2;  // slots for each key: half of them stay empty

// What a window holds for each slot. Other ranks reach the words by their displacements.
struct Slot {
  std::int64_t key;
  std::int64_t count;
};
static_assert(sizeof(Slot) == 2 * sizeof(std::int64_t));

// The finalizer of splitmix64 maps different numbers to different ones: keys that differ, in places
// that look random.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The table: each rank's window is a part of it, as long as each other's.
class HashTable {
 public:
  HashTable(std::int64_t keys, int rank, int ranks)
      : slots_per_rank_((kSpread * keys + ranks - 1) / ranks), slots_(slots_per_rank_ * ranks) {
    const auto bytes =
        static_cast<MPI_Aint>(static_cast<std::size_t>(slots_per_rank_) * sizeof(Slot));
    // Displacements are in words of 64 bits.
    MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &mine_, &window_);
    // An own part is written under its lock like any other.
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window_);
    std::fill_n(mine_, slots_per_rank_, Slot{kEmpty, 0});
    MPI_Win_unlock(rank, window_);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window_);  // until the end: shared, so nobody ever waits for it
  }
  ~HashTable() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  HashTable(const HashTable&) = delete;
  HashTable& operator=(const HashTable&) = delete;

  // Adds one to the count of a key, which is not 0. False: the table is full.
  bool insert(std::int64_t key) {
    for (std::int64_t i = 0, slot = home(key); i < slots_; ++i, slot = (slot + 1) % slots_) {
      const std::int64_t found = claim(slot, key);
      ++probes_;
      if (found != kEmpty && found != key) continue;
      const std::int64_t one = 1;
      std::int64_t before = 0;
      MPI_Fetch_and_op(&one, &before, MPI_INT64_T, owner(slot), place(slot) + 1, MPI_SUM, window_);
      MPI_Win_flush(owner(slot), window_);
      return true;
    }
    return false;
  }

  // The count of a key, 0 if it is not there.
  std::int64_t count(std::int64_t key) {
    for (std::int64_t i = 0, slot = home(key); i < slots_; ++i, slot = (slot + 1) % slots_) {
      Slot found{};
      MPI_Get(&found, 2, MPI_INT64_T, owner(slot), place(slot), 2, MPI_INT64_T, window_);
      MPI_Win_flush(owner(slot), window_);
      if (found.key == key) return found.count;
      if (found.key == kEmpty) return 0;
    }
    return 0;
  }

  // This rank's slots that are taken, when nobody inserts any more.
  [[nodiscard]] std::int64_t taken_here() const {
    MPI_Win_sync(window_);
    return std::count_if(mine_, mine_ + slots_per_rank_,
                         [](const Slot& s) { return s.key != kEmpty; });
  }

  [[nodiscard]] std::int64_t probes() const { return probes_; }  // this rank's, of all its inserts

 private:
  [[nodiscard]] std::int64_t home(std::int64_t key) const {
    return static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(key)) %
                                     static_cast<std::uint64_t>(slots_));
  }
  [[nodiscard]] int owner(std::int64_t slot) const {
    return static_cast<int>(slot / slots_per_rank_);
  }
  [[nodiscard]] MPI_Aint place(std::int64_t slot) const {
    return static_cast<MPI_Aint>(2 * (slot % slots_per_rank_));
  }

  // Puts the key into the slot if that is empty; what was there before.
  std::int64_t claim(std::int64_t slot, std::int64_t key) {
    std::int64_t found = kEmpty;
    MPI_Compare_and_swap(&key, &kEmpty, &found, MPI_INT64_T, owner(slot), place(slot), window_);
    MPI_Win_flush(owner(slot), window_);
    return found;
  }

  std::int64_t slots_per_rank_;
  std::int64_t slots_;
  Slot* mine_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  std::int64_t probes_ = 0;
};

// The key with this number, from 0 on; the second mixing in home() is of another number.
std::int64_t key_of(std::int64_t number) {
  return static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(number)) >> 1) | 1;
}

// Insert i is of the key i modulo keys: how many there are of each is known.
std::int64_t expected(std::int64_t number, std::int64_t inserts, std::int64_t keys) {
  return inserts / keys + (number < inserts % keys ? 1 : 0);
}

std::int64_t sum_of(std::int64_t mine) {
  std::int64_t sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

// Runs the whole example; 0 if the result is right.
int run(int rank, int ranks, std::int64_t inserts, std::int64_t keys) {
  HashTable table(keys, rank, ranks);
  std::int64_t failed = 0, wrong = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (std::int64_t i = rank; i < inserts; i += ranks) failed += !table.insert(key_of(i % keys));
  MPI_Barrier(MPI_COMM_WORLD);
  const double middle = MPI_Wtime();
  for (std::int64_t i = rank; i < keys; i += ranks) {
    wrong += table.count(key_of(i)) != expected(i, inserts, keys);
  }
  wrong += table.count(key_of(keys)) != 0;  // which nobody has inserted
  MPI_Barrier(MPI_COMM_WORLD);
  const double end = MPI_Wtime();
  const std::int64_t distinct = std::min(inserts, keys);
  const std::int64_t probes = sum_of(table.probes()), taken = sum_of(table.taken_here());
  wrong = sum_of(wrong);
  failed = sum_of(failed);
  const bool right = wrong == 0 && failed == 0 && taken == distinct;
  if (rank == 0) {
    std::printf(
        "hash_table: %lld inserts of %lld keys, %d ranks: %.0f thousand a second, %.2f slots "
        "looked at for "
        "each; %.0f thousand searches a second\n",
        static_cast<long long>(inserts), static_cast<long long>(keys), ranks,
        1e-3 * static_cast<double>(inserts) / (middle - start),
        static_cast<double>(probes) / static_cast<double>(inserts),
        1e-3 * static_cast<double>(keys) / (end - middle));
    std::printf("hash_table: %lld slots taken, %lld wrong counts, %lld inserts failed: %s\n",
                static_cast<long long>(taken), static_cast<long long>(wrong),
                static_cast<long long>(failed), right ? "PASS" : "FAIL");
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long inserts = 200'000, keys = 20'000;
  CommandLine line("hash_table", "distributed hash table by passive atomics");
  line.add("--inserts", inserts, 1, "insertions, over all ranks");
  line.add("--keys", keys, 1, "different keys among them");
  const int status =
      line.parse(argc, argv, rank == 0) ? run(rank, ranks, inserts, keys) : line.exit_code();
  MPI_Finalize();
  return status;
}
