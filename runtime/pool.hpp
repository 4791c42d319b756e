// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Slab<T>: objects named by 32-bit {index, generation} handles, which may travel on the wire: a
// handle that outlived its object is recognised instead of reaching another object.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace remit {

/// Names an object of a Slab. The low bits are its index, the high bits its generation.
using SlabHandle = std::uint32_t;
/// Never names an object.
inline constexpr SlabHandle kNoSlabHandle = 0;

/// Owns objects of one type at stable addresses. allocate, free and get are O(1); the heap is used
/// only when more objects live at once than ever before. A freed slot is reused after all slots
/// freed before it, so a handle repeats only after 2^(HandleBits - IndexBits) - 1 reuses of its
/// slot. One thread. Destroys what still lives when it is destroyed.
template <class T, unsigned IndexBits = 20, unsigned HandleBits = 32>
class Slab {
 public:
  static_assert(IndexBits >= 1 && IndexBits + 4 <= HandleBits && HandleBits <= 32,
                "a generation needs bits too");
  /// The most objects that can live at once; then allocate() throws std::bad_alloc.
  static constexpr std::uint32_t kMaxObjects = std::uint32_t{1} << IndexBits;

  Slab() = default;
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  ~Slab() {
    for_each([](T& object) { object.~T(); });
  }

  /// Constructs an object from `args`. Throws what the constructor throws, or std::bad_alloc.
  template <class... Args>
  T* allocate(Args&&... args) {
    if (free_head_ == kNone) grow();
    const std::uint32_t index = free_head_;
    Slot& slot = slot_at(index);
    T* object = ::new (static_cast<void*>(slot.storage)) T(std::forward<Args>(args)...);
    free_head_ = slot.next_free;
    slot.name ^= kIndexMask;  // live: the name is the handle
    ++live_;
    return object;
  }

  /// Destroys an object of this slab; its handle becomes stale.
  void free(T* object) {
    Slot* slot = slot_of(object);
    const std::uint32_t index = slot->name & kIndexMask;
    assert(&slot_at(index) == slot && "freed twice, or not of this slab");
    object->~T();
    std::uint32_t generation = (slot->name >> IndexBits) + 1;
    if (generation > kMaxGeneration) generation = 1;
    slot->name = (generation << IndexBits) | (index ^ kIndexMask);
    slot->next_free = kNone;
    if (free_head_ == kNone) {
      free_head_ = index;
    } else {
      slot_at(free_tail_).next_free = index;
    }
    free_tail_ = index;
    --live_;
  }

  /// The object that `handle` names, or nullptr if it was freed or never existed. Any value may be
  /// asked, also one from the network.
  [[nodiscard]] T* get(SlabHandle handle) {
    const std::uint32_t index = handle & kIndexMask;
    if (index >= capacity_) return nullptr;
    Slot& slot = slot_at(index);
    return slot.name == handle ? object_in(slot) : nullptr;
  }

  /// The handle of an object of this slab.
  [[nodiscard]] static SlabHandle handle_of(const T* object) {
    return reinterpret_cast<const Slot*>(reinterpret_cast<const std::byte*>(object))->name;
  }

  /// Calls visit(T&) for every living object, in no useful order; visit may free that object.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::uint32_t index = 0; index < capacity_; ++index) {
      Slot& slot = slot_at(index);
      if ((slot.name & kIndexMask) == index) visit(*object_in(slot));
    }
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t index = 0; index < capacity_; ++index) {
      Slot& slot = slot_at(index);
      if ((slot.name & kIndexMask) == index) visit(std::as_const(*object_in(slot)));
    }
  }

  /// Objects that live now.
  [[nodiscard]] std::size_t live() const { return live_; }
  /// Slots that exist: the most that ever lived at once, rounded up to a chunk.
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  static constexpr std::uint32_t kIndexMask = kMaxObjects - 1;
  static constexpr std::uint32_t kMaxGeneration = ~std::uint32_t{0} >>
                                                  (32 - HandleBits + IndexBits);
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr unsigned kChunkBits = IndexBits < 5 ? IndexBits : 5;
  static constexpr std::uint32_t kChunkSlots = std::uint32_t{1} << kChunkBits;

  /// `name` of a living object is its handle. That of a free slot is its next generation with the
  /// index bits inverted, which no handle that leads to this slot can equal.
  struct Slot {
    alignas(T) std::byte storage[sizeof(T)];
    std::uint32_t name;
    std::uint32_t next_free;
  };

  Slot& slot_at(std::uint32_t index) const {
    return chunks_[index >> kChunkBits][index & (kChunkSlots - 1)];
  }
  static T* object_in(Slot& slot) { return std::launder(reinterpret_cast<T*>(slot.storage)); }
  static Slot* slot_of(T* object) {
    return reinterpret_cast<Slot*>(reinterpret_cast<std::byte*>(object));
  }

  void grow() {
    if (capacity_ == kMaxObjects) throw std::bad_alloc();
    chunks_.push_back(std::unique_ptr<Slot[]>(new Slot[kChunkSlots]));
    const std::uint32_t first = capacity_;
    capacity_ += kChunkSlots;
    for (std::uint32_t index = first; index < capacity_; ++index) {
      Slot& slot = slot_at(index);
      slot.name = (std::uint32_t{1} << IndexBits) | (index ^ kIndexMask);
      slot.next_free = index + 1 < capacity_ ? index + 1 : kNone;
    }
    free_head_ = first;
    free_tail_ = capacity_ - 1;
  }

  std::vector<std::unique_ptr<Slot[]>> chunks_;
  std::uint32_t capacity_ = 0;
  std::uint32_t free_head_ = kNone;
  std::uint32_t free_tail_ = kNone;
  std::size_t live_ = 0;
};

}  // namespace remit
