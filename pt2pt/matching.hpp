// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which receive takes which message: hashed, in MPI's order, at a cost that does not depend on how
// many of either wait. Pure data structure: knows no devices, protocols or buffers.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpi.h"
#include "runtime/intrusive_list.hpp"

namespace remit {

struct Unexpected;

/// What messages are matched by. In a receive, source and tag may be wildcards.
struct MatchKey {
  std::uint32_t context = 0;
  int source = 0;  ///< rank in the communicator, or MPI_ANY_SOURCE
  int tag = 0;     ///< or MPI_ANY_TAG

  bool operator==(const MatchKey& other) const {  // one branch instead of three
    return ((context ^ other.context) | static_cast<std::uint32_t>(source ^ other.source) |
            static_cast<std::uint32_t>(tag ^ other.tag)) == 0;
  }
};

/// The links of an element of a KeyedFifo. Elements of one key form a list; its first element
/// stands for the key in the hash chain, and its `previous` is the last.
struct MatchLink {
  MatchKey key;
  MatchLink* chain = nullptr;  ///< first elements only: the next key of this bucket
  MatchLink* next = nullptr;
  MatchLink* previous = nullptr;  ///< null: not in a KeyedFifo
};

/// One first-in-first-out list for each key. Does not own its elements. Everything is O(1) but
/// for_each; memory is taken only when there are more different keys at once than ever before.
/// Nothing fails for want of it: keys share the buckets that there are then, and take longer to
/// find.
class KeyedFifo {
 public:
  KeyedFifo() = default;
  KeyedFifo(const KeyedFifo&) = delete;
  KeyedFifo& operator=(const KeyedFifo&) = delete;

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  void push(MatchLink& link) {
    assert(link.previous == nullptr && "already in a table");
    const MatchKey key =
        link.key;  // in registers: just written, it would be slow to read as a whole
    if (keys_ >= room_) [[unlikely]]
      grow();
    MatchLink** slot = slot_of(key);
    link.next = nullptr;
    ++size_;
    if (*slot == nullptr) {
      link.chain = nullptr;
      link.previous = &link;
      *slot = &link;
      ++keys_;
      return;
    }
    MatchLink* head = *slot;
    link.previous = head->previous;
    head->previous->next = &link;
    head->previous = &link;
  }
  /// The oldest element of `key`, or null.
  [[nodiscard]] MatchLink* front(const MatchKey& key) const {
    if (size_ == 0) return nullptr;
    for (MatchLink* head = buckets_[bucket_of(key)]; head != nullptr; head = head->chain) {
      if (head->key == key) return head;
    }
    return nullptr;
  }
  /// Before the others of its key.
  void push_front(MatchLink& link);
  void remove(MatchLink& link);
  /// As front(), and removes it.
  [[nodiscard]] MatchLink* take_front(const MatchKey& key) {
    if (size_ == 0) return nullptr;
    MatchLink** slot = slot_of(key);
    MatchLink* head = *slot;
    if (head == nullptr) return nullptr;
    --size_;
    if (head->next != nullptr) {
      head->next->chain = head->chain;
      head->next->previous = head->previous;
      *slot = head->next;
    } else {
      *slot = head->chain;
      --keys_;
    }
    head->previous = head->next = head->chain = nullptr;
    return head;
  }

  /// Visits all in no useful order; visit(link) must not change the structure.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < bucket_count_; ++i) {
      for (MatchLink* head = buckets_[i]; head != nullptr; head = head->chain) {
        for (MatchLink* link = head; link != nullptr; link = link->next) visit(*link);
      }
    }
  }

 private:
  [[nodiscard]] std::size_t bucket_of(const MatchKey& key) const {
    const std::uint64_t pair = (std::uint64_t{static_cast<std::uint32_t>(key.tag)} << 32) |
                               static_cast<std::uint32_t>(key.source);
    return ((pair ^ (key.context * 0xd6e8feb86659fd93U)) * 0x9e3779b97f4a7c15U) >> shift_;
  }
  /// The place in the chain that points to the first element of `key`, or to null at its end.
  [[nodiscard]] MatchLink** slot_of(const MatchKey& key) {
    MatchLink** slot = &buckets_[bucket_of(key)];
    while (*slot != nullptr && !((*slot)->key == key)) slot = &(*slot)->chain;
    return slot;
  }
  void grow();

  static constexpr std::size_t kFirstBuckets = 64;
  static constexpr std::size_t kOwnBuckets = 2;

  std::array<MatchLink*, kOwnBuckets> own_ = {};  // until there is memory for more
  std::unique_ptr<MatchLink*[]> made_;
  MatchLink** buckets_ = own_.data();
  std::size_t bucket_count_ = kOwnBuckets;  // a power of two
  std::size_t room_ = 0;                    // keys for which there are buckets enough
  unsigned shift_ = 63;  // 64 minus the logarithm of their number: the hash is the product's
                         // highest bits
  std::size_t keys_ = 0;
  std::size_t size_ = 0;
};

/// Base of a posted receive: its key may hold wildcards.
struct PostedLink : MatchLink {
  std::uint64_t sequence = 0;  ///< order of posting among all receives of the process
};

static_assert(MPI_ANY_SOURCE < 0 && MPI_ANY_TAG < 0,
              "Matcher::post() takes them for the only ones");

/// The four kinds of receives; each has its own table, so that those not in use cost one compare.
enum class MatchClass : std::uint8_t { exact, any_source, any_tag, any_both };
inline constexpr std::size_t kMatchClasses = 4;

