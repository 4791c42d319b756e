// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The bootstrap of a real job: a client of the PMIx server that started this process.
#include "runtime/pmix_bootstrap.hpp"

#include <pmix.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string_view>
#include <type_traits>

#include "runtime/copy.hpp"
#include "runtime/log.hpp"
#include "runtime/nagle.hpp"
#include "runtime/signals_blocked.hpp"
#include "runtime/spawn_keys.hpp"

namespace remit {

namespace {

constexpr const char* kAddressKey = "remit.addr";

template <class... Args>
tl::unexpected<Error> fail_pmix(pmix_status_t status, fmt::format_string<Args...> format,
                                Args&&... args) {
  return fail(MPI_ERR_OTHER, "{}: {}", fmt::format(format, std::forward<Args>(args)...),
              PMIx_Error_string(status));
}

/// The program's handlers of signals do not run in PMIx's thread.
pmix_status_t join(pmix_proc_t* self) {
  const std::vector<int> descriptors = low_descriptors();
  const SignalsBlocked blocked;
  const pmix_status_t status = PMIx_Init(self, nullptr, 0);
  if (status == PMIX_SUCCESS) disable_nagle_on_new_sockets(descriptors);
  return status;
}

struct ReleaseValue {
  void operator()(pmix_value_t* value) const { PMIX_VALUE_RELEASE(value); }
};
using ValuePtr = std::unique_ptr<pmix_value_t, ReleaseValue>;

/// One value that the server knows without asking anybody; null if it does not. Job-level keys must
/// be asked as optional: Slurm never answers a request for one it has not.
ValuePtr get_known(const pmix_proc_t& proc, const char* key) {
  pmix_info_t optional;
  bool yes = true;
  PMIX_INFO_CONSTRUCT(&optional);
  PMIX_INFO_LOAD(&optional, PMIX_OPTIONAL, &yes, PMIX_BOOL);
  pmix_value_t* value = nullptr;
  const pmix_status_t status = PMIx_Get(&proc, key, &optional, 1, &value);
  PMIX_INFO_DESTRUCT(&optional);
  return ValuePtr(status == PMIX_SUCCESS ? value : nullptr);
}

/// Servers differ in the type that they give a number.
std::optional<long> number_in(const pmix_value_t* value) {
  if (value == nullptr) return std::nullopt;
  switch (value->type) {
    case PMIX_INT:
      return value->data.integer;
    case PMIX_INT8:
      return value->data.int8;
    case PMIX_INT16:
      return value->data.int16;
    case PMIX_INT32:
      return value->data.int32;
    case PMIX_INT64:
      return static_cast<long>(value->data.int64);
    case PMIX_UINT:
      return static_cast<long>(value->data.uint);
    case PMIX_UINT8:
      return value->data.uint8;
    case PMIX_UINT16:
      return value->data.uint16;
    case PMIX_UINT32:
      return static_cast<long>(value->data.uint32);
    case PMIX_UINT64:
      return static_cast<long>(value->data.uint64);
    case PMIX_SIZE:
      return static_cast<long>(value->data.size);
    case PMIX_PROC_RANK:
      return static_cast<long>(value->data.rank);
    default:
      return std::nullopt;
  }
}

std::optional<std::string> text_in(const pmix_value_t* value) {
  if (value == nullptr || value->type != PMIX_STRING || value->data.string == nullptr) {
    return std::nullopt;
  }
  std::string text(std::strlen(value->data.string), '\0');
  copy_bytes(text.data(), value->data.string, text.size());  // the description of a host is long
  return text;
}

/// "0,1,4-6" as numbers, ascending; empty if it is no such list.
std::vector<int> parse_list(std::string_view text) {
  std::vector<int> ranks;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int first = 0;
    auto parsed = std::from_chars(at, end, first);
    if (parsed.ec != std::errc{}) return {};
    int last = first;
    if (parsed.ptr < end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
      if (parsed.ec != std::errc{}) return {};
    }
    for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
    at = parsed.ptr + 1;
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// What the server says to one query; it need not know any of them.
class QueryAnswer {
 public:
  /// About the job of `self`. `set`: of the process set with this name; null: in general.
  QueryAnswer(const pmix_proc_t& self, const char* key, const char* set) {
    pmix_query_t query;
    PMIX_QUERY_CONSTRUCT(&query);
    pmix_status_t status = PMIX_SUCCESS;
    PMIX_ARGV_APPEND(status, query.keys, key);
    PMIX_QUERY_QUALIFIERS_CREATE(&query, set == nullptr ? 1 : 2);
    PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_NSPACE, self.nspace, PMIX_STRING);
    if (set != nullptr) PMIX_INFO_LOAD(&query.qualifiers[1], PMIX_PSET_NAME, set, PMIX_STRING);
    if (status == PMIX_SUCCESS) status = PMIx_Query_info(&query, 1, &answers_, &count_);
    if (status != PMIX_SUCCESS) count_ = 0;
    PMIX_QUERY_DESTRUCT(&query);
  }
  ~QueryAnswer() {
    if (answers_ != nullptr) PMIX_INFO_FREE(answers_, count_);
  }
  QueryAnswer(const QueryAnswer&) = delete;
  QueryAnswer& operator=(const QueryAnswer&) = delete;

  [[nodiscard]] const pmix_value_t* value() const {
    return count_ == 0 ? nullptr : &answers_[0].value;
  }

 private:
  pmix_info_t* answers_ = nullptr;
  std::size_t count_ = 0;
};

/// The processes of an array, if all are of the job `nspace`.
std::vector<int> ranks_in(const pmix_value_t* value, const char* nspace) {
  if (value == nullptr || value->type != PMIX_DATA_ARRAY || value->data.darray == nullptr ||
      value->data.darray->type != PMIX_PROC) {
    return {};
  }
  const auto* procs = static_cast<const pmix_proc_t*>(value->data.darray->array);
  std::vector<int> ranks;
  for (std::size_t i = 0; i < value->data.darray->size; ++i) {
    if (std::strcmp(procs[i].nspace, nspace) != 0) return {};
    ranks.push_back(static_cast<int>(procs[i].rank));
  }
  return ranks;
}

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (end > at) names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

/// What came back for a look-up. `missing`: the server knows of no such key yet.
struct Asked;

struct Reply {
  Bootstrap::Answer answer;
  bool missing = false;
  const Asked* asked = nullptr;  ///< what it answers; null if PMIx was not asked
};

/// Replies on their way from PMIx's thread to the one that holds the MPI process.
class Mailbox {
 public:
  Mailbox() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Mailbox() {
    if (event_ >= 0) ::close(event_);
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Any thread.
  void put(Reply reply) {
    const std::lock_guard lock(mutex_);
    replies_.push_back(std::move(reply));
    filled_.store(true, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(event_, &one, sizeof one);
  }

  [[nodiscard]] bool empty() const { return !filled_.load(std::memory_order_relaxed); }

  /// The thread of the MPI process; not when empty(). Reading the eventfd and clearing filled_
  /// under the lock keeps both in step with the queue.
  Reply take() {
    const std::lock_guard lock(mutex_);
    Reply reply = std::move(replies_.front());
    replies_.pop_front();
    if (replies_.empty()) {
      filled_.store(false, std::memory_order_relaxed);
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t drained = ::read(event_, &count, sizeof count);
    }
    return reply;
  }

  [[nodiscard]] int event() const { return event_; }

 private:
  std::mutex mutex_;
  std::deque<Reply> replies_;
  std::atomic<bool> filled_{false};
  int event_;
};

/// Look-ups to repeat: a server may answer "not found", or give up after two seconds, for a peer
/// that has not published yet instead of waiting for it. Repeats come after 1 ms, then less and
/// less often.
class Retries {
 public:
  Retries() : timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {}
  ~Retries() {
    if (timer_ >= 0) ::close(timer_);
  }
  Retries(const Retries&) = delete;
  Retries& operator=(const Retries&) = delete;

  void add(int rank) {
    if (ranks_.empty()) start_timer();
    ranks_.push_back(rank);
  }
  [[nodiscard]] bool empty() const { return ranks_.empty(); }
  /// The ranks to ask again, all at once, if their time has come.
  std::vector<int> take_due() {
    std::uint64_t count = 0;
    if (::read(timer_, &count, sizeof count) <= 0) return {};
    return std::exchange(ranks_, {});
  }
  [[nodiscard]] int timer() const { return timer_; }

 private:
  static constexpr long kMostMs = 50;
  void start_timer() {
    itimerspec when{};
    when.it_value.tv_nsec = delay_ms_ * 1'000'000;
    delay_ms_ = std::min(2 * delay_ms_, kMostMs);
    ::timerfd_settime(timer_, 0, &when, nullptr);
  }

  int timer_;
  long delay_ms_ = 1;
  std::vector<int> ranks_;
};

/// A look-up under way: what the callback of PMIx gets. Belongs to the bootstrap, which forgets it
/// when it takes the reply.
struct Asked {
  std::shared_ptr<Mailbox> mailbox;
  int rank;
};

Expected<Bytes> blob_in(pmix_status_t status, const pmix_value_t* value, int rank) {
  if (status != PMIX_SUCCESS) {
    return fail_pmix(status, "PMIx cannot give the address of rank {}", rank);
  }
  if (value == nullptr || value->type != PMIX_BYTE_OBJECT) {
    return fail(MPI_ERR_OTHER, "the address of rank {} in PMIx is not a byte object", rank);
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(value->data.bo.bytes);
  return Bytes(bytes, bytes + value->data.bo.size);
}

Reply reply_to(int rank, pmix_status_t status, const pmix_value_t* value) {
  const bool missing = status == PMIX_ERR_NOT_FOUND || status == PMIX_ERR_TIMEOUT;
  return {{rank, blob_in(status, value, rank)}, missing, nullptr};
}

/// On PMIx's thread. The value stays PMIx's.
void on_answer(pmix_status_t status, pmix_value_t* value, void* data) {
  const auto* asked = static_cast<const Asked*>(data);
  Reply reply = reply_to(asked->rank, status, value);
  reply.asked = asked;
  // Once it is in the mailbox, `asked` may be gone.
  const std::shared_ptr<Mailbox> mailbox = asked->mailbox;
  mailbox->put(std::move(reply));
}

class PmixBootstrap final : public Bootstrap {
 public:
  PmixBootstrap(const pmix_proc_t& self, int opening);
  ~PmixBootstrap() override;
  PmixBootstrap(const PmixBootstrap&) = delete;
  PmixBootstrap& operator=(const PmixBootstrap&) = delete;

  Expected<> learn_identity();

  const Identity& identity() const override { return identity_; }
  Expected<> publish(std::span<const std::byte> blob) override;
  void lookup(int rank) override;
  std::optional<Answer> poll() override;
  int wait_fd() const override { return wait_fd_; }
  Expected<> barrier() override;
  std::optional<std::string> host_topology() override;
  std::vector<int> binding(int rank) override;
  void abort(int status, const std::string& message) override;
  void finalize(const std::function<void()>& meanwhile) override;
  Expected<> reopen() override;
  std::vector<ProcessSet> process_sets() override;
  Expected<> spawn(const SpawnRequest& request) override;
  std::optional<std::string> parent_port() override;
  Expected<> publish_name(const std::string& name, const std::string& value) override;
  Expected<std::string> lookup_name(const std::string& name) override;
  Expected<> unpublish_name(const std::string& name) override;

 private:
  [[nodiscard]] pmix_proc_t proc(pmix_rank_t rank) const {
    pmix_proc_t proc = self_;
    proc.rank = rank;
    return proc;
  }
  Expected<> fence(const std::function<void()>& meanwhile);
  [[nodiscard]] std::vector<int> find_local_peers() const;
  [[nodiscard]] int count_core_sharers();
  void leave() {
    if (std::exchange(connected_, false)) PMIx_Finalize(nullptr, 0);
  }

  pmix_proc_t self_;
  std::string address_key_;
  bool connected_ = true;
  bool has_left_;  ///< this process was a client of the server before, and left
  Identity identity_;
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::list<Asked> asked_;
  Retries retries_;
  int wait_fd_;  ///< an epoll set of the mailbox's event and the timer of the retries
};

PmixBootstrap::PmixBootstrap(const pmix_proc_t& self, int opening)
    : self_(self),
      address_key_(opening == 0 ? kAddressKey : fmt::format("{}.{}", kAddressKey, opening)),
      has_left_(opening != 0),
      wait_fd_(::epoll_create1(EPOLL_CLOEXEC)) {
  for (const int fd : {mailbox_->event(), retries_.timer()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    ::epoll_ctl(wait_fd_, EPOLL_CTL_ADD, fd, &event);
  }
}

PmixBootstrap::~PmixBootstrap() {
  leave();
  if (wait_fd_ >= 0) ::close(wait_fd_);
  // PMIx drops the look-ups that are under way, unless somebody else in this process still uses it:
  // then an answer may come at any time, and what its callback gets must stay.
  if (asked_.empty() || PMIx_Initialized() == 0) return;
  auto kept = std::make_unique<std::list<Asked>>(std::move(asked_));
  (void)kept.release();
}

Expected<> PmixBootstrap::learn_identity() {
  const pmix_proc_t job = proc(PMIX_RANK_WILDCARD);
  identity_.job = self_.nspace;
  identity_.job_key = job_key_of(identity_.job);
  identity_.rank = static_cast<int>(self_.rank);
  const auto size = number_in(get_known(job, PMIX_JOB_SIZE).get());
  if (!size || *size < 1 || identity_.rank >= *size) {
    return fail(MPI_ERR_OTHER, "the PMIx server of job {} gives rank {} no usable job size",
                identity_.job, identity_.rank);
  }
  identity_.size = static_cast<int>(*size);
  if (auto host = text_in(get_known(self_, PMIX_HOSTNAME).get())) {
    identity_.host = std::move(*host);
  } else {
    std::array<char, 256> name{};
    (void)::gethostname(name.data(), name.size() - 1);
    identity_.host = name.data();
  }
  identity_.local_peers = find_local_peers();
  const auto mine =
      std::find(identity_.local_peers.begin(), identity_.local_peers.end(), identity_.rank);
  identity_.local_rank = static_cast<int>(mine - identity_.local_peers.begin());
  identity_.local_size = static_cast<int>(identity_.local_peers.size());
  identity_.core_sharers = count_core_sharers();
  // Those of other jobs are told to a spawned one.
  const auto on_host = number_in(get_known(job, PMIX_NODE_SIZE).get());
  if (on_host.value_or(0) > identity_.local_size) {
    identity_.core_sharers = static_cast<int>(*on_host);
  }
  const auto app = number_in(get_known(self_, PMIX_APPNUM).get());
  identity_.app_number = static_cast<int>(app.value_or(-1));
  // Some servers count their slots here, of which an oversubscribed job has fewer than ranks.
  const auto universe = number_in(get_known(job, PMIX_UNIV_SIZE).get());
  identity_.universe_size = static_cast<int>(std::max(universe.value_or(0), *size));
  identity_.other_hosts = number_in(get_known(job, PMIX_NUM_ALLOCATED_NODES).get()).value_or(1) > 1;
  return {};
}

/// The ranks on this host. Servers keep the list in different places.
std::vector<int> PmixBootstrap::find_local_peers() const {
  const auto fits = [this](const std::vector<int>& ranks) {
    return std::binary_search(ranks.begin(), ranks.end(), identity_.rank);
  };
  for (const pmix_proc_t& where : {proc(PMIX_RANK_WILDCARD), self_}) {
    if (const auto text = text_in(get_known(where, PMIX_LOCAL_PEERS).get())) {
      std::vector<int> ranks = parse_list(*text);
      if (fits(ranks)) return ranks;
    }
  }
  pmix_proc_t* peers = nullptr;
  std::size_t count = 0;
  std::vector<int> ranks;
  if (PMIx_Resolve_peers(identity_.host.c_str(), self_.nspace, &peers, &count) == PMIX_SUCCESS) {
    for (std::size_t i = 0; i < count; ++i) ranks.push_back(static_cast<int>(peers[i].rank));
    PMIX_PROC_FREE(peers, count);
    std::sort(ranks.begin(), ranks.end());
  }
  if (!fits(ranks)) ranks = {identity_.rank};
  return ranks;
}

/// Asks for other ranks only if this one is bound.
int PmixBootstrap::count_core_sharers() {
  const std::vector<int> mine = binding(identity_.rank);
  if (mine.empty()) return 0;
  int sharers = 0;
  for (const int rank : identity_.local_peers) {
    const std::vector<int> other = rank == identity_.rank ? mine : binding(rank);
    const bool shares = other.empty() || std::find_first_of(mine.begin(), mine.end(), other.begin(),
                                                            other.end()) != mine.end();
    if (shares) ++sharers;
  }
  return sharers;
}

std::vector<int> PmixBootstrap::binding(int rank) {
  const ValuePtr value = get_known(proc(static_cast<pmix_rank_t>(rank)), PMIX_CPUSET);
  return parse_list(text_in(value.get()).value_or(""));
}

std::optional<std::string> PmixBootstrap::host_topology() {
  const pmix_proc_t job = proc(PMIX_RANK_WILDCARD);
  for (const char* key : {PMIX_HWLOC_XML_V2, PMIX_LOCAL_TOPO}) {
    if (auto xml = text_in(get_known(job, key).get())) return xml;
  }
  return std::nullopt;
}

Expected<> PmixBootstrap::publish(std::span<const std::byte> blob) {
  pmix_value_t value;
  PMIX_VALUE_CONSTRUCT(&value);
  value.type = PMIX_BYTE_OBJECT;
  // PMIx copies; it only lacks a const.
  value.data.bo.bytes = reinterpret_cast<char*>(const_cast<std::byte*>(blob.data()));
  value.data.bo.size = blob.size();
  pmix_status_t status = PMIx_Put(PMIX_GLOBAL, address_key_.c_str(), &value);
  // One commit in the life of a process: a remote peer's look-up is answered from the first.
  if (status == PMIX_SUCCESS) status = PMIx_Commit();
  if (status != PMIX_SUCCESS) {
    return fail_pmix(status, "rank {} could not publish its address through PMIx", identity_.rank);
  }
  return {};
}

void PmixBootstrap::lookup(int rank) {
  if (rank < 0 || rank >= identity_.size) {
    Answer answer{rank,
                  fail(MPI_ERR_RANK, "there is no rank {} in a job of {}", rank, identity_.size)};
    mailbox_->put({std::move(answer)});
    return;
  }
  asked_.push_back({mailbox_, rank});
  const pmix_proc_t peer = proc(static_cast<pmix_rank_t>(rank));
  const pmix_status_t status =
      PMIx_Get_nb(&peer, address_key_.c_str(), nullptr, 0, on_answer, &asked_.back());
  if (status == PMIX_SUCCESS) return;
  asked_.pop_back();
  if (status == PMIX_OPERATION_SUCCEEDED) {
    const ValuePtr value = get_known(peer, address_key_.c_str());
    mailbox_->put(reply_to(rank, value ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, value.get()));
  } else {
    mailbox_->put(reply_to(rank, status, nullptr));
  }
}

std::optional<Bootstrap::Answer> PmixBootstrap::poll() {
  if (!retries_.empty()) [[unlikely]] {
    for (const int rank : retries_.take_due()) lookup(rank);
  }
  while (!mailbox_->empty()) {
    Reply reply = mailbox_->take();
    asked_.remove_if([&](const Asked& asked) { return &asked == reply.asked; });
    if (!reply.missing) return std::move(reply.answer);
    retries_.add(reply.answer.rank);
  }
  return std::nullopt;
}

Expected<> PmixBootstrap::barrier() {
  return fence(nullptr);
}

Expected<> PmixBootstrap::fence(const std::function<void()>& meanwhile) {
  pmix_info_t collect;
  bool yes = true;
  PMIX_INFO_CONSTRUCT(&collect);
  // Slurm's fence without data does not synchronize between hosts.
  PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
  using Promise = std::promise<pmix_status_t>;
  auto promise = std::make_unique<Promise>();  // the callback's, if there will be one
  std::future<pmix_status_t> ended = promise->get_future();
  pmix_status_t status = PMIx_Fence_nb(
      nullptr, 0, &collect, 1,
      [](pmix_status_t result, void* data) {
        std::unique_ptr<Promise>(static_cast<Promise*>(data))->set_value(result);
      },
      promise.get());
  constexpr std::chrono::milliseconds kTurn{10};
  if (status == PMIX_SUCCESS) {
    (void)promise.release();
    while (meanwhile && ended.wait_for(kTurn) != std::future_status::ready) meanwhile();
    status = ended.get();
  } else if (status == PMIX_OPERATION_SUCCEEDED) {
    status = PMIX_SUCCESS;
  }
  PMIX_INFO_DESTRUCT(&collect);
  if (status != PMIX_SUCCESS) {
    return fail_pmix(status, "rank {} ({}): barrier of job {} through PMIx", identity_.rank,
                     identity_.host, identity_.job);
  }
  return {};
}

void PmixBootstrap::abort(int status, const std::string& message) {
  // Our own mpirun shows what PMIx_Abort carries; of other servers not every one does.
  if (!connected_ || !identity_.job.starts_with("remit.")) {
    Log(fmt::format("remit: rank {} ({}): ", identity_.rank, identity_.host))
        .write(LogLevel::error, "{}", message);
  }
  if (connected_) PMIx_Abort(status, message.c_str(), nullptr, 0);
  ::_exit(status);
}

void PmixBootstrap::finalize(const std::function<void()>& meanwhile) {
  // A host that leaves early makes others of a Slurm job report lost messages. On one host the
  // server counts its clients itself. Only the first time: PMIx 4.2's server takes a client whose
  // departure it sees late off a fence that others have begun since. Were it to come to that fence
  // after all, as one that opens MPI again may, it would wait there for ever.
  if (connected_ && !has_left_ && identity_.local_size < identity_.size) {
    if (auto left = fence(meanwhile); !left) {
      Log().write(LogLevel::warning, "{}", left.error().message);
    }
  }
  has_left_ = true;
  leave();
}

Expected<> PmixBootstrap::reopen() {
  if (connected_) return {};
  const pmix_status_t status = join(&self_);
  if (status != PMIX_SUCCESS) {
    return fail_pmix(status, "rank {} ({}) cannot join its job {} again", identity_.rank,
                     identity_.host, identity_.job);
  }
  connected_ = true;
  return {};
}

std::vector<ProcessSet> PmixBootstrap::process_sets() {
  std::vector<ProcessSet> sets;
  const QueryAnswer names(self_, PMIX_QUERY_PSET_NAMES, nullptr);
  for (const std::string& name : split_names(text_in(names.value()).value_or(""))) {
    const QueryAnswer members(self_, PMIX_QUERY_PSET_MEMBERSHIP, name.c_str());
    ProcessSet set{name, ranks_in(members.value(), self_.nspace)};
    if (!set.ranks.empty()) sets.push_back(std::move(set));
  }
  return sets;
}

// --- names ---------------------------------------------------------------------------------------

Expected<> PmixBootstrap::publish_name(const std::string& name, const std::string& value) {
  pmix_info_t info;
  PMIX_INFO_CONSTRUCT(&info);
  PMIX_INFO_LOAD(&info, key_of_name(name).c_str(), value.c_str(), PMIX_STRING);
  const pmix_status_t status = PMIx_Publish(&info, 1);
  PMIX_INFO_DESTRUCT(&info);
  if (status == PMIX_SUCCESS) return {};
  if (status == PMIX_ERR_DUPLICATE_KEY) {
    return fail(MPI_ERR_SERVICE, "the name '{}' is published already", name);
  }
  if (status == PMIX_ERR_NOT_SUPPORTED) {
    return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                "the launcher of this job keeps no names for its processes: start them with "
                "Remit's mpirun");
  }
  return fail_pmix(status, "publishing the name '{}'", name);
}

Expected<std::string> PmixBootstrap::lookup_name(const std::string& name) {
  pmix_pdata_t found;
  PMIX_PDATA_CONSTRUCT(&found);
  PMIX_LOAD_KEY(found.key, key_of_name(name).c_str());
  const pmix_status_t status = PMIx_Lookup(&found, 1, nullptr, 0);
  const std::optional<std::string> value =
      status == PMIX_SUCCESS ? text_in(&found.value) : std::nullopt;
  PMIX_PDATA_DESTRUCT(&found);
  if (value) return *value;
  if (status == PMIX_ERR_NOT_SUPPORTED) {
    return fail(MPI_ERR_NAME,
                "the launcher of this job keeps no names for its processes: start them with "
                "Remit's mpirun");
  }
  return fail(MPI_ERR_NAME, "nobody has published the name '{}' (or it was unpublished): {}", name,
              PMIx_Error_string(status));
}

Expected<> PmixBootstrap::unpublish_name(const std::string& name) {
  std::string key = key_of_name(name);
  char* keys[] = {key.data(), nullptr};
  const pmix_status_t status = PMIx_Unpublish(keys, nullptr, 0);
  if (status == PMIX_SUCCESS) return {};
  return fail(MPI_ERR_SERVICE, "this process has not published the name '{}': {}", name,
              PMIx_Error_string(status));
}

// --- other jobs ----------------------------------------------------------------------------------

/// The programs of a request in PMIx's form.
class PmixApps {
 public:
  explicit PmixApps(const SpawnRequest& request) : count_(request.programs.size()) {
    PMIX_APP_CREATE(apps_, count_);
    for (std::size_t i = 0; i < count_; ++i) fill(apps_[i], request.programs[i]);
  }
  ~PmixApps() { PMIX_APP_FREE(apps_, count_); }
  PmixApps(const PmixApps&) = delete;
  PmixApps& operator=(const PmixApps&) = delete;

  [[nodiscard]] const pmix_app_t* data() const { return apps_; }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  static void fill(pmix_app_t& app, const SpawnProgram& program) {
    app.cmd = ::strdup(program.command.c_str());
    pmix_status_t status = PMIX_SUCCESS;
    PMIX_ARGV_APPEND(status, app.argv, program.command.c_str());
    for (const std::string& word : program.arguments) {
      PMIX_ARGV_APPEND(status, app.argv, word.c_str());
    }
    (void)status;  // only memory could be missing
    if (!program.wdir.empty()) app.cwd = ::strdup(program.wdir.c_str());
    app.maxprocs = program.processes;
    app.ninfo = 2;
    PMIX_INFO_CREATE(app.info, app.ninfo);
    PMIX_INFO_LOAD(&app.info[0], PMIX_HOST, program.host.c_str(), PMIX_STRING);
    PMIX_INFO_LOAD(&app.info[1], kSearchPathKey, program.path.c_str(), PMIX_STRING);
  }

  pmix_app_t* apps_ = nullptr;
  std::size_t count_;
};

/// PMIx has no words for a failure: our mpirun publishes them.
Expected<> PmixBootstrap::spawn(const SpawnRequest& request) {
  if (!identity_.job.starts_with("remit.")) {
    return fail(MPI_ERR_SPAWN,
                "the launcher of this job does not start processes for MPI_Comm_spawn: start the "
                "job with Remit's mpirun");
  }
  const PmixApps apps(request);
  pmix_info_t info;
  PMIX_INFO_CONSTRUCT(&info);
  PMIX_INFO_LOAD(&info, kParentPortKey, request.parent_port.c_str(), PMIX_STRING);
  pmix_nspace_t job;
  const pmix_status_t status = PMIx_Spawn(&info, 1, apps.data(), apps.size(), job);
  PMIX_INFO_DESTRUCT(&info);
  if (status == PMIX_SUCCESS) return {};
  const auto words = lookup_name(spawn_failure_name(identity_.job, identity_.rank));
  return fail(MPI_ERR_SPAWN, "{}", words ? *words : PMIx_Error_string(status));
}

std::optional<std::string> PmixBootstrap::parent_port() {
  const bool spawned = get_known(proc(PMIX_RANK_WILDCARD), PMIX_PARENT_ID) != nullptr;
  if (!spawned || !identity_.job.starts_with("remit.")) return std::nullopt;
  if (identity_.rank != 0) return "";
  return lookup_name(parent_port_name(identity_.job)).value_or("");
}

constexpr const char* kUnmappedUser =
    "; or because this process is in a user namespace without its user, who is nobody there (map "
    "it: unshare --map-current-user, podman run --userns=keep-id)";

/// The server asks the kernel who calls, and believes only the user it serves.
bool user_is_mapped() {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/proc/sys/kernel/overflowuid", "re"),
                                                   std::fclose);
  unsigned nobody = 0;
  return file == nullptr || std::fscanf(file.get(), "%u", &nobody) != 1 || ::getuid() != nobody;
}

}  // namespace

Expected<std::unique_ptr<Bootstrap>> open_pmix_bootstrap(int opening) {
  pmix_proc_t self;
  PMIX_PROC_CONSTRUCT(&self);
  const pmix_status_t status = join(&self);
  if (status != PMIX_SUCCESS) {
    const auto variable = [](const char* name) {
      const char* value = std::getenv(name);
      return value != nullptr ? value : "(not set)";
    };
    return fail_pmix(
        status,
        "PMIX_NAMESPACE={} and PMIX_RANK={} say that a PMIx server started this "
        "process, but it cannot be reached at PMIX_SERVER_URI4={}. Its launcher may be "
        "gone, or the environment was inherited from another job, or a container hides "
        "the server's files and addresses{}. To run alone, set REMIT_SINGLETON=1. "
        "PMIx_Init",
        variable("PMIX_NAMESPACE"), variable("PMIX_RANK"), variable("PMIX_SERVER_URI4"),
        user_is_mapped() ? "" : kUnmappedUser);
  }
  auto bootstrap = std::make_unique<PmixBootstrap>(self, opening);
  if (auto learned = bootstrap->learn_identity(); !learned) {
    return tl::unexpected(learned.error());
  }
  return bootstrap;
}

}  // namespace remit
