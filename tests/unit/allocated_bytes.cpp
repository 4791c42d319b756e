// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/allocated_bytes.hpp"

#include <cstdlib>
#include <new>

namespace {

std::size_t allocated = 0;
int until_failure = 0;  // allocations, that one included; 0: none fails
int failures_left = 0;  // from then on
bool has_failed = false;

bool fails() {
  if (until_failure == 0) return false;
  if (until_failure > 1) {
    --until_failure;
    return false;
  }
  if (failures_left == 0) return false;
  --failures_left;
  has_failed = true;
  return true;
}

/// Memory that free() takes back, or null.
void* counted(std::size_t bytes, std::size_t alignment) noexcept {
  if (fails()) return nullptr;
  allocated += bytes;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, rounded != 0 ? rounded : alignment);
}

void* counted_or_throws(std::size_t bytes, std::size_t alignment) {
  if (void* const memory = counted(bytes, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

std::size_t remit::testing::allocated_bytes() {
  return allocated;
}

remit::testing::FailingAllocations::FailingAllocations(int number, int times) {
  has_failed = false;
  failures_left = times;
  until_failure = number;
}

remit::testing::FailingAllocations::~FailingAllocations() {
  until_failure = 0;
}

bool remit::testing::FailingAllocations::have_failed() {
  return has_failed;
}

int remit::testing::FailingAllocations::left() {
  return until_failure;
}

// Every form stands here: one that is left to a sanitizer would be freed by the other's delete.
void* operator new(std::size_t bytes) {
  return counted_or_throws(bytes, alignof(std::max_align_t));
}
void* operator new[](std::size_t bytes) {
  return counted_or_throws(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return counted(bytes, alignof(std::max_align_t));
}
void* operator new[](std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return counted(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted_or_throws(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted_or_throws(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*bytes*/,
                       std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
