// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The kernel's errors in MPI's terms.
#include "files/storage/transferred.hpp"

#include <cerrno>
#include <string>
#include <system_error>

namespace remit {
namespace {

std::string kernel_words(int error_number) {
  return std::system_category().message(error_number);
}

/// "3 of 16 MiB": in the largest unit in which both are whole numbers.
std::string part_of_whole(std::int64_t part, std::int64_t whole) {
  struct Unit {
    std::int64_t bytes;
    const char* name;
  };
  static constexpr Unit kUnits[] = {
      {std::int64_t{1} << 30, "GiB"}, {std::int64_t{1} << 20, "MiB"}, {1024, "KiB"}};
  for (const Unit& unit : kUnits) {
    if (whole >= unit.bytes && part % unit.bytes == 0 && whole % unit.bytes == 0)
      return fmt::format("{} of {} {}", part / unit.bytes, whole / unit.bytes, unit.name);
  }
  return fmt::format("{} of {} bytes", part, whole);
}

}  // namespace

int class_of_errno(int error_number) {
  switch (error_number) {
    case 0:
      return MPI_SUCCESS;
    case EACCES:
    case EPERM:
      return MPI_ERR_ACCESS;
    case ENOENT:
      return MPI_ERR_NO_SUCH_FILE;
    case EEXIST:
      return MPI_ERR_FILE_EXISTS;
    case ENAMETOOLONG:
    case EISDIR:
    case ENOTDIR:
    case ELOOP:
      return MPI_ERR_BAD_FILE;
    case ENOSPC:
      return MPI_ERR_NO_SPACE;
    case EDQUOT:
      return MPI_ERR_QUOTA;
    case EROFS:
      return MPI_ERR_READ_ONLY;
    case ETXTBSY:
    case EBUSY:
      return MPI_ERR_FILE_IN_USE;
    case ENOMEM:
      return MPI_ERR_NO_MEM;
    case ENXIO:
    case ESPIPE:
    case EOPNOTSUPP:
      return MPI_ERR_UNSUPPORTED_OPERATION;
    default:
      return MPI_ERR_IO;
  }
}

Error error_of(const Transferred& transferred, FileMove kind, std::string_view path,
               std::int64_t asked) {
  return {class_of_errno(transferred.error_number),
          fmt::format("{}: {} at byte {} ({} {})", path, kernel_words(transferred.error_number),
                      transferred.offset, kind == FileMove::write ? "wrote" : "read",
                      part_of_whole(transferred.bytes, asked))};
}

Error error_of_call(int error_number, std::string_view path, std::string_view attempt) {
  return {class_of_errno(error_number),
          fmt::format("{}: cannot {}: {}", path, attempt, kernel_words(error_number))};
}

}  // namespace remit
