// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a process keeps of each process that it talks to.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pt2pt/communicator.hpp"
#include "pt2pt/request.hpp"
#include "rdma_btl/device.hpp"
#include "runtime/intrusive_list.hpp"

namespace remit {

struct DeviceSlot;

/// One process that this one talks to. The first members are those of the fast path.
struct Peer {
  explicit Peer(ProcId p) : id(p) {}

  /// Contiguous messages of less bytes than this may go eagerly by the fast path; 0: none (not
  /// connected, not greeted yet, failed, or on a device that does not keep order).
  std::size_t fast_below = 0;
  DeviceSlot* device = nullptr;  ///< null: not connected
  EndpointId endpoint = 0;
  std::uint32_t credits = 0;  ///< units of the peer's memory that we may use now

  // The other direction: our memory that the peer may use.
  std::uint32_t owed = 0;   ///< used by the peer, free again, not told yet
  std::uint32_t lease = 0;  ///< all units at the peer, under way or occupied by its messages
  std::uint32_t base = 0;   ///< the part of `lease` that is never recalled
  bool active = false;      ///< sent eagerly since the last sweep for idle peers
  bool recalling = false;   ///< a recall is under way

  std::uint32_t their_window = 0;  ///< the part of our credits that is never recalled
  bool base_known = false;         ///< `their_window` is known and was added to `credits`
  bool greeted = false;            ///< our first message has told the peer its first window
  bool looking_up = false;
  bool failed = false;
  bool same_device = true;  ///< the peer's messages arrive by `device`: get and put work

  std::array<std::uint32_t, 2> page_ns = {};  ///< Engine::page_ns()
  std::uint64_t settle_by_ns = 0;             ///< from then on calls do not wait for its connection

  ProcId id;
  IntrusiveList<Request> waiting;  ///< sends until connected
  std::string failure;             ///< the words, once failed or a message of it has

  // Only on devices that do not keep the order of sends.
  std::uint32_t next_sequence = 0;
  std::uint32_t expected_sequence = 0;
  std::map<std::uint32_t, std::vector<std::byte>> early;
};

/// Peers by process; memory grows with those in use only.
class PeerTable {
 public:
  explicit PeerTable(std::size_t processes) : pages_(processes / kPage + 1, &empty_page()) {}
  ~PeerTable() {
    for (Page* page : pages_) {
      if (page != &empty_page()) delete page;
    }
  }
  PeerTable(const PeerTable&) = delete;
  PeerTable& operator=(const PeerTable&) = delete;

  /// Numbers below `processes` may be used from now on.
  void make_room(std::size_t processes) {
    if (pages_.size() < processes / kPage + 1) pages_.resize(processes / kPage + 1, &empty_page());
  }

  /// Null if never talked to.
  [[nodiscard]] Peer* find(ProcId id) const { return (*pages_[id / kPage])[id % kPage].get(); }
  Peer& get(ProcId id) {
    if (Peer* peer = find(id)) return *peer;
    Page*& page = pages_[id / kPage];
    if (page == &empty_page()) page = new Page();
    auto& slot = (*page)[id % kPage];
    slot = std::make_unique<Peer>(id);
    all_.push_back(slot.get());
    return *slot;
  }
  [[nodiscard]] const std::vector<Peer*>& all() const { return all_; }

 private:
  static constexpr std::size_t kPage = 64;
  using Page = std::array<std::unique_ptr<Peer>, kPage>;
  /// Stands for all pages not in use; never written.
  [[nodiscard]] static Page& empty_page() {
    static Page page;
    return page;
  }

  std::vector<Page*> pages_;
  std::vector<Peer*> all_;  // in order of first use
};

}  // namespace remit
