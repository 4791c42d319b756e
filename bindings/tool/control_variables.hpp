// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Control variables of MPI_T (MPI-5.0, section 15.3.6): the parameters.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/tool/tool_enum.hpp"
#include "runtime/params.hpp"

namespace remit {

struct Instance;

/// A parameter as MPI_T shows it. Logical ones and those with choices are enumerations of MPI_INT,
/// whole numbers MPI_COUNT, texts MPI_CHAR.
struct CvarRow {
  const ParamDecl* decl;
  const ToolEnum* items;  ///< null: it is no enumeration
  const char* category;
  int verbosity;
};

/// Which control variable a handle is for.
struct CvarHandle {
  std::size_t index;
};

/// The control variables, and what tools have set. A value is kept and becomes the parameter's when
/// MPI is opened the next time; a few count at once. Tool::mutex is held.
class ControlVariables {
 public:
  explicit ControlVariables(const ToolEnums& enums);

  [[nodiscard]] const std::vector<CvarRow>& rows() const { return rows_; }
  /// -1: there is none of this name.
  [[nodiscard]] int index_of(std::string_view name) const;
  [[nodiscard]] static MPI_Datatype type_of(const CvarRow& row);
  /// MPI_T_SCOPE_...: what cannot be set now is read-only now; what only mpirun reads is constant.
  [[nodiscard]] static int scope_of(const CvarRow& row, const Instance* instance);
  /// Elements of a value.
  [[nodiscard]] int count_of(const CvarRow& row, const Instance* instance) const;
  void read(const CvarRow& row, const Instance* instance, void* to) const;
  /// Returns what MPI_T_cvar_write is to return. `may_change`: as HeldMpi's.
  [[nodiscard]] int write(const CvarRow& row, Instance* instance, bool may_change,
                          const void* from);
  /// Before MPI is opened: adds what tools have set.
  [[nodiscard]] Expected<> apply(Params& params) const;
  /// An MPI process was opened, perhaps again; it is about to be closed.
  void opened(Instance& instance) const;
  void closed(const Instance& instance);

  [[nodiscard]] CvarHandle* make_handle(std::size_t index);
  [[nodiscard]] const CvarRow* row_of(MPI_T_cvar_handle handle) const;
  /// False: it is none.
  [[nodiscard]] bool free_handle(MPI_T_cvar_handle handle);
  /// MPI_T ends.
  void close() { handles_.clear(); }

 private:
  [[nodiscard]] ParamValue value_of(const CvarRow& row, const Instance* instance) const;

  std::vector<CvarRow> rows_;
  std::map<const ParamDecl*, std::string> set_;  // as text
  std::optional<Params> kept_;  // of a process that is closed, and that sessions may open again
  std::map<MPI_T_cvar_handle, std::unique_ptr<CvarHandle>> handles_;
};

}  // namespace remit
