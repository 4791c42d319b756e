// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/kept.hpp"

#include <mpi_remit.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <utility>

// Of Remit's library alone.
#pragma weak PMPIX_Request_set_watcher

namespace remit::fortran {

std::atomic<int> detail::kept_count{0};

/// All that is kept, by request. The lock is not held while anything is done.
class KeptTable {
 public:
  void add(MPI_Request request, bool persistent, std::unique_ptr<Kept> what) {
    what->request_ = request;
    what->persistent_ = persistent;
    what->active_ = !persistent;
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Kept>& bucket = bucket_of(request);
    what->next_ = std::move(bucket);
    bucket = std::move(what);
    detail::kept_count.fetch_add(1, std::memory_order_relaxed);
  }

  void start(MPI_Request request) {
    for_persistent(request, [](Kept& each) {
      if (!std::exchange(each.active_, true)) each.on_start();
    });
  }

  void complete(MPI_Request request) {
    for (auto each = take(request, false); each != nullptr; each = std::move(each->next_)) {
      each->on_completion();
    }
    for_persistent(request, [](Kept& each) {
      if (std::exchange(each.active_, false)) each.on_completion();
    });
  }

  void free(MPI_Request request) { take(request, true); }

 private:
  static constexpr std::size_t kBuckets = 64;

  std::unique_ptr<Kept>& bucket_of(MPI_Request request) {
    const auto bits = reinterpret_cast<std::uintptr_t>(request);
    return buckets_[(bits ^ (bits >> 6) ^ (bits >> 12)) % kBuckets];
  }

  /// A persistent request is one thread's at a time, so nobody else takes what belongs to it.
  template <class Step>
  void for_persistent(MPI_Request request, Step step) {
    std::unique_lock lock(mutex_);
    for (Kept* each = bucket_of(request).get(); each != nullptr; each = each->next_.get()) {
      if (each->request_ != request || !each->persistent_) continue;
      lock.unlock();
      step(*each);
      lock.lock();
    }
  }

  /// Operations that were complete at once may share a request, even those of different threads: so
  /// what belongs to it is taken out together.
  std::unique_ptr<Kept> take(MPI_Request request, bool persistent) {
    std::unique_ptr<Kept> taken;
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Kept>* link = &bucket_of(request);
    while (*link != nullptr) {
      if ((*link)->request_ != request || (*link)->persistent_ != persistent) {
        link = &(*link)->next_;
        continue;
      }
      std::unique_ptr<Kept> one = std::exchange(*link, std::move((*link)->next_));
      one->next_ = std::move(taken);
      taken = std::move(one);
      detail::kept_count.fetch_sub(1, std::memory_order_relaxed);
    }
    return taken;
  }

  std::mutex mutex_;
  std::array<std::unique_ptr<Kept>, kBuckets> buckets_;
};

namespace {

KeptTable& table() {
  static auto* const all = new KeptTable;  // requests may complete while static objects go
  return *all;
}

/// Where the library says what happens to requests, C may complete what Fortran has started.
void note_event(MPI_Request request, int event) {
  if (event == MPIX_REQUEST_STARTS) table().start(request);
  if (event == MPIX_REQUEST_COMPLETE) table().complete(request);
  if (event == MPIX_REQUEST_FREED) table().free(request);
}
[[maybe_unused]] const bool library_tells =
    PMPIX_Request_set_watcher != nullptr && PMPIX_Request_set_watcher(note_event) == MPI_SUCCESS;

}  // namespace

void keep(MPI_Request request, bool persistent, std::unique_ptr<Kept> what) {
  if (request == MPI_REQUEST_NULL) {  // over already
    if (!persistent) what->on_completion();
    return;
  }
  table().add(request, persistent, std::move(what));
  int complete = 0;
  if (persistent || PMPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return;
  if (complete != 0) table().complete(request);  // C may take it without a word
}

void detail::request_starts(MPI_Request request) {
  table().start(request);
}
void detail::request_completed(MPI_Request request) {
  table().complete(request);
}
void detail::request_freed(MPI_Request request) {
  table().free(request);
}

}  // namespace remit::fortran
