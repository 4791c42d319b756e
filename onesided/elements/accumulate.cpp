// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/elements/accumulate.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>

#include "onesided/elements/element_walk.hpp"
#include "onesided/memory/granule.hpp"
#include "onesided/memory/process_memory.hpp"
#include "runtime/copy.hpp"
#include "runtime/copy_time.hpp"

namespace remit {

Expected<Accumulation> Accumulation::of(const Op& op, const Datatype& target_type) {
  if (const Datatype* element = target_type.signature().element; element != nullptr)
    return of_element(op, *element);
  // No elements, so that neither the operation nor the type will ever matter.
  if (target_type.size() == 0 && op.kind() != Reduction::null && op.is_predefined())
    return Accumulation(op, predefined(MPI_BYTE), nullptr);
  if (!target_type.is_available()) return tl::unexpected(check(op, target_type).error());
  return fail(MPI_ERR_TYPE,
              "an accumulate's target is of one predefined type; the elements of {} are of several",
              target_type.name().empty() ? "this derived datatype" : target_type.name());
}

Expected<Accumulation> Accumulation::of_element(const Op& op, const Datatype& element) {
  if (!element.is_available() || element.signature().element != &element) {
    return fail(MPI_ERR_TYPE, "{} is no predefined type that this platform has",
                element.name().empty() ? "a derived datatype" : element.name());
  }
  if (op.kind() == Reduction::replace || op.kind() == Reduction::no_op)
    return Accumulation(op, element, nullptr);
  if (const ReductionKernel kernel = reduction_kernel(op, element); kernel != nullptr)
    return Accumulation(op, element, kernel);
  return tl::unexpected(check(op, element, OpUse::accumulate).error());
}

namespace {

/// Changes elements of an array, `bytes` in all, which lie in arrays on all sides. Under their
/// lock.
[[gnu::noinline]] void change_array(const Accumulation& what, const View* origin, std::byte* at,
                                    std::size_t bytes, const View* result) {
  if (result != nullptr) copy_bytes(result->base, at, bytes);
  if (what.kernel() != nullptr) {
    const std::size_t size = static_cast<std::size_t>(what.element().layout().size());
    what.kernel()(static_cast<const std::byte*>(origin->base), at, bytes / size);
  } else if (what.kind() == Reduction::replace) {
    copy_bytes(at, origin->base, bytes);
  }
}

/// The same of eight bytes.
[[gnu::always_inline]] inline void change_word(const Accumulation& what, const View* origin,
                                               std::byte* at, MPI_Count count, const View* result) {
  if (result != nullptr) std::memcpy(result->base, at, sizeof(std::uint64_t));
  if (what.kernel() != nullptr) {
    what.kernel()(static_cast<const std::byte*>(origin->base), at, static_cast<std::size_t>(count));
  } else if (what.kind() == Reduction::replace) {
    std::memcpy(at, origin->base, sizeof(std::uint64_t));
  }
}

/// Changes runs of elements in memory that is mapped here, granule by granule.
[[nodiscard]] Expected<> change_mapped(const MemberMemory& memory, const Accumulation& what,
                                       const ElementArray& array, std::span<const ElementRun> runs,
                                       const std::byte* in, std::byte* out) {
  GranuleHold hold(memory);
  for (ElementRun run : runs) {
    while (run.elements != 0) {
      const std::uint64_t room = kGranuleBytes - run.address % kGranuleBytes;
      const std::size_t reach = array.reach(1);
      // An element that is in two granules takes both locks, alone.
      const std::size_t inside = room < reach ? 1 : (room - reach) / array.extent() + 1;
      const std::size_t some = std::min(run.elements, inside);
      if (auto ok = hold.take(granules_of(run.address, array.reach(some))); !ok) return ok;
      std::byte* const at = memory.mapped(run.address);
      const std::size_t step = some * array.extent();
      if (out != nullptr) {
        array.copy(out, at, some);
        out += step;
      }
      if (what.kernel() != nullptr) {
        what.kernel()(in, at, some);
      } else if (what.kind() == Reduction::replace) {
        array.copy(at, in, some);
      }
      if (in != nullptr) in += step;
      run.address += step;
      run.elements -= some;
    }
  }
  return {};
}

/// Changes runs of elements, a batch at most, in memory of a process that the kernel copies from
/// and to: under all their locks, since each call of the kernel's costs more than what it copies.
class CopiedChange {
 public:
  CopiedChange(const MemberMemory& memory, const Accumulation& what, const ElementArray& array)
      : memory_(memory), what_(what), array_(array) {}

