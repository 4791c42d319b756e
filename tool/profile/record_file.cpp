// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Opening the record, in plain system calls: this runs in any program.
#include "tool/profile/record_file.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "tool/profile/clock.hpp"
#include "tool/profile/functions.hpp"

namespace remit::profile {
namespace {

int file = -1;  // until the process ends; -1: private memory
Record* mapped = nullptr;
std::array<char, 4096> path_of_file{};

// The first of these variables that is set; "" if none is.
template <std::size_t N>
const char* first_set(const std::array<const char*, N>& names) {
  for (const char* name : names) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != 0) return value;
  }
  return "";
}

template <std::size_t N>
void copy_text(std::array<char, N>& to, const char* text) {
  std::snprintf(to.data(), N, "%s", text);
}

int launched_rank() {
  const char* const text =
      first_set(std::array{"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"});
  return *text == 0 ? -1 : std::atoi(text);
}

void copy_job_name(std::array<char, 256>& to) {
  const char* const name = first_set(std::array{"PMIX_NAMESPACE", "PMI_JOBID"});
  if (*name != 0) return copy_text(to, name);
  const char* const job = first_set(std::array{"SLURM_JOB_ID"});
  if (*job == 0) return;
  std::snprintf(to.data(), to.size(), "slurm.%s.%s", job, first_set(std::array{"SLURM_STEP_ID"}));
}

// An answer that stays the same however often it is asked for; the name of the file has it.
void make_path(char* path, std::size_t size, const char* folder, const Record& record,
               int attempt) {
  std::array<char, 256> job = record.job;
  for (char& letter : job) {
    if (letter == '/') letter = '_';
  }
  std::array<char, 128> end{};
  if (attempt > 0 || record.rank < 0) {
    std::snprintf(end.data(), end.size(), ".%s.%d", record.host.data(), attempt);
    const std::size_t used = std::strlen(end.data());
    std::snprintf(end.data() + used, end.size() - used, ".%d", record.pid);
  }
  std::snprintf(path, size, "%s/%s.%d%s%s", folder, job[0] == 0 ? "process" : job.data(),
                record.rank < 0 ? 0 : record.rank, end.data(), kSuffix);
}

void complain_of_record(const char* path, int error) {
  std::fprintf(stderr, "Remit's profile: there is no record of this process: %s: %s\n", path,
               std::strerror(error));
}

// A file beyond the limit (ulimit -f) would end the process.
bool may_be_written() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= sizeof(Record);
}

void* map_file(const char* folder, const Record& begin) {
  if (!may_be_written()) {
    complain_of_record(folder, EFBIG);
    return MAP_FAILED;
  }
  (void)::mkdir(folder, 0777);  // where it is not there yet
  std::array<char, 4096>& path = path_of_file;
  for (int attempt = 0; attempt < 2 && file < 0; ++attempt) {
    make_path(path.data(), path.size(), folder, begin, attempt);
    file = ::open(path.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file < 0) {
    complain_of_record(path.data(), errno);
    path[0] = 0;
    return MAP_FAILED;
  }
  const auto needed = static_cast<off_t>(offsetof(Record, threads));
  int error = ::posix_fallocate(file, 0, needed);
  if (error == 0 && ::ftruncate(file, sizeof(Record)) != 0) error = errno;
  void* const memory =
      error != 0 ? MAP_FAILED
                 : ::mmap(nullptr, sizeof(Record), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    complain_of_record(path.data(), error != 0 ? error : errno);
    ::unlink(path.data());
    ::close(file);
    file = -1;
    path[0] = 0;
  }
  return memory;
}

std::uint64_t own_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) return 0;
  std::uint64_t first = 0;
  while (first + 1 < CPU_SETSIZE && !CPU_ISSET(first, &set)) ++first;
  return first << 32U | static_cast<std::uint64_t>(CPU_COUNT(&set));
}

// REMIT_X=value.
void copy_settings(Record& record) {
  constexpr std::size_t kPrefix = 6;
  for (char** each = environ; *each != nullptr && record.setting_count < kSettings; ++each) {
    const char* const equals = std::strchr(*each, '=');
    if (std::strncmp(*each, "REMIT_", kPrefix) != 0 || equals == nullptr ||
        std::strncmp(*each, "REMIT_PROFILE=", kPrefix + 8) == 0 ||
        std::strncmp(*each, "REMIT_PROFILE_STACK=", kPrefix + 14) == 0 ||
        std::strncmp(*each, "REMIT_TRACE=", kPrefix + 6) == 0) {
      continue;
    }
    SettingRecord& setting = record.settings[record.setting_count++];
    std::snprintf(setting.name.data(), setting.name.size(), "%.*s",
                  static_cast<int>(equals - *each), *each);
    copy_text(setting.value, equals + 1);
  }
}

void describe_process(Record& record) {
  record.pid = ::getpid();
  record.rank = launched_rank();
  copy_job_name(record.job);
  ::gethostname(record.host.data(), record.host.size() - 1);
  const ssize_t length =
      ::readlink("/proc/self/exe", record.program.data(), record.program.size() - 1);
  record.program[length > 0 ? static_cast<std::size_t>(length) : 0] = 0;
  record.use.processors = own_processors();
}

// Two readings a little apart, so that the record of the shortest program has the clock's speed.
void read_clocks(Record& record) {
  constexpr std::uint64_t kApartNs = 100'000;
  record.uses_tsc = clock_uses_tsc ? 1 : 0;
  record.first = read_clock_pair();
  while (monotonic_ns() < record.first.monotonic_ns + kApartNs) continue;
  record.last = read_clock_pair();
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  record.realtime_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                       static_cast<std::uint64_t>(now.tv_nsec) -
                       (monotonic_ns() - record.first.monotonic_ns);
}

}  // namespace

Record* open_record_file() {
  // The name of the file needs the description, and the description goes into the file.
  void* const scratch =
      ::mmap(nullptr, sizeof(Record), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (scratch == MAP_FAILED) std::abort();  // there is no memory at all
  auto& begin = *static_cast<Record*>(scratch);
  begin.version = kVersion;
  begin.bytes = sizeof(Record);
  begin.function_hash = kFunctionHash;
  describe_process(begin);
  read_clocks(begin);
  mapped = &begin;
  const char* const folder = first_set(std::array{"REMIT_PROFILE", "REMIT_TRACE"});
  if (*folder == 0) return mapped;
  void* const memory = map_file(folder, begin);
  if (memory == MAP_FAILED) return mapped;
  std::memcpy(memory, scratch, offsetof(Record, modules));  // what is behind is zero
  ::munmap(scratch, sizeof(Record));
  mapped = static_cast<Record*>(memory);
  copy_settings(*mapped);
  mapped->magic = kMagic;  // from now on it can be read
  return mapped;
}

bool reserve_table(const ThreadTable& table) {
  if (file < 0) return true;
  const auto* const begin = reinterpret_cast<const std::byte*>(mapped);
  const auto* const place = reinterpret_cast<const std::byte*>(&table);
  return ::posix_fallocate(file, place - begin, sizeof(ThreadTable)) == 0;
}

bool reserve_frames() {
  constexpr auto kBegin = static_cast<off_t>(offsetof(Record, has_stacks));
  return file < 0 || ::posix_fallocate(file, kBegin, sizeof(Record) - kBegin) == 0;
}

const char* record_path() {
  return path_of_file.data();
}

int own_pid() {
  return ::getpid();
}

}  // namespace remit::profile
