// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The open files of an MPI process.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "bindings/objects.hpp"
#include "files/file.hpp"

namespace remit {

struct Instance;

/// What goes with an open file, from MPI_File_open to MPI_File_close.
struct OpenFile {
  Ref<SessionObject> session;  ///< where its communicator comes from; null: the World Model
};

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

  /// Files of which reports() says more than their number.
  static constexpr std::size_t kMostReported = 16;

  void add(FileObject& file);
  /// How many are open.
  [[nodiscard]] std::size_t count() const { return open_.size(); }
  /// Its handle is none any more.
  void close(FileObject& file);

  /// Whether accesses are under way whose members have to do something for each other before they
  /// are complete.
  [[nodiscard]] bool goes_on() const { return process_.together_under_way != 0; }
  /// Whether the kernel is at work for nonblocking accesses.
  [[nodiscard]] bool busy() const { return process_.threads.busy(); }

  /// A line for each file that there was, of more than kMostReported only how many. Nothing, unless
  /// statistics were asked for.
  [[nodiscard]] std::vector<std::string> reports() const;

 private:
  FileProcess process_;
  std::set<FileObject*> open_;
  bool reports_;                       ///< statistics were asked for
  std::vector<std::string> reported_;  ///< of those that were closed: the first kMostReported
  std::size_t unreported_ = 0;         ///< of the others
};

/// Those of this process.
[[nodiscard]] OpenFiles& files_of(Instance& instance);

}  // namespace remit
