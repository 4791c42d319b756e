// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/window_making.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <utility>

#include "communicators/inner_collectives.hpp"
#include "onesided/memory/process_memory.hpp"
#include "onesided/memory/segment_making.hpp"
#include "onesided/window_report.hpp"
#include "rdma_btl/registration/address_range.hpp"

namespace remit {

namespace {

/// What members tell each other before anything is allocated.
struct Wish {
  std::int64_t host = 0;  ///< its color
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 0;
  std::int32_t displacement_unit = 1;
  std::uint32_t noncontiguous = 0;
};

/// What came of it.
struct Outcome {
  std::uint64_t base = 0;  ///< where the member's memory is, in its own process
  std::uint64_t offset = MemberEntry::kElsewhere;  ///< ... in the segment
  std::int16_t shares = 0;                         ///< it has the memory of its host's first member
  std::int8_t copies = 0;    ///< ... and the kernel copies from and to that process
  std::int8_t offers = 0;    ///< its memory is open to the others' adapters
  std::int32_t failure = 0;  ///< MPI error class
};

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

template <class T>
Expected<std::vector<T>> tell_all(const CommCall& call, const ParentComm& comm, const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(comm.core.size()));
  const CollectiveArgs args =
      plain_args(CollectiveKind::allgather, &mine, all.data(), sizeof(T), MPI_BYTE);
  constexpr const char* kWords = "the members could not agree on the new window";
  if (auto done = run_among_members(call, comm, args, kWords); !done) {
    return tl::unexpected(done.error());
  }
  return all;
}

/// The work of one member.
class WindowMaking {
 public:
  WindowMaking(const CommCall& call, const ParentComm& comm, OneSided& manager,
               const WindowSpec& spec)
      : call_(call), comm_(comm), manager_(manager), spec_(spec) {}

  Expected<MadeMemory> make(std::int64_t color);

 private:
  [[nodiscard]] bool allocates() const {
    return spec_.flavor == MPI_WIN_FLAVOR_ALLOCATE || spec_.flavor == MPI_WIN_FLAVOR_SHARED;
  }
  /// Members whose memory is their own hand operations to each other.
  [[nodiscard]] bool has_slots() const { return !allocates() && local_.size() > 1; }
  /// An empty part of shared memory has a place only where the parts follow each other.
  [[nodiscard]] bool has_place() const {
    return allocates() && (spec_.bytes != 0 || spec_.flavor != MPI_WIN_FLAVOR_SHARED ||
                           wish(0).noncontiguous == 0);
  }
  [[nodiscard]] const Wish& wish_of(int rank) const {
    return wishes_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] const Wish& wish(std::size_t index) const { return wish_of(local_[index]); }
  [[nodiscard]] int leader() const { return local_.front(); }
  [[nodiscard]] bool leads() const { return leader() == comm_.core.rank; }
  [[nodiscard]] std::size_t own_index() const {
    return static_cast<std::size_t>(std::find(local_.begin(), local_.end(), comm_.core.rank) -
                                    local_.begin());
  }

  void find_host();
  void lay_out();
  SegmentPlace allocate();
  std::byte* reach(const SegmentPlace& place);
  void take_segment(std::byte* begin);
  void stand_alone();
  [[nodiscard]] Outcome take_part(std::byte* begin);
  [[nodiscard]] bool offer_to_adapters();
  [[nodiscard]] Expected<> agree_on_domain(const std::vector<Outcome>& outcomes);
  void write_table(const std::vector<Outcome>& outcomes);
  [[nodiscard]] Expected<> judge(const std::vector<Outcome>& outcomes);
  [[nodiscard]] bool host_shares(const std::vector<Outcome>& outcomes) const;

