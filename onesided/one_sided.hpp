// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The windows of one MPI process, and what they have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "links/link_user.hpp"
#include "links/links.hpp"
#include "onesided/adapter/adapter_port.hpp"
#include "onesided/adapter/direct_moves.hpp"
#include "onesided/remote/served_window.hpp"
#include "onesided/remote/traffic.hpp"
#include "onesided/remote/wire.hpp"
#include "runtime/os/kernel_copy.hpp"
#include "runtime/process.hpp"
#include "runtime/progress.hpp"

namespace remit {

class RemoteAccess;

/// A user of the links: what windows send and receive. Made with the first window of a process. The
/// thread that drives the links.
class OneSided final : public LinkUser {
 public:
  /// Both must outlive it.
  OneSided(Process& process, Links& links);
  ~OneSided() override;
  OneSided(const OneSided&) = delete;
  OneSided& operator=(const OneSided&) = delete;

  [[nodiscard]] Process& process() { return process_; }
  [[nodiscard]] Progress& progress() { return process_.progress(); }
  [[nodiscard]] Links& links() { return links_; }
  [[nodiscard]] KernelCopy& kernel() { return kernel_; }
  [[nodiscard]] WindowTraffic& traffic() { return traffic_; }
  [[nodiscard]] DirectMoves& moves() { return moves_; }
  [[nodiscard]] AdapterPort& adapter_port() { return adapter_port_; }

  /// This process's memory in a window, by the number that the window has at all its members; null:
  /// there is none, it was freed.
  [[nodiscard]] ServedWindow* find(std::uint32_t number) const { return served_.find(number); }
  /// Serves it from now on; before any member may send to it.
  void add(std::uint32_t number, ServedWindow& window) { served_.add(number, window); }
  /// Whoever still sends to it is told that it is gone.
  void remove(std::uint32_t number) { served_.remove(number); }
  /// Does what is handed to this process in a window's slot, from now on.
  void serve(Delegate& delegate) { served_.serve(delegate); }
  void drop(const Delegate& delegate) { served_.drop(delegate); }
  /// For those who wait for others, and do not poll meanwhile.
  void serve_delegates() { (void)served_.serve_delegates(); }
  /// Who gets the answers of a window's members.
  void add(std::uint32_t number, RemoteAccess& access) { accesses_[number] = &access; }
  void remove_access(std::uint32_t number) { accesses_.erase(number); }

  /// Ends the sleep of a process of this host that may wait for a word which has just been stored.
  /// It was seen to sleep.
  void nudge(ProcId proc);

  // LinkUser
  void connected(Link& link) override;
  void introduced(Link& link, std::uint32_t word) override;
  void completed(std::uint64_t value, int status) override;
  void notified(Link& link, std::uint32_t value) override;
  void message(Link& link, std::span<const std::byte> data) override;
  void lost(Link& link, bool left_in_order) override;
  void arrived(LinkDevice& device, std::span<const Completion> completions) override;

 private:
  /// Does what a message says. False: it makes no sense.
  [[nodiscard]] bool take(ProcId from, const WindowHead& head, std::span<const std::byte> body);
  /// Tells who has sent it that there is no such window.
  void answer_for_none(ProcId from, const WindowHead& head);

  Process& process_;
  Links& links_;
  KernelCopy kernel_;
  WindowTraffic traffic_;
  DirectMoves moves_;
  AdapterPort adapter_port_;
  ServedWindows served_;
  std::map<std::uint32_t, RemoteAccess*> accesses_;
};

}  // namespace remit
