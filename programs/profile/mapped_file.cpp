// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "programs/profile/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace remit::profiles {

Expected<std::shared_ptr<const void>> map_whole_file(const std::string& path, std::size_t bytes,
                                                     const char* what) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(MPI_ERR_OTHER, "{}: {}", path, std::generic_category().message(errno));
  struct stat found {};
  const bool is_long =
      ::fstat(fd, &found) == 0 && static_cast<std::uint64_t>(found.st_size) == bytes;
  void* const memory = is_long ? ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  ::close(fd);
  if (!is_long) return fail(MPI_ERR_OTHER, "{} is no {} of this version of Remit", path, what);
  if (memory == MAP_FAILED) return fail(MPI_ERR_OTHER, "{} cannot be mapped", path);
  return std::shared_ptr<const void>(
      memory, [bytes](const void* mapped) { ::munmap(const_cast<void*>(mapped), bytes); });
}

}  // namespace remit::profiles
