// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Random collective operations with the results that they must have, worked out naively.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "datatype/datatype.hpp"
#include "datatype/reductions.hpp"

namespace remit::testing {

using Words = std::vector<std::int32_t>;
using Random = std::mt19937_64;

inline int below(Random& random, int bound) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(bound));
}

/// What takes place among the members of one communicator, and can be a Case.
inline constexpr std::array kBlockingKinds = {
    CollectiveKind::barrier,  CollectiveKind::bcast,     CollectiveKind::gather,
    CollectiveKind::scatter,  CollectiveKind::allgather, CollectiveKind::allgatherv,
    CollectiveKind::alltoall, CollectiveKind::alltoallv, CollectiveKind::alltoallw,
    CollectiveKind::reduce,   CollectiveKind::allreduce, CollectiveKind::reduce_scatter,
    CollectiveKind::scan};

/// A datatype of some ints; all data of the tests are ints, described in different ways.
struct Typed {
  const Datatype* type = nullptr;
  int ints = 1;
};

/// (a, b) as x -> a x + b, composed: associative, not commutative. Two layouts of the pair.
inline void compose(const std::byte* in, std::byte* inout, std::ptrdiff_t first,
                    std::ptrdiff_t second) {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  std::memcpy(&a, in + first, 4);
  std::memcpy(&b, in + second, 4);
  std::memcpy(&c, inout + first, 4);
  std::memcpy(&d, inout + second, 4);
  const std::uint32_t product = a * c;
  const std::uint32_t sum = a * d + b;
  std::memcpy(inout + first, &product, 4);
  std::memcpy(inout + second, &sum, 4);
}
inline void compose_close(void* in, void* inout, MPI_Count* count, MPI_Datatype*) {
  for (MPI_Count i = 0; i < *count; ++i) {
    compose(static_cast<std::byte*>(in) + 8 * i, static_cast<std::byte*>(inout) + 8 * i, 0, 4);
  }
}
inline void compose_spread(void* in, void* inout, MPI_Count* count, MPI_Datatype*) {
  for (MPI_Count i = 0; i < *count; ++i) {
    compose(static_cast<std::byte*>(in) + 24 * i, static_cast<std::byte*>(inout) + 24 * i, -4, 8);
  }
}

/// The datatypes and operations of the tests.
class Vocabulary {
 public:
  Vocabulary() {
    const Datatype& word = predefined(MPI_INT);
    const std::array<MPI_Count, 2> lengths = {2, 1};
    const std::array<MPI_Count, 2> places = {-12, 4};
    const std::array<MPI_Count, 2> ones = {1, 1};
    const std::array<MPI_Count, 2> pair_places = {-4, 8};
    moves_.push_back({&word, 1});
    moves_.push_back({keep(make_resized(word, 0, 12)), 1});
    moves_.push_back({keep(make_contiguous(3, word)), 3});
    moves_.push_back({keep(make_hindexed(lengths, places, word)), 3});  // a negative lower bound
    moves_.push_back({keep(make_resized(word, 0, -8)), 1});             // grows downwards
    close_pair_ = {keep(make_contiguous(2, word)), 2};
    auto spread = make_hindexed(ones, pair_places, word);
    spread_pair_ = {keep(make_resized(*keep(std::move(spread)), -4, 24)), 2};
  }
  [[nodiscard]] Typed any(Random& random) const { return moves_[random() % moves_.size()]; }
  [[nodiscard]] Typed word() const { return moves_[0]; }
  [[nodiscard]] Typed close_pair() const { return close_pair_; }
  [[nodiscard]] Typed spread_pair() const { return spread_pair_; }
  [[nodiscard]] const Op& ordered_close() const { return ordered_close_; }
  [[nodiscard]] const Op& ordered_spread() const { return ordered_spread_; }
  [[nodiscard]] const Op& sum() const { return *op_of(MPI_SUM); }

