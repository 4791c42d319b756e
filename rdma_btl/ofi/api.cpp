// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Finding the functions of libfabric at run time.
#include "rdma_btl/ofi/api.hpp"

#include <dlfcn.h>

namespace remit::ofi {

namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Expected<Api> load_api() {
  void* const library = ::dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
  Api api;
  if (library != nullptr && find(library, "fi_getinfo", api.getinfo) &&
      find(library, "fi_freeinfo", api.freeinfo) && find(library, "fi_dupinfo", api.dupinfo) &&
      find(library, "fi_fabric", api.fabric) && find(library, "fi_strerror", api.strerror)) {
    return api;
  }
  const char* words = ::dlerror();
  return fail(MPI_ERR_OTHER, "libfabric.so.1 cannot be used: {}. Install the package libfabric1",
              words != nullptr ? words : "it lacks functions");
}

}  // namespace remit::ofi
