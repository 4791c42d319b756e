// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Each upcall copies what it was given, hands it to the io_context and returns: PMIx's thread must
// not block. An answer may come from any thread, where answer_on_pmix_thread() does not say
// otherwise.
#include "launcher/pmix/pmix_upcalls.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "launcher/pmix/pmix_info.hpp"
#include "launcher/pmix/pmix_server.hpp"
#include "runtime/bootstrap/spawn_keys.hpp"

namespace remit::launcher {
namespace {

std::atomic<PmixServer*> the_server{nullptr};

void free_copy(void* copy) {
  std::free(copy);
}

void delete_info(void* info) {
  delete static_cast<PmixInfo*>(info);
}

std::vector<pmix_proc_t> processes(const std::string& nspace, const std::vector<int>& ranks) {
  std::vector<pmix_proc_t> list(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    PMIX_LOAD_PROCID(&list[i], nspace.c_str(), static_cast<pmix_rank_t>(ranks[i]));
  }
  return list;
}

ProcessName process_name(const pmix_proc_t& process) {
  const bool all = process.rank == PMIX_RANK_WILDCARD;
  return {process.nspace, all ? ProcessName::kAll : static_cast<int>(process.rank)};
}

std::vector<ProcessName> names_of(const pmix_proc_t list[], size_t count) {
  std::vector<ProcessName> names;
  for (size_t i = 0; i < count; ++i) names.push_back(process_name(list[i]));
  return names;
}

/// The text of a key; empty if it is not there.
std::string info_text(const pmix_info_t info[], size_t ninfo, const char* key) {
  for (size_t i = 0; i < ninfo; ++i) {
    const pmix_value_t& value = info[i].value;
    if (PMIX_CHECK_KEY(&info[i], key) && value.type == PMIX_STRING && value.data.string != nullptr)
      return value.data.string;
  }
  return {};
}

// Any PMIx values as bytes, and back into as many that are constructed.
std::string pack(const void* values, std::size_t count, pmix_data_type_t type) {
  pmix_data_buffer_t buffer;
  PMIX_DATA_BUFFER_CONSTRUCT(&buffer);
  std::string bytes;
  if (PMIx_Data_pack(nullptr, &buffer, const_cast<void*>(values), static_cast<std::int32_t>(count),
                     type) == PMIX_SUCCESS) {
    bytes.assign(buffer.base_ptr, buffer.bytes_used);
  }
  PMIX_DATA_BUFFER_DESTRUCT(&buffer);
  return bytes;
}

bool unpack(const std::string& bytes, void* values, std::size_t count, pmix_data_type_t type) {
  pmix_data_buffer_t buffer;
  PMIX_DATA_BUFFER_CONSTRUCT(&buffer);
  pmix_byte_object_t object{};
  object.bytes = static_cast<char*>(std::malloc(bytes.size()));
  std::memcpy(object.bytes, bytes.data(), bytes.size());
  object.size = bytes.size();
  auto got = static_cast<std::int32_t>(count);
  const bool good = PMIx_Data_load(&buffer, &object) == PMIX_SUCCESS &&
                    PMIx_Data_unpack(nullptr, &buffer, values, &got, type) == PMIX_SUCCESS &&
                    static_cast<std::size_t>(got) == count;
  PMIX_DATA_BUFFER_DESTRUCT(&buffer);
  return good;
}

std::string pack_value(const pmix_value_t& value) {
  return pack(&value, 1, PMIX_VALUE);
}

bool unpack_value(const std::string& bytes, pmix_value_t* value) {
  return unpack(bytes, value, 1, PMIX_VALUE);
}

/// The items that PMIx's server looks into without asking of what type they are.
bool is_sound_info(const pmix_info_t& info) {
  const pmix_value_t& value = info.value;
  if (PMIX_CHECK_KEY(&info, PMIX_EVENT_AFFECTED_PROC)) {
    return value.type == PMIX_PROC && value.data.proc != nullptr;
  }
  const bool lists = PMIX_CHECK_KEY(&info, PMIX_EVENT_AFFECTED_PROCS) ||
                     PMIX_CHECK_KEY(&info, PMIX_EVENT_CUSTOM_RANGE);
  if (!lists) return true;
  if (value.type == PMIX_PROC) {
    return value.data.proc != nullptr && PMIX_CHECK_KEY(&info, PMIX_EVENT_CUSTOM_RANGE);
  }
  return value.type == PMIX_DATA_ARRAY && value.data.darray != nullptr &&
         value.data.darray->type == PMIX_PROC && value.data.darray->array != nullptr;
}

void answer_bytes(pmix_status_t status, const std::string& bytes, pmix_modex_cbfunc_t done,
                  void* data) {
  char* copy = nullptr;
  if (!bytes.empty()) {
    copy = static_cast<char*>(std::malloc(bytes.size()));
    std::memcpy(copy, bytes.data(), bytes.size());
  }
  done(status, copy, bytes.size(), data, free_copy, copy);
}

std::vector<std::string> key_list(char** keys) {
  std::vector<std::string> list;
  for (char** key = keys; key != nullptr && *key != nullptr; ++key) list.emplace_back(*key);
  return list;
}

// Events for others than those of the host that they come from.
bool leaves_host(pmix_data_range_t range) {
  return range == PMIX_RANGE_NAMESPACE || range == PMIX_RANGE_SESSION ||
         range == PMIX_RANGE_GLOBAL || range == PMIX_RANGE_CUSTOM;
}

// Keys PMIx adds to a request for itself, which are no data.
bool is_directive(const pmix_info_t& info) {
  for (const char* key : {PMIX_RANGE, PMIX_PERSISTENCE, PMIX_USERID, PMIX_GRPID, PMIX_TIMEOUT}) {
    if (std::strncmp(info.key, key, PMIX_MAX_KEYLEN) == 0) return true;
  }
  return false;
}

// Calls a function on PMIx's own thread, where PMIx 4.2 needs the answers to look-ups and queries:
// it appends them to the queue of a connection that this thread uses without a lock, so that one
// from elsewhere can stay there for good (those to other upcalls it hands over by itself).
void answer_on_pmix_thread(std::function<void()> answer) {
  // The end of a client that there is not does nothing but call back, on that thread.
  pmix_proc_t nobody;
  PMIX_LOAD_PROCID(&nobody, "nobody", 0);
  PMIx_server_deregister_client(
      &nobody,
      [](pmix_status_t status, void* kept) {
        const std::unique_ptr<std::function<void()>> function(
            static_cast<std::function<void()>*>(kept));
        if (status == PMIX_SUCCESS) (*function)();
      },
      new std::function<void()>(std::move(answer)));
}

void answer_lookup(const std::vector<DataStore::Item>& items, std::size_t asked,
                   pmix_lookup_cbfunc_t done, void* data) {
  std::vector<pmix_pdata_t> found(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    PMIX_PDATA_CONSTRUCT(&found[i]);
    PMIX_LOAD_PROCID(&found[i].proc, items[i].owner_job.c_str(),
                     static_cast<pmix_rank_t>(items[i].owner_rank));
    PMIX_LOAD_KEY(found[i].key, items[i].key.c_str());
    unpack_value(items[i].value, &found[i].value);
  }
  pmix_status_t status = PMIX_SUCCESS;
  if (found.empty()) {
    status = PMIX_ERR_NOT_FOUND;
  } else if (found.size() < asked) {
    status = PMIX_ERR_PARTIAL_SUCCESS;
  }
  done(status, found.data(), found.size(), data);
  for (pmix_pdata_t& item : found) PMIX_PDATA_DESTRUCT(&item);
}

}  // namespace

void PmixUpcalls::set_server(PmixServer* server) {
  the_server = server;
}

pmix_server_module_t PmixUpcalls::module() {
  pmix_server_module_t module{};
  module.client_connected2 = connected;
  module.client_finalized = finalized;
  module.abort = abort;
  module.fence_nb = fence;
  module.direct_modex = direct_modex;
  module.publish = publish;
  module.lookup = lookup;
  module.unpublish = unpublish;
  module.connect = connect;
  module.disconnect = connect;
  module.register_events = register_events;
  module.deregister_events = deregister_events;
  module.notify_event = notify_event;
  module.group = group;
  module.query = query;
  module.spawn = spawn;
  module.job_control = job_control;
  return module;
}

pmix_status_t PmixUpcalls::connected(const pmix_proc_t* process, void*, pmix_info_t[], size_t,
                                     pmix_op_cbfunc_t, void*) {
  PmixServer* server = the_server;
  if (server == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  asio::post(server->io_, [server, who = process_name(*process)] {
    if (const int number = server->number_of(who); number >= 0) {
      server->callbacks_.connected(number);
    }
  });
  return PMIX_OPERATION_SUCCEEDED;
}

// Only about process sets: those of the job that is named, or else of the first one. PMIx 4.2 does
// not say who asks; it gives the name of the server.
pmix_status_t PmixUpcalls::query(pmix_proc_t*, pmix_query_t* queries, size_t nqueries,
                                 pmix_info_cbfunc_t done, void* data) {
  PmixServer* server = the_server;
  if (server == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  struct Question {
    std::string key, job, about;
  };
  std::vector<Question> asked;
  for (size_t i = 0; i < nqueries; ++i) {
    const pmix_query_t& query = queries[i];
    const std::string job = info_text(query.qualifiers, query.nqual, PMIX_NSPACE);
    const std::string about = info_text(query.qualifiers, query.nqual, PMIX_PSET_NAME);
    for (std::string& key : key_list(query.keys)) asked.push_back({std::move(key), job, about});
  }
  asio::post(server->io_, [server, asked, done, data] {
    auto answers = std::make_unique<PmixInfo>();
    for (const auto& [key, asker, about] : asked) {
      const std::string& job = asker.empty() ? server->root_ : asker;
      const auto found = server->jobs_.find(job);
      if (found == server->jobs_.end()) continue;
      const auto& sets = found->second.sets;
      if (key == PMIX_QUERY_NUM_PSETS) answers->add(PMIX_QUERY_NUM_PSETS, sets.size());
      if (key == PMIX_QUERY_PSET_NAMES) {
        std::string names;
        for (const auto& set : sets) names += (names.empty() ? "" : ",") + set.name;
        answers->add(PMIX_QUERY_PSET_NAMES, names);
      }
      for (const auto& set : sets) {
        if (key == PMIX_QUERY_PSET_MEMBERSHIP && set.name == about) {
          answers->add(PMIX_QUERY_PSET_MEMBERSHIP, processes(job, set.ranks));
        }
      }
    }
    answer_on_pmix_thread([done, data, kept = answers.release()] {
      const pmix_status_t status = kept->size() > 0 ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND;
      done(status, kept->data(), kept->size(), data, delete_info, kept);
    });
  });
  return PMIX_SUCCESS;
}

namespace {

SpawnOrder order_of(const pmix_info_t info[], size_t ninfo, const pmix_app_t apps[], size_t napps) {
  SpawnOrder order;
  order.parent_port = info_text(info, ninfo, kParentPortKey);
  for (size_t i = 0; i < napps; ++i) {
    const pmix_app_t& app = apps[i];
    SpawnOrder::Program program;
    program.argv = key_list(app.argv);
    if (program.argv.empty() && app.cmd != nullptr) program.argv.emplace_back(app.cmd);
    program.env = key_list(app.env);
    if (app.cwd != nullptr) program.wdir = app.cwd;
    program.ranks = app.maxprocs;
    program.hosts = info_text(app.info, app.ninfo, PMIX_HOST);
    program.path = info_text(app.info, app.ninfo, kSearchPathKey);
    order.programs.push_back(std::move(program));
  }
  return order;
}

}  // namespace

pmix_status_t PmixUpcalls::spawn(const pmix_proc_t* process, const pmix_info_t info[], size_t ninfo,
                                 const pmix_app_t apps[], size_t napps, pmix_spawn_cbfunc_t done,
                                 void* data) {
  PmixServer* server = the_server;
  if (server == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  asio::post(server->io_, [server, who = process_name(*process),
                           order = order_of(info, ninfo, apps, napps), done, data]() mutable {
    order.asker = server->number_of(who);
    const auto answer = [server, who, done, data](const std::string& error,
                                                  const std::string& job) {
      if (error.empty()) {
        pmix_nspace_t name;
        PMIX_LOAD_NSPACE(name, job.c_str());
        return done(PMIX_SUCCESS, name, data);
      }
      // PMIx has no words for it, so the rank looks them up.
      server->publish_text(spawn_failure_name(who.job, who.rank), who, error,
                           [done, data] { done(PMIX_ERR_JOB_FAILED_TO_LAUNCH, nullptr, data); });
    };
    server->callbacks_.spawn(order, answer);
  });
  return PMIX_SUCCESS;
}

void PmixServer::publish_text(const std::string& name, const ProcessName& owner,
                              const std::string& text, const std::function<void()>& done) {
  pmix_value_t value;
  PMIX_VALUE_CONSTRUCT(&value);
  PMIx_Value_load(&value, text.c_str(), PMIX_STRING);
  const DataStore::Item item{key_of_name(name), owner.job, owner.rank, pack_value(value), true};
  PMIX_VALUE_DESTRUCT(&value);
  if (exchange_ != nullptr) return exchange_->publish({item}, [done](bool) { done(); });
  (void)store_.publish(item);
  done();
}

pmix_status_t PmixUpcalls::finalized(const pmix_proc_t* process, void*, pmix_op_cbfunc_t, void*) {
  PmixServer* server = the_server;
  if (server == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  // Posted before the client gets its answer, so before its exit can be seen.
  asio::post(server->io_, [server, who = process_name(*process)] {
    if (const int number = server->number_of(who); number >= 0) {
      server->callbacks_.finalized(number);
    }
  });
  return PMIX_OPERATION_SUCCEEDED;
}

// MPI lets an implementation end the whole job whatever communicator was aborted; so `processes`
// is not looked at.
pmix_status_t PmixUpcalls::abort(const pmix_proc_t* process, void*, int status,
                                 const char message[], pmix_proc_t[], size_t, pmix_op_cbfunc_t,
                                 void*) {
  PmixServer* server = the_server;
  if (server == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  asio::post(server->io_, [server, status, who = process_name(*process),
                           text = std::string(message == nullptr ? "" : message)] {
    if (const int number = server->number_of(who); number >= 0) {
      server->callbacks_.aborted(number, status, text);
    }
  });
  return PMIX_OPERATION_SUCCEEDED;
}

// PMIx completes a fence of ranks of one host itself; between hosts the exchange does it. If PMIx
// asks though there is no exchange, the data of all hosts together is the data of this one.
pmix_status_t PmixUpcalls::fence(const pmix_proc_t list[], size_t nlist, const pmix_info_t[],
                                 size_t, char* blob, size_t nblob, pmix_modex_cbfunc_t done,
                                 void* data) {
  PmixServer* server = the_server;
  if (server == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  std::string own(nblob > 0 ? blob : "", nblob);
  if (server->exchange_ == nullptr) {
    answer_bytes(PMIX_SUCCESS, own, done, data);
    return PMIX_SUCCESS;
  }
  asio::post(server->io_,
             [server, members = names_of(list, nlist), own = std::move(own), done, data]() mutable {
               const ProcessRuns runs = server->runs_of(members);
               if (runs.empty()) return answer_bytes(PMIX_ERR_NOT_FOUND, "", done, data);
               server->exchange_->collect("fence", runs, std::move(own),
                                          [done, data](const std::string& all, std::uint64_t) {
                                            answer_bytes(PMIX_SUCCESS, all, done, data);
                                          });
             });
  return PMIX_SUCCESS;
}

// Ranks of this host never come here.
pmix_status_t PmixUpcalls::direct_modex(const pmix_proc_t* process, const pmix_info_t[], size_t,
                                        pmix_modex_cbfunc_t done, void* data) {
  PmixServer* server = the_server;
  if (server == nullptr || server->exchange_ == nullptr) return PMIX_ERR_NOT_FOUND;
  asio::post(server->io_, [server, whose = process_name(*process), done, data] {
    server->exchange_->modex(server->number_of(whose),
                             [done, data](int status, const std::string& bytes) {
                               answer_bytes(status, bytes, done, data);
                             });
  });
  return PMIX_SUCCESS;
}

pmix_status_t PmixUpcalls::publish(const pmix_proc_t* process, const pmix_info_t info[],
                                   size_t ninfo, pmix_op_cbfunc_t done, void* data) {
  PmixServer* server = the_server;
  if (server == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  bool once = false;
  std::vector<DataStore::Item> items;
  for (size_t i = 0; i < ninfo; ++i) {
    if (PMIX_CHECK_KEY(&info[i], PMIX_PERSISTENCE)) {
      once = info[i].value.data.persist == PMIX_PERSIST_FIRST_READ;
    }
    if (is_directive(info[i])) continue;
    items.push_back({info[i].key, process->nspace, static_cast<int>(process->rank),
                     pack_value(info[i].value), false});
  }
  asio::post(server->io_, [server, items = std::move(items), once, done, data]() mutable {
    pmix_status_t status = PMIX_SUCCESS;
    if (server->exchange_ != nullptr) {
      for (DataStore::Item& item : items) item.once = once;
      return server->exchange_->publish(items, [done, data](bool good) {
        done(good ? PMIX_SUCCESS : PMIX_ERR_DUPLICATE_KEY, data);
      });
    }
    for (DataStore::Item& item : items) {
      item.once = once;
      if (!server->store_.publish(std::move(item))) status = PMIX_ERR_DUPLICATE_KEY;
    }
    done(status, data);
  });
  return PMIX_SUCCESS;
}

pmix_status_t PmixUpcalls::lookup(const pmix_proc_t*, char** keys, const pmix_info_t info[],
                                  size_t ninfo, pmix_lookup_cbfunc_t done, void* data) {
  PmixServer* server = the_server;
  if (server == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  bool wait = false;
  int timeout_s = 0;
  for (size_t i = 0; i < ninfo; ++i) {
    if (PMIX_CHECK_KEY(&info[i], PMIX_WAIT)) wait = true;
    if (PMIX_CHECK_KEY(&info[i], PMIX_TIMEOUT)) timeout_s = info[i].value.data.integer;
  }
  asio::post(server->io_, [server, wait, timeout_s, done, data, asked = key_list(keys)] {
    const auto answer = [count = asked.size(), done,
                         data](const std::vector<DataStore::Item>& items) {
      answer_on_pmix_thread(
          [items, count, done, data] { answer_lookup(items, count, done, data); });
    };
    if (server->exchange_ != nullptr) {
      return server->exchange_->lookup(asked, wait, timeout_s, answer);
    }
    const std::uint64_t ticket = server->store_.lookup(asked, wait, answer);
    if (ticket == 0 || timeout_s <= 0) return;
    auto timer = std::make_shared<asio::steady_timer>(server->io_, std::chrono::seconds(timeout_s));
    timer->async_wait([server, ticket, timer](std::error_code) { server->store_.expire(ticket); });
  });
  return PMIX_SUCCESS;
}

pmix_status_t PmixUpcalls::unpublish(const pmix_proc_t* process, char** keys, const pmix_info_t[],
                                     size_t, pmix_op_cbfunc_t done, void* data) {
  PmixServer* server = the_server;
  if (server == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  asio::post(server->io_, [server, owner = *process, names = key_list(keys), done, data] {
    const auto rank = static_cast<int>(owner.rank);
    const auto answer = [done, data](bool good) {
      done(good ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, data);
    };
    if (server->exchange_ != nullptr) {
      server->exchange_->unpublish(owner.nspace, rank, names, answer);
    } else {
      answer(server->store_.unpublish(owner.nspace, rank, names));
    }
  });
  return PMIX_SUCCESS;
}

// PMIx calls when all ranks of this host have.
pmix_status_t PmixUpcalls::connect(const pmix_proc_t list[], size_t nlist, const pmix_info_t[],
                                   size_t, pmix_op_cbfunc_t done, void* data) {
  PmixServer* server = the_server;
  if (server == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  if (server->exchange_ == nullptr) return PMIX_OPERATION_SUCCEEDED;
  asio::post(server->io_, [server, members = names_of(list, nlist), done, data] {
    const ProcessRuns runs = server->runs_of(members);
    if (runs.empty()) return done(PMIX_ERR_NOT_FOUND, data);
    server->exchange_->collect(
        "connect", runs, "",
        [done, data](const std::string&, std::uint64_t) { done(PMIX_SUCCESS, data); });
  });
  return PMIX_SUCCESS;
}

pmix_status_t PmixUpcalls::register_events(pmix_status_t*, size_t, const pmix_info_t[], size_t,
                                           pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t PmixUpcalls::deregister_events(pmix_status_t*, size_t, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

// PMIx has told the ranks of this host already.
pmix_status_t PmixUpcalls::notify_event(pmix_status_t code, const pmix_proc_t* source,
                                        pmix_data_range_t range, pmix_info_t info[], size_t ninfo,
                                        pmix_op_cbfunc_t, void*) {
  PmixServer* server = the_server;
  if (server == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  if (server->exchange_ == nullptr || !leaves_host(range)) return PMIX_OPERATION_SUCCEEDED;
  PmixEvent event{code, process_name(*source), range, static_cast<int>(ninfo), ""};
  if (ninfo > 0) event.info = pack(info, ninfo, PMIX_INFO);
  asio::post(server->io_, [server, event = std::move(event)] { server->exchange_->notify(event); });
  return PMIX_OPERATION_SUCCEEDED;
}

// Which processes it is for PMIx finds in the items, but that of a namespace it does not ask for.
void PmixServer::notified(const PmixEvent& event) const {
  const auto range = static_cast<pmix_data_range_t>(event.range);
  const auto job = jobs_.find(event.source.job);
  if (event.range != range || !leaves_host(range) || job == jobs_.end()) return;
  if (range == PMIX_RANGE_NAMESPACE && !job->second.is_here) return;
  std::vector<pmix_info_t> infos(static_cast<std::size_t>(event.infos));
  for (pmix_info_t& info : infos) PMIX_INFO_CONSTRUCT(&info);
  if (infos.empty() || (unpack(event.info, infos.data(), infos.size(), PMIX_INFO) &&
                        std::ranges::all_of(infos, is_sound_info))) {
    pmix_proc_t source;
    PMIX_LOAD_PROCID(&source, event.source.job.c_str(),
                     static_cast<pmix_rank_t>(event.source.rank));
    (void)PMIx_Notify_event(event.status, &source, range, infos.data(), infos.size(), nullptr,
                            nullptr);
  }
  for (pmix_info_t& info : infos) PMIX_INFO_DESTRUCT(&info);
}

namespace {

/// The signals that carry out what is asked for, in that order; none: nothing of it can be.
/// nullopt: something that must be cannot.
std::optional<std::vector<int>> signals_of(const pmix_info_t directives[], size_t count) {
  std::vector<int> signals;
  for (size_t i = 0; i < count; ++i) {
    const pmix_info_t& info = directives[i];
    const auto wants = [&info](const char* key) {
      return PMIX_CHECK_KEY(&info, key) && PMIX_INFO_TRUE(&info);
    };
    if (wants(PMIX_JOB_CTRL_PAUSE)) {
      signals.push_back(SIGSTOP);
    } else if (wants(PMIX_JOB_CTRL_RESUME)) {
      signals.push_back(SIGCONT);
    } else if (wants(PMIX_JOB_CTRL_KILL)) {
      signals.push_back(SIGKILL);
    } else if (wants(PMIX_JOB_CTRL_TERMINATE)) {
      signals.insert(signals.end(), {SIGTERM, SIGCONT});  // one that is stopped hears it then
    } else if (PMIX_CHECK_KEY(&info, PMIX_JOB_CTRL_SIGNAL)) {
      const int signal = info.value.type == PMIX_INT ? info.value.data.integer : 0;
      if (signal <= 0 || signal > SIGRTMAX) return std::nullopt;
      signals.push_back(signal);
    } else if (PMIX_INFO_IS_REQUIRED(&info) && !PMIX_CHECK_KEY(&info, PMIX_JOB_CTRL_ID)) {
      return std::nullopt;
    }
  }
  return signals;
}

}  // namespace

pmix_status_t PmixUpcalls::job_control(const pmix_proc_t* process, const pmix_proc_t targets[],
                                       size_t ntargets, const pmix_info_t directives[],
                                       size_t ndirectives, pmix_info_cbfunc_t done, void* data) {
  PmixServer* server = the_server;
  const std::optional<std::vector<int>> signals = signals_of(directives, ndirectives);
  if (server == nullptr || !signals || signals->empty()) return PMIX_ERR_NOT_SUPPORTED;
  const ProcessName asker = process_name(*process);
  std::vector<ProcessName> whom = names_of(targets, ntargets);
  if (whom.empty()) whom.push_back({asker.job, ProcessName::kAll});
  asio::post(server->io_, [server, asker, whom, wanted = *signals, done, data] {
    const JobControl control = {server->number_of(asker), server->runs_of(whom), wanted};
    const bool known = control.asker >= 0 && !control.processes.empty();
    if (known) server->callbacks_.control(control);
    answer_on_pmix_thread([known, done, data] {
      done(known ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, nullptr, 0, data, nullptr, nullptr);
    });
  });
  return PMIX_SUCCESS;
}

pmix_status_t PmixUpcalls::group(pmix_group_operation_t operation, char name[],
                                 const pmix_proc_t list[], size_t nlist,
                                 const pmix_info_t directives[], size_t ndirectives,
                                 pmix_info_cbfunc_t done, void* data) {
  PmixServer* server = the_server;
  if (server == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  bool wants_context = false;
  for (size_t i = 0; i < ndirectives; ++i) {
    if (PMIX_CHECK_KEY(&directives[i], PMIX_GROUP_ASSIGN_CONTEXT_ID)) wants_context = true;
  }
  wants_context = wants_context && operation == PMIX_GROUP_CONSTRUCT;
  const auto answer = [wants_context, done, data](std::size_t context) {
    auto* results = new PmixInfo;
    if (wants_context) results->add(PMIX_GROUP_CONTEXT_ID, context);
    done(
        PMIX_SUCCESS, results->size() > 0 ? results->data() : nullptr, results->size(), data,
        [](void* kept) { delete static_cast<PmixInfo*>(kept); }, results);
  };
  const std::string what = operation == PMIX_GROUP_CONSTRUCT ? "group " : "end of group ";
  asio::post(server->io_, [server, answer, members = names_of(list, nlist), what = what + name,
                           done, data] {
    if (server->exchange_ == nullptr) return answer(server->next_group_context_++);
    const ProcessRuns runs = server->runs_of(members);
    if (runs.empty()) return done(PMIX_ERR_NOT_FOUND, nullptr, 0, data, nullptr, nullptr);
    server->exchange_->collect(
        what, runs, "", [answer](const std::string&, std::uint64_t number) { answer(number); });
  });
  return PMIX_SUCCESS;
}

}  // namespace remit::launcher
