// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/file_staging.hpp"

#include <algorithm>
#include <utility>

#include "communicators/agreement.hpp"
#include "communicators/creation.hpp"
#include "communicators/hardware_split.hpp"
#include "communicators/inner_collectives.hpp"
#include "files/data_access.hpp"
#include "files/file_core.hpp"
#include "onesided/segment_making.hpp"

namespace remit {

namespace {

/// So many processes that write one file keep the kernel's lock of it busy.
constexpr int kUsualOwners = 4;
/// Whatever hints ask for.
constexpr int kMostOwners = 64;
constexpr std::int64_t kMostSlice = std::int64_t{16} << 20;
constexpr std::int64_t kStagingPage = 4096;

constexpr const char* kNoStaging = "the members could not agree on memory for collective accesses";

/// What slices are aligned to: blocks, and stripes unless they are longer than what is staged.
std::int64_t unit_of(const FileSystemTraits& traits) {
  const std::int64_t block =
      std::clamp(traits.block / kStagingPage * kStagingPage, kStagingPage, kMostSlice);
  const std::int64_t stripe = traits.stripe_bytes;
  const bool fits = stripe > block && stripe <= kMostSlice && stripe % kStagingPage == 0;
  return fits ? stripe : block;
}

std::int64_t slice_of_hint(std::int64_t bytes, std::int64_t unit) {
  return std::max(std::min(bytes, kMostSlice) / unit, std::int64_t{1}) * unit;
}

/// Of each host.
int owners_of_hints(const HintValues& hints, int hosts) {
  int owners = kUsualOwners;
  if (hints.owners != 0) owners = (hints.owners - 1) / hosts + 1;
  if (hints.owners_of_host != 0) owners = hints.owners_of_host;
  return std::min(owners, kMostOwners);
}

template <class T>
Expected<std::vector<T>> tell_members_of(const CommCall& call, FileCore& file, const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(file.comm.size()));
  const CollectiveArgs args =
      plain_args(CollectiveKind::allgather, &mine, all.data(), sizeof(T), MPI_BYTE);
  if (auto told = run_among_members(call, file.parent(), args, kNoStaging); !told) {
    return tl::unexpected(told.error());
  }
  return all;
}

}  // namespace

StagingSizes staging_sizes(const HintValues& hints, const FileSystemTraits& traits, int hosts) {
  const std::int64_t unit = unit_of(traits);
  return {unit, slice_of_hint(hints.owner_buffer, unit), owners_of_hints(hints, hosts)};
}

AccessOrder::Turn::Turn(AccessOrder& order, Progress& progress)
    : order_(order), progress_(progress) {
  order_.turns_.push_back(this);
}

AccessOrder::Turn::~Turn() {
  end();
}

void AccessOrder::Turn::end() {
  if (std::exchange(has_ended_, true)) return;
  std::deque<Turn*>& turns = order_.turns_;
  const bool was_first = turns.front() == this;
  turns.erase(std::find(turns.begin(), turns.end(), this));
  if (!was_first || turns.empty()) return;
  Turn& next = *turns.front();
  if (next.waiting_ != nullptr) next.progress_.ready(std::exchange(next.waiting_, nullptr));
}

FileStaging::~FileStaging() {
  meeting_.reset();
  if (has_context_) comms_.contexts().release(comm_.context);
}

/// Ranks of this host, ascending.
Expected<std::vector<int>> FileStaging::find_members(const CommCall& call, FileCore& file) {
  const auto colors = tell_members_of(call, file, host_color(call.process(), file.comm));
  if (!colors) return tl::unexpected(colors.error());
  std::vector<std::int64_t> hosts = *colors;
  std::sort(hosts.begin(), hosts.end());
  hosts_ = static_cast<int>(std::unique(hosts.begin(), hosts.end()) - hosts.begin());
  std::vector<int> members;
  const std::int64_t mine = (*colors)[static_cast<std::size_t>(file.comm.rank)];
  for (int rank = 0; rank < file.comm.size(); ++rank) {
    if ((*colors)[static_cast<std::size_t>(rank)] == mine) members.push_back(rank);
  }
  host_ = static_cast<std::uint32_t>(members.front());
  return members;
}

