// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How links come to be: the address of a process is asked for, and a device connects to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "links/device_set.hpp"
#include "links/link.hpp"
#include "links/link_users.hpp"
#include "links/lost_links.hpp"
#include "links/passport.hpp"
#include "links/postponed.hpp"
#include "links/process_directory.hpp"
#include "links/process_id.hpp"
#include "links/side_path.hpp"
#include "rdma_btl/device.hpp"
#include "runtime/process.hpp"
#include "runtime/progress.hpp"

namespace remit {

/// Makes the first contact with each process that this one talks to, in either direction: a link is
/// *attached* to the endpoint that this process has connected or that the peer has made. The one
/// place that writes Link::device, Link::endpoint and LinkDevice::by_endpoint. Called by the thread
/// that drives the links; none blocks but await_settled().
class Connector {
 public:
  /// What it works with; all of it outlives it.
  struct Parts {
    Process& process;
    LinkTable& table;
    ProcessDirectory& directory;
    DeviceSet& devices;
    PostponedOperations& postponed;
    LostLinks& lost;
    const LinkUsers& users;
  };
  explicit Connector(const Parts& parts) : parts_(parts) {}

  /// Lets peers find this process, and tells each `word` (LinkUser::introduced). Throws
  /// std::runtime_error if that fails.
  void publish(std::uint32_t word);
  /// Of this process, for those of other jobs. No memory is reserved for these, of which there may
  /// be any number, so its word is 0.
  [[nodiscard]] Passport passport() const;

  /// Begins to connect, if that has not begun yet. The link is attached or lost when that ends,
  /// perhaps before this returns.
  void connect(Link& link);
  /// A way to the link's process by this device, which may be another one than its link's: begins
  /// to connect, if that has not begun yet. The link is connected, or this process's own. What it
  /// returns changes as it goes on, and stays until the end.
  [[nodiscard]] const SidePath& connect_aside(Link& link, LinkDevice& slot);
  /// The device has told that this endpoint has ended. True: it is no link's, only a way beside
  /// one, of this process or of the peer. Whoever has operations on it hears of them.
  [[nodiscard]] bool ends_aside(LinkDevice& slot, EndpointId endpoint);

  /// The link's process is at this endpoint: what has waited for a connection leaves, and users are
  /// told. The first endpoint is the one that is sent by; others only receive.
  void attach(Link& link, LinkDevice& slot, EndpointId endpoint);

  /// Addresses have been asked for and are not there yet.
  [[nodiscard]] bool looking_up() const { return lookups_ != 0; }
  /// Goes on with those that have come, and says how many.
  int take_answers();

  /// Waits until no connection that is young is being made by a device that holds operations back
  /// for it. A peer that does not answer, because it does without MPI itself, is waited for once,
  /// and not for long.
  void await_settled(const WaitSubject* subject);

 private:
  void connect_to(Link& link, std::span<const std::byte> blob);
  void look_up(Link& link);
  void go_aside(Link& link, SidePath& path, std::span<const std::byte> blob);
  [[nodiscard]] std::uint32_t now_ticks() const;

  Parts parts_;
  std::uint32_t word_ = 0;     // what was published
  std::uint32_t lookups_ = 0;  // under way
  std::map<ProcId, SidePath> asides_;
};

}  // namespace remit
