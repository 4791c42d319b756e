// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/io/open_files.hpp"

#include <fmt/format.h>

#include "bindings/env/statistics.hpp"
#include "bindings/process/instance.hpp"
#include "bindings/rma/open_windows.hpp"

namespace remit {

namespace {

/// What one process has moved, by the ways that the bytes went.
std::string describe_file(const FileCore& file) {
  const FileCounters& moved = file.counters;
  return fmt::format(
      "file {}: written {} bytes directly, {} staged, {} mapped, {} read and written back; read {} "
      "bytes directly, {} out of {} that were sieved; {} locks; memory of the host: {} bytes "
      "given, {} "
      "taken, {} written as an owner, {} read, {} from other hosts, {} meetings",
      file.path, moved.direct_written.value(), moved.staged_written.value(),
      moved.mapped_written.value(), moved.rmw_written.value(), moved.direct_read.value(),
      moved.sieved_read.value(), moved.sieved_bytes.value(), moved.locks.value(),
      moved.shared_given.value(), moved.shared_taken.value(), moved.owner_written.value(),
      moved.owner_read.value(), moved.from_hosts.value(), moved.meetings.value());
}

}  // namespace

OpenFiles::OpenFiles(Instance& instance)
    : process_(*instance.comms, windows_of(instance).manager(), kernel_file_calls()),
      reports_(instance.process->params().flag(statistics_param)) {}

OpenFiles::~OpenFiles() {
  for (FileObject* file : open_) {
    file->file.reset();
    file->open.reset();
  }
}

std::vector<std::string> OpenFiles::reports() const {
  std::vector<std::string> lines = reported_;
  if (unreported_ != 0) lines.push_back(fmt::format("files: {} more", unreported_));
  return lines;
}

void OpenFiles::add(FileObject& file) {
  open_.insert(&file);
  const FileCore& core = file.file->core();
  process_.comms.process().events().raise(EventKind::file_opened, core.comm.context,
                                          core.mode.value());
}

void OpenFiles::close(FileObject& file) {
  const FileCore& core = file.file->core();
  process_.comms.process().events().raise(EventKind::file_closed, core.comm.context,
                                          core.mode.value());
  if (reports_ && reported_.size() < kMostReported) {
    reported_.push_back(describe_file(file.file->core()));
  } else if (reports_) {
    ++unreported_;
  }
  open_.erase(&file);
  file.file.reset();
  file.open.reset();
  file.kind = ObjectKind::freed;
  file.release();
}

OpenFiles& files_of(Instance& instance) {
  if (instance.files == nullptr) instance.files = std::make_unique<OpenFiles>(instance);
  return *instance.files;
}

}  // namespace remit
