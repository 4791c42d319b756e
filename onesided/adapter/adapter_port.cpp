// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/adapter/adapter_port.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "runtime/copy.hpp"

namespace remit {

namespace {

constexpr std::size_t kSmallBuffers = 256;
constexpr std::size_t kLargeBuffers = 24;
constexpr std::size_t kBufferPage = 4096;
constexpr std::size_t kSmallBytes = kSmallBuffers * AdapterPort::kSmall;
constexpr std::size_t kAllBytes = kSmallBytes + kLargeBuffers * AdapterPort::kLarge;

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

void AdapterPort::end_by(Ending& finish, const Move& move, const AdapterBuffer& buffer) {
  if (move.kind == OpKind::put) {
    return finish.set([this, buffer](int /*status*/) { give_back(buffer); });
  }
  finish.set([this, buffer, to = move.local, bytes = move.bytes, done = move.done](int status) {
    if (status == MPI_SUCCESS) copy_bytes(to, buffer.begin, bytes);
    give_back(buffer);
    if (done == nullptr) return;
    done->status.error = status;
    complete_request(*done, progress_);
  });
}

bool AdapterPort::try_move(const AdapterWay& way, const Move& move, Tally& tally) {
  LinkDevice& slot = *way.device;
  if (free_of(move.bytes).empty() || !slot.pending.empty(way.endpoint)) [[unlikely]]
    return false;
  const std::uint32_t number = take_number();  // it may throw
  const AdapterBuffer buffer = pop(move.bytes);
  if (move.kind == OpKind::put) copy_bytes(buffer.begin, move.local, move.bytes);
  const Piece piece = buffer.piece(0, move.bytes);
  Operation operation;
  operation.kind = move.kind;
  operation.remote = move.remote;
  operation.local = {&piece, 1};
  operation.cookie = cookie_of(LinkUserId::windows, kCookie | number);
  set_notice(operation, move.notice);
  if (slot.device->post(way.endpoint, {&operation, 1}) == 0) [[unlikely]] {
    unused_.push_back(number);
    give_back(buffer);
    return false;
  }
  UnderWay& entry = *under_way_[number];
  entry.left = 1;
  entry.status = MPI_SUCCESS;
  entry.tallied = Tallied(tally);
  end_by(entry.finish, move, buffer);
  return true;
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
