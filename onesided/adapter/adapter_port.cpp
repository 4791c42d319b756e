// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/adapter/adapter_port.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

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
  const bool is_small = bytes <= kSmall;
  std::vector<std::byte*>& free = is_small ? small_ : large_;
  if (free.empty()) progress_.wait([&] { return !free.empty(); });
  std::byte* const begin = free.back();
  free.pop_back();
  return {begin, is_small ? kSmall : kLarge, lease_.region().local_key};
}

void AdapterPort::give_back(const AdapterBuffer& buffer) {
  (buffer.bytes == kSmall ? small_ : large_).push_back(buffer.begin);
}

void AdapterPort::start(const AdapterWay& way, std::span<Operation> operations, Finish finish) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(under_way_.size()));
    under_way_.emplace_back();
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  under_way_[number] = {operations.size(), MPI_SUCCESS, std::move(finish)};
  for (Operation& operation : operations) {
    operation.cookie = cookie_of(LinkUserId::windows, kCookie | number);
  }
  way.device->pending.post(*way.device->device, way.endpoint, operations);
}

int AdapterPort::run(const AdapterWay& way, std::span<Operation> operations) {
  bool over = false;
  int outcome = MPI_SUCCESS;
  start(way, operations, [&](int status) {
    over = true;
    outcome = status;
  });
  progress_.wait([&] { return over; });
  return outcome;
}

void AdapterPort::completed(std::uint64_t value, int status) {
  const std::uint64_t number = value & ~kCookie;
  if (number >= under_way_.size() || under_way_[number].left == 0) return;
  UnderWay& entry = under_way_[number];
  if (entry.status == MPI_SUCCESS) entry.status = status;
  if (--entry.left != 0) return;
  const Finish finish = std::move(entry.finish);
  const int outcome = entry.status;
  unused_.push_back(static_cast<std::uint32_t>(number));
  if (finish) finish(outcome);
}

}  // namespace remit
