// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reading what is counted, and what sessions make of it.
#include "bindings/tool/performance_variables.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/handles.hpp"
#include "bindings/io/open_files.hpp"
#include "bindings/rma/open_windows.hpp"
#include "collectives/state.hpp"
#include "pt2pt/engine_report.hpp"

namespace remit {

namespace {

using PvarValue = std::uint64_t;

/// Percentages are kept in hundredths.
constexpr double kPerPercent = 100;

bool is_peak(const PvarDecl& decl) {
  return decl.var_class == MPI_T_PVAR_CLASS_HIGHWATERMARK;
}

bool is(const PvarDecl& decl, std::string_view statistic) {
  return decl.statistic == statistic;
}

PvarValue engine_value(const PvarDecl& decl, const Engine& engine) {
  const Receiver& receiver = engine.receiver();
  if (is(decl, "posted_receives")) return receiver.matcher().posted();
  if (is(decl, "unexpected_messages")) return receiver.unexpected_messages();
  if (is(decl, "unexpected_bytes")) return receiver.unexpected().bytes();
  if (is(decl, "unexpected_pool_use")) return receiver.unexpected().pool_use();
  if (is(decl, "transfers")) return engine.rendezvous().transfers().live();
  return engine.sender().waiting();
}

PvarValue waiting_value(const PvarDecl& decl, Progress& progress) {
  const Progress::Counters& waits = progress.counters();
  if (is(decl, "yields")) return waits.yields;
  if (is(decl, "sleeps")) return waits.sleeps;
  if (is(decl, "late")) return waits.late;
  if (is(decl, "crowded")) return waits.crowded;
  if (is(decl, "slept_ns")) return waits.slept_ns;
  if (is(decl, "copied_ns")) return progress.copied_ns();
  if (progress.spins_now()) return 1;
  return progress.yields_now() != 0 ? 2 : 3;
}

PvarValue process_value(const PvarDecl& decl, const Process& process) {
  const Identity& me = process.identity();
  return static_cast<PvarValue>(is(decl, "size") ? me.size : me.local_size);
}

PvarValue communicator_value(const PvarDecl& decl, const CommObject& comm) {
  if (is(decl, "size")) return static_cast<PvarValue>(comm.core.size());
  if (is(decl, "collectives")) return comm.core.collective_sequence;
  return known_state(comm.core).board_uses;
}

PvarValue window_value(const PvarDecl& decl, const Window& window) {
  const WindowReport report = window.report(false);
  if (is(decl, "size")) return static_cast<PvarValue>(report.members);
  if (is(decl, "kernel_copies")) return report.counts.kernel;
  if (is(decl, "moves")) return report.counts.moves;
  if (is(decl, "messages")) return report.counts.messages;
  if (is(decl, "waited_locks")) return report.counts.waited_locks;
  if (is(decl, "handed_over")) return report.counts.handed_over;
  return report.counts.adapter;
}

PvarValue file_value(const PvarDecl& decl, const FileCounters& counters) {
  struct Named {
    std::string_view name;
    FileCounters::Counter FileCounters::*counter;
  };
  constexpr Named kAll[] = {{"direct_written", &FileCounters::direct_written},
                            {"staged_written", &FileCounters::staged_written},
                            {"mapped_written", &FileCounters::mapped_written},
                            {"rmw_written", &FileCounters::rmw_written},
                            {"direct_read", &FileCounters::direct_read},
                            {"sieved_read", &FileCounters::sieved_read},
                            {"sieved_bytes", &FileCounters::sieved_bytes},
                            {"locks", &FileCounters::locks},
                            {"shared_given", &FileCounters::shared_given},
                            {"shared_taken", &FileCounters::shared_taken},
                            {"owner_written", &FileCounters::owner_written},
                            {"owner_read", &FileCounters::owner_read},
                            {"meetings", &FileCounters::meetings}};
  for (const Named& one : kAll) {
    if (is(decl, one.name)) return static_cast<PvarValue>((counters.*one.counter).value());
  }
  return 0;
}

PvarValue statistic_value(const PvarDecl& decl, const std::vector<StatisticGroup>& groups) {
  for (const StatisticGroup& group : groups) {
    if (group.name != decl.group) continue;
    for (const Statistic& one : group.values) {
      if (is(decl, one.name)) return one.value;
    }
  }
  return 0;
}

/// The most since restart_peaks() was called.
PvarValue recent_peak(const PvarDecl& decl, Engine& engine) {
  if (is(decl, "unexpected_peak_bytes")) return engine.receiver().unexpected().recent_peak();
  return engine.links().devices().registrations().recent_peak;
}

void restart_peaks(const PvarDecl& decl, Engine& engine) {
  if (is(decl, "unexpected_peak_bytes")) return engine.restart_unexpected_peak();
  engine.links().devices().restart_peaks();
}

/// Of a variable that is bound to no object, as far as this process has counted. `groups`: null, or
/// engine_statistics(), if they are there already.
PvarValue live_value(const PvarDecl& decl, Instance& instance,
                     const std::vector<StatisticGroup>* groups = nullptr) {
  const std::string_view group = decl.group;
  if (is_peak(decl)) return recent_peak(decl, *instance.engine);
  if (group == "engine") return engine_value(decl, *instance.engine);
  if (group == "waiting") return waiting_value(decl, instance.progress());
  if (group == "process") return process_value(decl, *instance.process);
  if (group == "open" && is(decl, "windows")) {
    return instance.windows == nullptr ? 0 : instance.windows->count();
  }
  if (group == "open") return instance.files == nullptr ? 0 : instance.files->count();
  if (groups != nullptr) return statistic_value(decl, *groups);
  return statistic_value(decl, engine_statistics(*instance.engine));
}

/// Whether its total outlives the process that counted.
bool adds_up(const PvarDecl& decl) {
  return decl.bind == MPI_T_BIND_NO_OBJECT && !is_continuous(decl) && !is_peak(decl);
}

/// Of an object that is there.
std::optional<PvarValue> bound_value(const PvarDecl& decl, const Object& object) {
  if (decl.bind == MPI_T_BIND_MPI_COMM) {
    return communicator_value(decl, static_cast<const CommObject&>(object));
  }
  if (decl.bind == MPI_T_BIND_MPI_WIN) {
    const auto& win = static_cast<const WinObject&>(object);
    if (win.window == nullptr) return std::nullopt;
    return window_value(decl, *win.window);
  }
  const auto& file = static_cast<const FileObject&>(object);
  if (file.file == nullptr) return std::nullopt;
  return file_value(decl, file.file->core().counters);
}

void let_go(PvarHandle& handle) {
  Object* const object = std::exchange(handle.object, nullptr);
  if (object == nullptr) return;
  switch (handle.decl().bind) {
    case MPI_T_BIND_MPI_COMM:
      return static_cast<CommObject*>(object)->release();
    case MPI_T_BIND_MPI_WIN:
      return static_cast<WinObject*>(object)->release();
    default:
      return static_cast<FileObject*>(object)->release();
  }
}

}  // namespace

int PerformanceVariables::index_of(std::string_view name, int var_class) {
  for (int i = 0; i < kPvarCount; ++i) {
    if (kPvars[i].name == name && kPvars[i].var_class == var_class) return i;
  }
  return -1;
}

MPI_Datatype PerformanceVariables::type_of(const PvarDecl& decl) {
  if (decl.var_class == MPI_T_PVAR_CLASS_STATE) return MPI_INT;
  if (decl.var_class == MPI_T_PVAR_CLASS_PERCENTAGE) return MPI_DOUBLE;
  return MPI_UNSIGNED_LONG_LONG;
}

PvarSession* PerformanceVariables::make_session() {
  auto made = std::make_unique<PvarSession>();
  PvarSession* session = made.get();
  sessions_.emplace(reinterpret_cast<MPI_T_pvar_session>(session), std::move(made));
  return session;
}

PvarSession* PerformanceVariables::session_of(MPI_T_pvar_session session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : found->second.get();
}

void PerformanceVariables::free_session(PvarSession& session) {
  for (const auto& [name, handle] : session.handles) let_go(*handle);
  sessions_.erase(reinterpret_cast<MPI_T_pvar_session>(&session));
}

Object* PerformanceVariables::object_for(const PvarDecl& decl, Instance* instance,
                                         const void* obj_handle) {
  if (instance == nullptr || obj_handle == nullptr) return nullptr;
  switch (decl.bind) {
    case MPI_T_BIND_MPI_COMM:
      return instance->comm(*static_cast<const MPI_Comm*>(obj_handle));
    case MPI_T_BIND_MPI_WIN:
      return object_of<WinObject>(*static_cast<const MPI_Win*>(obj_handle), ObjectKind::win);
    default:
      return object_of<FileObject>(*static_cast<const MPI_File*>(obj_handle), ObjectKind::file);
  }
}

PvarHandle* PerformanceVariables::make_handle(PvarSession& session, int index, Object* object,
                                              Instance* instance) {
  auto made = std::make_unique<PvarHandle>();
  PvarHandle* handle = made.get();
  handle->index = index;
  session.handles.emplace(reinterpret_cast<MPI_T_pvar_handle>(handle), std::move(made));
  if (object != nullptr) {
    ++object->references;
    handle->object = object;
  }
  if (is_continuous(handle->decl())) handle->running = true;
  reset(*handle, instance);
  return handle;
}

PvarHandle* PerformanceVariables::handle_in(const PvarSession& session, MPI_T_pvar_handle handle) {
  const auto found = session.handles.find(handle);
  return found == session.handles.end() ? nullptr : found->second.get();
}

void PerformanceVariables::free_handle(PvarSession& session, MPI_T_pvar_handle handle) {
  let_go(*session.handles.at(handle));
  session.handles.erase(handle);
}

std::uint64_t PerformanceVariables::total(PvarHandle& handle, Instance* instance) const {
  const PvarDecl& decl = handle.decl();
  if (is(decl, "phase")) return static_cast<PvarValue>(library().phase.load());
  if (decl.bind != MPI_T_BIND_NO_OBJECT) {
    if (handle.object == nullptr) return handle.last;
    return handle.last = bound_value(decl, *handle.object).value_or(handle.last);
  }
  const PvarValue live = instance == nullptr ? 0 : live_value(decl, *instance);
  if (is_peak(decl)) return live;
  return live + retired_[static_cast<std::size_t>(handle.index)];
}

/// Of the watermark that they share each handle takes its part, and it begins anew.
void PerformanceVariables::gather_peaks(int index, Instance* instance) {
  if (instance == nullptr) return;
  const PvarValue peak = live_value(kPvars[index], *instance);
  each_handle([&](PvarHandle& other) {
    if (other.index == index && other.running) other.began = std::max(other.began, peak);
  });
  restart_peaks(kPvars[index], *instance->engine);
}

void PerformanceVariables::start(PvarHandle& handle, Instance* instance) {
  if (handle.running) return;
  if (is_peak(handle.decl())) {
    gather_peaks(handle.index, instance);
    handle.began = std::max(handle.gathered, total(handle, instance));
  } else {
    handle.began = total(handle, instance);
  }
  handle.running = true;
}

void PerformanceVariables::stop(PvarHandle& handle, Instance* instance) {
  if (!handle.running) return;
  handle.gathered = value_of(handle, instance);
  handle.running = false;
}

void PerformanceVariables::reset(PvarHandle& handle, Instance* instance) {
  if (is_peak(handle.decl())) {
    gather_peaks(handle.index, instance);
    handle.gathered = handle.began = total(handle, instance);
  } else {
    handle.gathered = 0;
    handle.began = total(handle, instance);
  }
}

void PerformanceVariables::write(PvarHandle& handle, Instance* instance, std::uint64_t value) {
  reset(handle, instance);
  handle.gathered = value;
  if (is_peak(handle.decl())) handle.began = value;
}

std::uint64_t PerformanceVariables::value_of(PvarHandle& handle, Instance* instance) {
  const PvarDecl& decl = handle.decl();
  if (is_continuous(decl)) return total(handle, instance);
  if (!handle.running) return handle.gathered;
  const PvarValue now = total(handle, instance);
  if (is_peak(decl)) return std::max(handle.began, now);
  return handle.gathered + (now - handle.began);
}

void PerformanceVariables::read(PvarHandle& handle, Instance* instance, void* to) {
  const PvarValue value = value_of(handle, instance);
  const MPI_Datatype type = type_of(handle.decl());
  if (type == MPI_INT) {
    const int state = static_cast<int>(value);
    std::memcpy(to, &state, sizeof state);
  } else if (type == MPI_DOUBLE) {
    const double percent = static_cast<double>(value) / kPerPercent;
    std::memcpy(to, &percent, sizeof percent);
  } else {
    const unsigned long long number = value;
    std::memcpy(to, &number, sizeof number);
  }
}

void PerformanceVariables::retire(Instance& instance) {
  each_handle([&](PvarHandle& handle) {
    const bool peak = is_peak(handle.decl());
    if (peak && handle.running) handle.began = value_of(handle, &instance);
    if (handle.object == nullptr) return;
    (void)total(handle, &instance);
    let_go(handle);
  });
  add_retired(instance, 1);
}

void PerformanceVariables::reopened(Instance& instance) {
  add_retired(instance, -1);
}

void PerformanceVariables::add_retired(Instance& instance, int sign) {
  const std::vector<StatisticGroup> groups = engine_statistics(*instance.engine);
  for (int i = 0; i < kPvarCount; ++i) {
    if (!adds_up(kPvars[i])) continue;
    const PvarValue live = live_value(kPvars[i], instance, &groups);
    retired_[static_cast<std::size_t>(i)] += sign > 0 ? live : PvarValue{0} - live;
  }
}

void PerformanceVariables::close() {
  each_handle([](PvarHandle& handle) { let_go(handle); });
  sessions_.clear();
}

}  // namespace remit
