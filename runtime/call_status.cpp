// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The rank's side of the pages that mpirun reads, and the reading of one slot.
#include "runtime/call_status.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <limits>

#include "runtime/clock.hpp"

namespace remit {

namespace {

constexpr int kReadTries = 1000;

// Any byte may stand where a bool was expected, and must not be read as one then.
bool is_bool(const bool& value) {
  unsigned char byte = 0;
  std::memcpy(&byte, &value, sizeof byte);
  return byte <= 1;
}

// Its ranks can be computed.
bool is_sound(const RankSet& set) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!is_bool(set.listed)) return false;
  if (set.stride < -kMost || set.stride > kMost) return false;
  if (set.listed || set.count <= 1) return true;
  const std::int64_t steps = std::int64_t{set.count} - 1;
  if (set.stride == 0 || set.stride < -kMost / steps || set.stride > kMost / steps) return false;
  const std::int64_t last = set.first + steps * set.stride;
  return last >= 0 && last <= kMost;
}

}  // namespace

bool is_sound(const CallRecord& record) {
  return is_bool(record.any) && is_bool(record.threads) && is_bool(record.has_peer) &&
         record.polled_ns >= 0 && record.held_ns >= 0 && is_sound(record.members) &&
         is_sound(record.waits_for);
}

std::size_t call_page_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string call_file_path(const std::string& directory, const std::string& job) {
  return directory + "/calls." + job;
}

std::unique_ptr<CallStatusPage> CallStatusPage::open(const std::string& file, int rank) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return nullptr;
  struct stat status {};
  const auto page_bytes = static_cast<off_t>(call_page_bytes());
  const off_t offset = rank * page_bytes;
  // A page beyond the file's end could not be touched.
  const bool fits =
      ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= offset + page_bytes;
  void* memory =
      fits ? ::mmap(nullptr, call_page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset)
           : MAP_FAILED;
  ::close(fd);
  if (memory == MAP_FAILED) return nullptr;
  auto* page = static_cast<CallPage*>(memory);
  page->magic.store(CallPage::kMagic, std::memory_order_release);
  return std::unique_ptr<CallStatusPage>(new CallStatusPage(page));
}

CallStatusPage::~CallStatusPage() {
  ::munmap(page_, call_page_bytes());
}

CallSlot* CallStatusPage::take(int waited_ms) {
  for (CallSlot& slot : page_->slots) {
    if (slot.used != 0) continue;
    slot.used = 1;
    slot.since_ns = monotonic_ns() - waited_ms * kNsPerMs;
    return &slot;
  }
  return nullptr;
}

void CallStatusPage::write(CallSlot& slot, const WaitSubject& subject, std::int64_t polled_ns) {
  CallRecord record;
  subject.describe(record);
  record.polled_ns = polled_ns;
  const std::uint32_t version = slot.version.load(std::memory_order_relaxed) | 1U;
  slot.version.store(version, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  slot.record = record;
  slot.version.store(version + 1, std::memory_order_release);
}

void CallStatusPage::release(CallSlot& slot) {
  const std::uint32_t version = slot.version.load(std::memory_order_relaxed) | 1U;
  slot.version.store(version, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  slot.used = 0;
  slot.record.function[0] = '\0';
  slot.version.store(version + 1, std::memory_order_release);
}

bool read_slot(const CallSlot& slot, CallRecord& record, std::int64_t& since_ns) {
  for (int i = 0; i < kReadTries; ++i) {
    const std::uint32_t before = slot.version.load(std::memory_order_acquire);
    const bool used = slot.used != 0;
    since_ns = slot.since_ns;
    std::memcpy(&record, &slot.record, sizeof record);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && slot.version.load(std::memory_order_relaxed) == before) {
      // What another program wrote must not run over the ends.
      record.function[sizeof record.function - 1] = '\0';
      record.operation[sizeof record.operation - 1] = '\0';
      record.comm[sizeof record.comm - 1] = '\0';
      record.type[sizeof record.type - 1] = '\0';
      return used && record.function[0] != '\0' && since_ns >= 0 && is_sound(record);
    }
  }
  return false;
}

}  // namespace remit
