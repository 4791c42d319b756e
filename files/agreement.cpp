// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/agreement.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

#include "communicators/inner_collectives.hpp"
#include "files/end_of_request.hpp"

namespace remit {

namespace {

/// Of which the largest is that of the lowest rank that has failed; 0: this one has not.
std::int64_t failure_key(const CommCore& comm, const Outcome& outcome) {
  return outcome ? 0 : comm.size() - comm.rank;
}
int rank_of_key(const CommCore& comm, std::int64_t key) {
  return comm.size() - static_cast<int>(key);
}

CollectiveArgs maximum_of(void* values, MPI_Count count, MPI_Datatype type) {
  CollectiveArgs args = plain_args(CollectiveKind::allreduce, MPI_IN_PLACE, values, count, type);
  args.op = op_of(MPI_MAX);
  return args;
}

/// The error of the member that `key` names, at all.
Outcome tell_error(const CommCall& call, const ParentComm& comm, const Outcome& mine,
                   std::int64_t key) {
  const bool is_mine = rank_of_key(comm.core, key) == comm.core.rank;
  ToldError words = is_mine ? ToldError(mine.error()) : ToldError();
  const CollectiveArgs args = maximum_of(words.bytes(), ToldError::kBytes, MPI_UINT8_T);
  if (auto told = run_among_members(call, comm, args, kLostTouch); !told) return told;
  return tl::unexpected(words.error());
}

/// Of agree_on().
constexpr std::size_t kMostArguments = 4;

}  // namespace

ToldError::ToldError(const Error& error) {
  bytes_[0] = static_cast<std::uint8_t>(error.code >> 8);
  bytes_[1] = static_cast<std::uint8_t>(error.code);
  const std::size_t length = std::min(error.message.size(), kBytes - 2);
  std::copy_n(error.message.begin(), length, bytes_.begin() + 2);
}

Error ToldError::error() const {
  const auto* const words = reinterpret_cast<const char*>(bytes_.data()) + 2;
  const auto* const end = std::find(words, words + kBytes - 2, '\0');
  return {bytes_[0] << 8 | bytes_[1], std::string(words, end)};
}

Outcome agree(const CommCall& call, const ParentComm& comm, const Outcome& mine) {
  return agree_on(call, comm, mine, {});
}

Outcome agree_on(const CommCall& call, const ParentComm& comm, const Outcome& mine,
                 std::span<const SameArgument> arguments, bool* any) {
  std::array<std::int64_t, 2 + 2 * kMostArguments> most{failure_key(comm.core, mine)};
  assert(arguments.size() <= kMostArguments);
  std::size_t count = 1;
  for (const SameArgument& argument : arguments) {
    most[count++] = argument.value;
    most[count++] = ~argument.value;  // of which the largest is that of the least
  }
  if (any != nullptr) most[count++] = *any ? 1 : 0;
  const auto all = static_cast<MPI_Count>(count);
  auto told = run_among_members(call, comm, maximum_of(most.data(), all, MPI_INT64_T), kLostTouch);
  if (!told && mine) return told;
  if (!told) return fail(told.error().code, "{}: {}", kLostTouch, mine.error().message);
  if (most[0] != 0) return tell_error(call, comm, mine, most[0]);
  if (any != nullptr) *any = most[count - 1] != 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::int64_t greatest = most[2 * i + 1];
    const std::int64_t least = ~most[2 * i + 2];
    if (least == greatest) continue;
    return fail(MPI_ERR_NOT_SAME, "{} is not the same at all members: from {} to {}",
                arguments[i].name, least, greatest);
  }
  return {};
}

PendingAgreement::PendingAgreement(Engine& engine, CommCore& comm)
    : comm_(comm),
      whose_(engine, comm, maximum_of(&key_, 1, MPI_INT64_T)),
      words_(engine, comm, maximum_of(told_.bytes(), ToldError::kBytes, MPI_UINT8_T)) {}

Task<int> PendingAgreement::run(PendingAgreement& self, Outcome& outcome) {
  self.key_ = failure_key(self.comm_, outcome);
  self.whose_.start();
  EndOfRequest asked(self.whose_.request);
  co_await asked;
  int failed = self.whose_.request.status.error;
  if (failed == MPI_SUCCESS && self.key_ != 0) {
    if (rank_of_key(self.comm_, self.key_) == self.comm_.rank) {
      self.told_ = ToldError(outcome.error());
    }
    self.words_.start();
    EndOfRequest heard(self.words_.request);
    co_await heard;
    failed = self.words_.request.status.error;
    outcome = tl::unexpected(self.told_.error());
  }
  if (failed != MPI_SUCCESS) outcome = fail(failed, "{}", kLostTouch);
  co_return failed;
}

}  // namespace remit
