// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/adapter/adapter_changes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime/clock.hpp"
#include "runtime/copy.hpp"
#include "runtime/copy_time.hpp"

namespace remit {

namespace {

using Word = std::uint64_t;

/// Words that are changed together: as many as a small buffer has room for.
constexpr std::size_t kWords = AdapterPort::kSmall / sizeof(Word);

/// How long a granule is waited for before somebody asks whether its holder still lives.
constexpr std::int64_t kGranulePatienceNs = 100'000'000;

constexpr std::size_t kGranules = offsetof(AdapterWords, granules);

bool is_aligned(const ElementRun& run) {
  return run.address % sizeof(Word) == 0;
}

Word word_at(const std::byte* from, std::size_t index) {
  Word word;
  std::memcpy(&word, from + index * sizeof word, sizeof word);
  return word;
}

/// What becomes of a word.
Word changed(const Accumulation& what, Word before, const std::byte* operand) {
  if (what.kernel() != nullptr) {
    what.kernel()(operand, reinterpret_cast<std::byte*>(&before), 1);
  } else if (what.kind() == Reduction::replace) {
    std::memcpy(&before, operand, sizeof before);
  }
  return before;
}

}  // namespace

bool AdapterChanges::is_word(const Datatype& element) {
  const TypeGroup group = element.signature().group;
  const bool is_integer = group == TypeGroup::c_integer || group == TypeGroup::fortran_integer ||
                          group == TypeGroup::multi_language;
  return is_integer && element.layout().size() == sizeof(Word) && element.layout().is_contiguous();
}

/// Locks of one member that this process has, in the order of their numbers.
class AdapterChanges::Granules {
 public:
  Granules(AdapterPeers& peers, AdapterPeer& peer, std::uint64_t& waits)
      : peers_(peers), peer_(peer), waits_(waits) {}
  ~Granules() { release(); }
  Granules(const Granules&) = delete;
  Granules& operator=(const Granules&) = delete;

  [[nodiscard]] Expected<> take(GranuleSet wanted) {
    for (; wanted != 0; wanted &= wanted - 1) {
      const auto index = static_cast<std::size_t>(std::countr_zero(wanted));
      if (auto taken = take_one(index); !taken) return taken;
      held_ |= GranuleSet{1} << index;
    }
    return {};
  }
  /// By an atomic: a store could come between what one of a waiter reads and writes back.
  void release() {
    for (; held_ != 0; held_ &= held_ - 1) {
      const auto index = static_cast<std::size_t>(std::countr_zero(held_));
      Operation leave = fetch_add_of(place(index), Word{0} - peers_.self(), {});
      peers_.start(peer_, {&leave, 1});
    }
  }

 private:
  [[nodiscard]] RemoteAddress place(std::size_t index) const {
    return peer_.word(kGranules + index * sizeof(AdapterWords::Granule));
  }
  [[nodiscard]] Expected<> take_one(std::size_t index) {
    const HeldBuffer buffer(peers_.port(), sizeof(Word));
    const Piece before = buffer->piece(0, sizeof(Word));
    std::int64_t patience_ns = 0;
    for (bool first = true;; first = false) {
      Operation attempt = swap_of(place(index), 0, peers_.self(), {&before, 1});
      if (auto done = peers_.run(peer_, {&attempt, 1}); !done) return done;
      const Word holder = word_at(buffer->begin, 0);
      if (holder == 0) return {};
      if (first) {
        ++waits_;
        patience_ns = monotonic_ns() + kGranulePatienceNs;
      } else if (monotonic_ns() > patience_ns) {
        const int rank = static_cast<int>(holder) - 1;
        if (peers_.is_lost(rank)) return lost(rank);
      }
    }
  }
  [[nodiscard]] tl::unexpected<Error> lost(int rank) const {
    return fail(MPI_ERR_PROC_ABORTED,
                "rank {} has ended inside of an accumulate to the same memory of rank {}, whose "
                "values are undefined now",
                rank, peer_.rank);
  }