  [[nodiscard]] Expected<> change(std::span<const ElementRun> runs, std::byte* in, std::byte* out) {
    const std::size_t elements = place(runs);
    const bool replaces = what_.kind() == Reduction::replace;
    GranuleHold hold(memory_);
    if (auto ok = hold.take(granules_); !ok) return ok;
    if (out != nullptr || !replaces) {
      if (auto ok = read(runs); !ok) return ok;
    }
    if (out != nullptr) array_.copy(out, values_.data(), elements);
    if (what_.kind() == Reduction::no_op) return {};
    if (what_.kernel() != nullptr) what_.kernel()(in, values_.data(), elements);
    return write(runs, replaces ? in : values_.data());
  }

 private:
  /// How many elements there are, and which granules they are in.
  std::size_t place(std::span<const ElementRun> runs) {
    std::size_t elements = 0;
    granules_ = 0;
    for (const ElementRun& run : runs) {
      granules_ |= granules_of(run.address, array_.reach(run.elements));
      elements += run.elements;
    }
    return elements;
  }

  /// The values, as an array; what lies in gaps, too.
  [[nodiscard]] Expected<> read(std::span<const ElementRun> runs) {
    std::array<iovec, kBatchRuns> local;
    std::array<iovec, kBatchRuns> remote;
    std::byte* to = values_.data();
    std::size_t used = 0;
    for (const ElementRun& run : runs) {
      const std::size_t bytes = array_.reach(run.elements);
      local[used] = {to, bytes};
      remote[used++] = {reinterpret_cast<void*>(run.address), bytes};
      to += run.elements * array_.extent();
    }
    return memory_.process->read(std::span(local).first(used), std::span(remote).first(used));
  }

  /// An array to where its elements belong, without the gaps.
  [[nodiscard]] Expected<> write(std::span<const ElementRun> runs, std::byte* from) {
    std::array<Layout::Piece, kBatchRuns> blocks;
    std::array<iovec, kBatchRuns> local;
    std::array<iovec, kBatchRuns> remote;
    std::size_t used = 0;
    const auto flush = [&]() -> Expected<> {
      const std::size_t count = std::exchange(used, 0);
      return memory_.process->write(std::span(local).first(count), std::span(remote).first(count));
    };
    for (const ElementRun& run : runs) {
      const auto count = static_cast<MPI_Count>(run.elements);
      const std::size_t packed = run.elements * array_.size();
      for (std::size_t offset = 0; offset != packed;) {
        // There is room for one at least.
        const auto room = std::span(blocks).subspan(used);
        const auto found = array_.layout().pieces(from, count, offset, packed - offset, room);
        for (const Layout::Piece& block : room.first(found.pieces)) {
          const auto ahead =
              static_cast<std::uint64_t>(static_cast<std::byte*>(block.address) - from);
          local[used] = {block.address, block.length};
          remote[used++] = {reinterpret_cast<void*>(run.address + ahead), block.length};
        }
        offset += found.bytes;
        if (used < kBatchRuns) continue;
        if (auto ok = flush(); !ok) return ok;
      }
      from += run.elements * array_.extent();
    }
    return used == 0 ? Expected<>() : flush();
  }

