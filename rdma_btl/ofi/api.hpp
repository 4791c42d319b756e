// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// libfabric, opened when it is used. Everything else goes through the function tables of what
// fi_fabric() opens and needs no symbol.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <memory>

#include "runtime/error.hpp"

namespace remit::ofi {

/// Real functions of the library.
struct Api {
  decltype(&::fi_getinfo) getinfo = nullptr;
  decltype(&::fi_freeinfo) freeinfo = nullptr;
  decltype(&::fi_dupinfo) dupinfo = nullptr;
  decltype(&::fi_fabric) fabric = nullptr;
  decltype(&::fi_strerror) strerror = nullptr;
};

/// Opens the library (it stays open until the process ends). The error names the package.
[[nodiscard]] Expected<Api> load_api();

/// Owns an object of the library.
struct CloseFid {
  template <class T>
  void operator()(T* object) const {
    ::fi_close(&object->fid);
  }
};
template <class T>
using Owned = std::unique_ptr<T, CloseFid>;

/// Owns a description that the library made.
struct FreeInfo {
  decltype(&::fi_freeinfo) free = nullptr;
  void operator()(fi_info* info) const { free(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

}  // namespace remit::ofi