  AdapterPeers& peers_;
  AdapterPeer& peer_;
  std::uint64_t& waits_;
  GranuleSet held_ = 0;
};

// --- integers of 64 bits -----------------------------------------------------------------------

/// One whose old value is fetched, by one atomic.
void AdapterChanges::fetch_word(AdapterPeer& peer, Word addend, std::uint64_t address,
                                std::byte* result, Request* done) {
  const AdapterBuffer buffer = peers_.port().take(sizeof(Word));
  const Piece before = buffer.piece(0, sizeof(Word));
  Operation add = fetch_add_of(peer.memory(address), addend, {&before, 1});
  peers_.start(
      peer, {&add, 1},
      [&port = peers_.port(), &progress = peers_.progress(), buffer, result, done](int status) {
        if (status == MPI_SUCCESS) std::memcpy(result, buffer.begin, sizeof(Word));
        port.give_back(buffer);
        if (done == nullptr) return;
        done->status.error = status;
        complete_request(*done, progress);
      });
}

bool AdapterChanges::try_fetch(int rank, std::uint64_t address, const void* operand, void* result) {
  AdapterPeer* const peer = peers_.at_hand(rank);
  if (peer == nullptr || address % sizeof(Word) != 0) return false;
  const Word addend = operand != nullptr ? word_at(static_cast<const std::byte*>(operand), 0) : 0;
  fetch_word(*peer, addend, address, static_cast<std::byte*>(result), nullptr);
  return true;
}

/// One that is swapped, by one atomic.
void AdapterChanges::swap_word(AdapterPeer& peer, std::uint64_t address, const void* replacement,
                               const void* compare, void* result) {
  const AdapterBuffer buffer = peers_.port().take(sizeof(Word));
  const Piece before = buffer.piece(0, sizeof(Word));
  Operation swap = swap_of(peer.memory(address), word_at(static_cast<const std::byte*>(compare), 0),
                           word_at(static_cast<const std::byte*>(replacement), 0), {&before, 1});
  peers_.start(peer, {&swap, 1}, [&port = peers_.port(), buffer, result](int status) {
    if (status == MPI_SUCCESS) std::memcpy(result, buffer.begin, sizeof(Word));
    port.give_back(buffer);
  });
}

bool AdapterChanges::try_swap(int rank, std::uint64_t address, const void* replacement,
                              const void* compare, void* result) {
  AdapterPeer* const peer = peers_.at_hand(rank);
  if (peer == nullptr || address % sizeof(Word) != 0) return false;
  swap_word(*peer, address, replacement, compare, result);
  return true;
}

/// A sum that nobody wants to see.
void AdapterChanges::add_words(AdapterPeer& peer, const Batch& batch) {
  std::size_t number = 0;
  for (const ElementRun& run : batch.runs) {
    for (std::size_t i = 0; i < run.elements; ++i, ++number) {
      Operation add =
          fetch_add_of(peer.memory(run.address + i * sizeof(Word)), word_at(batch.in, number), {});
      peers_.start(peer, {&add, 1});
    }
  }
}

/// At most kWords. Sums and reads by an atomic each, all else until each has found what it has
/// computed with.
Expected<> AdapterChanges::change_words(AdapterPeer& peer, const Batch& batch) {
  struct Change {
    std::uint64_t address;
    Word expected;
    const std::byte* operand;
    std::size_t number;
  };
  std::array<Change, kWords> open;
  std::size_t count = 0;
  for (const ElementRun& run : batch.runs) {
    for (std::size_t i = 0; i < run.elements; ++i, ++count) {
      const std::byte* const operand =
          batch.in != nullptr ? batch.in + count * sizeof(Word) : nullptr;
      open[count] = {run.address + i * sizeof(Word), 0, operand, count};
    }
  }
  const bool adds = batch.what.kind() == Reduction::sum;
  const bool at_once = adds || batch.what.kind() == Reduction::no_op;
  const HeldBuffer buffer(peers_.port(), kWords * sizeof(Word));
  std::array<Piece, kWords> results;
  std::array<Operation, kWords> operations;
  for (bool first = true; count != 0; first = false) {
    for (std::size_t i = 0; i < count; ++i) {
      const Change& change = open[i];
      const RemoteAddress place = peer.memory(change.address);
      results[i] = buffer->piece(i * sizeof(Word), sizeof(Word));
      operations[i] =
          first ? fetch_add_of(place, adds ? word_at(change.operand, 0) : 0, {&results[i], 1})
                : swap_of(place, change.expected,
                          changed(batch.what, change.expected, change.operand), {&results[i], 1});
    }
    if (auto done = peers_.run(peer, std::span(operations).first(count)); !done) return done;
    std::size_t left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Change change = open[i];
      const Word before = word_at(buffer->begin, i);
      const bool is_over = at_once || (!first && before == change.expected);
      if (is_over && batch.out != nullptr) {
        std::memcpy(batch.out + change.number * sizeof(Word), &before, sizeof before);
      }
      if (is_over) continue;
      change.expected = before;
      open[left++] = change;
    }
    count = left;
  }
  return {};
}

