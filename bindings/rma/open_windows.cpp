// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The windows of an MPI process whose memory is open.
#include "bindings/rma/open_windows.hpp"

#include <map>

#include "bindings/process/instance.hpp"

namespace remit {

OpenWindows::OpenWindows(Instance& instance)
    : instance_(instance), manager_(*instance.process, instance.engine->links()) {
  instance_.engine->links().users().set(LinkUserId::windows, &manager_);
}

OpenWindows::~OpenWindows() {
  while (!open_.empty()) close(**open_.begin());
  instance_.engine->links().users().set(LinkUserId::windows, nullptr);
}

void OpenWindows::add(WinObject& win) {
  open_.insert(&win);
  if (!win.window->is_served()) return;
  ++instance_.served_windows;
  instance_.want_progress_thread();
}

void OpenWindows::close(WinObject& win) {
  open_.erase(&win);
  if (win.window->is_served()) --instance_.served_windows;
  win.window = nullptr;
  win.open.reset();
}

/// In the order of numbers, which a window has at all its members: so nobody waits in one while
/// another member waits in the next.
void OpenWindows::meet_at_end(const CommCall& call) {
  std::map<std::uint32_t, Window*> in_order;
  for (const WinObject* win : open_) in_order[win->window->comm().context] = win->window;
  for (const auto& [number, window] : in_order) window->meet_at_end(call);
}

OpenWindows& windows_of(Instance& instance) {
  if (instance.windows == nullptr) {
    instance.windows = std::make_unique<OpenWindows>(instance);
  }
  return *instance.windows;
}

}  // namespace remit