 private:
  const Datatype* keep(Expected<Ref<Datatype>> made) {
    EXPECT_TRUE(made.has_value());
    (*made)->commit();
    owned_.push_back(*made);
    return owned_.back().get();
  }
  std::vector<Ref<Datatype>> owned_;
  std::vector<Typed> moves_;
  Typed close_pair_, spread_pair_;
  Op ordered_close_{compose_close, false};
  Op ordered_spread_{compose_spread, false};
};

/// Elements of a type with guards around them; whole memory is compared, gaps and all.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Typed typed, MPI_Count elements) : typed_(typed), elements_(elements) {
    const Datatype& type = *typed.type;
    const MPI_Count span = elements == 0 ? 0 : (elements - 1) * type.extent();
    const MPI_Count low = std::min<MPI_Count>(0, span) + type.true_lb();
    const MPI_Count high = std::max<MPI_Count>(0, span) + type.true_lb() + type.true_extent();
    memory_.assign(static_cast<std::size_t>(high - low + 2 * kGuard), std::byte{0xEE});
    origin_ = kGuard - low;
  }
  /// Bytes, and what is written at places of other types.
  explicit Buffer(MPI_Count bytes)
      : memory_(static_cast<std::size_t>(bytes), std::byte{0xEE}), raw_(true) {}
  [[nodiscard]] bool used() const { return raw_ || typed_.type != nullptr; }
  [[nodiscard]] void* base() { return memory_.data() + origin_; }
  void write_at(MPI_Count byte, Typed typed, const Words& words) {
    const auto count = static_cast<MPI_Count>(words.size()) / typed.ints;
    if (count == 0) return;
    view_of(byte_offset(base(), byte), count, *typed.type)
        .unpack(0, std::as_bytes(std::span(words)));
  }
  [[nodiscard]] Typed typed() const { return typed_; }
  [[nodiscard]] MPI_Count elements() const { return elements_; }
  /// Puts words into the elements from `first` on.
  void write(MPI_Count first, const Words& words) {
    const auto count = static_cast<MPI_Count>(words.size()) / typed_.ints;
    if (count == 0) return;
    slice(base(), first, count, *typed_.type).unpack(0, std::as_bytes(std::span(words)));
  }
  friend bool operator==(const Buffer& a, const Buffer& b) { return a.memory_ == b.memory_; }

 private:
  static constexpr MPI_Count kGuard = 32;
  Typed typed_;
  MPI_Count elements_ = 0;
  std::vector<std::byte> memory_;
  bool raw_ = false;
  MPI_Count origin_ = 0;
};

/// One process's side of an operation.
struct Member {
  Buffer send, recv;              ///< what the operation uses
  Buffer send_start, recv_start;  ///< what is in them before
  Buffer recv_want;               ///< and after it
  std::vector<MPI_Count> send_counts, send_displs, recv_counts, recv_displs;
  std::vector<Typed> send_types,
      recv_types;  ///< alltoallw, with the objects as the calls want them
  std::vector<const Datatype*> send_objects, recv_objects;
  Neighborhood neighbors;
  std::vector<int> edges;  ///< of each of its sources: the edge's number there
  CollectiveArgs args;

  /// For another start.
  void refill() {
    // The memory must stay where it is.
    copy_into(send, send_start);
    copy_into(recv, recv_start);
  }
  [[nodiscard]] bool right() const { return send == send_start && recv == recv_want; }

 private:
  static void copy_into(Buffer& to, const Buffer& from) { to = from; }
};

/// A collective operation of `size` members with random arguments.
class Case {
 public:
  CollectiveKind kind;
  int size;
  int root = 0;
  bool in_place = false;
  std::vector<std::unique_ptr<Member>> members;

