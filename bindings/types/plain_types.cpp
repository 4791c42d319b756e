// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The tables behind the fast paths' questions.
#include "bindings/types/plain_types.hpp"

namespace remit {

PlainTypes::PlainTypes() {
  for (std::size_t slot = 0; slot < kDatatypeSlots; ++slot) {
    const Datatype* type = kPredefinedDatatypes[slot];
    if (type == nullptr || !type->is_usable() || !type->layout().is_contiguous()) continue;
    block_bytes_[slot] = static_cast<std::uint8_t>(type->layout().size());
    if (is_comparable(*type)) comparable_bytes_[slot] = block_bytes_[slot];
  }
}

void PlainTypes::find_kernel(MPI_Op op, MPI_Datatype type, KnownKernel& out) {
  out = {op, type, nullptr, 0};
  const Op* operation = predefined_op(reinterpret_cast<std::uintptr_t>(op));
  const Datatype* datatype = predefined(reinterpret_cast<std::uintptr_t>(type));
  if (operation == nullptr || datatype == nullptr) return;
  const Reduction kind = operation->kind();
  const bool of_truth =
      kind == Reduction::land || kind == Reduction::lor || kind == Reduction::lxor;
  if (of_truth || !check(*operation, *datatype)) return;
  out.kernel = reduction_kernel(*operation, *datatype);
}

}  // namespace remit
