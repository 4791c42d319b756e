// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/file.hpp"

#include <array>
#include <functional>
#include <limits>

#include "communicators/inner_collectives.hpp"
#include "files/shared_hints.hpp"
#include "files/staged/lost_touch.hpp"
#include "files/storage/out_of_mpi.hpp"

namespace remit {

namespace {

/// An error of a member's own call, as all members tell it.
Outcome with_rank(const FileCore& file, const Expected<>& result) {
  if (result) return {};
  return fail(result.error().code, "rank {}, {}", file.comm.rank, result.error().message);
}

/// A number of which two names have the same only by chance.
std::int64_t number_of_name(const std::string& name) {
  return static_cast<std::int64_t>(std::hash<std::string>{}(name));
}

}  // namespace

File::File(FileProcess& process, AccessMode mode, std::string path, CommCore comm)
    : core_(process, mode, std::move(path)) {
  core_.comm = std::move(comm);
}

File::~File() {
  forget_refused();
  core_.process.comms.contexts().release(core_.comm.context);
}

/// What is still under way would come back to memory that is gone.
void File::forget_refused() {
  for (std::unique_ptr<RefusedAccess>& access : refused_) {
    if (!access->has_ended()) static_cast<void>(access.release());
  }
  refused_.clear();
}

Outcome File::make_shared_pointer(const CommCall& call) {
  auto made = SharedPointer::make(call, core_.parent(), core_.process.windows);
  if (!made) return tl::unexpected(made.error());
  shared_pointer_ = std::move(*made);
  core_.members = shared_pointer_->members();
  return {};
}

/// Where this host's cache is not what other hosts read, what was written must leave it.
Outcome File::write_back() {
  if (!core_.is_written || core_.storage->traits().coherent) return {};
  return core_.storage->data_sync();
}

Outcome File::close(const CommCall& call) {
  core_.process.progress().wait([this] { return core_.under_way == 0; });
  split_.reset();
  forget_refused();  // they use the staging memory
  Outcome mine;
  {
    const OutOfMpi out(core_.process.progress());
    mine = write_back();
    const Expected<> closed = core_.storage->close();
    if (mine) mine = closed;
  }
  Outcome outcome = agree(call, core_.parent(), with_rank(core_, mine));
  if (core_.staging != nullptr && !outcome && is_lost_touch(outcome.error())) {
    core_.process.abandoned_memory.push_back(core_.staging->memory().owner());
  }
  core_.staging.reset();
  if (core_.mode.deletes_on_close()) {  // nobody has it open any more
    mine = leads() ? delete_file(core_.process.calls, core_.storage->path()) : Outcome();
    const Outcome deleted = agree(call, core_.parent(), with_rank(core_, mine));
    if (outcome) outcome = deleted;
  }
  outcome = with_lost_members(core_, std::move(outcome));
  core_.members = nullptr;
  const Expected<> freed = shared_pointer_->free(call);
  return outcome ? freed : outcome;
}

Expected<std::int64_t> File::size() {
  const OutOfMpi out(core_.process.progress());
  return core_.storage->size();
}

/// All members have come before the first one does its `work`, and none leaves before that is done.
template <class Work>
Outcome File::do_by_first(const CommCall& call, const SizeWish& wish, Work&& work) {
  const SameArgument size{"size", wish.bytes};
  if (auto agreed = agree_on(call, core_.parent(), wish.refused, {&size, 1}); !agreed) {
    return agreed;
  }
  Outcome mine;
  if (leads()) {
    const OutOfMpi out(core_.process.progress());
    mine = work();
    core_.is_written = true;
  }
  return agree(call, core_.parent(), with_rank(core_, mine));
}

Outcome File::set_size(const CommCall& call, const SizeWish& wish) {
  return do_by_first(call, wish, [&] { return core_.storage->truncate(wish.bytes); });
}

Outcome File::preallocate(const CommCall& call, const SizeWish& wish) {
  return do_by_first(call, wish, [&] { return core_.storage->preallocate(wish.bytes); });
}

Outcome File::sync(const CommCall& call) {
  Outcome mine;
  {
    const OutOfMpi out(core_.process.progress());
    Storage& storage = *core_.storage;
    if (!storage.traits().coherent) {
      mine = storage.renew();
    } else if (core_.is_written) {
      mine = storage.sync();
    }
  }
  if (mine) core_.is_written = false;
  return agree(call, core_.parent(), with_rank(core_, mine));
}

Outcome File::set_atomicity(const CommCall& call, bool is_atomic) {
  const SameArgument flag{"flag", is_atomic ? 1 : 0};
  auto agreed = agree_on(call, core_.parent(), {}, {&flag, 1});
  if (agreed) core_.is_atomic = is_atomic;
  return agreed;
}

Outcome File::set_hints(const CommCall& call, const Outcome& mine, const HintList& hints) {
  if (auto come = agree(call, core_.parent(), mine); !come) return come;
  return take_hints(call, hints);
}

Outcome File::take_hints(const CommCall& call, const HintList& hints) {
  if (auto told = share_hints(call, core_.parent(), hints, HintMoment::later, core_.hints); !told) {
    return told;
  }
  core_.transfer_hints =
      transfer_hints(core_.hints.values(), core_.storage->traits(), &core_.counters);
  return {};
}

/// MPI_DISPLACEMENT_CURRENT is where the shared pointer stands when all members have come.
Expected<SeenFile> File::make_view(const CommCall& call, const ViewWish& wish) {
  const auto representation = core_.process.representations.find(wish.representation);
  if (!representation) return tl::unexpected(representation.error());
  std::int64_t displacement = wish.displacement;
  const bool is_current = displacement == MPI_DISPLACEMENT_CURRENT;
  if (is_current != core_.mode.is_sequential()) {
    return fail(MPI_ERR_ARG,
                "disp is {}; MPI_DISPLACEMENT_CURRENT and MPI_MODE_SEQUENTIAL go "
                "together",
                is_current ? "MPI_DISPLACEMENT_CURRENT" : std::to_string(displacement));
  }
  if (is_current) {
    const auto position = shared_pointer_->position(call);
    if (!position) return tl::unexpected(position.error());
    displacement = core_.seen->view.file_offset(*position * core_.etype_size());
  }
  auto view = FileView::make(displacement, *wish.etype, *wish.filetype, core_.mode.writes(),
                             **representation);
  if (!view) return tl::unexpected(view.error());
  return SeenFile{std::move(*view), *representation};
}

Outcome File::set_view(const CommCall& call, const ViewWish& wish) {
  if (core_.mode.is_sequential()) {
    if (auto come = agree(call, core_.parent(), wish.refused); !come) return come;
  }
  Expected<SeenFile> seen;
  Outcome told = wish.refused;
  if (told) {
    seen = make_view(call, wish);
    if (!seen) told = with_rank(core_, tl::unexpected(seen.error()));
  }
  const std::array arguments{
      SameArgument{"the extent of etype", told ? wish.etype->extent() : 0},
      SameArgument{"datarep (as a number)", number_of_name(wish.representation)},
  };
  bool any_hints = !wish.hints.empty();
  if (auto made = agree_on(call, core_.parent(), told, arguments, &any_hints); !made) return made;
  if (any_hints) {
    if (auto taken = take_hints(call, wish.hints); !taken) return taken;
  }
  core_.seen = std::make_shared<const SeenFile>(std::move(*seen));
  position_ = 0;
  Outcome mine;
  if (leads()) mine = shared_pointer_->set(call, 0);
  // Nobody uses the pointer before it is there.
  bool any_holes = !core_.seen->view.is_contiguous();
  mine = agree_on(call, core_.parent(), with_rank(core_, mine), {}, &any_holes);
  if (!mine) return mine;
  core_.views_have_holes = any_holes;
  return any_holes ? prepare_staging(call) : Outcome();
}

void File::begin_refused(DataAccess access, const Outcome& why) {
  std::erase_if(refused_, [](const auto& before) { return before->has_ended(); });
  refused_.push_back(std::make_unique<RefusedAccess>(*this, std::move(access), why));
}

/// Collective accesses can only be staged where some view has holes.
Outcome File::prepare_staging(const CommCall& call) {
  if (knows_staging_ || core_.comm.size() == 1) return {};
  auto made = FileStaging::make(call, core_);
  if (!made) return tl::unexpected(made.error());
  core_.staging = std::move(*made);
  knows_staging_ = true;
  return {};
}

Expected<std::int64_t> File::sought(std::int64_t offset, int whence, std::int64_t position) {
  std::int64_t from = 0;
  if (whence == MPI_SEEK_CUR) {
    from = position;
  } else if (whence == MPI_SEEK_END) {
    const auto bytes = size();
    if (!bytes) return tl::unexpected(bytes.error());
    from = core_.seen->view.seek_end(*bytes);
  } else if (whence != MPI_SEEK_SET) {
    return fail(MPI_ERR_ARG, "whence is {}, none of MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END",
                whence);
  }
  std::int64_t target = 0;
  if (__builtin_add_overflow(from, offset, &target) || target < 0) {
    return fail(MPI_ERR_ARG, "offset is {}, from {} on: there is no such position", offset, from);
  }
  return target;
}

Outcome File::seek_shared(const CommCall& call, std::int64_t offset, int whence) {
  const std::array arguments{SameArgument{"offset", offset}, SameArgument{"whence", whence}};
  if (auto agreed = agree_on(call, core_.parent(), {}, arguments); !agreed) return agreed;
  Outcome mine;
  if (leads()) {
    auto position = shared_pointer_->position(call);
    if (position) position = sought(offset, whence, *position);
    mine = position ? shared_pointer_->set(call, *position) : tl::unexpected(position.error());
  }
  return agree(call, core_.parent(), mine);
}

Expected<std::int64_t> File::advance_in_order(const CommCall& call, std::int64_t etypes) {
  const int last = core_.comm.size() - 1;
  std::int64_t before = 0;  // of this member: what those of lower rank ask for
  CollectiveArgs args = plain_args(CollectiveKind::exscan, &etypes, &before, 1, MPI_INT64_T);
  args.op = op_of(MPI_SUM);
  if (auto told = run_among_members(call, core_.parent(), args, kLostTouch); !told) {
    return tl::unexpected(told.error());
  }
  if (core_.comm.rank == 0) before = 0;
  std::array<std::int64_t, 2> base{0, MPI_SUCCESS};  // with the class of an error
  if (core_.comm.rank == last) {
    const auto position = shared_pointer_->advance(call, before + etypes);
    base = {position.value_or(0), position ? MPI_SUCCESS : position.error().code};
  }
  args = plain_args(CollectiveKind::bcast, nullptr, base.data(), base.size(), MPI_INT64_T);
  args.root = last;
  if (auto told = run_among_members(call, core_.parent(), args, kLostTouch); !told) {
    return tl::unexpected(told.error());
  }
  if (base[1] == MPI_SUCCESS) return base[0] + before;
  return fail(static_cast<int>(base[1]), "rank {} did not reach the shared pointer", last);
}

}  // namespace remit
