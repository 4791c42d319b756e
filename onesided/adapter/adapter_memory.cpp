// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/adapter/adapter_memory.hpp"

#include <utility>

namespace remit {

Expected<std::unique_ptr<AdapterMemory>> AdapterMemory::offer(AdapterPort& port, void* base,
                                                              std::size_t bytes) {
  LinkDevice* const adapter = port.adapter();
  if (adapter == nullptr) {
    return fail(MPI_ERR_UNSUPPORTED_OPERATION, "no device has atomics that need no processor");
  }
  if (auto opened = port.open(*adapter); !opened) return tl::unexpected(opened.error());
  std::unique_ptr<AdapterMemory> made(new AdapterMemory);
  made->adapter_ = adapter;
  made->words_ = std::make_unique<AdapterWords>();
  auto words = adapter->memory.acquire(made->words_.get(), sizeof(AdapterWords), Access::all);
  if (!words) return tl::unexpected(words.error());
  made->words_lease_ = std::move(*words);
  made->keys_.words_address = reinterpret_cast<std::uint64_t>(made->words_.get());
  made->keys_.words_key = made->words_lease_.region().remote_key;
  if (bytes == 0) return made;
  auto memory = adapter->memory.acquire(base, bytes, Access::all);
  if (!memory) return tl::unexpected(memory.error());
  made->memory_lease_ = std::move(*memory);
  made->keys_.memory_key = made->memory_lease_.region().remote_key;
  return made;
}

}  // namespace remit
