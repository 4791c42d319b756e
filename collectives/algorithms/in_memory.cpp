// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Collectives that work in the memory of their members, all on one host: each copies or reduces its
// share of the data itself, with one copy and no message. For long blocks.
#include <algorithm>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/direct.hpp"
#include "collectives/algorithms/peers.hpp"
#include "collectives/algorithms/request_array.hpp"
#include "collectives/state.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// Bytes that are reduced at once: they stay in the core's cache between their steps.
constexpr std::size_t kReduced = std::size_t{64} << 10;
constexpr std::size_t kPage = 4096;

std::span<std::byte> memory_of(const View& view) {
  if (view.size() == 0 || !view.is_contiguous()) return {};
  return {view.data(), view.size()};
}

/// The packed bytes, for others to read: where they are, or a copy.
std::span<const std::byte> packed(CollCtx& c, const View& view) {
  if (view.is_contiguous() || view.size() == 0) return memory_of(view);
  std::byte* copy = c.scratch(view.size());
  view.pack(0, {copy, view.size()});
  return {copy, view.size()};
}

/// Whether the root takes a share of the others' copies. Where members share processors it would
/// only keep them from leaving as soon as they are done.
bool root_helps(const CollCtx& c) {
  return known_state(c.comm()).cost_class != CostClass::host_shared;
}

/// Of a block between the root and another member the root copies so many of the last bytes, the
/// other one the rest: all have as much to do. Nothing where the other one's memory has gaps.
std::size_t root_share(const CollCtx& c, std::size_t bytes, bool straight) {
  const bool shared = straight && root_helps(c);
  return shared ? bytes / static_cast<std::size_t>(c.size()) / kPage * kPage : 0;
}

/// The first bytes of a view, which is contiguous if they are not all.
View front_of(const View& view, std::size_t bytes) {
  return bytes == view.size() ? view : bytes_view(view.data(), bytes);
}

}  // namespace

/// The root writes a share into each member's buffer while they read the rest of its own.
Task<int> bcast_direct(CollCtx& c, const CollectiveArgs& a) {
  const View buffer = view_of(a.recv, a.recv_count, *a.recv_type);
  const bool is_root = c.rank() == a.root;
  std::span<const std::byte> source;
  if (is_root) source = packed(c, buffer);
  Direct d(c, source, is_root ? std::span<std::byte>() : memory_of(buffer), a.root);
  Task<int> meeting = Direct::meet(c, d, &a);
  co_await meeting;
  if (d.was_on_board()) co_return c.error();
  RequestArray messages(c, RequestKind::send, c.size());
  for (int step = 1; step < c.size() && is_root; ++step) {
    const int peer = (c.rank() + step) % c.size();
    if (!d.reaches(peer)) {
      c.start_send(messages.next(), buffer, peer);
      continue;
    }
    const std::size_t share = root_share(c, source.size(), d.has_target(peer));
    const std::size_t at = source.size() - share;
    Task<int> copy = deliver(c, d, peer, at, source.subspan(at));
    co_await copy;
  }
  if (!is_root && !d.reaches(a.root)) {
    c.start_receive(messages.next(RequestKind::receive), buffer, a.root);
  } else if (!is_root) {
    d.expect_source(c, a.root, buffer.size());
    const std::size_t share = root_share(c, buffer.size(), buffer.is_contiguous());
    Task<int> copy = fetch(c, d, a.root, 0, front_of(buffer, buffer.size() - share));
    co_await copy;
  }
  Task<int> parting = Direct::part(c, d, messages.started(), root_helps(c));
  co_await parting;
  co_return c.error();
}

