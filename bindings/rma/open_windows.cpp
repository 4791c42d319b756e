// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The windows of an MPI process whose memory is open.
#include "bindings/rma/open_windows.hpp"

#include "bindings/process/instance.hpp"

namespace remit {

OpenWindows::OpenWindows(Process& process, Links& links) : links_(links), manager_(process, links) {
  links_.users().set(LinkUserId::windows, &manager_);
}

OpenWindows::~OpenWindows() {
  while (!open_.empty()) close(**open_.begin());
  links_.users().set(LinkUserId::windows, nullptr);
}

void OpenWindows::close(WinObject& win) {
  open_.erase(&win);
  win.window = nullptr;
  win.open.reset();
}

OpenWindows& windows_of(Instance& instance) {
  if (instance.windows == nullptr) {
    instance.windows = std::make_unique<OpenWindows>(*instance.process, instance.engine->links());
  }
  return *instance.windows;
}

}  // namespace remit
