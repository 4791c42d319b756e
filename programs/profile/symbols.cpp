// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// libdw is used through its stable binary interface, of which these few declarations are all: so it
// need not be there when Remit is built.
#include "programs/profile/symbols.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <array>
#include <cstdlib>

#include "programs/profile/elf_symbols.hpp"

namespace remit::profiles {
namespace {

struct Dwfl;
struct DwflModule;
struct DwflLine;

// As Dwfl_Callbacks of elfutils/libdwfl.h; its functions are libdw's own.
struct DwflCallbacks {
  void* find_elf;
  void* find_debuginfo;
  void* section_address;
  char** debuginfo_path;
};

}  // namespace

class Symbols::Library {
 public:
  static std::unique_ptr<Library> open() {
    void* const handle = ::dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return nullptr;
    auto library = std::make_unique<Library>();
    const bool has_all = load(handle, "dwfl_begin", library->begin) &&
                         load(handle, "dwfl_end", library->end) &&
                         load(handle, "dwfl_report_begin", library->report_begin) &&
                         load(handle, "dwfl_report_offline", library->report_offline) &&
                         load(handle, "dwfl_report_end", library->report_end) &&
                         load(handle, "dwfl_module_getsrc", library->line_at) &&
                         load(handle, "dwfl_lineinfo", library->line_info) &&
                         load(handle, "dwfl_module_getelf", library->elf_of);
    library->callbacks_ = {::dlsym(handle, "dwfl_build_id_find_elf"),
                           ::dlsym(handle, "dwfl_standard_find_debuginfo"),
                           ::dlsym(handle, "dwfl_offline_section_address"), nullptr};
    return has_all ? std::move(library) : nullptr;
  }

  [[nodiscard]] const DwflCallbacks* callbacks() const { return &callbacks_; }

  Dwfl* (*begin)(const DwflCallbacks*) = nullptr;
  void (*end)(Dwfl*) = nullptr;
  void (*report_begin)(Dwfl*) = nullptr;
  DwflModule* (*report_offline)(Dwfl*, const char* name, const char* file, int fd) = nullptr;
  int (*report_end)(Dwfl*, void*, void*) = nullptr;
  DwflLine* (*line_at)(DwflModule*, std::uint64_t address) = nullptr;
  const char* (*line_info)(DwflLine*, std::uint64_t*, int* line, int*, std::uint64_t*,
                           std::uint64_t*) = nullptr;
  void* (*elf_of)(DwflModule*, std::uint64_t* bias) = nullptr;

 private:
  template <class Function>
  static bool load(void* handle, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(::dlsym(handle, name));
    return function != nullptr;
  }

  DwflCallbacks callbacks_{};
};

/// One file, with what libdw made of it.
class Symbols::File {
 public:
  File(const Library* library, const std::string& path, const std::string& build_id)
      : library_(library), elf_(read_elf(path)) {
    is_same_ = elf_.is_readable && (build_id.empty() || build_id == elf_.build_id);
    if (!is_same_ || library == nullptr) return;
    dwfl_ = library->begin(library->callbacks());
    if (dwfl_ == nullptr) return;
    library->report_begin(dwfl_);
    module_ = library->report_offline(dwfl_, "", path.c_str(), -1);
    library->report_end(dwfl_, nullptr, nullptr);
    if (module_ != nullptr && library->elf_of(module_, &bias_) == nullptr) module_ = nullptr;
  }
  ~File() {
    if (dwfl_ != nullptr) library_->end(dwfl_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] SourceLine find(std::uint64_t address) const {
    SourceLine result;
    if (!is_same_) return result;
    if (const ElfSymbol* const symbol = elf_.find(address)) {
      result.symbol = demangled(symbol->name.c_str());
      result.symbol_offset = address - symbol->begin;
    }
    if (module_ == nullptr) return result;
    DwflLine* const line = library_->line_at(module_, address + bias_);
    if (line == nullptr) return result;
    const char* const file =
        library_->line_info(line, nullptr, &result.line, nullptr, nullptr, nullptr);
    if (file != nullptr) result.file = file;
    return result;
  }

 private:
  const Library* library_;
  ElfFile elf_;
  bool is_same_ = false;  // as the one that ran
  Dwfl* dwfl_ = nullptr;
  DwflModule* module_ = nullptr;
  std::uint64_t bias_ = 0;
};

Symbols::Symbols() : library_(Library::open()) {}
Symbols::~Symbols() = default;

bool Symbols::has_lines() const {
  return library_ != nullptr;
}

Symbols::File* Symbols::open(const std::string& path, const std::string& build_id) {
  std::unique_ptr<File>& file = files_[path + '\n' + build_id];
  if (file == nullptr) file = std::make_unique<File>(library_.get(), path, build_id);
  return file.get();
}

SourceLine Symbols::find(const std::string& path, const std::string& build_id,
                         std::uint64_t address) {
  // The call itself is in front of where it returns to.
  SourceLine line = open(path, build_id)->find(address - 1);
  if (!line.symbol.empty()) ++line.symbol_offset;
  return line;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  if (status == 0 && text != nullptr) return text.get();
  // A module procedure of gfortran, or of flang, as Fortran writes it.
  std::string plain = name;
  const std::size_t middle = plain.find("_MOD_");
  if (plain.starts_with("__") && middle != std::string::npos) {
    return plain.substr(2, middle - 2) + "::" + plain.substr(middle + 5);
  }
  return plain;
}

}  // namespace remit::profiles
