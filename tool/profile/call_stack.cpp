// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Stacks are walked by backtrace(), which reads the tables of unwinding that every file has:
// programs are rarely built with frame pointers. Stacks that begin alike are kept as a tree.
#include "tool/profile/call_stack.hpp"

#include <execinfo.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

#include "tool/profile/modules.hpp"
#include "tool/profile/spin_lock.hpp"

namespace remit::profile {

CodeRange looked_behind;
constinit thread_local CallStack call_stack [[gnu::tls_model("initial-exec")]] = {};

namespace {

CodeRange fortran_code;
bool walks = false;

std::uint64_t number_of(const void* address) {
  return reinterpret_cast<std::uint64_t>(address);
}

// The frames of Fortran's library are linked.
std::uint64_t beyond_fortran(std::uint64_t address, const void* frame) {
  constexpr int kMostFrames = 6;
  constexpr std::uint64_t kLargestFrame = 1U << 16U;
  const auto* at = static_cast<const std::uint64_t*>(frame);
  for (int i = 0; i < kMostFrames && at != nullptr; ++i) {
    // A frame is its caller's, then where it returns to.
    const std::uint64_t caller = at[0];
    const auto own = reinterpret_cast<std::uint64_t>(at);
    if (caller <= own || caller - own > kLargestFrame || caller % sizeof(void*) != 0) break;
    at = reinterpret_cast<const std::uint64_t*>(caller);
    if (!fortran_code.has(at[1])) return at[1];
  }
  return address;
}

// The stack from the frame on that returns to this address; that alone where it cannot be walked.
void walk_from(std::uint64_t address) {
  CallStack& stack = call_stack;
  const int count = ::backtrace(stack.frames.data(), static_cast<int>(stack.frames.size()));
  stack.end = count < 0 ? 0 : static_cast<std::size_t>(count);
  stack.begin = 0;
  const auto front = [&] { return number_of(stack.frames[stack.begin]); };
  while (stack.begin < stack.end && front() != address) ++stack.begin;
  while (stack.begin < stack.end && fortran_code.has(front())) ++stack.begin;
  // At its outermost end there may be a null.
  while (stack.begin < stack.end && stack.frames[stack.end - 1] == nullptr) --stack.end;
  stack.end = std::min(stack.end, stack.begin + kDeepestStack);
  if (stack.begin < stack.end) return;
  stack.frames[0] = reinterpret_cast<void*>(address);
  stack.begin = 0;
  stack.end = 1;
}

// The node of a frame whose caller is known; makes it. 0: there is no room.
std::uint32_t add_frame(Record& record, std::uint64_t address, std::uint32_t caller) {
  for (std::size_t i = caller; i < record.frame_count; ++i) {
    const FrameRecord& frame = record.frames[i];
    if (frame.address == address && frame.caller == caller)
      return static_cast<std::uint32_t>(i + 1);
  }
  if (record.frame_count == kFrames) return 0;
  record.frames[record.frame_count] = {address, find_module(record, address), caller};
  std::atomic_signal_fence(std::memory_order_release);
  return static_cast<std::uint32_t>(++record.frame_count);
}

}  // namespace

namespace {

// The words by which the library's own parameters are turned off.
bool is_no(const char* word) {
  constexpr std::array kNo{"", "0", "false", "no", "off", "n"};
  return std::ranges::any_of(kNo, [&](const char* no) { return ::strcasecmp(word, no) == 0; });
}

}  // namespace

void prepare_call_stacks() {
  fortran_code = find_fortran();
  const char* const wish = std::getenv("REMIT_PROFILE_STACK");
  walks = wish != nullptr && !is_no(wish);
  looked_behind = walks ? CodeRange{0, ~std::uint64_t{0}} : fortran_code;
  if (!walks) return;
  const CallStack kept = call_stack;  // of the call that opens the record
  walk_from(0);                       // the first walk loads what all need
  call_stack = kept;
}

bool records_stacks() {
  return walks;
}

std::uint64_t key_behind(std::uint64_t address, const void* frame) {
  if (!walks) return beyond_fortran(address, frame);
  walk_from(address);
  std::uint64_t key = 0;
  for (const void* each : call_stack.used()) key = (key ^ number_of(each)) * 0xD6E8FEB86659FD93U;
  return key;
}

void describe_call_site(Record& record, std::uint64_t key, SiteRecord& site) {
  site.address = walks ? number_of(call_stack.used().front()) : key;
  site.module = find_module(record, site.address);
  if (!walks || record.has_stacks == 0) return;
  static constinit SpinLock lock;
  const SpinLock::Holder holder(lock);
  std::uint32_t caller = 0;
  const std::span<void* const> behind = call_stack.used().subspan(1);
  for (std::size_t i = behind.size(); i > 0; --i) {
    caller = add_frame(record, number_of(behind[i - 1]), caller);
  }
  site.caller = caller;
}

}  // namespace remit::profile
