// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/shared_pointer.hpp"

#include <utility>

#include "datatype/datatype.hpp"
#include "datatype/reductions.hpp"

namespace remit {

namespace {

/// The member whose memory has it.
constexpr int kKeeper = 0;

}  // namespace

Expected<std::unique_ptr<SharedPointer>> SharedPointer::make(const CommCall& call,
                                                             const ParentComm& comm,
                                                             OneSided& windows) {
  std::unique_ptr<SharedPointer> made(new SharedPointer);
  if (comm.core.size() == 1) return made;
  WindowSpec spec;
  spec.flavor = MPI_WIN_FLAVOR_ALLOCATE;
  spec.bytes = comm.core.rank == kKeeper ? sizeof(std::int64_t) : 0;
  auto window = Window::make(call, comm, windows, spec);
  if (!window) return tl::unexpected(window.error());
  made->window_ = std::move(*window);
  if (comm.core.rank == kKeeper) {
    *static_cast<std::int64_t*>(made->window_->exposed_memory().base()) = 0;
  }
  // Nobody ever takes a lock of it alone, so nobody has to ask.
  if (auto locked = made->window_->passive_target().lock_all(MPI_MODE_NOCHECK); !locked) {
    return tl::unexpected(locked.error());
  }
  return made;
}

Expected<> SharedPointer::free(const CommCall& call) {
  if (window_ == nullptr) return {};
  if (auto unlocked = window_->passive_target().unlock_all(call); !unlocked) return unlocked;
  return window_->free(call);
}

Expected<std::int64_t> SharedPointer::change(const CommCall& call, MPI_Op op, std::int64_t value) {
  const Datatype& word = predefined(MPI_INT64_T);
  std::int64_t before = 0;
  const View origin{&value, 1, &word.layout()};
  const View result{&before, 1, &word.layout()};
  auto done =
      window_->operations().accumulate(&origin, *op_of(op), {kKeeper, 0, 1, &word}, &result);
  if (done) done = window_->passive_target().flush(call, kKeeper, false);
  if (!done) return tl::unexpected(done.error());
  return before;
}

Expected<std::int64_t> SharedPointer::advance(const CommCall& call, std::int64_t etypes) {
  if (window_ != nullptr) return change(call, MPI_SUM, etypes);
  return std::exchange(own_, own_ + etypes);
}

Expected<> SharedPointer::set(const CommCall& call, std::int64_t etypes) {
  if (window_ == nullptr) {
    own_ = etypes;
    return {};
  }
  const auto before = change(call, MPI_REPLACE, etypes);
  return before ? Expected<>() : tl::unexpected(before.error());
}

}  // namespace remit
