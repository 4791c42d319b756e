// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the parts of an open file have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "communicators/comm_process.hpp"
#include "files/access_mode.hpp"
#include "files/file_hints.hpp"
#include "files/staged/file_staging.hpp"
#include "files/storage/counters.hpp"
#include "files/storage/io_threads.hpp"
#include "files/storage/storage.hpp"
#include "files/storage/transfers.hpp"
#include "files/views/data_representation.hpp"
#include "files/views/file_view.hpp"
#include "onesided/one_sided.hpp"

namespace remit {

class WindowMembers;

/// What the files of one MPI process have in common. The thread that holds the process.
struct FileProcess {
  /// All must outlive it.
  FileProcess(CommProcess& own_comms, OneSided& own_windows, FileCalls& own_calls)
      : comms(own_comms),
        windows(own_windows),
        calls(own_calls),
        threads(own_comms.process().progress(), IoThreads::suitable_number()) {}

  [[nodiscard]] Progress& progress() const { return comms.process().progress(); }

  CommProcess& comms;
  OneSided& windows;
  FileCalls& calls;
  IoThreads threads;
  DataRepresentations representations;
  std::optional<HintList> file_of_hints;  ///< what ROMIO_HINTS names, once it was read
  int together_under_way = 0;  ///< FileOperations of several members that are not complete
  /// Of files that were closed when members had died: another one may still be in an access there.
  std::vector<std::shared_ptr<void>> abandoned_memory;
};

/// What a member sees of a file, from MPI_File_set_view on. Immutable: a call that has begun goes
/// on with what it found.
struct SeenFile {
  FileView view;
  const DataRepresentation* representation = &native_representation();  ///< stays
};

/// One process's part of one collective open, as all parts of File know it. The thread that holds
/// the process, unless said otherwise.
struct FileCore {
  FileCore(FileProcess& own_process, AccessMode own_mode, std::string own_path)
      : process(own_process), mode(own_mode), path(std::move(own_path)) {}

  /// For collective calls.
  [[nodiscard]] ParentComm parent() { return {comm, path}; }
  /// Offsets of data calls count these bytes.
  [[nodiscard]] std::int64_t etype_size() const { return seen->view.etype_size(); }

  /// Null at all members, or at none: all collective accesses go straight.
  [[nodiscard]] FileStaging* staging_now() const {
    return views_have_holes ? staging.get() : nullptr;
  }

  FileProcess& process;
  const AccessMode mode;
  const std::string path;                  ///< as the program gave it
  CommCore comm;                           ///< of its members, with contexts of its own
  const WindowMembers* members = nullptr;  ///< the same; null: it is not open, or has one
  std::unique_ptr<Storage> storage;
  std::shared_ptr<const SeenFile> seen = std::make_shared<SeenFile>();
  std::unique_ptr<FileStaging> staging;  ///< for collective accesses; null: none was needed yet
  bool views_have_holes = false;         ///< of any member, at present
  FileHints hints;
  TransferHints transfer_hints;  ///< what `hints` make of it
  FileCounters counters;
  bool is_atomic = false;
  bool is_written = false;  ///< by this process, and not synchronized since
  int under_way = 0;        ///< nonblocking accesses of this process that are not complete
};

}  // namespace remit
