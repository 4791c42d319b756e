// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What PMIx asks its host: C functions that PMIx calls on a thread of its own.
#pragma once

#include <pmix_server.h>

namespace remit::launcher {

class PmixServer;

struct PmixUpcalls {
  /// The table that PMIx_server_init takes.
  [[nodiscard]] static pmix_server_module_t module();

  /// Most upcalls carry no pointer of ours, and PMIx has one server a process: so they find it
  /// here. Set before PMIx_server_init; upcalls without a server are refused.
  static void set_server(PmixServer* server);

  static pmix_status_t connected(const pmix_proc_t* process, void* object, pmix_info_t info[],
                                 size_t ninfo, pmix_op_cbfunc_t done, void* data);
  static pmix_status_t finalized(const pmix_proc_t* process, void* object, pmix_op_cbfunc_t done,
                                 void* data);
  static pmix_status_t abort(const pmix_proc_t* process, void* object, int status,
                             const char message[], pmix_proc_t processes[], size_t nprocesses,
                             pmix_op_cbfunc_t done, void* data);
  static pmix_status_t fence(const pmix_proc_t processes[], size_t nprocesses,
                             const pmix_info_t info[], size_t ninfo, char* blob, size_t nblob,
                             pmix_modex_cbfunc_t done, void* data);
  static pmix_status_t direct_modex(const pmix_proc_t* process, const pmix_info_t info[],
                                    size_t ninfo, pmix_modex_cbfunc_t done, void* data);
  static pmix_status_t publish(const pmix_proc_t* process, const pmix_info_t info[], size_t ninfo,
                               pmix_op_cbfunc_t done, void* data);
  static pmix_status_t lookup(const pmix_proc_t* process, char** keys, const pmix_info_t info[],
                              size_t ninfo, pmix_lookup_cbfunc_t done, void* data);
  static pmix_status_t unpublish(const pmix_proc_t* process, char** keys, const pmix_info_t info[],
                                 size_t ninfo, pmix_op_cbfunc_t done, void* data);
  static pmix_status_t connect(const pmix_proc_t processes[], size_t nprocesses,
                               const pmix_info_t info[], size_t ninfo, pmix_op_cbfunc_t done,
                               void* data);
  static pmix_status_t register_events(pmix_status_t* codes, size_t ncodes,
                                       const pmix_info_t info[], size_t ninfo,
                                       pmix_op_cbfunc_t done, void* data);
  static pmix_status_t deregister_events(pmix_status_t* codes, size_t ncodes, pmix_op_cbfunc_t done,
                                         void* data);
  static pmix_status_t notify_event(pmix_status_t code, const pmix_proc_t* source,
                                    pmix_data_range_t range, pmix_info_t info[], size_t ninfo,
                                    pmix_op_cbfunc_t done, void* data);
  static pmix_status_t spawn(const pmix_proc_t* process, const pmix_info_t info[], size_t ninfo,
                             const pmix_app_t apps[], size_t napps, pmix_spawn_cbfunc_t done,
                             void* data);
  static pmix_status_t job_control(const pmix_proc_t* process, const pmix_proc_t targets[],
                                   size_t ntargets, const pmix_info_t directives[],
                                   size_t ndirectives, pmix_info_cbfunc_t done, void* data);
  static pmix_status_t query(pmix_proc_t* process, pmix_query_t* queries, size_t nqueries,
                             pmix_info_cbfunc_t done, void* data);
  static pmix_status_t group(pmix_group_operation_t operation, char name[],
                             const pmix_proc_t processes[], size_t nprocesses,
                             const pmix_info_t directives[], size_t ndirectives,
                             pmix_info_cbfunc_t done, void* data);
};

}  // namespace remit::launcher
