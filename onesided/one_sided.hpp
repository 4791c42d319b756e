// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The windows of one MPI process, and what they have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include "links/link_user.hpp"
#include "links/links.hpp"
#include "runtime/os/kernel_copy.hpp"
#include "runtime/process.hpp"

namespace remit {

class Window;

/// A user of the links: what windows send and receive. Made with the first window of a process.
/// The thread that drives the links.
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

  /// By the number that it has at all its members; null: there is none, it was freed.
  [[nodiscard]] Window* find(std::uint32_t number) const;
  void add(std::uint32_t number, Window& window);
  void remove(std::uint32_t number);

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
  Process& process_;
  Links& links_;
  KernelCopy kernel_;
  std::map<std::uint32_t, Window*> windows_;
};

}  // namespace remit