// --- all else ----------------------------------------------------------------------------------

/// Puts the array in a buffer back to where its elements are, without the gaps.
Expected<> AdapterChanges::write_back(AdapterPeer& peer, const Batch& batch,
                                      const std::shared_ptr<HeldBuffer>& buffer) {
  std::array<Layout::Piece, kBatchRuns> blocks;
  std::array<Piece, kBatchRuns> pieces;
  std::array<Operation, kBatchRuns> puts;
  std::byte* from = (*buffer)->begin;
  for (const ElementRun& run : batch.runs) {
    const auto elements = static_cast<MPI_Count>(run.elements);
    const std::size_t packed = run.elements * batch.array.size();
    for (std::size_t offset = 0; offset != packed;) {
      const auto found =
          batch.array.layout().pieces(from, elements, offset, packed - offset, blocks);
      for (std::size_t i = 0; i < found.pieces; ++i) {
        const auto ahead =
            static_cast<std::uint64_t>(static_cast<std::byte*>(blocks[i].address) - from);
        pieces[i] = {blocks[i].address, blocks[i].length, (*buffer)->key};
        puts[i] = move_of(OpKind::put, peer.memory(run.address + ahead), pieces[i]);
      }
      if (auto put = peers_.put(peer, std::span(puts).first(found.pieces), buffer); !put) {
        return put;
      }
      offset += found.bytes;
    }
    from += run.elements * batch.array.extent();
  }
  return {};
}

Expected<> AdapterChanges::change_locked(AdapterPeer& peer, const Batch& batch) {
  const auto buffer = std::make_shared<HeldBuffer>(peers_.port(), AdapterPort::kLarge);
  std::byte* const values = (*buffer)->begin;
  GranuleSet granules = 0;
  std::size_t elements = 0;
  std::array<Piece, kBatchRuns> pieces;
  std::array<Operation, kBatchRuns> gets;
  for (std::size_t i = 0; i < batch.runs.size(); ++i) {
    const ElementRun& run = batch.runs[i];
    const std::size_t bytes = batch.array.reach(run.elements);
    granules |= granules_of(run.address, bytes);
    pieces[i] = (*buffer)->piece(elements * batch.array.extent(), bytes);
    gets[i] = move_of(OpKind::get, peer.memory(run.address), pieces[i]);
    elements += run.elements;
  }
  Granules held(peers_, peer, waits_);
  if (auto taken = held.take(granules); !taken) return taken;
  const bool replaces = batch.what.kind() == Reduction::replace;
  if (!replaces || batch.out != nullptr) {
    auto got = peers_.run(peer, std::span(gets).first(batch.runs.size()));
    if (!got) return got;
  }
  {
    const TimedCopy time(batch.bytes);  // without what the adapter does
    if (batch.out != nullptr) batch.array.copy(batch.out, values, elements);
    if (batch.in == nullptr) return {};
    if (replaces) {
      batch.array.copy(values, batch.in, elements);
    } else {
      batch.what.kernel()(batch.in, values, elements);
    }
  }
  return write_back(peer, batch, buffer);
}

// --- what is asked for -------------------------------------------------------------------------

Expected<> AdapterChanges::change(AdapterPeer& peer, const Batch& batch) {
  if (!is_word(batch.what.element())) return change_locked(peer, batch);
  // Where not all are aligned they go one by one, each its own way.
  if (!std::all_of(batch.runs.begin(), batch.runs.end(), is_aligned)) {
    Batch one = batch;
    for (const ElementRun& run : batch.runs) {
      one.runs = std::span(&run, 1);
      auto done = is_aligned(run) ? change_words(peer, one) : change_locked(peer, one);
      if (!done) return done;
      const std::size_t step = run.elements * sizeof(Word);
      if (one.in != nullptr) one.in += step;
      if (one.out != nullptr) one.out += step;
    }
    return {};
  }
  if (batch.what.kind() == Reduction::sum && batch.out == nullptr) {
    add_words(peer, batch);
    return {};
  }
  return change_words(peer, batch);
}

