// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Finding the functions of libibverbs and librdmacm at run time.
#include "rdma_btl/verbs/api.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace remit::verbs {

namespace {

/// A library and whether everything wanted was in it.
class Library {
 public:
  explicit Library(const char* name) : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) missing_ = ::dlerror();
  }
  template <class Function>
  void find(const char* name, Function& function) {
    if (handle_ == nullptr) return;
    void* const symbol = ::dlsym(handle_, name);
    if (symbol == nullptr && missing_.empty()) missing_ = fmt::format("it has no {}", name);
    function = reinterpret_cast<Function>(symbol);
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* handle_;
  std::string missing_;
};

void find_verbs(Library& library, VerbsApi& api) {
  library.find("ibv_get_device_list", api.get_device_list);
  library.find("ibv_free_device_list", api.free_device_list);
  library.find("ibv_get_device_name", api.get_device_name);
  library.find("ibv_query_device", api.query_device);
  library.find("ibv_query_port", api.query_port);
  library.find("ibv_alloc_pd", api.alloc_pd);
  library.find("ibv_dealloc_pd", api.dealloc_pd);
  library.find("ibv_reg_mr", api.reg_mr);
  library.find("ibv_dereg_mr", api.dereg_mr);
  library.find("ibv_create_comp_channel", api.create_comp_channel);
  library.find("ibv_destroy_comp_channel", api.destroy_comp_channel);
  library.find("ibv_create_cq", api.create_cq);
  library.find("ibv_destroy_cq", api.destroy_cq);
  library.find("ibv_get_cq_event", api.get_cq_event);
  library.find("ibv_ack_cq_events", api.ack_cq_events);
  library.find("ibv_create_srq", api.create_srq);
  library.find("ibv_destroy_srq", api.destroy_srq);
  library.find("ibv_create_qp", api.create_qp);
  library.find("ibv_modify_qp", api.modify_qp);
  library.find("ibv_destroy_qp", api.destroy_qp);
  library.find("ibv_get_async_event", api.get_async_event);
  library.find("ibv_ack_async_event", api.ack_async_event);
  library.find("ibv_wc_status_str", api.wc_status_str);
  library.find("ibv_event_type_str", api.event_type_str);
  library.find("ibv_is_fork_initialized", api.is_fork_initialized);
  library.find("ibv_fork_init", api.fork_init);
}

void find_cm(Library& library, CmApi& api) {
  library.find("rdma_create_event_channel", api.create_event_channel);
  library.find("rdma_destroy_event_channel", api.destroy_event_channel);
  library.find("rdma_create_id", api.create_id);
  library.find("rdma_destroy_id", api.destroy_id);
  library.find("rdma_bind_addr", api.bind_addr);
  library.find("rdma_resolve_addr", api.resolve_addr);
  library.find("rdma_resolve_route", api.resolve_route);
  library.find("rdma_create_qp", api.create_qp);
  library.find("rdma_destroy_qp", api.destroy_qp);
  library.find("rdma_connect", api.connect);
  library.find("rdma_listen", api.listen);
  library.find("rdma_accept", api.accept);
  library.find("rdma_reject", api.reject);
  library.find("rdma_disconnect", api.disconnect);
  library.find("rdma_notify", api.notify);
  library.find("rdma_get_cm_event", api.get_cm_event);
  library.find("rdma_ack_cm_event", api.ack_cm_event);
  library.find("rdma_event_str", api.event_str);
  library.find("rdma_get_src_port", api.get_src_port);
  library.find("rdma_set_option", api.set_option);
}

}  // namespace

bool any_rdma_device() {
  std::error_code error;
  const std::filesystem::directory_iterator devices("/sys/class/infiniband", error);
  return !error && devices != std::filesystem::directory_iterator();
}

Expected<Api> load_api() {
  Api api;
  Library verbs("libibverbs.so.1");
  find_verbs(verbs, api.ibv);
  if (!verbs.missing().empty()) {
    return fail(MPI_ERR_OTHER,
                "libibverbs.so.1 cannot be used: {}. Install the package libibverbs1 and the "
                "drivers in ibverbs-providers",
                verbs.missing());
  }
  Library cm("librdmacm.so.1");
  find_cm(cm, api.cm);
  if (!cm.missing().empty()) {
    return fail(MPI_ERR_OTHER, "librdmacm.so.1 cannot be used: {}. Install the package librdmacm1",
                cm.missing());
  }
  return api;
}

}  // namespace remit::verbs
