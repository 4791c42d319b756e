// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/adapter/adapter_port.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "runtime/copy.hpp"

namespace remit {

namespace {

constexpr std::size_t kBufferPage = 4096;
constexpr std::size_t kAllBytes = AdapterPort::kSmallBuffers * AdapterPort::kSmall +
                                  AdapterPort::kLargeBuffers * AdapterPort::kLarge;

}  // namespace

void AdapterPort::FreeMemory::operator()(std::byte* memory) const {
  std::free(memory);
}

LinkDevice* AdapterPort::adapter() const {
  const DeviceSet& devices = links_.devices();
  const auto found = std::find_if(devices.begin(), devices.end(), [](const auto& slot) {
    const Caps& caps = slot->device->caps();
    return caps.passive && caps.has_put && caps.has_get && caps.has_atomic;
  });
  return found == devices.end() ? nullptr : found->get();
}

Expected<> AdapterPort::open(LinkDevice& device) {
  if (opened_ == &device) return {};
  if (opened_ != nullptr) return fail(MPI_ERR_OTHER, "windows go by one adapter at a time");
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(kBufferPage, kAllBytes));
  if (memory == nullptr) return fail(MPI_ERR_NO_MEM, "there is no memory for buffers of windows");
  std::unique_ptr<std::byte[], FreeMemory> held(memory);
  Expected<MemoryLease> lease = device.memory.acquire(memory, kAllBytes, Access::local);
  if (!lease) return tl::unexpected(std::move(lease.error()));
  for (std::size_t i = 0; i < kSmallBuffers; ++i) small_.push_back(memory + i * kSmall);
  for (std::size_t i = 0; i < kLargeBuffers; ++i) {
    large_.push_back(memory + kSmallBytes + i * kLarge);
  }
  memory_ = std::move(held);
  lease_ = std::move(*lease);
  opened_ = &device;
  return {};
}

AdapterBuffer AdapterPort::take(std::size_t bytes) {
  std::vector<std::byte*>& free = free_of(bytes);
  if (free.empty()) progress_.wait([&] { return !free.empty(); });
  return pop(bytes);
}

void AdapterPort::give_back(const AdapterBuffer& buffer) {
  free_of(buffer.bytes).push_back(buffer.begin);
}

std::uint32_t AdapterPort::take_number() {
  if (unused_.empty()) [[unlikely]] {
    under_way_.push_back(std::make_unique<UnderWay>());
    unused_.reserve(under_way_.size());  // so that what gives a number back cannot fail
    unused_.push_back(static_cast<std::uint32_t>(under_way_.size() - 1));
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  return number;
}

void AdapterPort::begin(std::span<Operation> operations, Ending finish, Tally* tally) {
  const std::uint32_t number = take_number();
  UnderWay& entry = *under_way_[number];
  entry.left = operations.size();
  entry.status = MPI_SUCCESS;
  if (tally != nullptr) entry.tallied = Tallied(*tally);
  entry.finish = std::move(finish);
  for (Operation& operation : operations) {
    operation.cookie = cookie_of(LinkUserId::windows, kCookie | number);
  }
}

void AdapterPort::start(const AdapterWay& way, std::span<Operation> operations, Ending finish,
                        Tally* tally) {
  begin(operations, std::move(finish), tally);
  way.device->pending.post(*way.device->device, way.endpoint, operations);
}

bool AdapterPort::start_with_notice(const AdapterWay& way, std::span<Operation> puts, Ending finish,
                                    Tally* tally, const PutNotice& notice) {
  begin(puts, std::move(finish), tally);
  LinkDevice& slot = *way.device;
  if (puts.size() > 1) {
    slot.pending.post(*slot.device, way.endpoint, puts.first(puts.size() - 1));
  }
  return post_with_notice(slot, way.endpoint, puts.back(), notice);
}

bool AdapterPort::try_move(const AdapterWay& way, const Move& move, Tally& tally) {
  LinkDevice& slot = *way.device;
  if (free_of(move.bytes).empty() || !slot.pending.empty(way.endpoint)) [[unlikely]]
    return false;
  const AdapterBuffer buffer = pop(move.bytes);
  const bool is_put = move.kind == OpKind::put;
  if (is_put) copy_bytes(buffer.begin, move.local, move.bytes);
  const std::size_t number = number_of(buffer);
  const Piece piece = buffer.piece(0, move.bytes);
  Operation operation;
  operation.kind = move.kind;
  operation.remote = move.remote;
  operation.local = {&piece, 1};
  operation.cookie = cookie_of(LinkUserId::windows, kCookie | kMoveCookie | number);
  set_notice(operation, move.notice);
  if (slot.device->post(way.endpoint, {&operation, 1}) == 0) [[unlikely]] {
    give_back(buffer);
    return false;
  }
  BufferedMove& entry = moves_[number];
  entry.tallied = Tallied(tally);
  entry.to = is_put ? nullptr : move.local;
  entry.bytes = move.bytes;
  entry.done = move.done;
  return true;
}

/// What it completes may start others, by the same buffer.
void AdapterPort::end_move(std::size_t number, int status) {
  if (number >= moves_.size()) return;
  BufferedMove& entry = moves_[number];
  const bool is_small = number < kSmallBuffers;
  std::byte* const begin =
      memory_.get() +
      (is_small ? number * kSmall : kSmallBytes + (number - kSmallBuffers) * kLarge);
  if (entry.to != nullptr && status == MPI_SUCCESS) copy_bytes(entry.to, begin, entry.bytes);
  (is_small ? small_ : large_).push_back(begin);
  Tallied tallied = std::move(entry.tallied);
  if (Request* const done = entry.done) {
    done->status.error = status;
    complete_request(*done, progress_);
  }
  tallied.end(status);
}

int AdapterPort::run(const AdapterWay& way, std::span<Operation> operations) {
  bool over = false;
  int outcome = MPI_SUCCESS;
  const auto finish = [&over, &outcome](int status) {
    over = true;
    outcome = status;
  };
  start(way, operations, finish, nullptr);
  progress_.wait([&] { return over; });
  return outcome;
}

void AdapterPort::completed(std::uint64_t value, int status) {
  if ((value & kMoveCookie) != 0) return end_move(value & ~(kCookie | kMoveCookie), status);
  const std::uint64_t number = value & ~kCookie;
  if (number >= under_way_.size() || under_way_[number]->left == 0) return;
  UnderWay& entry = *under_way_[number];
  if (entry.status == MPI_SUCCESS) entry.status = status;
  if (--entry.left != 0) return;
  // What is done may start others, which must not take this place meanwhile.
  if (entry.finish) entry.finish(entry.status);
  entry.finish.clear();
  entry.tallied.end(entry.status);
  unused_.push_back(static_cast<std::uint32_t>(number));
}

}  // namespace remit
