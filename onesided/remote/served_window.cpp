// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/remote/served_window.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "onesided/elements/element_code.hpp"
#include "onesided/memory/scratch.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// Memory of an element from its first byte to its last one.
[[nodiscard]] std::uint64_t span_of(const Datatype& element) {
  return static_cast<std::uint64_t>(element.true_extent());
}

}  // namespace

ServedWindow::ServedWindow(WindowTraffic& traffic, Member member)
    : traffic_(traffic), member_(std::move(member)), locks_(member_.control->access.lock) {}

bool ServedWindow::serve(ProcId from, const WindowHead& head, std::span<const std::byte> body) {
  if (member_.rank_of(from) < 0) return false;
  switch (kind_of(head)) {
    case WindowMessage::put:
      return put(from, head, body);
    case WindowMessage::get:
      return get(from, head, body);
    case WindowMessage::accumulate:
      return accumulate(from, head, body);
    case WindowMessage::compare_swap:
      return swap(from, head, body);
    case WindowMessage::lock:
      return lock(from, head);
    case WindowMessage::unlock:
      unlock(from);
      return true;
    case WindowMessage::marker: {
      WindowHead answer = window_head(WindowMessage::reached, member_.number);
      answer.token = head.token;
      traffic_.send(from, answer);
      return true;
    }
    case WindowMessage::posted:
      tell(from, member_.posted);
      return true;
    case WindowMessage::completed:
      tell(from, member_.completed);
      return true;
    case WindowMessage::keys: {
      const auto& keys = head.token == kAdapterKeys ? member_.adapter_keys : member_.keys;
      WindowHead answer = window_head(WindowMessage::keys_are, member_.number);
      answer.token = head.token;
      traffic_.send(from, answer, keys ? keys() : std::span<const std::byte>{});
      return true;
    }
    case WindowMessage::notify:
      notify(from, head);
      return true;
    default:
      return false;
  }
}

std::optional<ServedWindow::Runs> ServedWindow::read_runs(const WindowHead& head,
                                                          std::span<const std::byte> body,
                                                          std::uint64_t most) {
  if (head.value > kMostMemoryRuns || head.value * sizeof(MemoryRun) > body.size())
    return std::nullopt;
  Runs runs;
  runs.count = head.value;
  runs.memory = body.first(head.value * sizeof(MemoryRun));
  runs.rest = body.subspan(runs.memory.size());
  for (std::size_t i = 0; i < runs.count; ++i) {
    const std::uint64_t length = runs.at(i).length;
    if (length == 0 || length > most - runs.length) return std::nullopt;
    runs.length += length;
  }
  return runs;
}

bool ServedWindow::admits(ProcId from, const WindowHead& head, const Runs& runs,
                          std::uint64_t extent, std::uint64_t last, const char* operation) {
  for (std::size_t i = 0; i < runs.count; ++i) {
    const MemoryRun run = runs.at(i);
    const std::uint64_t bytes = (run.length - 1) * extent + last;
    const bool goes_round = run.address + bytes < run.address;
    if (!goes_round && member_.contains(run.address, bytes)) continue;
    refuse(from, head, MPI_ERR_RMA_RANGE, operation + words_of(run, bytes));
    return false;
  }
  return true;
}

std::string ServedWindow::words_of(const MemoryRun& run, std::uint64_t bytes) const {
  return fmt::format(" of {} bytes at {:#x} goes beyond the memory of window {} ({})", bytes,
                     run.address, member_.number, member_.name);
}

void ServedWindow::refuse(ProcId from, const WindowHead& head, int code, const std::string& words) {
  const bool is_lock = kind_of(head) == WindowMessage::lock;
  WindowHead answer =
      window_head(is_lock ? WindowMessage::refused : WindowMessage::failed, member_.number);
  answer.token = head.token;
  answer.value = static_cast<std::uint32_t>(code);
  const std::size_t most = traffic_.most_bytes(from) - sizeof answer;
  traffic_.send(from, answer, std::as_bytes(std::span(words)).first(std::min(most, words.size())));
}

bool ServedWindow::put(ProcId from, const WindowHead& head, std::span<const std::byte> body) {
  const std::optional<Runs> runs = read_runs(head, body, body.size());
  if (!runs || runs->length != runs->rest.size()) return false;
  if (!admits(from, head, *runs, 1, 1, "A put")) return true;
  const std::byte* next = runs->rest.data();
  for (std::size_t i = 0; i < runs->count; ++i) {
    const MemoryRun run = runs->at(i);
    copy_bytes(member_.memory.mapped(run.address), next, run.length);
    next += run.length;
  }
  return true;
}

