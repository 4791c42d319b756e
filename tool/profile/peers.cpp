// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Sizes of types, and ranks of communicators as ranks of MPI_COMM_WORLD, both remembered by handle.
#include "tool/profile/peers.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "tool/profile/spin_lock.hpp"

namespace remit::profile {

constinit std::atomic<std::uint32_t> type_generation{1};
constinit std::atomic<std::uint32_t> rank_generation{1};

namespace {

// The ranks of a communicator or window, by its handle.
struct RankTable {
  std::uintptr_t handle;
  int size;
  int* world;  // malloc; null: they are not known
};

class RankTables {
 public:
  // A copy: the table may be forgotten meanwhile, but not while a call uses its communicator.
  template <class MakeGroup>
  RankTable find(std::uintptr_t handle, const MakeGroup& make_group) {
    {
      const SpinLock::Holder holder(lock_);
      for (std::size_t i = 0; i < count_; ++i) {
        if (tables_[i].handle == handle) return tables_[i];
      }
    }
    RankTable made{handle, 0, nullptr};
    translate(make_group(), made);
    const SpinLock::Holder holder(lock_);
    if (count_ == tables_.size()) return drop(made);
    tables_[count_++] = made;
    return made;
  }

  void forget(std::uintptr_t handle) {
    const SpinLock::Holder holder(lock_);
    for (std::size_t i = 0; i < count_; ++i) {
      if (tables_[i].handle != handle) continue;
      std::free(tables_[i].world);
      tables_[i] = tables_[--count_];
      return;
    }
  }

 private:
  static RankTable drop(RankTable table) {
    std::free(table.world);
    table.world = nullptr;
    return table;
  }

  static void translate(MPI_Group group, RankTable& table) {
    if (group == MPI_GROUP_NULL) return;
    MPI_Group world = MPI_GROUP_NULL;
    static const auto comm_group = library<decltype(MPI_Comm_group)>("PMPI_Comm_group");
    static const auto group_size = library<decltype(MPI_Group_size)>("PMPI_Group_size");
    static const auto group_free = library<decltype(MPI_Group_free)>("PMPI_Group_free");
    static const auto ranks =
        library<decltype(MPI_Group_translate_ranks)>("PMPI_Group_translate_ranks");
    if (record().ranks > 0 && comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
      group_size(group, &table.size);
      const auto size = static_cast<std::size_t>(table.size);
      auto* const own = static_cast<int*>(std::malloc(2 * size * sizeof(int)));
      if (own != nullptr) {
        for (std::size_t i = 0; i < size; ++i) own[size + i] = static_cast<int>(i);
        ranks(group, table.size, own + size, world, own);
        table.world = own;
      }
      group_free(&world);
    }
    group_free(&group);
  }

  SpinLock lock_;
  std::size_t count_ = 0;
  std::array<RankTable, 256> tables_{};  // those beyond have no ranks
};

RankTables& rank_tables() {
  static constinit RankTables tables;
  return tables;
}

std::int32_t rank_in(const RankTable& table, int rank) {
  if (table.world == nullptr || rank < 0 || rank >= table.size) return kUnknownPeer;
  const int found = table.world[rank];
  return found < 0 ? kUnknownPeer : found;  // MPI_UNDEFINED: a process of another job
}

MPI_Group others_of(MPI_Comm comm) {
  static const auto test_inter = library<decltype(MPI_Comm_test_inter)>("PMPI_Comm_test_inter");
  static const auto remote = library<decltype(MPI_Comm_remote_group)>("PMPI_Comm_remote_group");
  static const auto local = library<decltype(MPI_Comm_group)>("PMPI_Comm_group");
  int inter = 0;
  MPI_Group group = MPI_GROUP_NULL;
  test_inter(comm, &inter);
  (inter != 0 ? remote : local)(comm, &group);
  return group;
}

std::int32_t world_rank(int rank, MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return rank;
  return rank_in(rank_tables().find(reinterpret_cast<std::uintptr_t>(comm),
                                    [comm] { return others_of(comm); }),
                 rank);
}

std::int32_t world_rank(int rank, MPI_Win win) {
  return rank_in(rank_tables().find(reinterpret_cast<std::uintptr_t>(win),
                                    [win] {
                                      static const auto get = library<decltype(MPI_Win_get_group)>(
                                          "PMPI_Win_get_group");
                                      MPI_Group group = MPI_GROUP_NULL;
                                      get(win, &group);
                                      return group;
                                    }),
                 rank);
}

// Rows of peers, found by their rank. The index is in private memory.
class Peers {
 public:
  PeerRecord& find(std::int32_t rank) {
    const std::uint32_t wanted = static_cast<std::uint32_t>(rank) + 1U;
    for (std::uint32_t slot = wanted % kSlots;; slot = (slot + 1) % kSlots) {
      const std::uint16_t at = index_[slot].load(std::memory_order_acquire);
      if (at == 0) return add(static_cast<std::int32_t>(wanted), slot);
      PeerRecord& row = record().peers[at - 1U];
      if (row.rank == static_cast<std::int32_t>(wanted)) return row;
    }
  }

