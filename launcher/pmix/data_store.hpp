// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What ranks publish for others to look up by name (MPI_Publish_name, MPI_Comm_connect of other
// MPIs). Bytes only; one thread.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace remit::launcher {

class DataStore {
 public:
  struct Item {
    std::string key;
    std::string owner_job;
    int owner_rank = 0;
    std::string value;  ///< serialized by whoever stores it
    bool once = false;  ///< gone after the first look-up (PMIX_PERSIST_FIRST_READ)
  };
  /// Called once with the items found, which are all or fewer than were asked for.
  using Answer = std::function<void(std::vector<Item> items)>;

  /// False if another item with this key exists; nothing changes then. Look-ups that waited for
  /// it are answered from inside.
  bool publish(Item item);

  /// Looks, and takes nothing.
  [[nodiscard]] bool has_all(const std::vector<std::string>& keys) const;

  /// Answers at once with what is there, or, if `wait`, when every key is there. Returns a ticket
  /// for expire(), 0 if it was answered.
  std::uint64_t lookup(std::vector<std::string> keys, bool wait, Answer answer);

  /// A waiting look-up is answered with what there is. Unknown tickets are ignored.
  void expire(std::uint64_t ticket);

  /// Removes these keys of this owner, or all of them if `keys` is empty. False: one of the keys
  /// was none of its own.
  bool unpublish(const std::string& owner_job, int owner_rank,
                 const std::vector<std::string>& keys);

  /// Removes what the processes of a job have published: it is over.
  void forget(const std::string& owner_job);

 private:
  struct Waiting {
    std::uint64_t ticket;
    std::vector<std::string> keys;
    Answer answer;
  };

  std::vector<Item> take(const std::vector<std::string>& keys);

  std::map<std::string, Item> items_;
  std::list<Waiting> waiting_;
  std::uint64_t next_ticket_ = 1;
};

}  // namespace remit::launcher