bool ServedWindow::get(ProcId from, const WindowHead& head, std::span<const std::byte> body) {
  const std::optional<Runs> runs = read_runs(head, body, kMostAsked);
  if (!runs || !runs->rest.empty()) return false;
  if (!admits(from, head, *runs, 1, 1, "A get")) return true;
  WindowHead answer = window_head(WindowMessage::data, member_.number);
  answer.token = head.token;
  answer.offset = head.offset;
  const std::size_t most = traffic_.most_bytes(from) - sizeof answer;
  // A long run leaves from where it is; short ones share a message.
  const auto leave = [&](std::span<const std::byte> bytes) {
    if (!bytes.empty()) traffic_.send(from, answer, bytes);
    answer.offset += bytes.size();
  };
  result_.clear();
  result_.reserve(std::min<std::uint64_t>(most, runs->length));
  for (std::size_t i = 0; i < runs->count; ++i) {
    const MemoryRun run = runs->at(i);
    std::span<const std::byte> left(member_.memory.mapped(run.address), run.length);
    while (!left.empty()) {
      if (result_.empty() && left.size() >= most) {
        leave(left.first(most));
        left = left.subspan(most);
        continue;
      }
      const std::size_t bytes = std::min(most - result_.size(), left.size());
      const std::size_t old = result_.size();
      result_.resize(old + bytes);
      copy_bytes(result_.data() + old, left.data(), bytes);
      left = left.subspan(bytes);
      if (result_.size() < most) continue;
      leave(result_);
      result_.clear();
    }
  }
  leave(result_);
  return true;
}

bool ServedWindow::accumulate(ProcId from, const WindowHead& head,
                              std::span<const std::byte> body) {
  const Datatype* const element = element_of({head.element, head.index}, unnamed_);
  const Op* const op = predefined_op(kFirstOp + head.op);
  if (element == nullptr || op == nullptr) return false;
  const auto size = static_cast<std::size_t>(element->layout().size());
  const std::optional<Runs> runs = read_runs(head, body, std::max(body.size(), kMostAsked) / size);
  if (!runs) return false;
  const Expected<Accumulation> what = Accumulation::of_element(*op, *element);
  if (!what) return false;
  const bool reads_only = op->kind() == Reduction::no_op;
  if (runs->rest.size() != (reads_only ? 0 : runs->length * size)) return false;
  if (!admits(from, head, *runs, static_cast<std::uint64_t>(element->extent()), span_of(*element),
              "An accumulate")) {
    return true;
  }
  const bool fetches = head.token != 0;
  if (fetches) resize_scratch(result_, runs->length * size);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < runs->count; ++i) {
    const MemoryRun run = runs->at(i);
    const std::size_t bytes = run.length * size;
    const View target{reinterpret_cast<void*>(static_cast<std::uintptr_t>(run.address)),
                      static_cast<MPI_Count>(run.length), &element->layout()};
    const View origin =
        bytes_view(runs->rest.data() + (reads_only ? 0 : offset), reads_only ? 0 : bytes);
    const View result = bytes_view(result_.data() + (fetches ? offset : 0), fetches ? bytes : 0);
    const Expected<> done = remit::accumulate(member_.memory, *what, reads_only ? nullptr : &origin,
                                              target, fetches ? &result : nullptr);
    if (!done) {
      refuse(from, head, done.error().code, done.error().message);
      return true;
    }
    offset += bytes;
  }
  if (fetches) send_result(from, head);
  return true;
}

bool ServedWindow::swap(ProcId from, const WindowHead& head, std::span<const std::byte> body) {
  const Datatype* const element = element_of({head.element, head.index}, unnamed_);
  if (element == nullptr || !element->layout().is_contiguous()) return false;
  const auto size = static_cast<std::size_t>(element->layout().size());
  if (body.size() != 2 * size) return false;
  const MemoryRun run{head.offset, size};
  Runs runs;
  runs.memory = std::as_bytes(std::span(&run, 1));
  runs.count = 1;
  if (!admits(from, head, runs, 1, 1, "A compare-and-swap")) return true;
  result_.resize(size);
  const Expected<> done = compare_and_swap(member_.memory, *element, run.address, body.data(),
                                           body.data() + size, result_.data());
  if (!done) {
    refuse(from, head, done.error().code, done.error().message);
    return true;
  }
  WindowHead answer = head;
  answer.offset = 0;
  send_result(from, answer);
  return true;
}

void ServedWindow::send_result(ProcId to, const WindowHead& head) {
  WindowHead answer = window_head(WindowMessage::data, member_.number);
  answer.token = head.token;
  const std::size_t most = traffic_.most_bytes(to) - sizeof answer;
  for (std::size_t offset = 0; offset < result_.size(); offset += most) {
    answer.offset = head.offset + offset;
    traffic_.send(to, answer,
                  std::span(result_).subspan(offset, std::min(most, result_.size() - offset)));
  }
}

bool ServedWindow::lock(ProcId from, const WindowHead& head) {
  if (!locks_.ask(from, head.value != 0, head.token)) return false;
  serve_locks(from);
  return true;
}

