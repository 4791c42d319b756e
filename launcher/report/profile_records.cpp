// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "launcher/report/profile_records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <system_error>

#include "launcher/plan/job.hpp"
#include "launcher/tree/wire.hpp"
#include "runtime/clock.hpp"

namespace remit::launcher {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::int64_t kMostBytes = 17 << 20;  // of a record, or a trace
constexpr std::array kVariables{"REMIT_PROFILE", "REMIT_TRACE"};
constexpr std::string_view kSuffix = ".record";
constexpr std::string_view kTraceSuffix = ".trace";
constexpr std::string_view kMagic = "REMITPRF";  // what a record begins with, and a trace
constexpr std::string_view kTraceMagic = "REMITTRC";
// remit_profile reads it: tool/profile/record.hpp describes it.
constexpr const char* kClocksName = "remit-clocks";
constexpr std::string_view kClocksTitle = "remit-clocks 1";

bool is_name(std::string_view name) {
  return name.ends_with(kSuffix) || name.ends_with(kTraceSuffix);
}

// The first bytes of a file.
std::string beginning(const std::filesystem::path& path, std::size_t bytes) {
  std::ifstream file(path, std::ios::binary);
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// Its title, and mpirun's own clock: what CLOCK_MONOTONIC is behind the time since the epoch, and
// the name of the host.
std::string clocks_head() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t realtime = now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
  std::array<char, 72> host{};  // as long as in a record
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{} {} {}\n", kClocksTitle, realtime - monotonic_ns(), host.data());
}

}  // namespace

void ProfileRecords::redirect(std::vector<std::string>* env) {
  for (const char* const variable : kVariables) {
    if (get_env(*env, variable) == nullptr) continue;
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    is_used_ = true;
    set_env(env, variable, folder_);
  }
}

void ProfileRecords::post(const std::function<void(const std::string& payload)>& send) {
  std::error_code error;
  if (!is_used_) return;
  for (std::filesystem::directory_iterator each(folder_, error), end; !error && each != end;
       each.increment(error)) {
    const std::string path = each->path().string();
    if (!is_name(path) || !posted_.insert(path).second) continue;
    if (const auto payload = pack_record(path)) send(*payload);
  }
}

Expected<std::string> pack_record(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(MPI_ERR_OTHER, "{}: {}", path, std::generic_category().message(errno));
  WireWriter writer;
  writer.text(path.substr(path.rfind('/') + 1));
  std::array<char, kPage> page{};
  off_t at = 0;
  for (ssize_t got = 0; (got = ::pread(fd, page.data(), page.size(), at)) > 0; at += got) {
    const std::string_view bytes(page.data(), static_cast<std::size_t>(got));
    if (std::ranges::all_of(bytes, [](char byte) { return byte == 0; })) continue;
    writer.number(at);
    writer.text(bytes);
  }
  ::close(fd);
  writer.number(at);  // the size, and nothing there
  writer.text("");
  return writer.bytes();
}

Expected<> unpack_record(const std::string& folder, std::string_view payload) {
  if (folder.empty()) return fail(MPI_ERR_OTHER, "there is no profile, and a record has come");
  WireReader reader(payload);
  const std::string name = reader.text();
  if (!is_name(name) || name.find('/') != std::string::npos || name.starts_with('.')) {
    return fail(MPI_ERR_OTHER, "'{}' is no name of a record", name);
  }
  const std::string path = folder + "/" + name;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return fail(MPI_ERR_OTHER, "{}: {}", path, std::generic_category().message(errno));
  bool is_whole = false;
  while (!is_whole && reader.good()) {
    const std::int64_t at = reader.number();
    const std::string bytes = reader.text();
    if (at < 0 || at > kMostBytes || bytes.size() > kPage) break;
    is_whole = bytes.empty() && reader.complete();
    if (::pwrite(fd, bytes.data(), bytes.size(), at) != static_cast<ssize_t>(bytes.size())) break;
    if (is_whole && ::ftruncate(fd, at) != 0) is_whole = false;
  }
  ::close(fd);
  if (is_whole) return {};
  ::unlink(path.c_str());
  return fail(MPI_ERR_OTHER, "the record {} came damaged, or there is no room for it", name);
}

bool is_profile_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(path, error))) return false;
  if (path.filename() == kClocksName) return beginning(path, kClocksTitle.size()) == kClocksTitle;
  if (path.extension() == kSuffix) return beginning(path, kMagic.size()) == kMagic;
  return path.extension() == kTraceSuffix && beginning(path, kTraceMagic.size()) == kTraceMagic;
}

Expected<> keep_clock(const std::string& folder, std::string_view payload, int node,
                      const SeenClock& clock) {
  const std::string name = WireReader(payload).text();
  if (!name.ends_with(kSuffix)) return {};
  const std::string path = folder + "/" + kClocksName;
  std::error_code error;
  const bool is_new = !std::filesystem::exists(path, error);
  if (!is_new && !is_profile_file(path)) {
    return fail(MPI_ERR_OTHER, "{} is there already and is none of mpirun's", path);
  }
  std::ofstream file(path, std::ios::app);
  if (is_new) file << clocks_head();
  file << node;
  for (const ClockSample& each : {clock.first, clock.last}) {
    file << ' ' << each.at_ns << ' ' << each.ahead_ns << ' ' << each.within_ns;
  }
  file << ' ' << name << '\n';
  file.close();
  if (file) return {};
  return fail(MPI_ERR_OTHER, "{}: {}", path, std::generic_category().message(errno));
}

}  // namespace remit::launcher
