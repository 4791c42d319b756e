// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Scattering into a mapping of a file.
#include "files/storage/mapped_writes.hpp"

#include <sys/mman.h>
#include <sys/uio.h>

#include <array>

#include "files/storage/mapped_stores.hpp"
#include "files/storage/storage.hpp"
#include "files/views/file_view.hpp"
#include "runtime/os/os.hpp"

namespace remit {
namespace {

constexpr std::int64_t kMappedPage = 4096;
constexpr std::size_t kMappedTargets = 512;

/// Asks for the pages of a mapping, which begins with one, that the targets lie in: pages of memory
/// alone are given out faster together. Not where one of them would lie in a hole, for which there
/// might be no room. It fails where there is no such call, or no room, and the stores find out.
void give_out_pages(std::byte* mapping, std::span<const iovec> targets) {
  const auto offset_of = [mapping](const iovec& target) {
    return static_cast<std::byte*>(target.iov_base) - mapping;
  };
  std::int64_t end = offset_of(targets.front());
  const std::int64_t first = end / kMappedPage;
  for (const iovec& target : targets) {
    const std::int64_t begin = offset_of(target);
    if (begin / kMappedPage > (end - 1) / kMappedPage + 1) return;
    end = begin + static_cast<std::int64_t>(target.iov_len);
  }
  const std::int64_t pages = (end - 1) / kMappedPage - first + 1;
  ::madvise(mapping + first * kMappedPage, static_cast<std::size_t>(pages * kMappedPage),
            MADV_POPULATE_WRITE);
}

}  // namespace

/// The part's bytes, one behind the other.
const std::byte* MappedWrites::packed(const View& memory, const Part& part) {
  if (memory.is_contiguous()) return memory.data() + part.memory_byte;
  if (packed_ == nullptr) packed_.reset(new std::byte[kMostBytes]);
  memory.pack(static_cast<std::size_t>(part.memory_byte),
              std::span(packed_.get(), static_cast<std::size_t>(part.bytes)));
  return packed_.get();
}

bool MappedWrites::reaches(const Part& part, const std::byte* bytes) {
  const Expected<std::int64_t> size = storage_.size();
  if (!size) return false;
  if (*size >= part.end) return true;
  // No mapping makes a file longer; its last byte does.
  const std::byte* last = bytes + part.bytes - 1;
  return storage_.write(part.end - 1, std::span(last, 1)).error_number == 0;
}

/// `file` is mapped from `offset` on.
std::int64_t MappedWrites::store(const FileView& view, const Part& part, std::span<std::byte> file,
                                 std::int64_t offset, const std::byte* bytes) {
  const MappedStores stores;
  std::array<FileRun, kMappedTargets> runs;
  std::array<iovec, kMappedTargets> targets;
  std::int64_t done = 0;
  while (done < part.bytes) {
    std::int64_t taken = 0;
    const std::size_t count = view.runs(part.view_byte + done, part.bytes - done, runs, &taken);
    for (std::size_t i = 0; i != count; ++i) {
      targets[i] = {file.data() + (runs[i].offset - offset),
                    static_cast<std::size_t>(runs[i].length)};
    }
    if (storage_.traits().in_memory) give_out_pages(file.data(), std::span(targets).first(count));
    if (!stores.copy(file, std::span(targets).first(count), bytes + done)) break;
    done += taken;
  }
  return done;
}

std::int64_t MappedWrites::write(const FileView& view, const View& memory, const Part& part) {
  if (part.bytes > kMostBytes) return 0;
  const std::byte* const bytes = packed(memory, part);
  if (!reaches(part, bytes)) return 0;
  const std::int64_t offset = part.first / kMappedPage * kMappedPage;
  const auto length = static_cast<std::size_t>(part.end - offset);
  void* address =
      ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, storage_.descriptor(), offset);
  if (address == MAP_FAILED) return 0;
  const shm::Mapping file(address, length);
  return store(view, part, {file.data(), length}, offset, bytes);
}

}  // namespace remit