  const MemberMemory& memory_;
  const Accumulation& what_;
  const ElementArray& array_;
  GranuleSet granules_ = 0;
  std::array<std::byte, kBatchBytes> values_;  ///< only what was read is used
};

/// Any layouts, and either way to the memory.
[[nodiscard, gnu::noinline]] Expected<> accumulate_runs(const MemberMemory& memory,
                                                        const Accumulation& what,
                                                        const View* origin, const View& target,
                                                        const View* result) {
  if (what.kind() == Reduction::no_op) {
    if (result == nullptr) return {};
    origin = nullptr;
  }
  const TimedCopy time(target.size());
  const ElementArray array(what.element());
  ElementReader reader(origin, array);
  ElementWriter writer(result, array);
  TargetWalk walk(target, array);
  CopiedChange copied(memory, what, array);
  const bool is_mapped = memory.here != nullptr;
  const std::size_t most = is_mapped && reader.is_direct() && writer.is_direct()
                               ? std::numeric_limits<std::size_t>::max()
                               : kBatchBytes / array.extent();
  for (;;) {
    const std::span<const ElementRun> runs = walk.next(most);
    if (runs.empty()) return {};
    std::size_t elements = 0;
    for (const ElementRun& run : runs) elements += run.elements;
    // Only read, though the kernel's vectors for both directions are the same.
    auto* const in = const_cast<std::byte*>(reader.next(elements));
    std::byte* const out = writer.room(elements);
    Expected<> done = is_mapped ? change_mapped(memory, what, array, runs, in, out)
                                : copied.change(runs, in, out);
    if (!done) return done;
    if (out != nullptr) writer.put_back(elements);
  }
}

/// The most bytes that a type of these groups has.
constexpr std::size_t kComparedBytes = 16;

/// compare_and_swap() of one word of mapped memory. False: nothing was done, for it lies in two
/// granules, or somebody is in its.
template <class Word>
[[nodiscard, gnu::always_inline]] inline bool try_swap(const MemberMemory& memory,
                                                       std::uint64_t address,
                                                       const void* replacement, const void* compare,
                                                       void* result) {
  if (address % kGranuleBytes > kGranuleBytes - sizeof(Word)) return false;
  GranuleLock& lock = memory.granules[granule_lock_of(address)];
  if (!try_lock(lock, memory.self)) return false;
  std::byte* const at = memory.mapped(address);
  Word before;
  Word wanted;
  std::memcpy(&before, at, sizeof(Word));
  std::memcpy(&wanted, compare, sizeof(Word));
  if (before == wanted) std::memcpy(at, replacement, sizeof(Word));
  unlock(lock);
  std::memcpy(result, &before, sizeof(Word));
  return true;
}

[[nodiscard, gnu::noinline]] Expected<> compare_and_swap_any(const MemberMemory& memory,
                                                             std::uint64_t address,
                                                             std::size_t bytes,
                                                             const void* replacement,
                                                             const void* compare, void* result) {
  GranuleHold hold(memory);
  if (auto ok = hold.take(granules_of(address, bytes)); !ok) return ok;
  std::array<std::byte, kComparedBytes> before;
  if (memory.here != nullptr) {
    std::memcpy(before.data(), memory.mapped(address), bytes);
  } else if (auto ok = memory.process->read(before.data(), address, bytes); !ok) {
    return ok;
  }
  const bool equal = std::memcmp(before.data(), compare, bytes) == 0;
  if (equal && memory.here != nullptr) {
    std::memcpy(memory.mapped(address), replacement, bytes);
  } else if (equal) {
    if (auto ok = memory.process->write(replacement, address, bytes); !ok) return ok;
  }
  std::memcpy(result, before.data(), bytes);
  return {};
}

}  // namespace

Expected<> accumulate(const MemberMemory& memory, const Accumulation& what, const View* origin,
                      const View& target, const View* result) {
  // The short way: arrays on all sides, in mapped memory, within a granule that nobody is in. What
  // is rare is left to a function that ends this one, so that there is little to save before.
  const Layout& element = what.element().layout();
  const auto address = reinterpret_cast<std::uintptr_t>(target.base);
  const std::size_t bytes = target.size();
  if (memory.here == nullptr || target.layout != &element || !element.is_contiguous() ||
      (origin != nullptr && origin->layout != &element) ||
      (result != nullptr && result->layout != &element) ||
      bytes > kGranuleBytes - address % kGranuleBytes) [[unlikely]]
    return accumulate_runs(memory, what, origin, target, result);

  GranuleLock& lock = memory.granules[granule_lock_of(address)];
  if (!try_lock(lock, memory.self)) [[unlikely]]
    return accumulate_runs(memory, what, origin, target, result);
  std::byte* const at = memory.mapped(address);
  if (bytes == sizeof(std::uint64_t)) {
    change_word(what, origin, at, target.count, result);
  } else {
    change_array(what, origin, at, bytes, result);
  }
  unlock(lock);
  return {};
}

Expected<> check_comparable(const Datatype& element) {
  const Layout& layout = element.layout();
  if (is_comparable(element) && static_cast<std::size_t>(layout.size()) <= kComparedBytes &&
      layout.is_contiguous()) {
    return {};
  }
  return fail(MPI_ERR_TYPE, "compare and swap takes an integer, logical or byte type, not {}",
              element.name().empty() ? "a derived datatype" : element.name());
}

Expected<> compare_and_swap(const MemberMemory& memory, const Datatype& element,
                            std::uint64_t address, const void* replacement, const void* compare,
                            void* result) {
  const auto bytes = static_cast<std::size_t>(element.layout().size());
  if (auto fine = check_comparable(element); !fine) return fine;
  if (memory.here != nullptr) [[likely]] {
    if (bytes == sizeof(std::uint64_t) &&
        try_swap<std::uint64_t>(memory, address, replacement, compare, result)) {
      return {};
    }
    if (bytes == sizeof(std::uint32_t) &&
        try_swap<std::uint32_t>(memory, address, replacement, compare, result)) {
      return {};
    }
  }
  return compare_and_swap_any(memory, address, bytes, replacement, compare, result);
}

}  // namespace remit