/// The members write their blocks into the root's buffer while it reads a share of each. If it has
/// gaps, the root reads everything.
Task<int> gather_direct(CollCtx& c, const CollectiveArgs& a) {
  const bool is_root = c.rank() == a.root;
  const bool in_place = a.send == MPI_IN_PLACE;
  const View mine =
      in_place ? receive_slot(a, c.rank()) : view_of(a.send, a.send_count, *a.send_type);
  std::span<const std::byte> source;
  std::span<std::byte> target;
  if (is_root) {
    target = memory_of(view_of(a.recv, a.recv_count * c.size(), *a.recv_type));
  } else {
    source = packed(c, mine);
  }
  Direct d(c, source, target, a.root);
  Task<int> meeting = Direct::meet(c, d, &a);
  co_await meeting;
  if (d.was_on_board()) co_return c.error();
  RequestArray messages(c, RequestKind::receive, c.size());
  const std::size_t block = mine.size();
  if (!is_root && !d.reaches(a.root)) {
    c.start_send(messages.next(RequestKind::send), mine, a.root);
  } else if (!is_root && d.has_target(a.root)) {
    const std::size_t share = root_share(c, block, true);
    Task<int> copy = deliver(c, d, a.root, block * static_cast<std::size_t>(c.rank()),
                             source.first(block - share));
    co_await copy;
  }
  for (int step = 1; step < c.size() && is_root; ++step) {
    const int peer = (c.rank() + step) % c.size();
    const View slot = receive_slot(a, peer);
    if (!d.reaches(peer)) {
      c.start_receive(messages.next(), slot, peer);
      continue;
    }
    d.expect_source(c, peer, slot.size());
    const std::size_t share = target.empty() ? slot.size() : root_share(c, slot.size(), true);
    const std::size_t at = slot.size() - share;
    const View back = at == 0 ? slot : bytes_view(slot.data() + at, share);
    Task<int> copy = fetch(c, d, peer, at, back);
    co_await copy;
  }
  if (is_root && !in_place) {
    d.leave(c);
    copy_local(mine, receive_slot(a, c.rank()));
  }
  // Without a board a member that failed may be mistaken about the root's memory.
  const bool root_reads = root_helps(c) || c.on_board() == nullptr ||
                          (is_root ? target.empty() : !d.has_target(a.root));
  Task<int> parting = Direct::part(c, d, messages.started(), root_reads);
  co_await parting;
  co_return c.error();
}

/// The members read their blocks while the root writes a share of each.
Task<int> scatter_direct(CollCtx& c, const CollectiveArgs& a) {
  const bool is_root = c.rank() == a.root;
  const bool in_place = a.recv == MPI_IN_PLACE;
  const View mine = in_place ? send_slot(a, c.rank()) : view_of(a.recv, a.recv_count, *a.recv_type);
  std::span<const std::byte> source;
  if (is_root) source = packed(c, view_of(a.send, a.send_count * c.size(), *a.send_type));
  Direct d(c, source, is_root ? std::span<std::byte>() : memory_of(mine), a.root);
  Task<int> meeting = Direct::meet(c, d, &a);
  co_await meeting;
  if (d.was_on_board()) co_return c.error();
  RequestArray messages(c, RequestKind::send, c.size());
  const std::size_t block = mine.size();
  for (int step = 1; step < c.size() && is_root; ++step) {
    const int peer = (c.rank() + step) % c.size();
    if (!d.reaches(peer)) {
      c.start_send(messages.next(), send_slot(a, peer), peer);
      continue;
    }
    const std::size_t share = root_share(c, block, d.has_target(peer));
    const std::size_t begin = block * static_cast<std::size_t>(peer) + block - share;
    Task<int> copy = deliver(c, d, peer, block - share, source.subspan(begin, share));
    co_await copy;
  }
  if (!is_root && !d.reaches(a.root)) {
    c.start_receive(messages.next(RequestKind::receive), mine, a.root);
  } else if (!is_root) {
    d.expect_source(c, a.root, block * static_cast<std::size_t>(c.size()));
    const std::size_t share = root_share(c, block, mine.is_contiguous());
    Task<int> copy = fetch(c, d, a.root, block * static_cast<std::size_t>(c.rank()),
                           front_of(mine, block - share));
    co_await copy;
  } else if (!in_place) {
    d.leave(c);
    copy_local(send_slot(a, c.rank()), mine);
  }
  Task<int> parting = Direct::part(c, d, messages.started(), root_helps(c));
  co_await parting;
  co_return c.error();
}

namespace {

/// Fills every other member's slot and, from `own`, that of this one (unless in place), and parts.
/// Of a peer's source `bytes_of(peer)` bytes long this member's block begins at `at`; what goes out
/// by messages is `block_to(peer)`.
template <class BytesOf, class BlockTo>
Task<int> fetch_all(CollCtx& c, const CollectiveArgs& a, Direct& d, const View& own, std::size_t at,
                    BytesOf bytes_of, BlockTo block_to) {
  RequestArray messages(c, RequestKind::receive, 2 * c.size());
  for (int step = 1; step < c.size(); ++step) {
    const int peer = (c.rank() + step) % c.size();
    if (d.reaches(peer)) continue;
    c.start_receive(messages.next(), receive_slot(a, peer), peer);
    c.start_send(messages.next(RequestKind::send), block_to(peer), peer);
  }
  for (int step = 1; step < c.size(); ++step) {
    const int peer = (c.rank() + step) % c.size();
    if (!d.reaches(peer)) continue;
    d.expect_source(c, peer, bytes_of(peer));
    Task<int> copy = fetch(c, d, peer, at, receive_slot(a, peer));
    co_await copy;
  }
  d.leave(c);
  if (a.send != MPI_IN_PLACE) copy_local(own, receive_slot(a, c.rank()));
  Task<int> parting = Direct::part(c, d, messages.started());
  co_await parting;
  co_return c.error();
}

}  // namespace

