// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/io/open_files.hpp"

#include "bindings/process/instance.hpp"
#include "bindings/rma/open_windows.hpp"

namespace remit {

OpenFiles::OpenFiles(Instance& instance)
    : process_(*instance.comms, windows_of(instance).manager(), kernel_file_calls()) {}

OpenFiles::~OpenFiles() {
  for (FileObject* file : open_) file->file.reset();
}

void OpenFiles::close(FileObject& file) {
  open_.erase(&file);
  file.file.reset();
  file.kind = ObjectKind::freed;
  file.release();
}

OpenFiles& files_of(Instance& instance) {
  if (instance.files == nullptr) instance.files = std::make_unique<OpenFiles>(instance);
  return *instance.files;
}

}  // namespace remit
