// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/file_staging.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "communicators/hardware_split.hpp"
#include "communicators/inner_collectives.hpp"
#include "files/data_access.hpp"
#include "files/file_core.hpp"
#include "onesided/memory/members.hpp"
#include "onesided/memory/segment_making.hpp"

namespace remit {

namespace {

/// So many processes that write one file keep the kernel's lock of it busy.
constexpr int kUsualOwners = 4;
/// Whatever hints ask for.
constexpr std::int64_t kMostSlice = std::int64_t{16} << 20;
/// Slices that hosts send each other, unless hints ask for shorter ones: a message costs as much
/// time as some ten kilobytes.
constexpr std::int64_t kLeastSentSlice = std::int64_t{256} << 10;
/// Slices of a window of all hosts.
constexpr std::size_t kMostInTurn = 256;

constexpr const char* kNoStaging = "the members could not agree on memory for collective accesses";

/// What slices are aligned to: blocks, and stripes unless they are longer than what is staged.
std::int64_t unit_of(const FileSystemTraits& traits) {
  const std::int64_t block =
      std::clamp(traits.block / kFilePage * kFilePage, kFilePage, kMostSlice);
  const std::int64_t stripe = traits.stripe_bytes;
  const bool fits = stripe > block && stripe <= kMostSlice && stripe % kFilePage == 0;
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
  return std::min(owners, kMostHostOwners);
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

/// Where it says which turn is next: this one, or, of null, the one that comes.
AccessOrder::Turn** AccessOrder::place_of(const Turn* turn) {
  Turn** place = &first_;
  while (*place != turn) place = &(*place)->next_;
  return place;
}

AccessOrder::Turn::Turn(AccessOrder& order, Progress& progress)
    : order_(order), progress_(progress) {
  *order_.place_of(nullptr) = this;
}

AccessOrder::Turn::~Turn() {
  end();
}

void AccessOrder::Turn::end() {
  if (std::exchange(has_ended_, true)) return;
  const bool was_first = has_come();
  *order_.place_of(this) = next_;
  if (!was_first || next_ == nullptr) return;
  if (next_->waiting_ != nullptr) {
    next_->progress_.ready(std::exchange(next_->waiting_, nullptr));
  }
}

/// Of a member whose end nobody sees from here this process hears by a link.
bool FileStaging::Peers::has_ended(std::size_t member) {
  const int rank = ranks_[member];
  if (file_.members == nullptr) return false;
  if (file_.members->has_ended(rank)) return true;
  if (!file_.members->sees_end_of(rank)) {
    Links& links = file_.process.windows.links();
    links.connect(links.get(file_.comm.local->proc(rank)));
  }
  return false;
}

void FileStaging::Peers::wake(std::size_t member) {
  file_.process.windows.nudge(file_.comm.local->proc(ranks_[member]));
}

Expected<> FileStaging::find_hosts(const CommCall& call, FileCore& file) {
  const auto colors = tell_members_of(call, file, host_color(call.process(), file.comm));
  if (!colors) return tl::unexpected(colors.error());
  const std::set<std::int64_t> hosts(colors->begin(), colors->end());
  const int wished = owners_of_hints(file.hints.values(), static_cast<int>(hosts.size()));
  owners_.emplace(*colors, wished);
  members_ = owners_->members(owners_->host_of(file.comm.rank));
  host_ = static_cast<std::uint32_t>(members_.front());
  return {};
}

void FileStaging::choose_sizes(FileCore& file) {
  const HintValues& hints = file.hints.values();
  const FileSystemTraits& traits = file.storage->traits();
  own_.unit = unit_of(traits);
  own_.most_slice = slice_of_hint(hints.owner_buffer, own_.unit);
  own_.is_local = traits.local ? 1 : 0;
  const std::vector<int>& owners = owners_->owners(owners_->host_of(file.comm.rank));
  const auto own = std::find(owners.begin(), owners.end(), file.comm.rank);
  owned_ = own == owners.end() ? -1 : static_cast<int>(own - owners.begin());
  const bool has_others = owners_->hosts() > 1;
  const std::size_t in_turn = std::min(static_cast<std::size_t>(owners_->in_turn()), kMostInTurn);
  memory_ =
      StagingMemory(owners.size() * static_cast<std::size_t>(own_.most_slice),
                    std::max(owners.size(), has_others ? in_turn : 0), members_.size(), has_others);
  if (hints.owners > owners_->in_turn()) {
    file.hints.decide("cb_nodes", std::to_string(owners_->in_turn()),
                      "owners are members, and 64 of a host at most");
  }
}

void FileStaging::make_room(const CommCore& comm) {
  const auto members = static_cast<std::size_t>(comm.size());
  told_.resize(members);
  plan_room_.emplace(members);
  letters_.reserve(owners_->hosts() == 1 ? 0 : owners_->in_turn(), owners_->hosts());
}

/// What holds between hosts is the same everywhere.
void FileStaging::take_sizes(const std::vector<Offer>& offers) {
  all_ = own_;
  for (const Offer& offer : offers) {
    all_.unit = std::max(all_.unit, offer.sizes.unit);
    all_.most_slice = std::min(all_.most_slice, offer.sizes.most_slice);
    all_.is_local = std::min(all_.is_local, offer.sizes.is_local);
  }
}

/// The first member of each host has the memory. Whether any host has some.
Expected<bool> FileStaging::share(const CommCall& call, FileCore& file) {
  const int leader = members_.front();
  const bool leads = leader == file.comm.rank;
  Links& links = comms_.engine().links();
  Offer mine{0, own_};
  std::shared_ptr<void> memory;
  if (leads && file.comm.size() > 1) {
    memory = allocate_segment(links, memory_.bytes(), memory_.zeros());
    mine.address = reinterpret_cast<std::uint64_t>(memory.get());
  }
  const auto offers = tell_members_of(call, file, mine);
  if (!offers) return tl::unexpected(offers.error());
  take_sizes(*offers);
  std::byte* begin = static_cast<std::byte*>(memory.get());
  if (!leads) {
    const std::uint64_t address = (*offers)[static_cast<std::size_t>(leader)].address;
    const ProcId owner = file.comm.local->proc(leader);
    begin = map_segment(call, links, owner, {address, memory_.bytes()});
  }
  const auto mapped = tell_members_of(call, file, begin != nullptr ? 1 : 0);
  if (!mapped) return tl::unexpected(mapped.error());
  const auto has = [&](int rank) { return (*mapped)[static_cast<std::size_t>(rank)] != 0; };
  if (std::all_of(members_.begin(), members_.end(), has)) {
    memory_.put_at(begin, std::move(memory));
    const auto own = std::find(members_.begin(), members_.end(), file.comm.rank);
    peers_.emplace(file, members_);
    meeting_.emplace(file.process.progress(), *peers_, memory_.lines(),
                     static_cast<std::size_t>(own - members_.begin()));
  }
  return std::any_of(mapped->begin(), mapped->end(), [](int one) { return one != 0; });
}

Expected<std::unique_ptr<FileStaging>> FileStaging::make(const CommCall& call, FileCore& file) {
  std::unique_ptr<FileStaging> made(new FileStaging(call.comms));
  if (auto found = made->find_hosts(call, file); !found) return tl::unexpected(found.error());
  made->choose_sizes(file);
  made->make_room(file.comm);
  const auto shares = made->share(call, file);
  if (!shares) return tl::unexpected(shares.error());
  if (!*shares) return nullptr;
  return made;
}

/// The windows of all hosts lie over the same part of the file, so it is no longer than the
/// smallest of them; and its slices are not so short that messages take longer than data.
SliceLimits FileStaging::limits_of_all(const HintValues& hints) const {
  if (owners_->hosts() == 1) return {};
  SliceLimits limits;
  limits.unit = all_.unit;
  const std::int64_t slice =
      std::min(slice_of_hint(hints.owner_buffer, all_.unit), all_.most_slice);
  const std::int64_t room = owners_->fewest() * slice / limits.unit * limits.unit;
  const std::int64_t least = std::max(limits.unit, std::min(slice, kLeastSentSlice));
  const std::int64_t most = std::min<std::int64_t>(owners_->in_turn(), kMostInTurn);
  limits.owners = static_cast<int>(std::min(std::max<std::int64_t>(room / least, 1), most));
  limits.slice = room / limits.owners / limits.unit * limits.unit;
  return limits.slice == 0 ? SliceLimits() : limits;
}

StagingLimits FileStaging::limits(const FileCore& file, FileMove kind) const {
  const HintValues& hints = file.hints.values();
  const auto own = static_cast<int>(owners_->owners(owners_->host_of(file.comm.rank)).size());
  StagingLimits limits;
  limits.kind = kind;
  limits.wish = kind == FileMove::read ? hints.collective_reads : hints.collective_writes;
  limits.is_local = all_.is_local != 0;
  limits.of_host.unit = own_.unit;
  limits.of_host.slice = std::min(slice_of_hint(hints.owner_buffer, own_.unit), own_.most_slice);
  limits.of_host.owners = std::min(owners_of_hints(hints, owners_->hosts()), own);
  limits.of_all = limits_of_all(hints);
  return limits;
}

MemberAccess FileStaging::summarize(const FileCore& file, const DataAccess& access) {
  const bool can_meet = meeting_ && !meeting_->has_failed();
  MemberAccess said = summary_.of(access, host_, can_meet);
  const FileView& view = access.seen->view;
  const bool is_mapped =
      goes_through_mapping(*file.storage, view, access.kind, said.runs, file.transfer_hints);
  said.is_mapped = is_mapped ? 1 : 0;
  return said;
}

CollectivePlan FileStaging::plan(const FileCore& file, const DataAccess& access,
                                 std::span<const MemberAccess> all) {
  const CollectivePlan made = plan_access(all, host_, limits(file, access.kind), *plan_room_);
  if (access.kind == FileMove::write) summary_.learn(access, made);
  return made;
}

}  // namespace remit