/// Everybody reads all others' contributions, starting with its neighbour's.
Task<int> allgather_direct(CollCtx& c, const CollectiveArgs& a) {
  const View own = receive_slot(a, c.rank());
  const bool in_place = a.send == MPI_IN_PLACE;
  const View mine = in_place ? own : view_of(a.send, a.send_count, *a.send_type);
  Direct d(c, packed(c, mine), {});
  Task<int> meeting = Direct::meet(c, d, &a);
  co_await meeting;
  if (d.was_on_board()) co_return c.error();
  const auto bytes_of = [&a](int peer) { return receive_slot(a, peer).size(); };
  const auto same = [mine](int) { return mine; };
  Task<int> work = fetch_all(c, a, d, mine, 0, bytes_of, same);
  co_await work;
  co_return c.error();
}

/// Everybody reads its block of all others' buffers, starting with its neighbour's. In place, of
/// copies of them.
Task<int> alltoall_direct(CollCtx& c, const CollectiveArgs& a) {
  const bool in_place = a.send == MPI_IN_PLACE;
  const View whole = in_place ? view_of(a.recv, a.recv_count * c.size(), *a.recv_type)
                              : view_of(a.send, a.send_count * c.size(), *a.send_type);
  std::span<const std::byte> source;
  if (in_place) {
    std::byte* copy = c.scratch(whole.size());
    whole.pack(0, {copy, whole.size()});
    source = {copy, whole.size()};
  } else {
    source = packed(c, whole);
  }
  Direct d(c, source, {});
  Task<int> meeting = Direct::meet(c, d, &a);
  co_await meeting;
  if (d.was_on_board()) co_return c.error();
  const std::size_t block = source.size() / static_cast<std::size_t>(c.size());
  const auto bytes_of = [source](int) { return source.size(); };
  const auto block_to = [source, block](int peer) {
    return bytes_view(source.data() + block * static_cast<std::size_t>(peer), block);
  };
  const std::size_t at = block * static_cast<std::size_t>(c.rank());
  const View own = in_place ? View() : send_slot(a, c.rank());
  Task<int> work = fetch_all(c, a, d, own, at, bytes_of, block_to);
  co_await work;
  co_return c.error();
}

// --- reductions ----------------------------------------------------------------------------------

namespace {

/// Whom the result of a member's share is for.
enum class For : std::uint8_t { owner, root, all };

/// The vector is cut into shares, one for each member, which reads it from all others, reduces it,
/// and writes the result to where it is wanted. Elements lie one behind the other, without gaps.
struct Shares {
  const CollectiveArgs& a;
  For whom;
  MPI_Count* begins;            ///< by rank, of elements; one more than members
  std::byte* result = nullptr;  ///< of this member's share; null: it does not keep it
  const std::byte** arrived;    ///< by rank: the share as it came by a message, or null
  std::byte* first = nullptr;   ///< memory for one piece
  std::byte* second = nullptr;

