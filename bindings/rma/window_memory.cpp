// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory of dynamic windows, and memory that members share (MPI-5.0, sections 12.2.3 and 12.2.4).
#include "bindings/rma/operation.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// A window to which memory is attached later.
int dynamic_window(Entry& entry, MPI_Win handle, WinObject*& out) {
  if (int err = open_window(entry, handle, out)) return err;
  if (out->create_flavor == MPI_WIN_FLAVOR_DYNAMIC) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_RMA_FLAVOR,
                    "the window has its memory from the beginning; only one of "
                    "MPI_Win_create_dynamic can be given more");
}

int attach_memory(const char* function, MPI_Win handle, void* base, MPI_Aint size) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = dynamic_window(entry, handle, win)) return err;
  if (int err = entry.window_bytes(size)) return err;
  if (size > 0 && Entry::is_special(base)) {
    return entry.fail(MPI_ERR_BASE, "base is {}, but size is {}",
                      base == nullptr ? "a null pointer" : "MPI_IN_PLACE", size);
  }
  return finish(entry, win->window->exposed_memory().attach(base, size));
}

int detach_memory(const char* function, MPI_Win handle, const void* base) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = dynamic_window(entry, handle, win)) return err;
  return finish(entry, win->window->exposed_memory().detach(base));
}

template <class Unit>
int query_shared(const char* function, MPI_Win handle, int rank, MPI_Aint* size, Unit* disp_unit,
                 void* baseptr) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  if (win->create_flavor == MPI_WIN_FLAVOR_DYNAMIC) {
    return entry.fail(MPI_ERR_RMA_FLAVOR, "a dynamic window has no memory that could be shared");
  }
  if (int err = entry.target(win->window->members().size(), rank, "rank")) return err;
  if (int err = entry.not_null(size, "size")) return err;
  if (int err = entry.not_null(disp_unit, "disp_unit")) return err;
  if (int err = entry.not_null(baseptr, "baseptr")) return err;
  const Window::SharedPart part = win->window->shared_part(rank);
  *size = part.bytes;
  *disp_unit = part.displacement_unit;
  *static_cast<void**>(baseptr) = part.base;
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

#include "bindings/generated/rma/window_memory.inc"
