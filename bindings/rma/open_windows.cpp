// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The windows of an MPI process whose memory is open.
#include "bindings/rma/open_windows.hpp"

#include <map>

#include "bindings/env/statistics.hpp"
#include "bindings/process/instance.hpp"
#include "onesided/window_report.hpp"

namespace remit {

OpenWindows::OpenWindows(Instance& instance)
    : instance_(instance),
      manager_(*instance.process, instance.engine->links()),
      reports_(instance.process->params().flag(statistics_param)) {}

OpenWindows::~OpenWindows() {
  reports_ = false;  // nobody hears of them any more
  while (!open_.empty()) close(**open_.begin());
}

void OpenWindows::add(WinObject& win) {
  open_.insert(&win);
  const ContextId context = win.window->comm().context;
  instance_.process->events().raise(EventKind::window_created, context, context);
  if (!win.window->is_served()) return;
  ++served_;
  if (win.window->needs_answers()) ++answering_;
  instance_.background.want();
}

void OpenWindows::close(WinObject& win) {
  if (reports_ && reported_.size() < kMostReported) {
    reported_.push_back(report_of(win));
  } else if (reports_) {
    ++unreported_;
  }
  open_.erase(&win);
  const ContextId context = win.window->comm().context;
  instance_.process->events().raise(EventKind::window_freed, context, context);
  if (win.window->is_served()) --served_;
  if (win.window->needs_answers()) --answering_;
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

std::string OpenWindows::report_of(const WinObject& win) const {
  return describe(win.window->report(instance_.background.runs()), win.name);
}

std::vector<std::string> OpenWindows::reports() const {
  if (!reports_) return {};
  std::vector<const WinObject*> open(open_.begin(), open_.end());
  std::sort(open.begin(), open.end(), [](const WinObject* a, const WinObject* b) {
    return a->window->comm().context < b->window->comm().context;
  });
  std::vector<std::string> lines = reported_;
  std::size_t others = unreported_;
  for (const WinObject* win : open) {
    if (lines.size() < kMostReported) {
      lines.push_back(report_of(*win) + "; not freed");
    } else {
      ++others;
    }
  }
  if (others != 0) lines.push_back(fmt::format("windows: {} more", others));
  return lines;
}

OpenWindows& windows_of(Instance& instance) {
  if (instance.windows == nullptr) {
    instance.windows = std::make_unique<OpenWindows>(instance);
  }
  return *instance.windows;
}

}  // namespace remit
