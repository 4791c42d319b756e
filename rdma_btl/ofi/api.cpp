// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Finding the functions of libfabric at run time.
#include "rdma_btl/ofi/api.hpp"

#include <dlfcn.h>

#include <array>
#include <csignal>

#include "runtime/signals_blocked.hpp"

namespace remit::ofi {

namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

/// Puts the handlers of signals back. One of the libraries that come with libfabric, libinfinipath,
/// takes SIGSEGV, SIGTERM and others for itself when it is loaded, and makes exit status 1 of each
/// of them. A signal that comes meanwhile waits.
class KeptSignals {
 public:
  KeptSignals() {
    for (int signal = 1; signal < NSIG; ++signal) {
      known_[signal] = ::sigaction(signal, nullptr, &actions_[signal]) == 0;
    }
  }
  ~KeptSignals() {
    for (int signal = 1; signal < NSIG; ++signal) {
      if (known_[signal]) (void)::sigaction(signal, &actions_[signal], nullptr);
    }
  }
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  SignalsBlocked blocked_;
  std::array<struct sigaction, NSIG> actions_{};
  std::array<bool, NSIG> known_{};
};

}  // namespace

Expected<Api> load_api() {
  const KeptSignals kept;
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