  CommCall call_;
  ParentComm comm_;
  OneSided& manager_;
  const WindowSpec& spec_;
  std::vector<Wish> wishes_;
  std::vector<int> local_;              ///< ranks of this host, ascending
  std::vector<std::uint64_t> offsets_;  ///< of their memory in the segment
  std::uint64_t segment_bytes_ = 0;
  std::size_t head_bytes_ = 0;   ///< of the segment
  std::shared_ptr<void> owner_;  ///< the segment that this process has allocated
  std::optional<HostSegment> segment_;
  bool alone_ = false;         ///< members of this host cannot share memory
  std::vector<int> unshared_;  ///< ... and these are the others
  void* base_ = nullptr;
  std::shared_ptr<void> keeps_;
  std::unique_ptr<AdapterMemory> offered_;
};

void WindowMaking::find_host() {
  const std::int64_t host = wishes_[static_cast<std::size_t>(comm_.core.rank)].host;
  for (int rank = 0; rank < comm_.core.size(); ++rank) {
    if (wishes_[static_cast<std::size_t>(rank)].host == host) local_.push_back(rank);
  }
}

/// Shared memory is one piece, in the order of ranks, unless the program wants it otherwise: then,
/// and in memory that only windows reach, each part begins at a page. A part that has to be aligned
/// to more than that has room for it.
void WindowMaking::lay_out() {
  const auto count = static_cast<std::uint32_t>(local_.size());
  head_bytes_ = HostSegment::head_bytes(count, wishes_.size());
  const std::size_t slots = has_slots() ? count * sizeof(DelegationSlot) : 0;
  std::uint64_t end = round_up(head_bytes_ + slots, page_bytes());
  const bool paged = spec_.flavor != MPI_WIN_FLAVOR_SHARED || wish(0).noncontiguous != 0;
  for (std::size_t i = 0; i < local_.size(); ++i) {
    const std::uint64_t alignment = i == 0 || paged ? wish(i).alignment : 0;
    if (paged) end = round_up(end, page_bytes());
    offsets_.push_back(end);
    if (!allocates()) continue;
    end += wish(i).bytes + (alignment > page_bytes() ? alignment : 0);
  }
  segment_bytes_ = end;
}

SegmentPlace WindowMaking::allocate() {
  owner_ = allocate_segment(manager_.links(), segment_bytes_, head_bytes_);
  if (owner_ == nullptr) return {};
  if (has_slots()) {  // of which only the states have to be zeros
    auto* const slots = static_cast<std::byte*>(owner_.get()) + head_bytes_;
    for (std::size_t i = 0; i < local_.size(); ++i) {
      ::new (slots + i * sizeof(DelegationSlot)) DelegationSlot;
    }
  }
  static_cast<MemberControl*>(owner_.get())->identity.sign = own_process_sign();
  return {reinterpret_cast<std::uint64_t>(owner_.get()), segment_bytes_};
}

/// Where the first member's memory is mapped here; null: it cannot be.
std::byte* WindowMaking::reach(const SegmentPlace& place) {
  if (leads()) return reinterpret_cast<std::byte*>(place.address);
  return map_segment(call_, manager_.links(), comm_.core.local->proc(leader()), place);
}

void WindowMaking::take_segment(std::byte* begin) {
  segment_.emplace(begin, owner_, static_cast<std::uint32_t>(local_.size()),
                   static_cast<std::uint32_t>(own_index()), wishes_.size(), has_slots());
}

/// A segment of this process's own: nobody else reads it. Members' memory stays where it is.
void WindowMaking::stand_alone() {
  if (keeps_ == nullptr) keeps_ = owner_;
  unshared_ = local_;
  std::erase(unshared_, comm_.core.rank);
  local_ = {comm_.core.rank};
  const std::size_t bytes = HostSegment::head_bytes(1, wishes_.size());
  owner_ = allocate_private_segment(bytes);
  take_segment(static_cast<std::byte*>(owner_.get()));
  segment_->control(0).identity.sign = own_process_sign();
}

/// Finds this member's own memory, and says to the others of its host where it is.
Outcome WindowMaking::take_part(std::byte* begin) {
  Outcome outcome;
  outcome.shares = begin != nullptr ? 1 : 0;
  const Wish& mine = wishes_[static_cast<std::size_t>(comm_.core.rank)];
  base_ = spec_.base;
  if (has_place() && begin != nullptr) {
    const std::uint64_t part = reinterpret_cast<std::uint64_t>(begin) + offsets_[own_index()];
    const bool aligns =
        mine.alignment > page_bytes() &&
        (own_index() == 0 || spec_.flavor != MPI_WIN_FLAVOR_SHARED || wish(0).noncontiguous != 0);
    base_ = reinterpret_cast<void*>(aligns ? round_up(part, mine.alignment) : part);
  } else if (has_place()) {
    const std::size_t alignment = std::max<std::size_t>(page_bytes(), mine.alignment);
    const std::size_t bytes = std::max<std::uint64_t>(round_up(mine.bytes, alignment), alignment);
    base_ = std::aligned_alloc(alignment, bytes);
    keeps_ = std::shared_ptr<void>(base_, std::free);
    if (base_ == nullptr) outcome.failure = MPI_ERR_NO_MEM;
  }
  outcome.base = reinterpret_cast<std::uint64_t>(base_);
  if (has_place() && begin != nullptr) {
    outcome.offset = outcome.base - reinterpret_cast<std::uint64_t>(begin);
  }
  const bool among_hosts = local_.size() != wishes_.size();
  outcome.offers = among_hosts && outcome.failure == 0 && offer_to_adapters() ? 1 : 0;
  if (begin == nullptr) return outcome;
  segment_->control(segment_->index()).identity.sign = own_process_sign();
  // Memory in the segment needs no copies.
  const ProcessSign& first = segment_->control(0).identity.sign;
  const bool copies = allocates() || leads() || ProcessMemory::open(first, manager_.kernel());
  outcome.copies = copies ? 1 : 0;
  return outcome;
}

/// Where members are on several hosts or share no memory. Memory that is attached later could not
/// be found by others without this process.
bool WindowMaking::offer_to_adapters() {
  if (spec_.flavor == MPI_WIN_FLAVOR_DYNAMIC || wishes_.size() == 1) return false;
  const auto bytes = static_cast<std::size_t>(spec_.bytes);
  auto offered = AdapterMemory::offer(manager_.adapter_port(), base_, bytes);
  if (!offered) return false;
  offered_ = std::move(*offered);
  return true;
}

/// One domain for all members. Those of one host that share no memory have offered nothing yet.
Expected<> WindowMaking::agree_on_domain(const std::vector<Outcome>& outcomes) {
  bool all = std::all_of(outcomes.begin(), outcomes.end(),
                         [](const Outcome& outcome) { return outcome.offers != 0; });
  const bool one_host = std::all_of(wishes_.begin(), wishes_.end(), [&](const Wish& wish) {
    return wish.host == wishes_.front().host;
  });
  if (one_host && alone_) {
    const auto offers = tell_all<std::int32_t>(call_, comm_, offer_to_adapters() ? 1 : 0);
    if (!offers) return tl::unexpected(offers.error());
    all = std::all_of(offers->begin(), offers->end(), [](std::int32_t one) { return one != 0; });
  }
  if (!all) offered_.reset();
  return {};
}

bool WindowMaking::host_shares(const std::vector<Outcome>& outcomes) const {
  return std::all_of(local_.begin(), local_.end(), [&](int rank) {
    return outcomes[static_cast<std::size_t>(rank)].shares != 0;
  });
}

Expected<> WindowMaking::judge(const std::vector<Outcome>& outcomes) {
  for (int rank = 0; rank < comm_.core.size(); ++rank) {
    const Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
    if (outcome.failure != 0) {
      return fail(outcome.failure, "rank {} has no memory for {} bytes of the window", rank,
                  wishes_[static_cast<std::size_t>(rank)].bytes);
    }
    if (spec_.flavor == MPI_WIN_FLAVOR_SHARED && wish_of(rank).host != wish_of(0).host) {
      return fail(MPI_ERR_RMA_SHARED,
                  "rank {} is on another host than rank 0, so they have no shared memory: "
                  "MPI_Comm_split_type with MPI_COMM_TYPE_SHARED tells who is on one host",
                  rank);
    }
    const bool has_to_share = spec_.flavor == MPI_WIN_FLAVOR_SHARED && wishes_.size() > 1;
    if (has_to_share && outcome.shares == 0) {
      return fail(MPI_ERR_RMA_SHARED,
                  "rank {} does not reach shared memory of its host ({} bytes): {}. Windows of "
                  "MPI_Win_allocate need none",
                  rank, segment_bytes_, why_not_shared(manager_));
    }
  }
  return {};
}

/// The processes of a host write the same to the same table, so that none waits for another one.
void WindowMaking::write_table(const std::vector<Outcome>& outcomes) {
  MemberEntry* const table = segment_->table();
  std::size_t index = 0;  // of the next member of this host
  for (std::size_t rank = 0; rank < wishes_.size(); ++rank) {
    MemberEntry entry;
    entry.base = outcomes[rank].base;
    entry.bytes = wishes_[rank].bytes;
    entry.displacement_unit = static_cast<std::uint32_t>(wishes_[rank].displacement_unit);
    if (index < local_.size() && local_[index] == static_cast<int>(rank)) {
      entry.local_index = static_cast<std::uint32_t>(index++);
      if (!alone_) entry.segment_offset = outcomes[rank].offset;
    }
    table[rank] = entry;
  }
}

Expected<MadeMemory> WindowMaking::make(std::int64_t color) {
  const Wish mine{color,
                  reinterpret_cast<std::uint64_t>(spec_.base),
                  static_cast<std::uint64_t>(spec_.bytes),
                  spec_.alignment,
                  spec_.displacement_unit,
                  spec_.noncontiguous ? 1U : 0U};
  auto wishes = tell_all(call_, comm_, mine);
  if (!wishes) return tl::unexpected(wishes.error());
  wishes_ = std::move(*wishes);
  find_host();
  lay_out();
  const auto places = tell_all(call_, comm_, leads() ? allocate() : SegmentPlace{});
  if (!places) return tl::unexpected(places.error());
  std::byte* const begin = reach((*places)[static_cast<std::size_t>(leader())]);
  if (begin != nullptr) take_segment(begin);
  const auto outcomes = tell_all(call_, comm_, take_part(begin));
  if (!outcomes) return tl::unexpected(outcomes.error());
  if (auto fine = judge(*outcomes); !fine) return tl::unexpected(fine.error());
  alone_ = !host_shares(*outcomes);
  if (alone_) stand_alone();
  write_table(*outcomes);
  const bool copy = std::all_of(outcomes->begin(), outcomes->end(),
                                [](const Outcome& outcome) { return outcome.copies != 0; });
  const bool is_served = local_.size() != wishes_.size() || (!allocates() && !copy);
  if (auto agreed = agree_on_domain(*outcomes); !agreed) return tl::unexpected(agreed.error());
  return MadeMemory{std::move(*segment_), base_, keeps_, is_served, std::move(offered_),
                    std::move(unshared_)};
}

}  // namespace

Expected<MadeMemory> make_window_memory(const CommCall& call, const ParentComm& comm,
                                        OneSided& manager, const WindowSpec& spec,
                                        std::int64_t color) {
  return WindowMaking(call, comm, manager, spec).make(color);
}

}  // namespace remit
