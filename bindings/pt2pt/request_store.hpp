// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where request objects come from and go to.
#pragma once

#include <vector>

#include "bindings/objects.hpp"

namespace remit {

/// The requests of an MPI process that are in no program's hands: memory of those that are gone,
/// plain ones at rest, and orphans. In steady state no request costs an allocation. The thread that
/// is in MPI.
class RequestStore {
 public:
  RequestStore() { sent_.core.complete = sent_.plain = true; }
  /// Orphans whose operations never completed stay: something may still write there.
  ~RequestStore();
  RequestStore(const RequestStore&) = delete;
  RequestStore& operator=(const RequestStore&) = delete;

  /// What MPI_Isend hands out for a message that has left already: one object for all.
  [[nodiscard]] RequestObject& sent() { return sent_; }

  /// A plain receive at rest (see RequestObject::plain), or null: there is no memory for one.
  [[nodiscard]] RequestObject* take_plain() {
    RequestObject* request = plain_;
    if (request == nullptr) [[unlikely]]
      return more_plain();
    plain_ = request->next_plain;
    return request;
  }
  void give_back_plain(RequestObject* request) {
    request->next_plain = plain_;
    plain_ = request;
  }

  /// A request of any other form. Throws std::bad_alloc.
  [[nodiscard]] RequestObject* make(RequestForm form);
  void destroy(RequestObject* request);

  /// Freed by the user before their operations completed.
  std::vector<RequestObject*> orphans;

 private:
  [[nodiscard]] static RequestObject* more_plain();

  RequestObject* plain_ = nullptr;  ///< not in use
  FreedRequest* memory_ = nullptr;  ///< of destroyed requests, for reuse
  RequestObject sent_{RequestForm::no_operation};
};

}  // namespace remit
