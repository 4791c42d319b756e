// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Scattering into a mapping of a file, by the kernel.
#include "files/storage/mapped_writes.hpp"

#include <sys/mman.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "files/storage/storage.hpp"
#include "files/views/file_view.hpp"

namespace remit {
namespace {

constexpr std::int64_t kMappedPage = 4096;
constexpr std::size_t kMappedTargets = 512;

}  // namespace

bool MappedWrites::has_memory() {
  if (mapped_) return true;
  Expected<shm::Fd> memory = shm::make_memory("remit-file-pieces", kMostBytes);
  if (!memory) return false;
  Expected<shm::Mapping> mapped = shm::map_memory(memory->get(), kMostBytes);
  if (!mapped) return false;
  memory_ = std::move(*memory);
  mapped_ = std::move(*mapped);
  return true;
}

bool MappedWrites::reaches(const Part& part) {
  const Expected<std::int64_t> size = storage_.size();
  if (!size) return false;
  if (*size >= part.end) return true;
  // No mapping makes a file longer; its last byte does.
  const std::byte* last = mapped_.data() + part.bytes - 1;
  return storage_.write(part.end - 1, std::span(last, 1)).error_number == 0;
}

std::int64_t MappedWrites::scatter(const FileView& view, const Part& part, std::byte* file_page,
                                   std::int64_t page_offset) {
  std::array<FileRun, kMappedTargets> runs;
  std::array<iovec, kMappedTargets> targets;
  std::int64_t done = 0;
  while (done < part.bytes) {
    std::int64_t taken = 0;
    const std::size_t count = view.runs(part.view_byte + done, part.bytes - done, runs, &taken);
    for (std::size_t i = 0; i != count; ++i) {
      targets[i] = {file_page + (runs[i].offset - page_offset),
                    static_cast<std::size_t>(runs[i].length)};
    }
    const ssize_t moved =
        storage_.calls().preadv(memory_.get(), std::span(targets).first(count), done);
    if (moved == -EINTR) continue;
    if (moved <= 0) break;
    done += moved;
  }
  return done;
}

std::int64_t MappedWrites::write(const FileView& view, const View& memory, const Part& part) {
  if (part.bytes > kMostBytes || !has_memory()) return 0;
  memory.pack(static_cast<std::size_t>(part.memory_byte),
              std::span(mapped_.data(), static_cast<std::size_t>(part.bytes)));
  if (!reaches(part)) return 0;
  const std::int64_t page_offset = part.first / kMappedPage * kMappedPage;
  const auto length = static_cast<std::size_t>(part.end - page_offset);
  void* address = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, storage_.descriptor(),
                         page_offset);
  if (address == MAP_FAILED) return 0;
  const shm::Mapping file(address, length);
  return scatter(view, part, file.data(), page_offset);
}

}  // namespace remit
