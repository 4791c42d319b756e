// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Performance variables of MPI_T (MPI-5.0, section 15.3.7): what the process counts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>

#include "bindings/objects.hpp"
#include "bindings/tool/pvar_table.hpp"

namespace remit {

struct Instance;
struct PvarSession;

/// What a session knows of one variable. Others that look at the same one see nothing of it.
struct PvarHandle {
  int index = 0;
  Object* object =
      nullptr;  ///< that it is bound to, with a reference; null: none, or MPI is closed
  bool running = false;
  std::uint64_t gathered = 0;  ///< while it ran before
  std::uint64_t began = 0;  ///< the variable when it was started; of watermarks the highest since
  std::uint64_t last = 0;   ///< the variable when it was looked at last

  [[nodiscard]] const PvarDecl& decl() const { return kPvars[index]; }
};

struct PvarSession {
  std::map<MPI_T_pvar_handle, std::unique_ptr<PvarHandle>> handles;
};

/// The performance variables: totals of all MPI processes that this program has opened, and what
/// sessions make of them. Tool::mutex is held, and where there is an `instance`, so is that
/// (HeldMpi).
class PerformanceVariables {
 public:
  /// -1: there is none.
  [[nodiscard]] static int index_of(std::string_view name, int var_class);
  [[nodiscard]] static MPI_Datatype type_of(const PvarDecl& decl);

  [[nodiscard]] PvarSession* make_session();
  [[nodiscard]] PvarSession* session_of(MPI_T_pvar_session session) const;
  void free_session(PvarSession& session);

  /// The object behind what `obj_handle` points to, if the variable is bound to one.
  [[nodiscard]] static Object* object_for(const PvarDecl& decl, Instance* instance,
                                          const void* obj_handle);
  /// `object` gets a reference.
  [[nodiscard]] PvarHandle* make_handle(PvarSession& session, int index, Object* object,
                                        Instance* instance);
  [[nodiscard]] static PvarHandle* handle_in(const PvarSession& session, MPI_T_pvar_handle handle);
  void free_handle(PvarSession& session, MPI_T_pvar_handle handle);

  void start(PvarHandle& handle, Instance* instance);
  void stop(PvarHandle& handle, Instance* instance);
  void reset(PvarHandle& handle, Instance* instance);
  void write(PvarHandle& handle, Instance* instance, std::uint64_t value);
  /// The value for the session, as the variable's type.
  void read(PvarHandle& handle, Instance* instance, void* to);

  /// The MPI process ends: keeps what it counted, and lets its objects go.
  void retire(Instance& instance);
  /// It had been closed, and goes on.
  void reopened(Instance& instance);
  /// MPI_T ends.
  void close();

 private:
  [[nodiscard]] std::uint64_t value_of(PvarHandle& handle, Instance* instance);
  /// What the variable is now, for nobody in particular.
  [[nodiscard]] std::uint64_t total(PvarHandle& handle, Instance* instance) const;
  void gather_peaks(int index, Instance* instance);
  void add_retired(Instance& instance, int sign);
  template <class Use>
  void each_handle(Use use) {
    for (const auto& [name, session] : sessions_) {
      for (const auto& [handle, value] : session->handles) use(*value);
    }
  }

  std::map<MPI_T_pvar_session, std::unique_ptr<PvarSession>> sessions_;
  std::array<std::uint64_t, kPvarCount> retired_ = {};
};

}  // namespace remit
