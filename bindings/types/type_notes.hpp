// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a program keeps with its datatypes.
#pragma once

#include <map>
#include <string>

#include "bindings/objects.hpp"

namespace remit {

/// What MPI_Type_set_attr and MPI_Type_set_name have said of datatypes. A type that few programs
/// give either need not have room for them. The thread that holds the process.
struct TypeNotes {
  std::map<const Datatype*, AttributeList> attributes;
  std::map<const Datatype*, std::string> names;
};

}  // namespace remit
