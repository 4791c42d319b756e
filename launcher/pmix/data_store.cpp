// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Published items and the look-ups that wait for them.
#include "launcher/pmix/data_store.hpp"

#include <algorithm>
#include <cstdint>

namespace remit::launcher {

bool DataStore::publish(Item item) {
  const std::string key = item.key;
  if (!items_.emplace(key, std::move(item)).second) return false;
  for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
    if (!has_all(waiting->keys)) {
      ++waiting;
      continue;
    }
    const Waiting ready = std::move(*waiting);
    waiting = waiting_.erase(waiting);
    ready.answer(take(ready.keys));
  }
  return true;
}

std::uint64_t DataStore::lookup(std::vector<std::string> keys, bool wait, Answer answer) {
  if (!wait || has_all(keys)) {
    answer(take(keys));
    return 0;
  }
  waiting_.push_back({next_ticket_, std::move(keys), std::move(answer)});
  return next_ticket_++;
}

void DataStore::expire(std::uint64_t ticket) {
  const auto found = std::ranges::find(waiting_, ticket, &Waiting::ticket);
  if (found == waiting_.end()) return;
  const Waiting late = std::move(*found);
  waiting_.erase(found);
  late.answer(take(late.keys));
}

bool DataStore::unpublish(const std::string& owner_job, int owner_rank,
                          const std::vector<std::string>& keys) {
  const std::size_t removed = std::erase_if(items_, [&](const auto& entry) {
    const Item& item = entry.second;
    return item.owner_job == owner_job && item.owner_rank == owner_rank &&
           (keys.empty() || std::ranges::find(keys, item.key) != keys.end());
  });
  return removed >= keys.size();
}

void DataStore::forget(const std::string& owner_job) {
  std::erase_if(items_, [&](const auto& entry) { return entry.second.owner_job == owner_job; });
}

bool DataStore::has_all(const std::vector<std::string>& keys) const {
  return std::ranges::all_of(keys, [&](const std::string& key) { return items_.contains(key); });
}

std::vector<DataStore::Item> DataStore::take(const std::vector<std::string>& keys) {
  std::vector<Item> found;
  for (const std::string& key : keys) {
    const auto item = items_.find(key);
    if (item == items_.end()) continue;
    found.push_back(item->second);
    if (item->second.once) items_.erase(item);
  }
  return found;
}

}  // namespace remit::launcher
