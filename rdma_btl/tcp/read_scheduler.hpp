// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which connections are read, and when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace remit::tcp {

struct Endpoint;

/// A look at one connection costs a system call, and so does a look at all of them, which takes
/// longer. So the few over which something came lately, or to which something was sent, are *hot*
/// and read at every poll; all are looked at now and then. And a socket that is read cannot
/// receive: the core that brings something waits for its lock. So after polls in vain no socket is
/// read for a moment.
class ReadScheduler {
 public:
  /// Something came from it, or went to it, or is awaited. Fails for nothing.
  void warm(Endpoint& endpoint);
  /// The hot ones, if they are few enough to be read one by one; each has its turn to be first.
  [[nodiscard]] bool few() const { return hot_.size() <= kMostHot; }
  [[nodiscard]] std::vector<Endpoint*>& take_turns();
  /// Whether one that has just been read stays hot; else its place is free.
  [[nodiscard]] static bool stays_hot(const Endpoint& endpoint);
  /// Of many hot ones, after a look at all of them: those that had nothing for long are forgotten.
  void cool();

  /// Something was sent: somebody waits for an answer.
  void sent() { taken_ = 0; }
  /// Whether sockets are left alone at this moment.
  [[nodiscard]] bool rests(std::uint64_t now_ns) const { return now_ns < rest_until_ns_; }
  /// A poll has brought so many completions.
  void polled(std::size_t count, std::uint64_t now_ns);

  /// Whether all connections are to be looked at in this poll; `eager`: at once if it is idle.
  [[nodiscard]] bool look_due(bool eager);
  void look_at_once() { until_look_ = 0; }
  /// All were looked at.
  void looked(bool found);

 private:
  static constexpr std::size_t kMostHot = 8;

  std::vector<Endpoint*> hot_;
  std::size_t taken_ = 0;            ///< by the layer above since anything was sent
  std::uint64_t rest_until_ns_ = 0;  ///< no socket is read before
  unsigned until_look_ = 0;          ///< polls until all connections are looked at
  unsigned pause_ = 0;               ///< ... after the last such look
};

}  // namespace remit::tcp
