// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/handle_numbers.hpp"

#include <mutex>
#include <unordered_map>
#include <vector>

namespace remit::fortran::own_numbers {

namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<void*, int> numbers;
  std::vector<void*> handles;
};
/// Never destroyed: a program may call until it ends.
Table& table() {
  static auto* const all = new Table;
  return *all;
}

}  // namespace

const bool used = PMPI_Comm_toint(MPI_COMM_WORLD) !=
                  static_cast<int>(reinterpret_cast<std::uintptr_t>(MPI_COMM_WORLD));

int number(void* handle) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const int next = static_cast<int>(kFirstUserHandle + all.handles.size());
  const auto [known, is_new] = all.numbers.emplace(handle, next);
  if (is_new) all.handles.push_back(handle);
  return known->second;
}

void* handle(int number) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto index = static_cast<std::size_t>(static_cast<unsigned>(number)) - kFirstUserHandle;
  return index < all.handles.size() ? all.handles[index] : nullptr;
}

}  // namespace remit::fortran::own_numbers