/// Who has no lock of this window gives back one of a window that had its number before and was
/// freed meanwhile.
void ServedWindow::unlock(ProcId from) {
  if (!locks_.leave(from)) return;
  if (member_.lock_moved) member_.lock_moved();
  serve_locks();
}

int ServedWindow::serve_locks(ProcId newest) {
  const auto granted = [&](ProcId proc, bool exclusive, std::uint64_t token) {
    if (exclusive) {
      member_.control->access.holder.store(static_cast<std::uint32_t>(member_.rank_of(proc)) + 1,
                                           std::memory_order_relaxed);
    } else if (member_.lock_moved) {
      member_.lock_moved();  // the next one may be a reader, too
    }
    WindowHead answer = window_head(WindowMessage::granted, member_.number);
    answer.token = token;
    answer.value = proc == newest ? 0 : 1;
    traffic_.send(proc, answer);
  };
  const int turns = locks_.serve(granted, [&] {
    if (member_.lock_moved) member_.lock_moved();
  });
  return locks_.waits() && lock_is_lost() ? turns + refuse_lockers() : turns;
}

bool ServedWindow::lock_is_lost() const {
  return member_.control->access.lost.load(std::memory_order_acquire) != 0 ||
         (member_.lock_lost && member_.lock_lost());
}

int ServedWindow::refuse_lockers() {
  const std::string words = fmt::format(
      "Window {} ({}): rank {} has ended while it had the lock of this member or waited for it",
      member_.number, member_.name,
      member_.control->access.lost.load(std::memory_order_acquire) - 1);
  return locks_.give_up([&](ProcId proc, std::uint64_t token) {
    WindowHead head = window_head(WindowMessage::lock, member_.number);
    head.token = token;
    refuse(proc, head, MPI_ERR_PROC_ABORTED, words);
  });
}

void ServedWindow::forget(ProcId proc) {
  const LockQueue::Forgotten had = locks_.forget(proc);
  if (had == LockQueue::Forgotten::exclusive_lock) {
    member_.control->access.lost.store(static_cast<std::uint32_t>(member_.rank_of(proc)) + 1,
                                       std::memory_order_release);
  }
  if (had != LockQueue::Forgotten::no_lock && member_.lock_moved) member_.lock_moved();
  serve_locks();
}

void ServedWindow::notify(ProcId from, const WindowHead& head) {
  if (member_.notified && member_.notified(head.value)) return;
  refuse(from, head, MPI_ERR_ARG,
         fmt::format("Window {} ({}) has no counter {} of notifications", member_.number,
                     member_.name, head.value));
}

void ServedWindow::tell(ProcId from, const std::function<void(int)>& whom) const {
  if (whom) whom(member_.rank_of(from));
}

ServedWindows::~ServedWindows() {
  if (!windows_.empty()) progress_.sources().remove(this);
}

void ServedWindows::add(std::uint32_t number, ServedWindow& window) {
  if (windows_.empty()) progress_.sources().add(this);
  windows_[number] = &window;
  freed_.erase(number);
}

/// Numbers go up, and are taken again when they are free: the lowest ones are the oldest, mostly.
void ServedWindows::remove(std::uint32_t number) {
  const auto window = windows_.find(number);
  if (window == windows_.end()) return;
  freed_[number] = window->second->name();
  if (freed_.size() > kMostFreed) freed_.erase(freed_.begin());
  windows_.erase(window);
  if (windows_.empty()) progress_.sources().remove(this);
}

std::string ServedWindows::words_of_absent(std::uint32_t number) const {
  const auto freed = freed_.find(number);
  if (freed == freed_.end())
    return fmt::format("Window {} is not there: it has been freed long ago, or never was", number);
  return fmt::format("Window {} ({}) is not there: it has been freed", number, freed->second);
}

void ServedWindows::forget(ProcId proc) {
  for (const auto& [number, window] : windows_) window->forget(proc);
}

void ServedWindows::note_sleep(bool sleeps) {
  for (Delegate* const delegate : delegates_) {
    delegate->note_sleep(sleeps);
    if (!sleeps) called_ = delegate->take_call() || called_;
  }
}

int ServedWindows::events_of_delegates() {
  operations_ += static_cast<std::uint32_t>(serve_delegates());
  if (operations_ < kOperationsPerEvent && !called_) [[likely]]
    return 0;
  operations_ = 0;
  called_ = false;
  return 1;
}

int ServedWindows::progress() {
  int turns = events_of_delegates();
  if (!locks_wait_) [[likely]]
    return turns;
  locks_wait_ = false;
  for (const auto& [number, window] : windows_) {
    if (!window->has_waiters()) continue;
    turns += window->serve_locks();
    locks_wait_ = locks_wait_ || window->has_waiters();
  }
  return turns;
}

}  // namespace remit
