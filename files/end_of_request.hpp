// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Coroutines that wait for requests.
#pragma once

#include <coroutine>

#include "pt2pt/request.hpp"

namespace remit {

/// `EndOfRequest end(request); co_await end;` until a request that was started is complete. One
/// coroutine for each request.
class [[nodiscard]] EndOfRequest {
 public:
  explicit EndOfRequest(Request& request) : request_(request) {}
  EndOfRequest(const EndOfRequest&) = delete;
  EndOfRequest& operator=(const EndOfRequest&) = delete;

  [[nodiscard]] bool await_ready() const { return request_.complete; }
  void await_suspend(std::coroutine_handle<> handle) {
    waiter_.handle = handle;
    waiter_.pending = 1;
    request_.waiter = &waiter_;
  }
  void await_resume() const {}

 private:
  Request& request_;
  Waiter waiter_;
};

}  // namespace remit
