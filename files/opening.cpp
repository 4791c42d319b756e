// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/opening.hpp"

#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "communicators/agreement.hpp"
#include "communicators/creation.hpp"
#include "communicators/hardware_split.hpp"
#include "communicators/inner_collectives.hpp"
#include "files/shared_hints.hpp"
#include "files/storage/out_of_mpi.hpp"

namespace remit {

namespace {

/// The member that opens first.
constexpr int kFirst = 0;
/// Which file a member has opened.
struct Opened {
  std::int64_t host = 0;  ///< its color
  FileIdentity identity;
};

/// The work of one member. Whatever it has made ends with it, until finish() hands it out.
class Opening {
 public:
  Opening(const CommCall& call, FileProcess& process, const ParentComm& parent,
          const FileWish& wish)
      : call_(call), process_(process), parent_(parent), wish_(wish) {}

  [[nodiscard]] Expected<std::shared_ptr<File>> open();

 private:
  [[nodiscard]] Expected<AccessMode> agree_on_mode();
  void take_hints(FileCore& core);
  [[nodiscard]] Outcome open_here(FileCore& core, bool first);
  [[nodiscard]] Outcome open_first(FileCore& core);
  void finish_hints(FileCore& core);
  [[nodiscard]] Outcome compare();
  [[nodiscard]] Outcome find_other_file(const std::vector<Opened>& all) const;
  [[nodiscard]] Outcome place_pointers(File& file);

  CommCall call_;
  FileProcess& process_;
  ParentComm parent_;
  const FileWish& wish_;
  FileIdentity identity_;
};

Expected<AccessMode> Opening::agree_on_mode() {
  Expected<AccessMode> mode = AccessMode::make(wish_.amode);
  Outcome mine = wish_.refused;
  if (mine && !mode) {
    mine = fail(mode.error().code, "rank {}, {}: {}", parent_.core.rank, wish_.path,
                mode.error().message);
  }
  const SameArgument amode{"amode", wish_.amode};
  if (auto agreed = agree_on(call_, parent_, mine, {&amode, 1}); !agreed) {
    return tl::unexpected(agreed.error());
  }
  return mode;
}

/// By the system's own words, with the rank, for on another host the same name may be nobody's.
Outcome Opening::open_here(FileCore& core, bool first) {
  const std::string path(split_prefix(wish_.path).path);
  const int flags = core.mode.open_flags(first);
  auto opened = [&] {
    const OutOfMpi out(process_.progress());
    return Storage::open(process_.calls, path, flags, core.hints.values().permissions);
  }();
  if (!opened) {
    return fail(opened.error().code, "rank {}, {}", core.comm.rank, opened.error().message);
  }
  core.storage = std::move(*opened);
  identity_ = core.storage->identity();
  return {};
}

/// A file of hints is read once in a process; the first member says that one which was named is not
/// there.
void Opening::take_hints(FileCore& core) {
  if (!process_.file_of_hints) {
    auto read = read_hint_file(process_.calls, std::getenv("ROMIO_HINTS"));
    if (!read && parent_.core.rank == kFirst)
      call_.process().log().write(LogLevel::warning, "{}", read.error().message);
    process_.file_of_hints = read.value_or(HintList());
  }
  core.hints.take(*process_.file_of_hints, HintMoment::open);
  core.hints.take(wish_.hints, HintMoment::open);
}

/// The first member opens, and tells what came of it, with the hints that hold for all.
Outcome Opening::open_first(FileCore& core) {
  RootOutcome told;
  if (parent_.core.rank == kFirst) {
    const Outcome mine = open_here(core, true);
    told = mine ? RootOutcome{MPI_SUCCESS, encode_hints(core.hints.same_hints())}
                : outcome_of(mine.error());
  }
  if (auto done = tell_members(call_, parent_, kFirst, told); !done) return done;
  if (told.code != MPI_SUCCESS) return tl::unexpected(error_of(told));
  take_shared(call_.process(), decode_hints(told.bytes), HintMoment::open, core.hints);
  return {};
}

void Opening::finish_hints(FileCore& core) {
  core.transfer_hints = transfer_hints(core.hints.values(), core.storage->traits(), &core.counters);
}

/// Members of one host that have two files under one name, or under two, would never meet.
Outcome Opening::compare() {
  const int size = parent_.core.size();
  if (size == 1) return {};
  const Opened mine{host_color(call_.process(), parent_.core), identity_};
  std::vector<Opened> all(static_cast<std::size_t>(size));
  const CollectiveArgs args =
      plain_args(CollectiveKind::allgather, &mine, all.data(), sizeof mine, MPI_BYTE);
  constexpr const char* kWords = "the members could not tell each other which file they opened";
  if (auto told = run_among_members(call_, parent_, args, kWords); !told) return told;
  return find_other_file(all);
}

Outcome Opening::find_other_file(const std::vector<Opened>& all) const {
  std::map<std::int64_t, std::size_t> firsts;  // the first rank of each host
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto [first, is_new] = firsts.try_emplace(all[rank].host, rank);
    if (is_new || all[rank].identity == all[first->second].identity) continue;
    return fail(MPI_ERR_NOT_SAME,
                "{}: ranks {} and {}, of one host, have opened two different files; all members "
                "must name the same one",
                wish_.path, first->second, rank);
  }
  return {};
}

Outcome Opening::place_pointers(File& file) {
  if (!file.core().mode.appends()) return {};
  const auto size = file.size();
  if (!size) return tl::unexpected(size.error());
  const std::int64_t end = file.core().seen->view.seek_end(*size);
  file.set_position(end);
  if (file.core().comm.rank != kFirst) return {};
  return file.shared_pointer().set(call_, end);
}

Expected<std::shared_ptr<File>> Opening::open() {
  const auto mode = agree_on_mode();
  if (!mode) return tl::unexpected(mode.error());
  const auto context = agree_on_context(call_, parent_);
  if (!context) return tl::unexpected(context.error());
  // Releases the context if it does not come to stay.
  auto file = std::make_shared<File>(process_, *mode, wish_.path,
                                     make_core(*context, parent_.core.rank, parent_.core.local));
  FileCore& core = file->core();
  take_hints(core);
  if (auto opened = open_first(core); !opened) return tl::unexpected(opened.error());
  const bool first = parent_.core.rank == kFirst;
  const Outcome mine = first ? Outcome() : open_here(core, false);
  if (auto opened = agree(call_, parent_, mine); !opened) return tl::unexpected(opened.error());
  finish_hints(core);
  if (auto same = compare(); !same) return tl::unexpected(same.error());
  Outcome placed = file->make_shared_pointer(call_);
  if (placed) placed = place_pointers(*file);
  // Nobody uses the shared pointer before it is where it belongs.
  if (auto agreed = agree(call_, parent_, placed); !agreed) return tl::unexpected(agreed.error());
  return file;
}

}  // namespace

Expected<std::shared_ptr<File>> open_file(const CommCall& call, FileProcess& process,
                                          const ParentComm& parent, const FileWish& wish) {
  return Opening(call, process, parent, wish).open();
}

}  // namespace remit