/// Owners are spread over the members, for neighbours may share caches and memory.
void FileStaging::choose_sizes(FileCore& file, int members) {
  const HintValues& hints = file.hints.values();
  unit_ = unit_of(file.storage->traits());
  most_slice_ = slice_of_hint(hints.owner_buffer, unit_);
  const int wished = owners_of_hints(hints, hosts_);
  most_owners_ = std::min(wished, members);
  for (int owner = 0; owner < most_owners_; ++owner) {
    const std::int64_t index = std::int64_t{owner} * members / most_owners_;
    if (index == comm_.rank) owned_ = owner;
  }
  const auto owners = static_cast<std::size_t>(most_owners_);
  words_bytes_ = (kWordSets * owners * sizeof(SliceWord) + kStagingPage - 1) / kStagingPage *
                 static_cast<std::size_t>(kStagingPage);
  window_bytes_ = owners * static_cast<std::size_t>(most_slice_);
  if (hints.owners > most_owners_ * hosts_) {
    file.hints.decide("cb_nodes", std::to_string(most_owners_ * hosts_),
                      "owners are members, and 64 of a host at most");
  }
}

/// The first member of each host has the memory. Whether any host has some.
Expected<bool> FileStaging::share(const CommCall& call, FileCore& file,
                                  const std::vector<int>& members) {
  const int leader = members.front();
  const bool leads = leader == file.comm.rank;
  Links& links = comms_.engine().links();
  const std::size_t bytes = words_bytes_ + kWindows * window_bytes_;
  SegmentPlace place;
  if (leads && members.size() > 1) {
    memory_ = allocate_segment(links, bytes, words_bytes_);
    place = {reinterpret_cast<std::uint64_t>(memory_.get()), bytes};
  }
  const auto places = tell_members_of(call, file, place);
  if (!places) return tl::unexpected(places.error());
  place = (*places)[static_cast<std::size_t>(leader)];
  if (leads) {
    begin_ = static_cast<std::byte*>(memory_.get());
  } else {
    begin_ = map_segment(call, links, file.comm.local->proc(leader), place);
  }
  const auto mapped = tell_members_of(call, file, begin_ != nullptr ? 1 : 0);
  if (!mapped) return tl::unexpected(mapped.error());
  const auto has = [&](int rank) { return (*mapped)[static_cast<std::size_t>(rank)] != 0; };
  if (!std::all_of(members.begin(), members.end(), has)) begin_ = nullptr;
  return std::any_of(mapped->begin(), mapped->end(), [](int one) { return one != 0; });
}

Expected<std::unique_ptr<FileStaging>> FileStaging::make(const CommCall& call, FileCore& file) {
  std::unique_ptr<FileStaging> made(new FileStaging(call.comms));
  const auto members = made->find_members(call, file);
  if (!members) return tl::unexpected(members.error());
  if (made->hosts_ == file.comm.size()) return nullptr;
  const auto place = std::find(members->begin(), members->end(), file.comm.rank);
  const auto index = static_cast<int>(place - members->begin());
  made->comm_ = make_core(file.comm.context, index, file.comm.local->subset(*members));
  made->choose_sizes(file, static_cast<int>(members->size()));
  const auto shares = made->share(call, file, *members);
  if (!shares) return tl::unexpected(shares.error());
  if (!*shares) return nullptr;
  // The groups of hosts have no member in common, so one number serves all of them.
  const auto context = agree_on_context(call, file.parent());
  if (!context) return tl::unexpected(context.error());
  made->comm_.set_context(*context);
  made->has_context_ = true;
  CollectiveArgs args;
  args.kind = CollectiveKind::barrier;
  made->meeting_ = std::make_unique<Collective>(call.engine(), made->comm_, args);
  return made;
}

StagingLimits FileStaging::limits(const FileCore& file, FileMove kind) const {
  const HintValues& hints = file.hints.values();
  const FileSystemTraits& traits = file.storage->traits();
  StagingLimits limits;
  limits.kind = kind;
  limits.wish = kind == FileMove::read ? hints.collective_reads : hints.collective_writes;
  limits.is_local = traits.local;
  limits.unit = unit_;
  limits.slice = std::min(slice_of_hint(hints.owner_buffer, unit_), most_slice_);
  limits.owners = std::min(owners_of_hints(hints, hosts_), most_owners_);
  return limits;
}

CollectivePlan FileStaging::plan(const FileCore& file, const DataAccess& access,
                                 std::span<const MemberAccess> all) {
  const CollectivePlan made = plan_access(all, host_, limits(file, access.kind));
  if (access.kind == FileMove::write) summary_.learn(access, made);
  return made;
}

}  // namespace remit
