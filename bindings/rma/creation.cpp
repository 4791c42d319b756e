// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Making, asking and freeing windows (MPI-5.0, section 12.2).
#include <limits>

#include "bindings/comm/attributes.hpp"
#include "bindings/env/info_objects.hpp"
#include "bindings/rma/operation.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// What makes a window, checked.
struct CreationArgs {
  CommObject* comm = nullptr;
  WindowSpec spec;
  WindowHints hints;
};

int check_creation(Entry& entry, MPI_Info info, MPI_Comm comm, MPI_Win* win, CreationArgs& out) {
  if (int err = entry.intra_comm(comm, out.comm)) return err;
  if (int err = read_window_info(entry, info, out.spec, out.hints)) return err;
  return entry.not_null(win, "win");
}

/// The memory of a window that has its own from the beginning.
int check_memory(Entry& entry, MPI_Aint bytes, MPI_Aint displacement_unit, WindowSpec& spec) {
  if (int err = entry.window_bytes(bytes)) return err;
  if (displacement_unit <= 0 || displacement_unit > std::numeric_limits<int>::max()) {
    return entry.fail(MPI_ERR_DISP, "disp_unit is {}; it must be 1 to {}", displacement_unit,
                      std::numeric_limits<int>::max());
  }
  spec.bytes = bytes;
  spec.displacement_unit = static_cast<int>(displacement_unit);
  return MPI_SUCCESS;
}

/// All members make the window together.
int make_window(Entry& entry, CreationArgs& args, MPI_Win* out) {
  Instance& instance = entry.instance();
  OpenWindows& windows = windows_of(instance);
  auto object = Ref<WinObject>::adopt(new WinObject);
  auto open = std::make_shared<OpenWindow>();
  open->session = args.comm->session;
  open->hints = std::move(args.hints);
  auto made = Window::make(call_of(entry), parent_of(*args.comm), windows.manager(), args.spec);
  if (!made) return entry.fail(made.error());
  open->window = std::move(*made);
  object->window = open->window.get();
  object->open = std::move(open);
  object->base = object->window->exposed_memory().base();
  object->size = args.spec.bytes;
  object->displacement_unit = args.spec.displacement_unit;
  object->create_flavor = args.spec.flavor;
  windows.add(*object);
  *out = handle_of(object.detach());
  return MPI_SUCCESS;
}

int create_window(const char* function, void* base, MPI_Aint size, MPI_Aint disp_unit,
                  MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  Entry entry(function);
  CreationArgs args;
  if (int err = check_creation(entry, info, comm, win, args)) return err;
  if (int err = check_memory(entry, size, disp_unit, args.spec)) return err;
  if (size > 0 && Entry::is_special(base)) {
    return entry.fail(MPI_ERR_BASE, "base is {}, but size is {}",
                      base == nullptr ? "a null pointer" : "MPI_IN_PLACE", size);
  }
  args.spec.flavor = MPI_WIN_FLAVOR_CREATE;
  args.spec.base = base;
  return make_window(entry, args, win);
}

/// `flavor` says whether others of the host get at the memory by loads and stores.
int allocate_window(const char* function, int flavor, MPI_Aint size, MPI_Aint disp_unit,
                    MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  Entry entry(function);
  CreationArgs args;
  if (int err = check_creation(entry, info, comm, win, args)) return err;
  if (int err = check_memory(entry, size, disp_unit, args.spec)) return err;
  if (int err = entry.not_null(baseptr, "baseptr")) return err;
  args.spec.flavor = flavor;
  if (int err = make_window(entry, args, win)) return err;
  *static_cast<void**>(baseptr) = object_of<WinObject>(*win, ObjectKind::win)->base;
  return MPI_SUCCESS;
}

int create_dynamic_window(const char* function, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  Entry entry(function);
  CreationArgs args;
  if (int err = check_creation(entry, info, comm, win, args)) return err;
  args.spec.flavor = MPI_WIN_FLAVOR_DYNAMIC;
  return make_window(entry, args, win);
}

/// The handle stays if an epoch is open or a delete function of an attribute fails.
int free_window(const char* function, MPI_Win* handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = entry.not_null(handle, "win")) return err;
  if (int err = open_window(entry, *handle, win)) return err;
  if (int err = finish(entry, win->window->check_free())) return err;
  const Ref<WinObject> kept(win);  // errors are raised on it
  if (int err = delete_all_attributes(win->attributes, Owner::win, *handle)) {
    return entry.fail(err, "an attribute delete function returned an error");
  }
  const Expected<> freed = win->window->free(call_of(entry));
  windows_of(entry.instance()).close(*win);
  win->kind = ObjectKind::freed;
  win->release();
  *handle = MPI_WIN_NULL;
  return finish(entry, freed);
}

int group_of_window(const char* function, MPI_Win handle, MPI_Group* group) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  if (int err = entry.not_null(group, "group")) return err;
  *group = handle_of(new GroupObject(win->window->comm().local, win->open->session));
  return MPI_SUCCESS;
}

/// What has been made is as it is: only the hints about accumulates can change.
int set_info_of_window(const char* function, MPI_Win handle, MPI_Info info) {
  Entry entry(function);
  WinObject* win = nullptr;
  InfoObject* object = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  if (int err = entry.info(info, object)) return err;
  WindowSpec unchangeable;
  WindowHints hints = win->open->hints;
  if (int err = read_window_info(entry, info, unchangeable, hints)) return err;
  win->open->hints = std::move(hints);
  return MPI_SUCCESS;
}

int info_of_window(const char* function, MPI_Win handle, MPI_Info* info_used) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  if (int err = entry.not_null(info_used, "info_used")) return err;
  const OpenWindow& open = *win->open;
  *info_used = handle_of(make_window_info(
      open.window->spec(), open.hints,
      open.session ? open.session->memory_alloc_kinds : entry.instance().memory_alloc_kinds));
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

#include "bindings/generated/rma/creation.inc"
