// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "programs/profile/elf_symbols.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace remit::profiles {
namespace {

// Bytes of a mapped file; nothing is read beyond its end.
class Bytes {
 public:
  explicit Bytes(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat found {};
    if (::fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && found.st_size > 0) {
      const auto size = static_cast<std::size_t>(found.st_size);
      void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
      if (memory != MAP_FAILED) all_ = {static_cast<const std::byte*>(memory), size};
    }
    ::close(fd);
  }
  ~Bytes() {
    if (!all_.empty()) ::munmap(const_cast<std::byte*>(all_.data()), all_.size());
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  template <class Value>
  [[nodiscard]] std::optional<Value> at(std::uint64_t offset) const {
    if (offset > all_.size() || all_.size() - offset < sizeof(Value)) return std::nullopt;
    Value value;
    std::memcpy(&value, all_.data() + offset, sizeof(Value));
    return value;
  }

  [[nodiscard]] std::string_view text(std::uint64_t offset) const {
    if (offset >= all_.size()) return {};
    const auto* const begin = reinterpret_cast<const char*>(all_.data() + offset);
    return {begin, ::strnlen(begin, all_.size() - offset)};
  }

 private:
  std::span<const std::byte> all_;
};

std::string read_build_id(const Bytes& bytes, const Elf64_Shdr& section) {
  const auto note = bytes.at<Elf64_Nhdr>(section.sh_offset);
  if (!note || note->n_type != NT_GNU_BUILD_ID || note->n_descsz > 64) return {};
  const std::uint64_t begin = section.sh_offset + sizeof(*note) + ((note->n_namesz + 3U) & ~3U);
  std::string text;
  for (std::uint64_t i = 0; i < note->n_descsz; ++i) {
    const auto byte = bytes.at<unsigned char>(begin + i);
    if (byte) text += fmt::format("{:02x}", *byte);
  }
  return text;
}

void read_symbols(const Bytes& bytes, const Elf64_Shdr& section, const Elf64_Shdr& names,
                  std::vector<ElfSymbol>& functions) {
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
    const auto symbol = bytes.at<Elf64_Sym>(section.sh_offset + at);
    if (!symbol) return;
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) continue;
    functions.push_back({symbol->st_value, symbol->st_size,
                         std::string(bytes.text(names.sh_offset + symbol->st_name))});
  }
}

}  // namespace

const ElfSymbol* ElfFile::find(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(functions, address, {}, &ElfSymbol::begin);
  if (after == functions.begin()) return nullptr;
  const ElfSymbol& symbol = *(after - 1);
  return address - symbol.begin < symbol.bytes ? &symbol : nullptr;
}

ElfFile read_elf(const std::string& path) {
  ElfFile file;
  const Bytes bytes(path);
  const auto header = bytes.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64) {
    return file;
  }
  file.is_readable = true;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto section = bytes.at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) break;
    if (section->sh_type == SHT_NOTE && file.build_id.empty()) {
      file.build_id = read_build_id(bytes, *section);
    }
    if (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM) continue;
    const auto names =
        bytes.at<Elf64_Shdr>(header->e_shoff + section->sh_link * sizeof(Elf64_Shdr));
    if (names) read_symbols(bytes, *section, *names, file.functions);
  }
  std::ranges::sort(file.functions, {}, &ElfSymbol::begin);
  return file;
}

}  // namespace remit::profiles
