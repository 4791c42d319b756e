// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/window_operations.hpp"

#include "onesided/elements/accumulate.hpp"
#include "onesided/elements/copy_pieces.hpp"
#include "onesided/synchronization/target_locks.hpp"

namespace remit {

// --- where an operation goes -------------------------------------------------------------------

Expected<> WindowOperations::admit(int rank) {
  if (window_.epochs.admits(rank)) [[likely]]
    return {};
  if (window_.epochs.wants_lock(rank)) return lock_one_of_all(window_, rank);
  return tl::unexpected(window_.epochs.refusal(rank));
}

/// The target's view, if all its bytes are in the member's memory.
Expected<View> WindowOperations::locate(const WindowTarget& target) const {
  const MemberEntry& entry = window_.members.entry(target.rank);
  std::uint64_t offset = 0;
  if (__builtin_mul_overflow(target.displacement, static_cast<MPI_Aint>(entry.displacement_unit),
                             reinterpret_cast<MPI_Aint*>(&offset))) {
    return fail(MPI_ERR_RMA_RANGE, "displacement {} in units of {} bytes is beyond all memory",
                target.displacement, entry.displacement_unit);
  }
  const View view{reinterpret_cast<void*>(entry.base + offset), target.count,
                  &target.type->layout()};
  if (own_regions_ != nullptr) return view;
  const Layout::Piece span = view.span(view.size());
  const std::uint64_t first = reinterpret_cast<std::uint64_t>(span.address) - entry.base;
  if (first > entry.bytes || span.length > entry.bytes - first) {
    return fail(MPI_ERR_RMA_RANGE,
                "{} bytes from byte {} on are not within the {} bytes that rank {} has in the "
                "window (displacement {} in units of {} bytes)",
                span.length, static_cast<std::int64_t>(first), entry.bytes, target.rank,
                target.displacement, entry.displacement_unit);
  }
  return view;
}

/// Of a dynamic window: whether the bytes are attached, as far as that is known here.
Expected<> WindowOperations::check_regions(int rank, const View& view, MemoryWay way) {
  const Layout::Piece span = view.span(view.size());
  const auto address = reinterpret_cast<std::uint64_t>(span.address);
  if (rank == window_.comm.rank) return own_regions_->check(address, span.length);
  if (way == MemoryWay::message) return {};  // the member looks
  std::unique_ptr<PeerRegions>& known = peers_[rank];
  if (known == nullptr) {
    known = std::make_unique<PeerRegions>(*window_.members.process(rank),
                                          window_.members.control(rank)->identity);
  }
  return known->check(address, span.length);
}

Expected<WindowOperations::Reached> WindowOperations::reach(const WindowTarget& target) {
  if (auto open = admit(target.rank); !open) return tl::unexpected(open.error());
  auto view = locate(target);
  if (!view) return tl::unexpected(view.error());
  const MemoryWay way = window_.members.way(target.rank);
  if (own_regions_ != nullptr && view->size() != 0) {
    if (auto fine = check_regions(target.rank, *view, way); !fine) {
      return tl::unexpected(fine.error());
    }
  }
  return Reached{way, *view};
}

View WindowOperations::mapped_view(int rank, const View& view) const {
  if (rank == window_.comm.rank) return view;
  const auto address = reinterpret_cast<std::uint64_t>(view.base);
  return View{window_.members.mapped(rank) + (address - window_.members.entry(rank).base),
              view.count, view.layout};
}

// --- communication -----------------------------------------------------------------------------

namespace {

void finish(Request* done) {
  if (done != nullptr) done->complete = true;
}

}  // namespace

Expected<> WindowOperations::put(const View& origin, const WindowTarget& target, Request* done) {
  const auto reached = reach(target);
  if (!reached) return tl::unexpected(reached.error());
  if (reached->way == MemoryWay::message && origin.size() != 0) {
    return window_.remote.put(target.rank, origin, reached->view, done);
  }
  finish(done);
  return put_on_host(origin, target.rank, *reached);
}

Expected<> WindowOperations::put_on_host(const View& origin, int rank, const Reached& reached) {
  if (origin.size() == 0) return {};
  if (reached.way == MemoryWay::mapped) {
    copy_view_to_view(origin, mapped_view(rank, reached.view));
    return {};
  }
  return unmapped_.put(rank, origin, reached.view);
}

Expected<bool> WindowOperations::put_notified(const View& origin, const WindowTarget& target,
                                              std::uint32_t index) {
  const auto reached = reach(target);
  if (!reached) return tl::unexpected(reached.error());
  if (reached->way == MemoryWay::message && origin.size() != 0) {
    return window_.remote.put_notified(target.rank, origin, reached->view, index);
  }
  auto done = put_on_host(origin, target.rank, *reached);
  if (!done) return tl::unexpected(std::move(done.error()));
  return false;
}

Expected<> WindowOperations::get(const View& origin, const WindowTarget& target, Request* done) {
  const auto reached = reach(target);
  if (!reached) return tl::unexpected(reached.error());
  if (reached->way == MemoryWay::message && origin.size() != 0) {
    return window_.remote.get(target.rank, origin, reached->view, done);
  }
  finish(done);
  if (origin.size() == 0) return {};
  if (reached->way == MemoryWay::mapped) {
    copy_view_to_view(mapped_view(target.rank, reached->view), origin);
    return {};
  }
  return unmapped_.get(target.rank, origin, reached->view);
}

std::optional<std::uint64_t> WindowOperations::plain_offset(int rank, MPI_Aint displacement,
                                                            std::size_t bytes) {
  const WindowMembers& members = window_.members;
  if (static_cast<unsigned>(rank) >= static_cast<unsigned>(members.size()) ||
      own_regions_ != nullptr || displacement < 0 || !window_.epochs.admits_at_once(rank)) {
    return std::nullopt;
  }
  const MemberEntry& entry = members.entry(rank);
  std::int64_t product = 0;
  if (__builtin_mul_overflow(displacement, std::int64_t{entry.displacement_unit}, &product)) {
    return std::nullopt;
  }
  const auto offset = static_cast<std::uint64_t>(product);
  if (offset > entry.bytes || bytes > entry.bytes - offset) return std::nullopt;
  return offset;
}

bool WindowOperations::try_move(OpKind kind, void* local, std::size_t bytes, int rank,
                                MPI_Aint displacement) {
  const auto offset = plain_offset(rank, displacement, bytes);
  return offset && window_.remote.try_move(kind, rank, *offset, local, bytes);
}

bool WindowOperations::try_put_notified(void* local, std::size_t bytes, int rank,
                                        MPI_Aint displacement, std::uint32_t index) {
  const auto offset = plain_offset(rank, displacement, bytes);
  return offset && window_.remote.try_put_notified(rank, *offset, local, bytes, index);
}

bool WindowOperations::try_fetch(const Datatype& element, const void* operand, void* result,
                                 int rank, MPI_Aint displacement) {
  if (window_.adapter == nullptr || !AdapterChanges::is_word(element)) return false;
  const auto offset = plain_offset(rank, displacement, sizeof(std::uint64_t));
  if (!offset) return false;
  return window_.adapter->changes().try_fetch(rank, window_.members.entry(rank).base + *offset,
                                              operand, result);
}

bool WindowOperations::try_swap(const Datatype& element, const void* replacement,
                                const void* compare, void* result, int rank,
                                MPI_Aint displacement) {
  if (window_.adapter == nullptr || !AdapterChanges::is_word(element)) return false;
  const auto offset = plain_offset(rank, displacement, sizeof(std::uint64_t));
  if (!offset) return false;
  return window_.adapter->changes().try_swap(rank, window_.members.entry(rank).base + *offset,
                                             replacement, compare, result);
}

Expected<> WindowOperations::accumulate(const View* origin, const Op& op,
                                        const WindowTarget& target, const View* result,
                                        Request* done) {
  const auto reached = reach(target);
  if (!reached) return tl::unexpected(reached.error());
  if (reached->view.size() == 0) {  // whatever the operation and the type are
    finish(done);
    return {};
  }
  const auto what = Accumulation::of(op, *target.type);
  if (!what) return tl::unexpected(what.error());
  if (window_.adapter != nullptr) {
    return window_.adapter->changes().accumulate(target.rank, *what, origin, reached->view, result,
                                                 done);
  }
  if (reached->way == MemoryWay::message) {
    return window_.remote.accumulate(target.rank, *what, origin, reached->view, result, done);
  }
  finish(done);
  if (reached->way == MemoryWay::kernel) {
    return unmapped_.accumulate(target.rank, *what, origin, reached->view, result);
  }
  return remit::accumulate(window_.members.memory(target.rank), *what, origin, reached->view,
                           result);
}

Expected<> WindowOperations::compare_and_swap(const void* replacement, const void* compare,
                                              void* result, const WindowTarget& target) {
  const auto reached = reach(target);
  if (!reached) return tl::unexpected(reached.error());
  const auto address = reinterpret_cast<std::uint64_t>(reached->view.base);
  if (window_.adapter != nullptr) {
    return window_.adapter->changes().compare_and_swap(target.rank, *target.type, address,
                                                       replacement, compare, result);
  }
  if (reached->way == MemoryWay::message) {
    return window_.remote.compare_and_swap(target.rank, *target.type, address, replacement, compare,
                                           result);
  }
  if (reached->way == MemoryWay::kernel) {
    return unmapped_.compare_and_swap(target.rank, *target.type, address, replacement, compare,
                                      result);
  }
  return remit::compare_and_swap(window_.members.memory(target.rank), *target.type, address,
                                 replacement, compare, result);
}

// --- signals -----------------------------------------------------------------------------------

Expected<View> WindowOperations::signal_word(int rank, MPI_Aint displacement) const {
  auto word = locate({rank, displacement, 1, &predefined(MPI_UINT64_T)});
  if (!word) return word;
  const auto address = reinterpret_cast<std::uint64_t>(word->base);
  if (address % sizeof(std::uint64_t) != 0) {
    return fail(MPI_ERR_DISP,
                "signal_disp is {}: that is address {:#x} of rank {}, and a signal has to be "
                "aligned to 8 bytes",
                displacement, address, rank);
  }
  if (own_regions_ == nullptr || rank != window_.comm.rank) return word;
  if (auto fine = own_regions_->check(address, sizeof(std::uint64_t)); !fine) {
    return tl::unexpected(fine.error());
  }
  return word;
}

Expected<> WindowOperations::order_behind(int rank) {
  if (window_.members.way(rank) == MemoryWay::message)
    return window_.remote.targets().order_atomic(rank);
  return {};
}

Expected<> WindowOperations::tell_signalled(int rank) {
  const bool by_message = window_.members.way(rank) == MemoryWay::message;
  if (window_.adapter != nullptr) {
    // Nobody there hears of what an adapter does.
    if (auto there = window_.adapter->peers().flush(rank, nullptr); !there) return there;
    if (by_message) window_.manager.nudge(window_.members.proc(rank));
  }
  if (!by_message) window_.host.tell_signalled(rank);
  return {};
}

}  // namespace remit