  Shares(CollCtx& c, const CollectiveArgs& args, For w) : a(args), whom(w) {
    const auto members = static_cast<std::size_t>(c.size());
    begins = reinterpret_cast<MPI_Count*>(c.scratch(sizeof(MPI_Count) * (members + 1)));
    arrived = reinterpret_cast<const std::byte**>(c.scratch(sizeof(void*) * members));
    std::fill_n(arrived, members, nullptr);
    first = c.scratch(std::max(kReduced, width()));
    second = c.scratch(std::max(kReduced, width()));
  }
  [[nodiscard]] const Datatype& type() const { return *a.recv_type; }
  [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(type().size()); }
  [[nodiscard]] MPI_Count count(int rank) const { return begins[rank + 1] - begins[rank]; }
  [[nodiscard]] std::size_t bytes(MPI_Count elements) const {
    return static_cast<std::size_t>(elements) * width();
  }
  [[nodiscard]] MPI_Count piece() const {
    return std::max<MPI_Count>(1, static_cast<MPI_Count>(kReduced / width()));
  }
  /// A member's share of what this process has in `vector`.
  [[nodiscard]] View share(const void* vector, int rank) const {
    return slice(vector, begins[rank], count(rank), type());
  }
  [[nodiscard]] bool wanted_by(int peer) const {
    return whom == For::all || (whom == For::root && peer == a.root);
  }
};

/// Elements [at, at + count) of this member's share, as `peer` has them; if they must be copied, to
/// `memory`.
const void* look_at(CollCtx& c, const Direct& d, const Shares& s, int peer, MPI_Count at,
                    MPI_Count count, void* memory) {
  if (peer == c.rank()) {
    return static_cast<const std::byte*>(contribution(s.a)) + s.bytes(s.begins[peer] + at);
  }
  if (s.arrived[peer] != nullptr) return s.arrived[peer] + s.bytes(at);
  return d.look(c, peer, s.bytes(s.begins[c.rank()] + at), memory, s.bytes(count));
}

/// Whether it does not matter which of two is the first operand: not even to a NaN or a zero's
/// sign.
bool is_symmetric(const Op& op) {
  return op.is_predefined() && op.kind() == Reduction::sum;
}

/// Reduces these elements of all members; returns where the result is. What commutes starts with
/// the next member's and ends with one's own, which saves a copy of it; else the last member's
/// comes first, and the others in falling order: so it does between two, too, as on the board,
/// for which of these ways is taken there follows from what was measured.
std::byte* reduce_piece(CollCtx& c, const Direct& d, const Shares& s, MPI_Count at,
                        MPI_Count count) {
  const int size = c.size();
  const bool ordered = !s.a.op->is_commutative() || (size == 2 && !is_symmetric(*s.a.op));
  std::byte* out = s.result == nullptr ? s.first : s.result + s.bytes(at);
  const void* mine = look_at(c, d, s, c.rank(), at, count, nullptr);
  const bool in_place = mine == out;
  std::byte* value = ordered && in_place ? s.first : out;
  const auto take = [&](int peer) {
    const void* data = look_at(c, d, s, peer, at, count, value);
    if (data != value && c.error() == MPI_SUCCESS) copy_bytes(value, data, s.bytes(count));
  };
  const auto add = [&](int peer) {
    const void* data = look_at(c, d, s, peer, at, count, s.second);
    combine(c, s.a, data, value, count);
  };
  if (ordered) {
    take(size - 1);
    for (int peer = size - 2; peer >= 0; --peer) add(peer);
    if (value != out && c.error() == MPI_SUCCESS) copy_bytes(out, value, s.bytes(count));
    return out;
  }
  const int next = (c.rank() + 1) % size;
  if (in_place) {
    add(next);
  } else {
    take(next);
  }
  for (int step = 2; step < size; ++step) add((c.rank() + step) % size);
  if (!in_place) combine(c, s.a, mine, value, count);
  return out;
}

/// What members that do not reach each other have for each other, before and after the reduction.
Task<int> exchange_shares(CollCtx& c, const Direct& d, Shares& s) {
  RequestArray messages(c, RequestKind::receive, 2 * c.size());
  for (int step = 1; step < c.size(); ++step) {
    const int peer = (c.rank() + step) % c.size();
    if (d.reaches(peer)) continue;
    std::byte* memory = c.scratch(s.bytes(s.count(c.rank())));
    s.arrived[peer] = memory;
    c.start_receive(messages.next(), view_of(memory, s.count(c.rank()), s.type()), peer);
    c.start_send(messages.next(RequestKind::send), s.share(contribution(s.a), peer), peer);
  }
  auto everything = c.all(messages.started());
  co_await everything;
  co_return c.error();
}

Task<int> exchange_results(CollCtx& c, const Direct& d, const Shares& s) {
  RequestArray messages(c, RequestKind::receive, 2 * c.size());
  const View mine = view_of(s.result, s.count(c.rank()), s.type());
  for (int step = 1; step < c.size(); ++step) {
    const int peer = (c.rank() + step) % c.size();
    if (d.reaches(peer)) continue;
    if (s.wanted_by(c.rank())) c.start_receive(messages.next(), s.share(s.a.recv, peer), peer);
    if (s.wanted_by(peer)) c.start_send(messages.next(RequestKind::send), mine, peer);
  }
  auto everything = c.all(messages.started());
  co_await everything;
  co_return c.error();
}

/// Everything between meeting and parting.
Task<int> reduce_shares(CollCtx& c, const Direct& d, Shares& s) {
  const int me = c.rank();
  Task<int> before = exchange_shares(c, d, s);
  co_await before;
  // What leaves by a message is kept until the end.
  const bool by_message = s.whom == For::root && me != s.a.root && !d.reaches(s.a.root);
  if (by_message) s.result = c.scratch(s.bytes(s.count(me)));
  for (MPI_Count at = 0; at < s.count(me); at += s.piece()) {
    const MPI_Count count = std::min(s.piece(), s.count(me) - at);
    const std::byte* value = reduce_piece(c, d, s, at, count);
    for (int step = 1; step < c.size(); ++step) {
      const int peer = (me + step) % c.size();
      if (!s.wanted_by(peer) || !d.reaches(peer)) continue;
      d.write(c, peer, s.bytes(s.begins[me] + at), value, s.bytes(count));
    }
    if (at + count == s.count(me)) break;
    auto others = c.turn();
    co_await others;
  }
  Task<int> after = exchange_results(c, d, s);
  co_await after;
  co_return c.error();
}

/// Of two members each reads the other's whole vector: a short one takes less time so than a second
/// copy by the kernel, and the result is where it is wanted, not in the other one's cache. With a
/// board they reach each other. Both come to the same answer, also where only one is in place. (A
/// Xeon, 2026-11-26: up to 32 KB, whatever the program does.)
bool each_combines_all(const CollCtx& c, const Shares& s) {
  constexpr std::size_t kShort = std::size_t{32} << 10;
  return s.whom == For::all && c.size() == 2 && c.on_board() != nullptr &&
         s.bytes(s.a.recv_count) <= kShort;
}

Task<int> reduce_together(CollCtx& c, const CollectiveArgs& a, For whom) {
  Shares s(c, a, whom);
  const Blocks blocks{a.recv_count, c.size()};
  for (int i = 0; i <= c.size(); ++i) s.begins[i] = blocks.begin(i);
  // Of two, the root has nothing to write.
  if (whom == For::root && c.size() == 2) {
    const MPI_Count less = a.recv_count * 3 / 8;
    s.begins[1] = a.root == 0 ? a.recv_count - less : less;
  }
  const View all = view_of(a.recv, a.recv_count, s.type());
  const bool alone = each_combines_all(c, s);
  // In place the result waits until nobody reads the vector.
  const bool waits = alone && a.send == MPI_IN_PLACE;
  if (alone) {
    for (int i = 0; i <= c.size(); ++i) s.begins[i] = i <= c.rank() ? 0 : a.recv_count;
    s.whom = For::owner;
    s.result = waits ? c.scratch(all.size()) : static_cast<std::byte*>(a.recv);
  }
  std::span<std::byte> target;
  if (s.wanted_by(c.rank())) {
    s.result = static_cast<std::byte*>(a.recv) + s.bytes(s.begins[c.rank()]);
    target = memory_of(all);
  }
  Direct d(c, memory_of(view_of(contribution(a), a.recv_count, s.type())), target);
  Task<int> meeting = Direct::meet(c, d, &a);
  co_await meeting;
  if (d.was_on_board()) co_return c.error();
  Task<int> work = reduce_shares(c, d, s);
  co_await work;
  Task<int> parting = Direct::part(c, d, {});
  co_await parting;
  if (waits) copy_local(bytes_view(s.result, all.size()), all);
  co_return c.error();
}

}  // namespace