Expected<> AdapterChanges::accumulate(int rank, const Accumulation& what, const View* origin,
                                      const View& target, const View* result, Request* done) {
  const auto finish = [&] {
    if (done != nullptr) complete_request(*done, peers_.progress());
  };
  if (what.kind() == Reduction::no_op) {
    origin = nullptr;
    if (result == nullptr) {
      finish();
      return {};
    }
  }
  const Expected<AdapterPeer*> reached = peers_.reach(rank);
  if (!reached) return tl::unexpected(reached.error());
  AdapterPeer& peer = **reached;
  if (auto ordered = peers_.order(peer); !ordered) return ordered;
  const bool words = is_word(what.element());
  const auto address = reinterpret_cast<std::uint64_t>(target.base);
  const Layout& element = what.element().layout();
  const bool is_single = words && result != nullptr && target.count == 1 &&
                         target.layout == &element && result->layout == &element &&
                         (origin == nullptr || origin->layout == &element);
  if (is_single && address % sizeof(Word) == 0 &&
      (what.kind() == Reduction::sum || what.kind() == Reduction::no_op)) {
    const bool adds = what.kind() == Reduction::sum;
    fetch_word(peer, adds ? word_at(origin->data(), 0) : 0, address, result->data(), done);
    return {};
  }
  const ElementArray array(what.element());
  ElementReader reader(origin, array);
  ElementWriter writer(result, array);
  TargetWalk walk(target, array);
  const std::size_t most = words ? kWords : kBatchBytes / array.extent();
  for (;;) {
    const std::span<const ElementRun> runs = walk.next(most);
    if (runs.empty()) break;
    std::size_t elements = 0;
    for (const ElementRun& run : runs) elements += run.elements;
    const std::byte* const in = reader.next(elements);
    std::byte* const out = writer.room(elements);
    if (auto changed = change(peer, {what, array, runs, in, out, target.size()}); !changed)
      return changed;
    if (out != nullptr) writer.put_back(elements);
  }
  finish();
  return {};
}

Expected<> AdapterChanges::compare_and_swap(int rank, const Datatype& element,
                                            std::uint64_t address, const void* replacement,
                                            const void* compare, void* result) {
  const auto bytes = static_cast<std::size_t>(element.layout().size());
  if (auto fine = check_comparable(element); !fine) return fine;
  const Expected<AdapterPeer*> reached = peers_.reach(rank);
  if (!reached) return tl::unexpected(reached.error());
  AdapterPeer& peer = **reached;
  if (auto ordered = peers_.order(peer); !ordered) return ordered;
  if (!is_word(element) || address % sizeof(Word) != 0) {
    return swap_locked(peer, address, bytes, replacement, compare, result);
  }
  swap_word(peer, address, replacement, compare, result);
  return {};
}

Expected<> AdapterChanges::swap_locked(AdapterPeer& peer, std::uint64_t address, std::size_t bytes,
                                       const void* replacement, const void* compare, void* result) {
  Granules held(peers_, peer, waits_);
  if (auto taken = held.take(granules_of(address, bytes)); !taken) return taken;
  const auto buffer = std::make_shared<HeldBuffer>(peers_.port(), bytes);
  std::byte* const value = (*buffer)->begin;
  const Piece piece = (*buffer)->piece(0, bytes);
  Operation get = move_of(OpKind::get, peer.memory(address), piece);
  if (auto got = peers_.run(peer, {&get, 1}); !got) return got;
  const bool equal = std::memcmp(value, compare, bytes) == 0;
  std::memcpy(result, value, bytes);
  if (!equal) return {};
  std::memcpy(value, replacement, bytes);
  Operation put = move_of(OpKind::put, peer.memory(address), piece);
  return peers_.put(peer, {&put, 1}, buffer);
}

}  // namespace remit
