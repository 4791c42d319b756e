// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A doubly linked list whose links are inside the elements: no allocation, O(1) removal.
#pragma once

#include <cassert>
#include <cstddef>
#include <iterator>

namespace remit {

/// Base class of what can be in an IntrusiveList. A `Tag` type lets one object be in several lists:
/// `struct Request : ListNode<>, ListNode<struct ByPeer> {}`. A copy is in no list. An element must
/// leave its list before it is destroyed.
template <class Tag = void>
class ListNode {
 public:
  ListNode() = default;
  ListNode(const ListNode&) {}
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): assigns nothing
  ListNode& operator=(const ListNode&) { return *this; }
  ~ListNode() { assert(!linked() && "destroyed while in a list"); }

  [[nodiscard]] bool linked() const { return next_ != nullptr; }
  /// Leaves its list; it must be in one.
  void unlink() {
    assert(linked());
    previous_->next_ = next_;
    next_->previous_ = previous_;
    previous_ = next_ = nullptr;
  }

 private:
  template <class, class>
  friend class IntrusiveList;
  ListNode* previous_ = nullptr;
  ListNode* next_ = nullptr;
};

/// Does not own its elements. One thread.
template <class T, class Tag = void>
class IntrusiveList {
  using Node = ListNode<Tag>;

 public:
  IntrusiveList() { reset(); }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;
  ~IntrusiveList() {
    clear();
    head_.previous_ = head_.next_ = nullptr;
  }

  [[nodiscard]] bool empty() const { return head_.next_ == &head_; }
  /// The first element; the list must not be empty.
  [[nodiscard]] T& front() { return element(head_.next_); }
  [[nodiscard]] T& back() { return element(head_.previous_); }

  void push_back(T& value) { insert(head_.previous_, node(value)); }
  void push_front(T& value) { insert(&head_, node(value)); }
  /// Removes and returns the first element; nullptr if there is none.
  T* pop_front() {
    if (empty()) return nullptr;
    T& first = front();
    node(first)->unlink();
    return &first;
  }
  /// Removes an element that is in this list.
  static void erase(T& value) { node(value)->unlink(); }
  /// Unlinks all elements; O(n).
  void clear() {
    while (!empty()) head_.next_->unlink();
  }

  /// Walks in order. The current element may be removed (or destroyed) while it is visited: the
  /// iterator has already read its successor, which therefore must stay.
  class Iterator {
   public:
    using value_type = T;
    using reference = T&;
    using pointer = T*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    explicit Iterator(Node* at) : at_(at), next_(IntrusiveList::successor(at)) {}
    T& operator*() const { return element(at_); }
    T* operator->() const { return &element(at_); }
    Iterator& operator++() {
      at_ = next_;
      next_ = IntrusiveList::successor(at_);
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    Node* at_;
    Node* next_;
  };
  [[nodiscard]] Iterator begin() { return Iterator(head_.next_); }
  [[nodiscard]] Iterator end() { return Iterator(&head_); }

 private:
  static Node* node(T& value) { return static_cast<Node*>(&value); }
  static T& element(Node* at) { return static_cast<T&>(*at); }
  static Node* successor(Node* at) { return at->next_; }

  void reset() { head_.previous_ = head_.next_ = &head_; }
  static void insert(Node* after, Node* added) {
    assert(!added->linked());
    added->previous_ = after;
    added->next_ = after->next_;
    after->next_->previous_ = added;
    after->next_ = added;
  }

  Node head_;
};

}  // namespace remit
