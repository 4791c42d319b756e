// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What mpirun knows of the other hosts: which of them run something, and which are lost.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "launcher/tree/tree.hpp"

namespace remit::launcher {

/// Nodes of the tree but mpirun's own, 0. One that is lost stays lost. Pure.
class HostStates {
 public:
  explicit HostStates(Tree tree) : tree_(tree) {}

  /// A process was started on this node; or nothing is left there of what was.
  void set_busy(int node) { busy_.insert(node); }
  void set_empty(int node) { busy_.erase(node); }
  /// Nothing is left anywhere.
  [[nodiscard]] bool is_empty() const { return busy_.empty(); }

  /// The daemon of this node is lost, and with it all below.
  void lose(int node);
  [[nodiscard]] const std::set<int>& lost() const { return lost_; }
  /// All others.
  [[nodiscard]] std::set<int> present() const;
  /// Of these processes, given by their nodes, the numbers of those which are gone with `node`, or
  /// below it, and were not returned before. What was started there is not waited for any more.
  [[nodiscard]] std::vector<int> take_gone(int node, const std::vector<int>& nodes);

  /// Folders that the daemon of a node has made.
  void set_folders(int node, std::vector<std::string> folders);
  /// Nodes that were lost and had folders, and all of these.
  struct Remains {
    std::vector<int> nodes;
    std::vector<std::string> folders;
  };
  [[nodiscard]] Remains remains() const;

 private:
  Tree tree_;
  std::set<int> busy_;  // nodes on which something was started
  std::set<int> lost_;
  std::set<int> gone_;  // lost ones whose processes were spoken of
  std::map<int, std::vector<std::string>> folders_;
};

}  // namespace remit::launcher