[[nodiscard]] constexpr MatchClass match_class(const MatchKey& key) {
  return static_cast<MatchClass>((key.source == MPI_ANY_SOURCE ? 1 : 0) |
                                 (key.tag == MPI_ANY_TAG ? 2 : 0));
}

/// The key under which a receive of class `c` that takes `message` is filed.
[[nodiscard]] constexpr MatchKey masked(MatchKey message, MatchClass c) {
  const auto bits = static_cast<unsigned>(c);
  if ((bits & 1U) != 0) message.source = MPI_ANY_SOURCE;
  if ((bits & 2U) != 0) message.tag = MPI_ANY_TAG;
  return message;
}

/// Base of a message that arrived before its receive. Linked under its exact key and, once the
/// process has used that kind of wildcard, under the masked keys.
struct UnexpectedLinks : ListNode<> {
  struct Link : MatchLink {
    UnexpectedLinks* owner = nullptr;
  };
  std::array<Link, kMatchClasses> links;

  [[nodiscard]] const MatchKey& key() const { return links[0].key; }
};

/// Posted receives and unexpected messages of one process. A message and a receive that match are
/// never both inside: post() only what find() did not satisfy, add() only what take_posted() did
/// not. Nothing here fails.
///
/// Messages most often come in the order in which receives were posted for them. So receives first
/// stand in a plain *queue*, where the first one is compared with the next message. As soon as a
/// message is for another one, or a receive has a wildcard, all are filed in the tables, and those
/// are used until they are empty. Invariant: the queue or the tables of posted receives are empty.
class Matcher {
 public:
  Matcher() = default;
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  [[gnu::always_inline]] void post(PostedLink& receive) {
    receive.sequence = next_sequence_++;
    const bool exact = (receive.key.source | receive.key.tag) >= 0;
    if (exact && tables_empty()) [[likely]] {
      enqueue(receive);
    } else {
      file(receive);
    }
  }
  /// The receive posted first among those that take a message of `key`, removed; or null.
  [[nodiscard]] PostedLink* take_posted(const MatchKey& key) {
    if (queue_ != nullptr) [[likely]] {
      if (queue_->key == key) [[likely]]
        return dequeue();
      file_queue();
    }
    if (wild_posted_ == 0) [[likely]]
      return static_cast<PostedLink*>(posted_[0].take_front(key));
    return take_first_posted(key);
  }
  /// What take_posted() has just returned is where it was.
  void put_back(PostedLink& receive);
  void remove_posted(PostedLink& receive) {
    file_queue();
    const auto c = index_of(receive.key);
    if (c != 0) --wild_posted_;
    posted_[c].remove(receive);
  }

  /// `message.links[0].key` is set.
  void add(UnexpectedLinks& message);
  /// The message that arrived first among those that a receive of `pattern` takes, or null.
  [[nodiscard]] UnexpectedLinks* find(const MatchKey& pattern) {
    if (unexpected_[0].empty()) return nullptr;
    const auto c = index_of(pattern);
    if (!indexed_[c]) build_index(c);
    MatchLink* link = unexpected_[c].front(pattern);
    return link == nullptr ? nullptr : static_cast<UnexpectedLinks::Link*>(link)->owner;
  }
  void remove(UnexpectedLinks& message);

  /// Nothing is posted and nothing is unexpected.
  [[nodiscard]] bool empty() const { return !any_posted() && unexpected() == 0; }
  [[nodiscard]] bool any_posted() const { return queue_ != nullptr || !tables_empty(); }
  /// How many, counted one by one.
  [[nodiscard]] std::size_t posted() const;
  [[nodiscard]] std::size_t unexpected() const { return unexpected_[0].size(); }

  /// Visits all posted receives, in no useful order; visit must not change the matcher.
  template <class Visit>
  void for_each_posted(Visit&& visit) const {
    for (MatchLink* link = queue_; link != nullptr; link = link->next) {
      visit(static_cast<PostedLink&>(*link));
    }
    for (const KeyedFifo& table : posted_) {
      table.for_each([&](MatchLink& link) { visit(static_cast<PostedLink&>(link)); });
    }
  }
  /// All unexpected messages in the order of arrival.
  [[nodiscard]] IntrusiveList<UnexpectedLinks>& arrivals() { return arrivals_; }

 private:
  [[nodiscard]] static std::size_t index_of(const MatchKey& key) {
    return static_cast<std::size_t>(match_class(key));
  }
  void build_index(std::size_t c);
  /// take_posted(), in all four tables.
  [[nodiscard]] PostedLink* take_first_posted(const MatchKey& key);

  [[nodiscard]] bool tables_empty() const { return (posted_[0].size() | wild_posted_) == 0; }
  void enqueue(PostedLink& receive) {
    receive.next = nullptr;
    *queue_end_ = &receive;
    queue_end_ = &receive.next;
  }
  [[nodiscard]] PostedLink* dequeue() {
    MatchLink* first = queue_;
    queue_ = first->next;
    if (queue_ == nullptr) queue_end_ = &queue_;
    return static_cast<PostedLink*>(first);
  }
  /// Into the table of its kind, behind those of the queue.
  void file(PostedLink& receive);
  void file_queue();

  MatchLink* queue_ = nullptr;  // by `next`
  MatchLink** queue_end_ = &queue_;
  std::array<KeyedFifo, kMatchClasses> posted_;
  std::array<KeyedFifo, kMatchClasses> unexpected_;
  std::array<bool, kMatchClasses> indexed_ = {true, false, false, false};
  IntrusiveList<UnexpectedLinks> arrivals_;
  std::uint64_t next_sequence_ = 0;
  std::size_t wild_posted_ = 0;  // receives in all posted_ but the first
};

}  // namespace remit
