// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The open files of an MPI process.
#pragma once

#include <set>

#include "bindings/objects.hpp"
#include "files/file.hpp"

namespace remit {

/// All of them in one process, and what they have in common. Made with the first file. The thread
/// that holds the process.
class OpenFiles {
 public:
  /// The instance must outlive it.
  explicit OpenFiles(Instance& instance);
  /// Lets go of files that the program has not closed: no other member is waited for.
  ~OpenFiles();
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;

  [[nodiscard]] FileProcess& process() { return process_; }

  void add(FileObject& file) { open_.insert(&file); }
  /// Its handle is none any more.
  void close(FileObject& file);

  /// Whether the kernel is at work for nonblocking accesses.
  [[nodiscard]] bool busy() const { return process_.threads.busy(); }

 private:
  FileProcess process_;
  std::set<FileObject*> open_;
};

/// Those of this process.
[[nodiscard]] OpenFiles& files_of(Instance& instance);

}  // namespace remit