Task<int> allreduce_direct(CollCtx& c, const CollectiveArgs& a) {
  return reduce_together(c, a, For::all);
}

Task<int> reduce_direct(CollCtx& c, const CollectiveArgs& a) {
  return reduce_together(c, a, For::root);
}

/// The share of a member is its block. In place the result waits until nobody reads the vector.
Task<int> reduce_scatter_direct(CollCtx& c, const CollectiveArgs& a) {
  Shares s(c, a, For::owner);
  s.begins[0] = 0;
  for (int i = 0; i < c.size(); ++i) {
    const bool same = a.kind == CollectiveKind::reduce_scatter_block;
    s.begins[i + 1] = s.begins[i] + (same ? a.recv_count : a.recv_counts[i]);
  }
  const View result = view_of(a.recv, a.recv_count, s.type());
  const bool in_place = a.send == MPI_IN_PLACE;
  s.result = in_place ? c.scratch(result.size()) : static_cast<std::byte*>(a.recv);
  Direct d(c, memory_of(view_of(contribution(a), a.send_count, s.type())), {});
  Task<int> meeting = Direct::meet(c, d);
  co_await meeting;
  Task<int> work = reduce_shares(c, d, s);
  co_await work;
  Task<int> parting = Direct::part(c, d, {});
  co_await parting;
  if (in_place) copy_local(bytes_view(s.result, result.size()), result);
  co_return c.error();
}

}  // namespace remit
