// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Virtual ranks, each on a host of its own, with a window whose members reach each other by
// messages only.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "links/offered_memory.hpp"
#include "onesided/adapter/adapter_access.hpp"
#include "onesided/one_sided.hpp"
#include "onesided/remote/remote_access.hpp"
#include "onesided/remote/served_window.hpp"
#include "tests/unit/communicators/calling_ranks.hpp"

namespace remit::testing {

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t end) {
  return random() % end;
}

inline SimConfig unordered(SimConfig config) {
  config.caps.ordered = false;
  return config;
}
inline SimConfig registering(SimConfig config) {
  config.caps.needs_registration = true;
  return config;
}
/// Devices that need nothing of the target's processor; windows are of the adapter domain.
inline SimConfig passive(SimConfig config) {
  config.caps.passive = true;
  return registering(config);
}
inline void expect_ok(const Expected<>& outcome) {
  EXPECT_TRUE(outcome.has_value()) << outcome.error().message;
}

/// Ranks that have made a window of `bytes` of zeros at each.
class WindowRanks : public CallingRanks {
 public:
  static constexpr std::uint32_t kNumber = 7;
  static constexpr std::uint32_t kCounters = 4;  ///< of notifications, at each

  WindowRanks(int size, std::size_t bytes, SimConfig config)
      : CallingRanks(size, std::move(config)), bytes_(bytes) {
    for (int rank = 0; rank < size; ++rank) {
      parts_.push_back(std::make_unique<Part>(*this, rank));
    }
    for (int rank = 0; rank < size; ++rank) {
      for (int other = 0; other < size; ++other) {
        MemberEntry& entry = part(rank).members.segment().table()[other];
        entry.base = reinterpret_cast<std::uintptr_t>(part(other).memory.data());
        entry.bytes = bytes;
        if (other == rank) entry.local_index = 0;
      }
    }
  }
  ~WindowRanks() {
    settle();
    parts_.clear();
  }

  /// Runs `work` for every rank at once; a rank serves the others until all have returned.
  void run_served(const std::function<void(int rank)>& work) {
    int working = size();
    run_all([&](int rank) {
      work(rank);
      --working;
      if (!network().alive(process(rank).name_of(rank))) return;
      process(rank).progress().wait([&] { return working == 0; });
    });
  }

  [[nodiscard]] RemoteAccess& access(int rank) { return part(rank).access; }
  /// Of passive() devices.
  [[nodiscard]] AdapterAccess& adapter(int rank) { return *part(rank).adapter; }
  [[nodiscard]] OneSided& manager(int rank) { return part(rank).manager; }
  [[nodiscard]] MemberControl& control(int rank) { return part(rank).members.own_control(); }
  [[nodiscard]] std::byte* memory(int rank) { return part(rank).memory.data(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Posts and completions that a rank was told, by who did.
  [[nodiscard]] std::vector<int>& posts(int rank) { return part(rank).posts; }
  [[nodiscard]] std::vector<int>& completions(int rank) { return part(rank).completions; }
  /// Notifications that a rank was told, and what its first byte was at that time.
  using Notification = std::pair<std::uint32_t, std::byte>;
  [[nodiscard]] std::vector<Notification>& notifications(int rank) {
    return part(rank).notifications;
  }
  /// Is told of each notification when a rank is.
  void watch(std::function<void(int rank, std::uint32_t index)> watcher) {
    watcher_ = std::move(watcher);
  }
  /// The rank serves the window no more.
  void remove(int rank) { part(rank).manager.remove(kNumber); }
  /// The rank stops without a word; not before its own work is done.
  void die(int rank) { network().kill(process(rank).name_of(rank)); }

 private:
  struct Part {
    Part(WindowRanks& ranks, int rank)
        : words(HostSegment::head_bytes(1, static_cast<std::size_t>(ranks.size())) / kControlLine +
                1),
          memory(ranks.bytes_),
          manager(ranks.process(rank), ranks.engine(rank).links()),
          members(ranks.comm(rank),
                  HostSegment(reinterpret_cast<std::byte*>(words.data()),
                              HostSegment::Owner(nullptr, [](void*) {}), 1, 0,
                              static_cast<std::size_t>(ranks.size())),
                  manager.kernel(), manager.links()),
          served(manager.traffic(), member(ranks)),
          access(manager, kNumber, members) {
      manager.add(kNumber, served);
      if (!ranks.network().config().caps.passive) return;
      auto made = AdapterMemory::offer(manager.adapter_port(), memory.data(), memory.size());
      EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
      if (!made) return;
      adapter = std::make_unique<AdapterAccess>(manager, kNumber, members, std::move(*made),
                                                access.targets().used());
      access.targets().set_adapter(*adapter);
    }
    ~Part() { manager.remove(kNumber); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    [[nodiscard]] ServedWindow::Member member(WindowRanks& ranks) {
      ServedWindow::Member out;
      out.number = kNumber;
      out.name = "of a test";
      out.control = &members.own_control();
      const auto base = reinterpret_cast<std::uintptr_t>(memory.data());
      out.memory = {memory.data(), base, nullptr, out.control->granules, 1};
      out.contains = [base, size = memory.size()](std::uint64_t address, std::uint64_t bytes) {
        return address >= base && address - base <= size && bytes <= size - (address - base);
      };
      out.rank_of = [size = ranks.size()](ProcId proc) {
        const auto rank = static_cast<int>(number_of(proc));
        return rank < size ? rank : -1;
      };
      Expected<OfferedMemory> made =
          OfferedMemory::offer(manager.links().devices(), memory.data(), memory.size(),
                               Access::remote_read | Access::remote_write);
      EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
      if (made) offered = std::move(*made);
      out.keys = [this] { return std::span<const std::byte>(offered.keys()); };
      out.adapter_keys = [this] {
        return adapter ? adapter->peers().own().key_bytes() : std::span<const std::byte>{};
      };
      out.posted = [this](int rank) { posts.push_back(rank); };
      out.completed = [this](int rank) { completions.push_back(rank); };
      out.notified = [this, &ranks](std::uint32_t index) {
        if (index >= kCounters) return false;
        notifications.emplace_back(index, memory[0]);
        if (ranks.watcher_) ranks.watcher_(members.rank(), index);
        return true;
      };
      return out;
    }

    struct alignas(kControlLine) Line {
      std::byte bytes[kControlLine] = {};
    };
    std::vector<Line> words;
    std::vector<std::byte> memory;
    OneSided manager;
    WindowMembers members;
    OfferedMemory offered;
    std::vector<int> posts, completions;
    std::vector<Notification> notifications;
    ServedWindow served;
    RemoteAccess access;
    std::unique_ptr<AdapterAccess> adapter;
  };
  [[nodiscard]] Part& part(int rank) { return *parts_[static_cast<std::size_t>(rank)]; }

  std::size_t bytes_;
  std::function<void(int rank, std::uint32_t index)> watcher_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace remit::testing
