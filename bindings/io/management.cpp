// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Opening, closing and files as a whole (MPI-5.0, sections 14.2 and 14.6).
#include "bindings/env/info_objects.hpp"
#include "bindings/io/file_args.hpp"
#include "bindings/weak.hpp"
#include "files/opening.hpp"
#include "files/storage/out_of_mpi.hpp"

namespace remit {

namespace {

int open_for_program(Entry& entry, MPI_Comm comm, const char* filename, int amode, MPI_Info info,
                     MPI_File* fh) {
  Instance& instance = entry.instance();
  // The file that is not open yet has no handler of its own (section 14.7).
  entry.raise_through(instance.no_file.errhandler);
  CommObject* members = nullptr;
  if (int err = entry.intra_comm(comm, members)) return err;
  FileWish wish;
  // The others come to this call whatever is wrong here.
  Expected<> wrong;
  entry.note_in(&wrong);
  if (entry.not_null(filename, "filename") == MPI_SUCCESS &&
      read_file_info(entry, info, wish.hints) == MPI_SUCCESS) {
    static_cast<void>(entry.not_null(fh, "fh"));
  }
  entry.note_in(nullptr);
  if (!wrong) {
    wish.refused =
        fail(wrong.error().code, "rank {}: {}", members->core.rank, wrong.error().message);
  }
  if (fh != nullptr) *fh = MPI_FILE_NULL;
  OpenFiles& files = files_of(instance);
  if (filename != nullptr) wish.path = filename;
  wish.amode = amode;
  auto opened = open_file(call_of(entry), files.process(), parent_of(*members), wish);
  if (!opened) return entry.fail(opened.error());
  retain_errhandler(instance.no_file.errhandler);
  auto object = Ref<FileObject>::adopt(new FileObject(instance.no_file.errhandler));
  object->file = std::move(*opened);
  object->open = std::make_shared<OpenFile>(OpenFile{members->session});
  files.add(*object);
  *fh = handle_of(object.detach());
  return MPI_SUCCESS;
}

int delete_for_program(Entry& entry, const char* filename, MPI_Info info) {
  FileObject* nobody = nullptr;  // whose handler hears of errors
  if (int err = entry.file_or_null(MPI_FILE_NULL, nobody)) return err;
  if (int err = entry.not_null(filename, "filename")) return err;
  if (int err = optional_info(entry, info)) return err;
  const std::string path(split_prefix(filename).path);
  FileCalls& calls = kernel_file_calls();
  const Outcome removed = [&] {
    const OutOfMpi out(entry.progress());
    return delete_file(calls, path);
  }();
  return finish(entry, removed);
}

/// The handle is gone also if the system has something to say, for it tells it once.
int close_file(const char* function, MPI_File* handle) {
  Entry entry(function);
  FileObject* file = nullptr;
  if (int err = entry.not_null(handle, "fh")) return err;
  if (int err = entry.file(*handle, file)) return err;
  const Ref<FileObject> kept(file);  // errors are raised on it
  const std::shared_ptr<File> open = file->file;
  const Outcome closed = open->close(call_of(entry));
  files_of(entry.instance()).close(*file);
  *handle = MPI_FILE_NULL;
  return finish(entry, closed);
}

int amode_of_file(const char* function, MPI_File handle, int* amode) {
  return tell_of_file(
      function, any_file, handle, "amode", amode,
      [](Entry&, const FileObject& file) { return file.file->core().mode.value(); });
}

int group_of_file(const char* function, MPI_File handle, MPI_Group* group) {
  return tell_of_file(
      function, any_file, handle, "group", group, [](Entry&, const FileObject& file) {
        return handle_of(new GroupObject(file.file->core().comm.local, file.open->session));
      });
}

int size_of_file(const char* function, MPI_File handle, MPI_Offset* size) {
  return tell_of_file(function, any_file, handle, "size", size,
                      [](Entry&, const FileObject& file) { return file.file->size(); });
}

/// set_size and preallocate, which differ in `change`.
int change_size(const char* function, Outcome (File::*change)(const CommCall&, const SizeWish&),
                MPI_File handle, MPI_Offset size) {
  Entry entry(function);
  FileObject* file = nullptr;
  if (int err = placed_file(entry, handle, file)) return err;
  if (int err = writable_file(entry, *file)) return err;
  SizeWish wish{size, {}};
  wish.refused = check_for_members(entry, file->file->core(), [&]() -> int {
    if (size >= 0) return MPI_SUCCESS;
    return entry.fail(MPI_ERR_ARG, "size is {}; it must not be negative", size);
  });
  const Ref<FileObject> kept(file);
  return finish(entry, *file, ((*file->file).*change)(call_of(entry), wish));
}

int sync_file(const char* function, MPI_File handle) {
  return change_file(function, any_file, handle,
                     [](Entry& entry, File& file) { return file.sync(call_of(entry)); });
}

int change_atomicity(const char* function, MPI_File handle, int flag) {
  return change_file(function, any_file, handle, [flag](Entry& entry, File& file) {
    return file.set_atomicity(call_of(entry), flag != 0);
  });
}

int atomicity_of_file(const char* function, MPI_File handle, int* flag) {
  return tell_of_file(function, any_file, handle, "flag", flag, [](Entry&, const FileObject& file) {
    return file.file->core().is_atomic ? 1 : 0;
  });
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info,
                   MPI_File* fh) try {
  Entry entry("MPI_File_open");
  return open_for_program(entry, comm, filename, amode, info, fh);
} catch (...) {
  return caught("MPI_File_open", MPI_FILE_NULL);
}
REMIT_WEAK(File_open);

int PMPI_File_delete(const char* filename, MPI_Info info) try {
  Entry entry("MPI_File_delete");
  return delete_for_program(entry, filename, info);
} catch (...) {
  return caught("MPI_File_delete", MPI_FILE_NULL);
}
REMIT_WEAK(File_delete);

#include "bindings/generated/io/management.inc"
