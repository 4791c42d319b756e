// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory of request objects.
#include "bindings/pt2pt/request_store.hpp"

#include <new>
#include <utility>

namespace remit {

RequestStore::~RequestStore() {
  while (memory_ != nullptr) ::operator delete(std::exchange(memory_, memory_->next));
  while (plain_ != nullptr) delete std::exchange(plain_, plain_->next_plain);
}

RequestObject* RequestStore::make(RequestForm form) {
  void* memory = memory_;
  if (memory == nullptr) {
    memory = ::operator new(sizeof(RequestObject));
  } else {
    memory_ = memory_->next;
  }
  return new (memory) RequestObject(form);
}

void RequestStore::destroy(RequestObject* request) {
  request->~RequestObject();
  memory_ = new (request) FreedRequest(memory_);
}

RequestObject* RequestStore::more_plain() {
  auto* request = new (std::nothrow) RequestObject(RequestForm::receive);
  if (request == nullptr) return nullptr;
  request->plain = true;
  request->core.view.layout = &predefined(MPI_BYTE).layout();
  return request;
}

}  // namespace remit
