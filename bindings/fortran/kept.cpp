// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/kept.hpp"

#include <iterator>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

// Of Remit's library alone.
#pragma weak PMPIX_Request_set_watcher

namespace remit::fortran {

std::atomic<int> detail::kept_count{0};

namespace {

/// All that is kept, by request. Operations that were complete at once may share a request, even
/// those of different threads.
class KeptTable {
 public:
  void add(MPI_Request request, bool persistent, std::unique_ptr<Kept> what) {
    const std::lock_guard lock(mutex_);
    entries_.emplace(request, Entry{std::move(what), persistent, !persistent});
    detail::kept_count.fetch_add(1, std::memory_order_relaxed);
  }

  void start(MPI_Request request) {
    const auto starts = [](Entry& entry) {
      return entry.persistent && !std::exchange(entry.active, true);
    };
    for (const auto& each : chosen(request, starts)) each->on_start();
  }
  /// A nonblocking operation ends then, a persistent one rests.
  void complete(MPI_Request request) {
    const auto completes = [](Entry& entry) { return std::exchange(entry.active, false); };
    for (const auto& each : chosen(request, completes)) each->on_completion();
  }
  void free(MPI_Request request) {
    const auto ends = [](Entry& entry) {
      if (entry.persistent) entry.active = false;
      return std::exchange(entry.persistent, false);
    };
    chosen(request, ends);
  }

 private:
  struct Entry {
    std::shared_ptr<Kept> what;
    bool persistent;
    bool active;
  };

  /// What choose(entry) says yes to; what is neither persistent nor active then is kept no longer.
  /// The lock is not held while anything is done with it, or while it goes.
  template <class Choose>
  std::vector<std::shared_ptr<Kept>> chosen(MPI_Request request, Choose choose) {
    std::vector<std::shared_ptr<Kept>> found;
    const std::lock_guard lock(mutex_);
    auto [at, end] = entries_.equal_range(request);
    while (at != end) {
      if (choose(at->second)) found.push_back(at->second.what);
      const bool over = !at->second.persistent && !at->second.active;
      if (over) detail::kept_count.fetch_sub(1, std::memory_order_relaxed);
      at = over ? entries_.erase(at) : std::next(at);
    }
    return found;
  }

  std::mutex mutex_;
  std::unordered_multimap<MPI_Request, Entry> entries_;
};

KeptTable& table() {
  static auto* const all = new KeptTable;  // requests may complete while static objects go
  return *all;
}

/// Where the library says what happens to requests, C may complete what Fortran has started.
[[maybe_unused]] const bool library_tells =
    PMPIX_Request_set_watcher != nullptr &&
    PMPIX_Request_set_watcher(detail::tell_kept) == MPI_SUCCESS;

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

void detail::tell_kept(MPI_Request request, int event) {
  if (event == MPIX_REQUEST_STARTS) table().start(request);
  if (event == MPIX_REQUEST_COMPLETE) table().complete(request);
  if (event == MPIX_REQUEST_FREED) table().free(request);
}

}  // namespace remit::fortran
