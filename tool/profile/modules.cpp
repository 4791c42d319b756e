// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the dynamic loader says of loaded files.
#include "tool/profile/modules.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tool/profile/spin_lock.hpp"

namespace remit::profile {
namespace {

CodeRange range_of(const dl_phdr_info& info) {
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    begin = std::min<std::uint64_t>(begin, info.dlpi_addr + part.p_vaddr);
    end = std::max<std::uint64_t>(end, info.dlpi_addr + part.p_vaddr + part.p_memsz);
  }
  return begin < end ? CodeRange{begin, end - begin} : CodeRange{};
}

// A note is a header, a name and a description, each padded to four bytes.
void copy_build_id(const dl_phdr_info& info, ModuleRecord& module) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(info.dlpi_addr + part.p_vaddr);
    const char* const end = at + part.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto* const note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const char* const name = at + sizeof(*note);
      const char* const text = name + ((note->n_namesz + 3U) & ~3U);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
          std::memcmp(name, "GNU", 4) == 0) {
        module.build_id_bytes =
            static_cast<std::uint32_t>(std::min<std::size_t>(note->n_descsz, 20));
        std::memcpy(module.build_id.data(), text, module.build_id_bytes);
        return;
      }
      at = text + ((note->n_descsz + 3U) & ~3U);
    }
  }
}

bool is_called(const dl_phdr_info& info, const char* begin) {
  if (info.dlpi_name == nullptr) return false;
  const char* const slash = std::strrchr(info.dlpi_name, '/');
  const char* const name = slash == nullptr ? info.dlpi_name : slash + 1;
  return std::strncmp(name, begin, std::strlen(begin)) == 0;
}

struct Search {
  std::uint64_t address;
  ModuleRecord* found;
};

int look_for_address(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  const CodeRange range = range_of(*info);
  if (search.address - range.begin >= range.bytes) return 0;
  ModuleRecord& module = *search.found;
  module.bias = info->dlpi_addr;
  module.begin = range.begin;
  module.end = range.begin + range.bytes;
  if (info->dlpi_name == nullptr || *info->dlpi_name == 0) {
    const ssize_t length = ::readlink("/proc/self/exe", module.path.data(), module.path.size() - 1);
    module.path[length > 0 ? static_cast<std::size_t>(length) : 0] = 0;
  } else {
    std::snprintf(module.path.data(), module.path.size(), "%s", info->dlpi_name);
  }
  copy_build_id(*info, module);
  return 1;
}

int look_for_fortran(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  if (!is_called(*info, "libmpifort_abi.so")) return 0;
  *static_cast<CodeRange*>(data) = range_of(*info);
  return 1;
}

int look_for_mpi(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  if (!is_called(*info, "libmpi_abi.so")) return 0;
  *static_cast<const char**>(data) = info->dlpi_name;
  return 1;
}

}  // namespace

std::uint32_t find_module(Record& record, std::uint64_t address) {
  static constinit SpinLock lock;
  const SpinLock::Holder holder(lock);
  std::uint32_t at = 0;
  for (; at < record.module_count; ++at) {
    const ModuleRecord& module = record.modules[at];
    if (address >= module.begin && address < module.end) return at;
  }
  if (at == kModules) return kModules;
  Search search{address, &record.modules[at]};
  if (::dl_iterate_phdr(look_for_address, &search) == 0) return kModules;
  record.module_count = at + 1;
  return at;
}

CodeRange find_fortran() {
  CodeRange range;
  ::dl_iterate_phdr(look_for_fortran, &range);
  return range;
}

void* open_mpi_library() {
  const char* path = nullptr;
  ::dl_iterate_phdr(look_for_mpi, &path);
  return path == nullptr ? nullptr : ::dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
}

}  // namespace remit::profile