  Case(CollectiveKind k, int p, int max_ints, const Vocabulary& words, Random& random)
      : kind(k), size(p), words_(words), random_(random) {
    root = below(random, p);
    in_place = below(random, 4) == 0 && !has_neighbors();
    ints_ = 3 * below(random, max_ints / 3 + 1);
    for (int r = 0; r < size; ++r) {
      members.push_back(std::make_unique<Member>());
      Member& m = *members.back();
      m.args.kind = kind;
      m.args.root = root;
    }
    salt_ = static_cast<std::uint32_t>(random());
    if (has_neighbors()) make_edges();
    fill();
    for (auto& m : members) {
      m->send_start = m->send;
      m->recv_start = m->recv;
    }
    want();
    for (auto& m : members) point(*m);
  }

  [[nodiscard]] Member& at(int rank) { return *members[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::string describe() const {
    return fmt::format("{} of {} members, root {}, {} ints{}", collective_name(kind), size, root,
                       ints_, in_place ? ", in place" : "");
  }

 private:
  /// What `from` has for `to`.
  [[nodiscard]] Words data(int from, int to, int ints) const {
    Words words(static_cast<std::size_t>(ints));
    std::uint32_t value = salt_ + static_cast<std::uint32_t>(from * 7919 + to * 104729);
    for (std::int32_t& w : words) {
      value = value * 1664525U + 1013904223U;
      w = static_cast<std::int32_t>(value >> 8U);
    }
    return words;
  }
  [[nodiscard]] bool has_neighbors() const {
    return kind >= CollectiveKind::neighbor_allgather && kind <= CollectiveKind::neighbor_alltoallw;
  }
  [[nodiscard]] bool is_rooted_gather() const {
    return kind == CollectiveKind::gather || kind == CollectiveKind::gatherv;
  }

  void use_send(Member& m, Typed typed, const Words& words) {
    m.send = Buffer(typed, static_cast<MPI_Count>(words.size()) / typed.ints);
    m.send.write(0, words);
    m.args.send_count = m.send.elements();
    m.args.send_type = typed.type;
  }
  void use_recv(Member& m, Typed typed, int ints, int blocks) {
    m.recv = Buffer(typed, MPI_Count{ints} / typed.ints * blocks);
    m.args.recv_count = ints / typed.ints;
    m.args.recv_type = typed.type;
  }
  /// Places blocks of these ints in random order with holes; returns the elements they span.
  MPI_Count place(const std::vector<int>& ints, Typed typed, std::vector<MPI_Count>& counts,
                  std::vector<MPI_Count>& displs) {
    std::vector<std::size_t> order(ints.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    counts.resize(ints.size());
    displs.resize(ints.size());
    MPI_Count next = 0;
    for (const std::size_t i : order) {
      counts[i] = ints[i] / typed.ints;
      displs[i] = next + below(random_, 3);
      next = displs[i] + counts[i];
    }
    return next;
  }
  void use_recv_vector(Member& m, const std::vector<int>& ints) {
    const Typed typed = words_.any(random_);
    m.recv = Buffer(typed, place(ints, typed, m.recv_counts, m.recv_displs));
    m.args.recv_type = typed.type;
  }
  void use_send_vector(Member& m, const std::vector<int>& ints) {
    const Typed typed = words_.any(random_);
    m.send = Buffer(typed, place(ints, typed, m.send_counts, m.send_displs));
    m.args.send_type = typed.type;
  }

  /// Where the block of `peer` begins in a send or receive buffer, in elements.
  static MPI_Count send_at(const Member& m, int peer) {
    return m.send_displs.empty() ? m.args.send_count * peer
                                 : m.send_displs[static_cast<std::size_t>(peer)];
  }
  static MPI_Count recv_at(const Member& m, int peer) {
    return m.recv_displs.empty() ? m.args.recv_count * peer
                                 : m.recv_displs[static_cast<std::size_t>(peer)];
  }

  void fill() {
    using enum CollectiveKind;
    vector_ints_.assign(static_cast<std::size_t>(size), 0);
    for (int& n : vector_ints_) n = 3 * below(random_, ints_ / 3 + 1);
    for (int r = 0; r < size; ++r) {
      Member& m = at(r);
      switch (kind) {
        case barrier:
          break;
        case bcast:
          use_recv(m, words_.any(random_), ints_, 1);
          if (r == root) m.recv.write(0, data(root, 0, ints_));
          break;
        case gather:
        case gatherv:
        case allgather:
        case allgatherv:
          fill_gather(m, r);
          break;
        case scatter:
        case scatterv:
          fill_scatter(m, r);
          break;
        case alltoall:
        case alltoallv:
          fill_alltoall(m, r);
          break;
        case alltoallw:
          fill_alltoallw(m, r);
          break;
        case neighbor_allgather:
        case neighbor_allgatherv:
        case neighbor_alltoall:
        case neighbor_alltoallv:
        case neighbor_alltoallw:
          fill_neighbors(m, r);
          break;
        default:
          fill_reduction(m, r);
      }
    }
  }

  /// What `from` sends to `to`, in ints.
  [[nodiscard]] int ints_between(int from, int to) const {
    using enum CollectiveKind;
    const auto at = [this](int i) { return vector_ints_[static_cast<std::size_t>(i)]; };
    switch (kind) {
      case gatherv:
      case allgatherv:
        return at(from);
      case scatterv:
        return at(to);
      case alltoallv:
      case alltoallw:
        return at((from + to) % size);  // symmetric, as in place demands
      default:
        return ints_;
    }
  }

  void fill_gather(Member& m, int r) {
    const bool everywhere = !is_rooted_gather();
    const bool own_in_place = in_place && (everywhere || r == root);
    if (everywhere || r == root) {
      if (kind == CollectiveKind::gatherv || kind == CollectiveKind::allgatherv) {
        use_recv_vector(m, vector_ints_);
      } else {
        use_recv(m, words_.any(random_), ints_, size);
      }
    }
    const Words mine = data(r, 0, ints_between(r, 0));
    if (own_in_place) {
      m.recv.write(recv_at(m, r), mine);
      m.args.send = MPI_IN_PLACE;
    } else {
      use_send(m, words_.any(random_), mine);
    }
  }

  void fill_scatter(Member& m, int r) {
    if (r == root) {
      if (kind == CollectiveKind::scatterv) {
        use_send_vector(m, vector_ints_);
      } else {
        const Typed typed = words_.any(random_);
        m.send = Buffer(typed, MPI_Count{ints_} / typed.ints * size);
        m.args.send_count = ints_ / typed.ints;
        m.args.send_type = typed.type;
      }
      for (int i = 0; i < size; ++i) {
        m.send.write(send_at(m, i), data(root, i, ints_between(root, i)));
      }
      if (in_place) {
        m.args.recv = MPI_IN_PLACE;
        return;
      }
    }
    use_recv(m, words_.any(random_), ints_between(root, r), 1);
  }

  void fill_alltoall(Member& m, int r) {
    std::vector<int> ints(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) ints[static_cast<std::size_t>(i)] = ints_between(r, i);
    const bool vectors = kind == CollectiveKind::alltoallv;
    if (vectors) {
      use_recv_vector(m, ints);
    } else {
      use_recv(m, words_.any(random_), ints_, size);
    }
    if (in_place) {
      m.args.send = MPI_IN_PLACE;
    } else if (vectors) {
      use_send_vector(m, ints);
    } else {
      const Typed typed = words_.any(random_);
      m.send = Buffer(typed, MPI_Count{ints_} / typed.ints * size);
      m.args.send_count = ints_ / typed.ints;
      m.args.send_type = typed.type;
    }
    for (int i = 0; i < size; ++i) {
      const Words words = data(r, i, ints_between(r, i));
      if (in_place) {
        m.recv.write(recv_at(m, i), words);
      } else {
        m.send.write(send_at(m, i), words);
      }
    }
  }

  /// A type and a place in bytes for each peer; returns the bytes that they span.
  MPI_Count place_types(const std::vector<int>& ints, std::vector<Typed>& types,
                        std::vector<MPI_Count>& counts, std::vector<MPI_Count>& displs) {
    MPI_Count next = below(random_, 16);
    for (const int block : ints) {
      const Typed typed = words_.any(random_);
      const MPI_Count count = block / typed.ints;
      const MPI_Count others = count == 0 ? 0 : (count - 1) * typed.type->extent();
      const MPI_Count low = std::min<MPI_Count>(0, others) + typed.type->true_lb();
      const MPI_Count high =
          std::max<MPI_Count>(0, others) + typed.type->true_lb() + typed.type->true_extent();
      types.push_back(typed);
      counts.push_back(count);
      displs.push_back(next - low);
      next += high - low + below(random_, 16);
    }
    return next;
  }

  void fill_alltoallw(Member& m, int r) {
    std::vector<int> ints(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) ints[static_cast<std::size_t>(i)] = ints_between(r, i);
    m.recv = Buffer(place_types(ints, m.recv_types, m.recv_counts, m.recv_displs));
    if (in_place) {
      m.args.send = MPI_IN_PLACE;
    } else {
      m.send = Buffer(place_types(ints, m.send_types, m.send_counts, m.send_displs));
    }
    for (int i = 0; i < size; ++i) {
      const auto peer = static_cast<std::size_t>(i);
      const Words words = data(r, i, ints_between(r, i));
      if (in_place) {
        m.recv.write_at(m.recv_displs[peer], m.recv_types[peer], words);
      } else {
        m.send.write_at(m.send_displs[peer], m.send_types[peer], words);
      }
    }
  }

  /// A line or ring, whose middle may be a pair or one member; or random edges, some of them
  /// several times or to oneself, whose sources are listed in the order of their ranks.
  void make_edges() {
    const int form = below(random_, 4);  // 0: line, 1: ring
    for (int r = 0; r < size; ++r) {
      Neighborhood& own = at(r).neighbors;
      at(r).args.neighbors = &own;
      if (form < 2) {
        own.opposite = true;
        const bool ring = form == 1;
        own.sources = {r > 0 || ring ? (r + size - 1) % size : MPI_PROC_NULL,
                       r < size - 1 || ring ? (r + 1) % size : MPI_PROC_NULL};
        own.destinations = own.sources;
        at(r).edges = {1, 0};
        continue;
      }
      const int degree = below(random_, 5);
      for (int e = 0; e < degree; ++e) {
        const int to = below(random_, size);
        own.destinations.push_back(to);
        at(to).neighbors.sources.push_back(r);
        at(to).edges.push_back(e);
      }
    }
  }

  /// What `from` sends along its edge `edge`; allgathers know no edges.
  [[nodiscard]] Words edge_data(int from, int edge) const {
    using enum CollectiveKind;
    if (from == MPI_PROC_NULL) return {};
    const bool gathers = kind == neighbor_allgather || kind == neighbor_allgatherv;
    const bool uniform = kind == neighbor_allgather || kind == neighbor_alltoall;
    const int which = gathers ? from : from * 3 + edge;
    const int ints = uniform ? ints_ : vector_ints_[static_cast<std::size_t>(which % size)];
    return data(from, gathers ? 0 : edge, ints);
  }

  void fill_neighbors(Member& m, int r) {
    using enum CollectiveKind;
    const auto out = static_cast<int>(m.neighbors.destinations.size());
    std::vector<int> ints_out, ints_in;
    for (int e = 0; e < out; ++e) ints_out.push_back(static_cast<int>(edge_data(r, e).size()));
    for (std::size_t s = 0; s < m.edges.size(); ++s) {
      const Words words = edge_data(m.neighbors.sources[s], m.edges[s]);
      ints_in.push_back(static_cast<int>(words.size()));
    }
    if (kind == neighbor_alltoallw) {
      m.recv = Buffer(place_types(ints_in, m.recv_types, m.recv_counts, m.recv_displs));
      m.send = Buffer(place_types(ints_out, m.send_types, m.send_counts, m.send_displs));
      for (std::size_t e = 0; e < ints_out.size(); ++e) {
        m.send.write_at(m.send_displs[e], m.send_types[e], edge_data(r, static_cast<int>(e)));
      }
      return;
    }
    if (kind == neighbor_allgatherv || kind == neighbor_alltoallv) {
      use_recv_vector(m, ints_in);
    } else {
      use_recv(m, words_.any(random_), ints_, static_cast<int>(m.edges.size()));
    }
    if (kind == neighbor_allgather || kind == neighbor_allgatherv) {
      return use_send(m, words_.any(random_), edge_data(r, 0));
    }
    if (kind == neighbor_alltoallv) {
      use_send_vector(m, ints_out);
    } else {
      const Typed typed = words_.any(random_);
      m.send = Buffer(typed, MPI_Count{ints_} / typed.ints * out);
      m.args.send_count = ints_ / typed.ints;
      m.args.send_type = typed.type;
    }
    for (int e = 0; e < out; ++e) m.send.write(send_at(m, e), edge_data(r, e));
  }

  void want_neighbors(Member& m) {
    for (std::size_t s = 0; s < m.edges.size(); ++s) {
      const Words words = edge_data(m.neighbors.sources[s], m.edges[s]);
      if (kind == CollectiveKind::neighbor_alltoallw) {
        m.recv_want.write_at(m.recv_displs[s], m.recv_types[s], words);
      } else {
        m.recv_want.write(recv_at(m, static_cast<int>(s)), words);
      }
    }
  }

  [[nodiscard]] bool scatters_result() const {
    return kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::reduce_scatter_block;
  }
  /// Ints of a member's block of a scattered result: always pairs.
  [[nodiscard]] int block_ints(int r) const {
    const bool same = kind == CollectiveKind::reduce_scatter_block;
    return 2 * vector_ints_[same ? 0 : static_cast<std::size_t>(r)];
  }
  [[nodiscard]] int first_block_int(int r) const {
    int first = 0;
    for (int i = 0; i < r; ++i) first += block_ints(i);
    return first;
  }
  /// Ints of the vectors that are reduced.
  [[nodiscard]] int reduced_ints() const {
    return scatters_result() ? first_block_int(size) : 2 * ints_;
  }

  void fill_reduction(Member& m, int r) {
    if (r == 0) {
      operation_ = below(random_, 3);
      // The vectors are no longer than those of the others, however many members there are.
      if (scatters_result() && size > 4) {
        for (int& n : vector_ints_) n = n * 4 / size;
      }
    }
    const Typed typed = operation_ == 0   ? words_.word()
                        : operation_ == 1 ? words_.close_pair()
                                          : words_.spread_pair();
    m.args.op = operation_ == 0   ? &words_.sum()
                : operation_ == 1 ? &words_.ordered_close()
                                  : &words_.ordered_spread();
    const int ints = reduced_ints();
    const int own = scatters_result() ? block_ints(r) : ints;
    const bool has_recv = kind != CollectiveKind::reduce || r == root;
    if (in_place && has_recv) {
      use_recv(m, typed, ints, 1);
      m.recv.write(0, data(r, 0, ints));
      m.args.send = MPI_IN_PLACE;
    } else {
      if (has_recv) use_recv(m, typed, own, 1);
      use_send(m, typed, data(r, 0, ints));
    }
    m.args.recv_count = own / typed.ints;
    m.args.recv_type = typed.type;
    if (!scatters_result()) return;
    m.args.send_count = ints / typed.ints;
    if (kind == CollectiveKind::reduce_scatter_block) return;
    for (int i = 0; i < size; ++i) m.recv_counts.push_back(block_ints(i) / typed.ints);
  }

  /// left = left op right
  void reduce_into(Words& left, Words right) const {
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (operation_ == 0) {
        right[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(left[i]) +
                                             static_cast<std::uint32_t>(right[i]));
      } else if (i % 2 == 0) {
        compose(reinterpret_cast<const std::byte*>(&left[i]),
                reinterpret_cast<std::byte*>(&right[i]), 0, 4);
      }
    }
    left = std::move(right);
  }

  /// The results of all members, if the operation reduces.
  void want_reduction() {
    using enum CollectiveKind;
    const int ints = reduced_ints();
    Words total = data(0, 0, ints);
    for (int r = 0; r < size; ++r) {
      if (kind == exscan && r > 0) at(r).recv_want.write(0, total);
      if (r > 0) reduce_into(total, data(r, 0, ints));
      if (kind == scan) at(r).recv_want.write(0, total);
    }
    for (int r = 0; r < size; ++r) {
      if (scatters_result()) {
        const auto first = total.begin() + first_block_int(r);
        at(r).recv_want.write(0, Words(first, first + block_ints(r)));
      } else if (kind == allreduce || (kind == reduce && r == root)) {
        at(r).recv_want.write(0, total);
      }
    }
  }

  void want() {
    using enum CollectiveKind;
    for (auto& m : members) m->recv_want = m->recv;
    if (at(0).args.op != nullptr) {
      want_reduction();
      return;
    }
    for (int r = 0; r < size; ++r) {
      Member& m = at(r);
      if (has_neighbors()) want_neighbors(m);
      switch (kind) {
        case bcast:
          m.recv_want.write(0, data(root, 0, ints_));
          break;
        case gather:
        case gatherv:
          if (r != root) break;
          [[fallthrough]];
        case allgather:
        case allgatherv:
          for (int i = 0; i < size; ++i) {
            m.recv_want.write(recv_at(m, i), data(i, 0, ints_between(i, 0)));
          }
          break;
        case scatter:
        case scatterv:
          if (m.args.recv != MPI_IN_PLACE) {
            m.recv_want.write(0, data(root, r, ints_between(root, r)));
          }
          break;
        case alltoall:
        case alltoallv:
          for (int i = 0; i < size; ++i) {
            m.recv_want.write(recv_at(m, i), data(i, r, ints_between(i, r)));
          }
          break;
        case alltoallw:
          for (int i = 0; i < size; ++i) {
            const auto peer = static_cast<std::size_t>(i);
            m.recv_want.write_at(m.recv_displs[peer], m.recv_types[peer],
                                 data(i, r, ints_between(i, r)));
          }
          break;
        default:  // barrier
          break;
      }
    }
  }

  void point(Member& m) {
    if (m.args.send != MPI_IN_PLACE && m.send.used()) m.args.send = m.send.base();
    if (m.args.recv != MPI_IN_PLACE && m.recv.used()) m.args.recv = m.recv.base();
    for (const Typed& typed : m.send_types) m.send_objects.push_back(typed.type);
    for (const Typed& typed : m.recv_types) m.recv_objects.push_back(typed.type);
    m.args.send_types = m.send_objects.data();
    m.args.recv_types = m.recv_objects.data();
    if (!m.send_counts.empty()) {
      m.args.send_counts = Counts(m.send_counts.data());
      m.args.send_displs = Counts(m.send_displs.data());
    }
    if (!m.recv_counts.empty()) {
      m.args.recv_counts = Counts(m.recv_counts.data());
      if (!m.recv_displs.empty()) m.args.recv_displs = Counts(m.recv_displs.data());
    }
  }

  const Vocabulary& words_;
  Random& random_;
  int ints_ = 0;
  int operation_ = 0;
  std::uint32_t salt_ = 0;
  std::vector<int> vector_ints_;
};

}  // namespace remit::testing
