// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A device without an adapter that registers like one: io_uring's fixed buffers are real pinned
// pages, and reading or writing them goes to those pages, whatever is mapped at the address since.
#pragma once

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/unit/rdma_btl/registration/lonely_device.hpp"

namespace remit::testing {

/// One thread at a time. What a peer would do through the adapter, adapter_read() and
/// adapter_write() do: they name memory by a registration and see its pages.
class PinningDevice : public LonelyDevice {
 public:
  /// An error if this kernel or a security policy does not have io_uring.
  static Expected<std::unique_ptr<PinningDevice>> open() {
    io_uring_params params{};
    const auto ring = static_cast<int>(::syscall(SYS_io_uring_setup, 4, &params));
    if (ring < 0) return fail_errno(MPI_ERR_OTHER, errno, "setting up an io_uring");
    std::unique_ptr<PinningDevice> device(new PinningDevice(ring, params));
    io_uring_rsrc_register table{};
    table.nr = kSlots;
    table.flags = IORING_RSRC_REGISTER_SPARSE;
    if (device->call(IORING_REGISTER_BUFFERS2, &table, sizeof table) < 0) {
      return fail_errno(MPI_ERR_OTHER, errno, "making io_uring's table of buffers");
    }
    return device;
  }

  ~PinningDevice() override {
    ::munmap(rings_, kRingBytes);
    ::munmap(entries_, kRingBytes);
    ::close(ring_);
    ::close(wire_);
  }
  PinningDevice(const PinningDevice&) = delete;
  PinningDevice& operator=(const PinningDevice&) = delete;

  Expected<Region> register_memory(void* address, std::size_t length, Access) override {
    if (free_.empty()) return fail(MPI_ERR_OTHER, "no slot is free");
    const std::uint32_t slot = free_.back();
    if (update(slot, {address, length}) < 0) {
      return fail_errno(MPI_ERR_OTHER, errno, "pinning");
    }
    free_.pop_back();
    return Region{address, length, slot + 1U, slot + 1U, slot + 1U};
  }

  void deregister(const Region& region) override {
    const auto slot = static_cast<std::uint32_t>(region.handle - 1);
    update(slot, {nullptr, 0});
    free_.push_back(slot);
  }

  /// Copies what the pinned pages of `region` hold for [address, address + length) to `out`.
  [[nodiscard]] bool adapter_read(const Region& region, const void* address, void* out,
                                  std::size_t length) {
    return move(IORING_OP_WRITE_FIXED, region, address, length) &&
           ::pread(wire_, out, length, 0) == static_cast<ssize_t>(length);
  }
  /// Copies `in` into the pinned pages of `region` that were at [address, address + length).
  [[nodiscard]] bool adapter_write(const Region& region, const void* address, const void* in,
                                   std::size_t length) {
    return ::pwrite(wire_, in, length, 0) == static_cast<ssize_t>(length) &&
           move(IORING_OP_READ_FIXED, region, address, length);
  }

 private:
  static constexpr std::uint32_t kSlots = 8192;
  static constexpr std::size_t kRingBytes = 4096;

  PinningDevice(int ring, const io_uring_params& params)
      : LonelyDevice("pinning"),
        params_(params),
        ring_(ring),
        wire_(static_cast<int>(::syscall(SYS_memfd_create, "remit-test-wire", MFD_CLOEXEC))) {
    for (std::uint32_t slot = kSlots; slot-- > 0;) free_.push_back(slot);
    constexpr int kProtection = PROT_READ | PROT_WRITE;
    constexpr int kFlags = MAP_SHARED | MAP_POPULATE;
    rings_ = static_cast<std::byte*>(
        ::mmap(nullptr, kRingBytes, kProtection, kFlags, ring, IORING_OFF_SQ_RING));
    entries_ = static_cast<io_uring_sqe*>(
        ::mmap(nullptr, kRingBytes, kProtection, kFlags, ring, IORING_OFF_SQES));
  }

  int call(unsigned what, void* argument, unsigned count) const {
    return static_cast<int>(::syscall(SYS_io_uring_register, ring_, what, argument, count));
  }
  int update(std::uint32_t slot, iovec memory) const {
    io_uring_rsrc_update2 request{};
    request.offset = slot;
    request.data = reinterpret_cast<std::uintptr_t>(&memory);
    request.nr = 1;
    return call(IORING_REGISTER_BUFFERS_UPDATE, &request, sizeof request);
  }
  std::atomic_ref<std::uint32_t> word(std::uint32_t offset) const {
    return std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(rings_ + offset));
  }

  bool move(std::uint8_t operation, const Region& region, const void* address, std::size_t length) {
    const std::uint32_t tail = word(params_.sq_off.tail).load(std::memory_order_relaxed);
    const std::uint32_t at = tail % params_.sq_entries;
    io_uring_sqe& entry = entries_[at];
    std::memset(&entry, 0, sizeof entry);
    entry.opcode = operation;
    entry.fd = wire_;
    entry.addr = reinterpret_cast<std::uintptr_t>(address);
    entry.len = static_cast<std::uint32_t>(length);
    entry.buf_index = static_cast<std::uint16_t>(region.handle - 1);
    word(params_.sq_off.array + at * 4).store(at, std::memory_order_relaxed);
    word(params_.sq_off.tail).store(tail + 1, std::memory_order_release);
    if (::syscall(SYS_io_uring_enter, ring_, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) != 1) {
      return false;
    }
    const std::uint32_t head = word(params_.cq_off.head).load(std::memory_order_relaxed);
    while (word(params_.cq_off.tail).load(std::memory_order_acquire) == head) {
      ::syscall(SYS_io_uring_enter, ring_, 0, 1, IORING_ENTER_GETEVENTS, nullptr, 0);
    }
    const auto* done = reinterpret_cast<const io_uring_cqe*>(rings_ + params_.cq_off.cqes) +
                       head % params_.cq_entries;
    const bool right = done->res == static_cast<std::int32_t>(length);
    word(params_.cq_off.head).store(head + 1, std::memory_order_release);
    return right;
  }

  io_uring_params params_;
  int ring_;
  int wire_;
  std::byte* rings_ = nullptr;
  io_uring_sqe* entries_ = nullptr;
  std::vector<std::uint32_t> free_;
};

}  // namespace remit::testing
