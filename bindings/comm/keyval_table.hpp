// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The keys of attributes that a program has created.
#pragma once

#include <map>

#include "bindings/objects.hpp"

namespace remit {

/// Keys by the numbers that stand for them in programs. It does not own them: one that the user has
/// freed (its `kind` says so) stays usable as long as an attribute has it (MPI-5.0, section 7.7.2).
/// The thread that holds the process.
class KeyvalTable {
 public:
  /// Gives it a number that no other key has had.
  void add(Keyval& keyval) {
    keyval.id = next_++;
    by_id_.emplace(keyval.id, &keyval);
  }
  void remove(const Keyval& keyval) { by_id_.erase(keyval.id); }
  /// Null: there is none.
  [[nodiscard]] Keyval* find(int id) const {
    const auto it = by_id_.find(id);
    return it == by_id_.end() ? nullptr : it->second;
  }

 private:
  std::map<int, Keyval*> by_id_;
  int next_ = 1000;  ///< above every predefined attribute key
};

}  // namespace remit
