// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Views of files, and what is said of data in them (MPI-5.0, sections 14.3 and 14.5).
#include <memory>
#include <string>

#include "bindings/env/info_objects.hpp"
#include "bindings/io/file_args.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

int change_view(const char* function, MPI_File handle, MPI_Offset disp, MPI_Datatype etype,
                MPI_Datatype filetype, const char* datarep, MPI_Info info) {
  return change_file(function, any_file, handle, [&](Entry& entry, File& file) {
    ViewWish wish;
    wish.displacement = disp;
    wish.refused = check_for_members(entry, file.core(), [&] {
      if (int err = entry.datatype(etype, wish.etype, "etype")) return err;
      if (int err = entry.datatype(filetype, wish.filetype, "filetype")) return err;
      if (int err = entry.not_null(datarep, "datarep")) return err;
      return read_file_info(entry, info, wish.hints);
    });
    if (wish.refused) wish.representation = datarep;
    return file.set_view(call_of(entry), wish);
  });
}

/// A type of a view, for the program. It frees what is its own: a constant is nobody's.
Expected<MPI_Datatype> handed_out(const Datatype& type) {
  if (type.is_predefined() || type.contents().of_unnamed_predefined()) return type.handle();
  auto copy = make_dup(type);
  if (!copy) return tl::unexpected(copy.error());
  return copy->detach()->handle();
}

int view_of_file(const char* function, MPI_File handle, MPI_Offset* disp, MPI_Datatype* etype,
                 MPI_Datatype* filetype, char* datarep) {
  Entry entry(function);
  FileObject* file = nullptr;
  if (int err = entry.file(handle, file)) return err;
  if (int err = entry.not_null(disp, "disp")) return err;
  if (int err = entry.not_null(etype, "etype")) return err;
  if (int err = entry.not_null(filetype, "filetype")) return err;
  if (int err = entry.not_null(datarep, "datarep")) return err;
  const SeenFile& seen = *file->file->core().seen;
  const auto etype_copy = handed_out(seen.view.etype());
  if (!etype_copy) return entry.fail(etype_copy.error());
  const auto filetype_copy = handed_out(seen.view.filetype());
  if (!filetype_copy) return entry.fail(filetype_copy.error());
  *disp = seen.view.displacement();
  *etype = *etype_copy;
  *filetype = *filetype_copy;
  copy_cut(std::string(seen.representation->name()), datarep, MPI_MAX_DATAREP_STRING);
  return MPI_SUCCESS;
}

template <class Extent>
int file_extent_of(const char* function, MPI_File handle, MPI_Datatype datatype, Extent* extent) {
  Entry entry(function);
  FileObject* file = nullptr;
  const Datatype* type = nullptr;
  if (int err = entry.file(handle, file)) return err;
  if (int err = entry.any_datatype(datatype, type)) return err;
  if (int err = entry.not_null(extent, "extent")) return err;
  const auto in_file = file->file->core().seen->representation->type_in_file(*type);
  if (!in_file) return entry.fail(in_file.error());
  *extent = (*in_file)->extent();
  return MPI_SUCCESS;
}

int byte_offset_of(const char* function, MPI_File handle, MPI_Offset offset, MPI_Offset* disp) {
  return tell_of_file(
      function, placed_file, handle, "disp", disp, [offset](Entry&, const FileObject& file) {
        const FileView& view = file.file->core().seen->view;
        return view.byte_of(offset).map([&](std::int64_t byte) { return view.file_offset(byte); });
      });
}

int set_info_of_file(const char* function, MPI_File handle, MPI_Info info) {
  return change_file(function, any_file, handle, [info](Entry& entry, File& file) {
    InfoObject* object = nullptr;
    const Outcome mine =
        check_for_members(entry, file.core(), [&] { return entry.info(info, object); });
    return file.set_hints(call_of(entry), mine, mine ? object->entries : HintList());
  });
}

int info_of_file(const char* function, MPI_File handle, MPI_Info* info_used) {
  return tell_of_file(function, any_file, handle, "info_used", info_used,
                      [](Entry&, const FileObject& file) {
                        const FileCore& core = file.file->core();
                        auto made = std::make_unique<InfoObject>();
                        made->entries = core.hints.answers(core.path, core.storage->traits());
                        return handle_of(made.release());
                      });
}

int register_functions(const char* function, const char* datarep, const UserFunctions& functions) {
  Entry entry(function);
  FileObject* nobody = nullptr;  // whose handler hears of errors
  if (int err = entry.file_or_null(MPI_FILE_NULL, nobody)) return err;
  if (int err = entry.not_null(datarep, "datarep")) return err;
  FileProcess& process = files_of(entry.instance()).process();
  return finish(entry, process.representations.add(datarep, functions));
}

int register_representation(const char* function, const char* datarep,
                            MPI_Datarep_conversion_function* read,
                            MPI_Datarep_conversion_function* write,
                            MPI_Datarep_extent_function* extent, void* extra_state) {
  UserFunctions functions;
  functions.read = read;
  functions.write = write;
  functions.extent = extent;
  functions.extra_state = extra_state;
  return register_functions(function, datarep, functions);
}
int register_representation(const char* function, const char* datarep,
                            MPI_Datarep_conversion_function_c* read,
                            MPI_Datarep_conversion_function_c* write,
                            MPI_Datarep_extent_function* extent, void* extra_state) {
  UserFunctions functions;
  functions.read_large = read;
  functions.write_large = write;
  functions.extent = extent;
  functions.extra_state = extra_state;
  return register_functions(function, datarep, functions);
}

}  // namespace

}  // namespace remit

using namespace remit;

#include "bindings/generated/io/views.inc"
