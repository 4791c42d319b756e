// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What functions of files have in common.
#pragma once

#include <memory>

#include "bindings/comm/comm_objects.hpp"
#include "bindings/entry.hpp"
#include "bindings/handles.hpp"
#include "bindings/io/open_files.hpp"
#include "files/staged/lost_touch.hpp"

namespace remit {

/// Arguments of one member of a collective call, which may be wrong where those of the others are
/// not: `check()` looks at them, and what it says is not raised, but is for all members
/// to hear, in the same words.
template <class Check>
[[nodiscard]] Outcome check_for_members(Entry& entry, const FileCore& file, Check&& check) {
  Expected<> noted;
  entry.note_in(&noted);
  const int code = check();
  entry.note_in(nullptr);
  if (code == MPI_SUCCESS) return {};
  return fail(noted.error().code, "rank {}, {}: {}", file.comm.rank, file.path,
              noted.error().message);
}

/// Ends a call that all members make.
[[nodiscard]] inline int finish(Entry& entry, const FileObject& file, Outcome outcome) {
  if (file.file == nullptr) return finish(entry, outcome);  // another thread has closed it
  return finish(entry, with_lost_members(file.file->core(), std::move(outcome)));
}

/// Hints of an info argument; none for MPI_INFO_NULL.
[[nodiscard]] inline int read_file_info(Entry& entry, MPI_Info info, HintList& out) {
  if (info == MPI_INFO_NULL) return MPI_SUCCESS;
  InfoObject* object = nullptr;
  if (int err = entry.info(info, object)) return err;
  out = object->entries;
  return MPI_SUCCESS;
}

/// A file for functions that MPI_MODE_SEQUENTIAL forbids, for it has no places but the next one.
[[nodiscard]] inline int placed_file(Entry& entry, MPI_File handle, FileObject*& out) {
  if (int err = entry.file(handle, out)) return err;
  if (!out->file->core().mode.is_sequential()) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_UNSUPPORTED_OPERATION,
                    "{}: the file is open with MPI_MODE_SEQUENTIAL; only data calls with the "
                    "shared pointer are allowed",
                    out->file->core().path);
}

/// Any file, for who looks one up in one way or another.
[[nodiscard]] inline int any_file(Entry& entry, MPI_File handle, FileObject*& out) {
  return entry.file(handle, out);
}
using FileLookUp = int (*)(Entry& entry, MPI_File handle, FileObject*& out);

/// A function that says something of a file in an argument, `*out`: `find(entry, object)` returns
/// it, or an error.
template <class Out, class Find>
[[nodiscard]] int tell_of_file(const char* function, FileLookUp look_up, MPI_File handle,
                               const char* name, Out* out, Find&& find) {
  Entry entry(function);
  FileObject* object = nullptr;
  if (int err = look_up(entry, handle, object)) return err;
  if (int err = entry.not_null(out, name)) return err;
  // Another thread may close it meanwhile.
  const Ref<FileObject> kept(object);
  const std::shared_ptr<File> open = object->file;
  const Expected<Out> found = find(entry, *object);
  if (!found) return entry.fail(found.error());
  *out = *found;
  return MPI_SUCCESS;
}

/// A function by which all members change a file: `change(entry, file)`.
template <class Change>
[[nodiscard]] int change_file(const char* function, FileLookUp look_up, MPI_File handle,
                              Change&& change) {
  Entry entry(function);
  FileObject* object = nullptr;
  if (int err = look_up(entry, handle, object)) return err;
  // Another thread may close it meanwhile.
  const Ref<FileObject> kept(object);
  const std::shared_ptr<File> open = object->file;
  return finish(entry, *object, change(entry, *open));
}

/// A file that is open for writing.
[[nodiscard]] inline int writable_file(Entry& entry, const FileObject& file) {
  if (file.file->core().mode.writes()) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_READ_ONLY, "{}: the file is open with MPI_MODE_RDONLY",
                    file.file->core().path);
}

}  // namespace remit
