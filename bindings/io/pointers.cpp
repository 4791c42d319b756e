// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The pointers of files, individual and shared (MPI-5.0, sections 14.4.3 and 14.4.4).
#include "bindings/io/file_args.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

int seek_alone(const char* function, MPI_File handle, MPI_Offset offset, int whence) {
  Entry entry(function);
  FileObject* file = nullptr;
  if (int err = placed_file(entry, handle, file)) return err;
  const Ref<FileObject> kept(file);
  File& open = *file->file;
  const auto position = open.sought(offset, whence, open.position());
  if (!position) return entry.fail(position.error());
  open.set_position(*position);
  return MPI_SUCCESS;
}

int position_of(const char* function, MPI_File handle, MPI_Offset* offset) {
  return tell_of_file(function, placed_file, handle, "offset", offset,
                      [](Entry&, const FileObject& file) { return file.file->position(); });
}

int seek_together(const char* function, MPI_File handle, MPI_Offset offset, int whence) {
  return change_file(function, placed_file, handle, [&](Entry& entry, File& file) {
    return file.seek_shared(call_of(entry), offset, whence);
  });
}

int shared_position_of(const char* function, MPI_File handle, MPI_Offset* offset) {
  return tell_of_file(function, placed_file, handle, "offset", offset,
                      [](Entry& entry, const FileObject& file) {
                        return file.file->shared_pointer().position(call_of(entry));
                      });
}

}  // namespace

}  // namespace remit

using namespace remit;

#include "bindings/generated/io/pointers.inc"