 private:
  static constexpr std::uint32_t kSlots = 2 * kPeers;

  PeerRecord& add(std::int32_t wanted, std::uint32_t slot) {
    const SpinLock::Holder holder(lock_);
    Record& all = record();
    for (; index_[slot] != 0; slot = (slot + 1) % kSlots) {
      if (all.peers[index_[slot] - 1U].rank == wanted) return all.peers[index_[slot] - 1U];
    }
    if (all.peer_count + 1 >= kPeers) {
      all.peer_count = kPeers;
      return all.peers[kPeers - 1];
    }
    all.peers[all.peer_count].rank = wanted;
    index_[slot].store(static_cast<std::uint16_t>(++all.peer_count), std::memory_order_release);
    return all.peers[all.peer_count - 1];
  }

  SpinLock lock_;
  std::array<std::atomic<std::uint16_t>, kSlots> index_{};
};

PeerRecord& peer(std::int32_t rank) {
  static constinit Peers peers;
  return peers.find(rank);
}

void add_message(std::int32_t rank, std::uint64_t bytes) {
  PeerRecord& row = peer(rank);
  add_shared(row.messages, 1);
  add_shared(row.bytes, bytes);
}

}  // namespace

std::uint64_t ask_bytes_of(std::int64_t count, MPI_Datatype type) {
  const auto handle = reinterpret_cast<std::uintptr_t>(type);
  const std::uint32_t generation = type_generation.load(std::memory_order_relaxed);
  static const auto size_of = library<decltype(MPI_Type_size_c)>("PMPI_Type_size_c");
  MPI_Count bytes = 0;
  if (size_of == nullptr || size_of(type, &bytes) != MPI_SUCCESS || bytes < 0) bytes = 0;
  local_state.types[(handle ^ handle >> 6U) % Local::kTypes] = {handle, generation, bytes};
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(bytes);
}

void forget_types() {
  ++type_generation;
}

PeerRecord& find_peer(int rank, MPI_Comm comm) {
  const std::uint32_t generation = rank_generation.load(std::memory_order_relaxed);
  PeerRecord& row = peer(world_rank(rank, comm));
  local_state.last_peer = {reinterpret_cast<std::uintptr_t>(comm), rank, generation, &row};
  return row;
}

Moved shared(std::int64_t count, MPI_Datatype type) {
  return {Traffic::collective, bytes_of(count, type)};
}

Moved shared_with_each(std::int64_t count, MPI_Datatype type, MPI_Comm comm) {
  static const auto size_of = library<decltype(MPI_Comm_size)>("PMPI_Comm_size");
  int size = 0;
  size_of(comm, &size);
  return shared(count * size, type);
}

Moved accessed(std::int64_t count, MPI_Datatype type, int rank, MPI_Win win) {
  if (rank == MPI_PROC_NULL) return {};
  const std::uint64_t bytes = bytes_of(count, type);
  add_message(world_rank(rank, win), bytes);
  return {Traffic::one_sided, bytes};
}

Moved transferred(std::int64_t count, MPI_Datatype type) {
  return {Traffic::file, bytes_of(count, type)};
}

void forget_ranks(MPI_Comm comm) {
  ++rank_generation;
  rank_tables().forget(reinterpret_cast<std::uintptr_t>(comm));
}

void forget_ranks(MPI_Win win) {
  rank_tables().forget(reinterpret_cast<std::uintptr_t>(win));
}

void blame(SiteRecord& site, std::int32_t world_rank, std::uint64_t ns) {
  if (world_rank < 0) return;
  Blame* least = &site.blamed[0];
  for (Blame& each : site.blamed) {
    if (each.peer == world_rank + 1 || each.peer == 0) {
      least = &each;
      break;
    }
    if (each.ns < least->ns) least = &each;
  }
  // A newcomer takes time away from the least of those who have places until one is free: who is
  // waited for again and again stays (Misra and Gries' frequent items).
  if (least->peer != world_rank + 1) {
    if (least->peer != 0 && least->ns > ns) {
      least->ns -= ns;
      return;
    }
    *least = {world_rank + 1, 0, 0};
  }
  ++least->waits;
  least->ns += ns;
}

void add_peer_wait(std::int32_t world_rank, std::uint64_t ns) {
  PeerRecord& row = peer(world_rank);
  add_shared(row.waits, 1);
  add_shared(row.waited_ns, ns);
}

}  // namespace remit::profile
