// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ways from this process to others, over whatever devices reach them: connecting on first use,
// posting, what waits, and who is told what has come. It knows nothing of MPI's messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "links/connector.hpp"
#include "links/device_set.hpp"
#include "links/link.hpp"
#include "links/link_users.hpp"
#include "links/lost_links.hpp"
#include "links/passport.hpp"
#include "links/postponed.hpp"
#include "links/process_directory.hpp"
#include "rdma_btl/device.hpp"
#include "runtime/process.hpp"

namespace remit {

/// The links of one process, and the parts that they are made of. All calls by the thread that
/// holds the process; none blocks but settle(). It is a progress source: whoever polls the
/// process's Progress drives it, a program's call or a thread of the library's own.
class Links final : public ProgressSource {
 public:
  /// Takes the devices and becomes a progress source of `process`, which must outlive it. Throws
  /// std::runtime_error if the memory monitor that the user wants does not work.
  Links(
      Process& process, std::vector<std::unique_ptr<Device>> devices,
      MakeLink make = [](ProcId id) { return std::make_unique<Link>(id); });
  ~Links() override;

  /// Who is told what comes, to be set before publish().
  [[nodiscard]] LinkUsers& users() { return users_; }
  [[nodiscard]] DeviceSet& devices() { return devices_; }
  [[nodiscard]] ProcessDirectory& directory() { return directory_; }
  [[nodiscard]] const ProcessDirectory& directory() const { return directory_; }
  [[nodiscard]] LostLinks& lost_links() { return lost_links_; }
  [[nodiscard]] const LinkTable& table() const { return table_; }
  [[nodiscard]] Link* find(ProcId proc) const { return table_.find(proc); }
  [[nodiscard]] Link& get(ProcId proc) { return table_.get(proc); }

  /// Lets peers find this process, and tells each `word` (LinkUser::introduced). Throws
  /// std::runtime_error if that fails.
  void publish(std::uint32_t word) { connector_.publish(word); }
  /// Of this process, for those of other jobs.
  [[nodiscard]] Passport passport() const { return connector_.passport(); }
  /// Begins to connect, if that has not begun yet; LinkUser::connected or lost tells how it ends,
  /// perhaps before this returns.
  void connect(Link& link) { connector_.connect(link); }
  /// As Connector::connect_aside().
  [[nodiscard]] const SidePath& connect_aside(Link& link, LinkDevice& slot) {
    return connector_.connect_aside(link, slot);
  }

  /// Posts puts, gets and atomics, in order; what the device does not take now is kept here, and so
  /// is everything until there is a connection, which this begins. Local memory is in use until
  /// completion. Cookies and notifications name their user. On a link that is lost operations
  /// complete with an error, MPI_ERR_PROC_ABORTED if no device has them.
  void post(Link& link, std::span<const Operation> operations) {
    if (link.device != nullptr && !link.failed) [[likely]]
      return link.device->pending.post(*link.device->device, link.endpoint, operations);
    post_unconnected(link, operations);
  }
  /// Sends the pieces, two at most, as one message, whose first byte names its user; they may be
  /// reused on return. The link is connected (LinkUser::connected). Throws std::bad_alloc if there
  /// is no memory for what the device does not take now: then nothing was sent.
  void send(Link& link, std::span<const Piece> pieces);

  /// The matching user found no memory for the first of these, which a poll of the device has
  /// brought: progress() offers them again before it polls. For LinkUser::arrived(), which throws
  /// std::bad_alloc then.
  void keep(LinkDevice& device, std::span<const Completion> rest) {
    rest_of_ = &device;
    rest_ = rest;
    unpolled = kPollAfter;
  }
  /// Gives the event to the user that it names. For LinkUser::arrived().
  void dispatch(LinkDevice& device, const Completion& completion);

  [[nodiscard]] bool lost(ProcId proc) const {
    const Link* link = table_.find(proc);
    return link != nullptr && link->failed;
  }

  /// Events that users took from devices by themselves (EagerPath::receive()) since progress() was
  /// called the last time, which must be now and then: behind kPollAfter of them. Theirs to count.
  std::uint32_t unpolled = 0;
  static constexpr std::uint32_t kPollAfter = 64;

  // ProgressSource

  /// Throws std::bad_alloc if a user had no memory for what came. The matching user is offered it
  /// again; to others it is lost.
  int progress() override;
  void arm() override { devices_.arm(); }
  void disarm() override { devices_.disarm(); }
  void wait_fds(std::vector<int>& out) const override;
  [[nodiscard]] int max_sleep_ms() const override;

  /// True if nothing that was posted is still in this process. Cheap enough to poll.
  [[nodiscard]] bool departed() const { return devices_.departed() && postponed_.empty(); }
  /// True if something was asked for that progress() has to bring about. Cheap.
  [[nodiscard]] bool busy() const {
    return connector_.looking_up() || postponed_.refused() || !rest_.empty() || !departed();
  }
  /// For calls that may block, before they return: waits until messages that are complete for their
  /// senders have left by a connection that is being made. The program may do without MPI for long,
  /// and whoever waits for them would do so until its next call. How long: Connector says.
  void settle(const WaitSubject* subject) {
    if (devices_.queued()) [[unlikely]]
      connector_.await_settled(subject);
  }

  /// The memory of a process of this host; null: none that this process reaches by itself, or not
  /// yet, or not any more.
  struct HostPath {
    HostMemory* memory = nullptr;
    EndpointId endpoint = 0;
  };
  [[nodiscard]] HostPath host_path(ProcId proc) const;

 private:
  void deliver(LinkDevice& slot, std::span<const Completion> found);
  [[nodiscard]] Link* link_of(LinkDevice& slot, EndpointId endpoint);
  void post_unconnected(Link& link, std::span<const Operation> operations);

  Process& process_;
  LinkTable table_;
  LinkUsers users_;
  DeviceSet devices_;
  ProcessDirectory directory_;
  PostponedOperations postponed_;
  LostLinks lost_links_;
  Connector connector_;
  std::vector<std::byte> gathered_;  // one message for a device that takes few pieces
  std::array<Completion, 16> completions_;
  std::span<const Completion> rest_;  // see keep()
  LinkDevice* rest_of_ = nullptr;
};

}  // namespace remit
