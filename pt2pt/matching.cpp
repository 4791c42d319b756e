// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Hash tables of first-in-first-out lists, and their use for matching.
#include "pt2pt/matching.hpp"

#include <bit>
#include <cassert>
#include <new>
#include <utility>

namespace remit {

void KeyedFifo::push_front(MatchLink& link) {
  MatchLink* const head = front(link.key);
  if (head == nullptr) return push(link);
  *slot_of(link.key) = &link;
  link.next = head;
  link.chain = head->chain;
  link.previous = head->previous;
  head->chain = nullptr;
  head->previous = &link;
  ++size_;
}

void KeyedFifo::remove(MatchLink& link) {
  MatchLink** slot = slot_of(link.key);
  MatchLink* head = *slot;
  assert(head != nullptr && link.previous != nullptr);
  if (head == &link) {
    (void)take_front(link.key);
    return;
  }
  --size_;
  link.previous->next = link.next;
  (link.next != nullptr ? link.next : head)->previous = link.previous;
  link.previous = link.next = link.chain = nullptr;
}

void KeyedFifo::grow() {
  const std::size_t count = room_ == 0 ? kFirstBuckets : 2 * room_;
  std::unique_ptr<MatchLink*[]> made(new (std::nothrow) MatchLink*[count]());
  if (made == nullptr) return;
  const std::size_t old_count = std::exchange(bucket_count_, count);
  MatchLink** const old = std::exchange(buckets_, made.get());
  room_ = count;
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(count));
  for (std::size_t i = 0; i < old_count; ++i) {
    for (MatchLink* head = old[i]; head != nullptr;) {
      MatchLink* following = head->chain;
      MatchLink*& bucket = buckets_[bucket_of(head->key)];
      head->chain = bucket;
      bucket = head;
      head = following;
    }
  }
  made_ = std::move(made);
}

void Matcher::file(PostedLink& receive) {
  file_queue();
  const auto c = index_of(receive.key);
  if (c != 0) ++wild_posted_;
  posted_[c].push(receive);
}

void Matcher::put_back(PostedLink& receive) {
  const auto c = index_of(receive.key);
  if (c == 0 && tables_empty()) {
    receive.next = queue_;
    if (queue_ == nullptr) queue_end_ = &receive.next;
    queue_ = &receive;
    return;
  }
  if (c != 0) ++wild_posted_;
  posted_[c].push_front(receive);
}

void Matcher::file_queue() {
  MatchLink* link = queue_;
  queue_ = nullptr;
  queue_end_ = &queue_;
  while (link != nullptr) posted_[0].push(*std::exchange(link, link->next));
}

PostedLink* Matcher::take_first_posted(const MatchKey& key) {
  PostedLink* best = nullptr;
  for (std::size_t c = 0; c < kMatchClasses; ++c) {
    if (posted_[c].empty()) continue;
    auto* found =
        static_cast<PostedLink*>(posted_[c].front(masked(key, static_cast<MatchClass>(c))));
    if (found != nullptr && (best == nullptr || found->sequence < best->sequence)) best = found;
  }
  if (best != nullptr) remove_posted(*best);
  return best;
}

void Matcher::add(UnexpectedLinks& message) {
  const MatchKey key = message.key();
  for (std::size_t c = 0; c < kMatchClasses; ++c) {
    if (!indexed_[c]) continue;
    UnexpectedLinks::Link& link = message.links[c];
    link.key = masked(key, static_cast<MatchClass>(c));
    link.owner = &message;
    unexpected_[c].push(link);
  }
  arrivals_.push_back(message);
}

void Matcher::remove(UnexpectedLinks& message) {
  for (std::size_t c = 0; c < kMatchClasses; ++c) {
    if (indexed_[c]) unexpected_[c].remove(message.links[c]);
  }
  message.unlink();
}

/// The first receive with this kind of wildcard: from now on messages are filed for it, too.
void Matcher::build_index(std::size_t c) {
  indexed_[c] = true;
  for (UnexpectedLinks& message : arrivals_) {
    UnexpectedLinks::Link& link = message.links[c];
    link.key = masked(message.key(), static_cast<MatchClass>(c));
    link.owner = &message;
    unexpected_[c].push(link);
  }
}

std::size_t Matcher::posted() const {
  std::size_t count = 0;
  for (const MatchLink* link = queue_; link != nullptr; link = link->next) ++count;
  for (const KeyedFifo& table : posted_) count += table.size();
  return count;
}

}  // namespace remit
