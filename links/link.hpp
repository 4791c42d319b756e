// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The way to one process, and the table of all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "links/message_order.hpp"
#include "links/process_id.hpp"
#include "rdma_btl/device.hpp"

namespace remit {

struct LinkDevice;

/// The way to one process that this one talks to. The user that takes most messages derives from it
/// and keeps what it needs of the peer behind it.
struct Link {
  explicit Link(ProcId p) : id(p) {}
  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  LinkDevice* device = nullptr;  ///< null: not connected
  EndpointId endpoint = 0;       ///< of that device
  ProcId id;
  bool looking_up = false;
  bool introduced = false;      ///< users know what its process has published
  bool failed = false;          ///< it is lost: nothing can be sent any more
  bool same_device = true;      ///< its messages arrive by `device`: get and put work
  std::uint32_t settle_by = 0;  ///< in Connector's ticks: from then on calls do not wait for
                                ///< its connection
  std::unique_ptr<MessageOrder> order;  ///< null if the device keeps order, unless messages come by
                                        ///< another one
};

/// Makes the record of a process when it is first spoken to.
using MakeLink = std::unique_ptr<Link> (*)(ProcId);

/// Links by process; memory grows with those in use only.
class LinkTable {
 public:
  LinkTable(std::size_t processes, MakeLink make)
      : make_(make), pages_(processes / kPage + 1, &empty_page()) {}
  ~LinkTable() {
    for (Page* page : pages_) {
      if (page != &empty_page()) delete page;
    }
  }
  LinkTable(const LinkTable&) = delete;
  LinkTable& operator=(const LinkTable&) = delete;

  /// Numbers below `processes` may be used from now on.
  void make_room(std::size_t processes) {
    if (pages_.size() < processes / kPage + 1) pages_.resize(processes / kPage + 1, &empty_page());
  }

  /// Null if never talked to.
  [[nodiscard]] Link* find(ProcId id) const {
    const std::size_t index = number_of(id);
    return (*pages_[index / kPage])[index % kPage].get();
  }
  /// Throws std::bad_alloc.
  Link& get(ProcId id) {
    if (Link* link = find(id)) return *link;
    const std::size_t index = number_of(id);
    Page*& page = pages_[index / kPage];
    if (page == &empty_page()) page = new Page();
    std::unique_ptr<Link> made = make_(id);
    all_.push_back(made.get());
    auto& slot = (*page)[index % kPage];
    slot = std::move(made);
    return *slot;
  }
  /// In the order of their first use.
  [[nodiscard]] const std::vector<Link*>& all() const { return all_; }

 private:
  static constexpr std::size_t kPage = 64;
  using Page = std::array<std::unique_ptr<Link>, kPage>;
  /// Stands for all pages not in use; never written.
  [[nodiscard]] static Page& empty_page() {
    static Page page;
    return page;
  }

  MakeLink make_;
  std::vector<Page*> pages_;
  std::vector<Link*> all_;
};

}  // namespace remit
