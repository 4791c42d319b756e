// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Collecting over the tree, and requests with their answers.
#include "launcher/pmix/host_exchange.hpp"

#include <pmix_common.h>

#include <algorithm>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <optional>

#include "launcher/tree/wire.hpp"

namespace remit::launcher {
namespace {

void write_items(const std::vector<DataStore::Item>& items, WireWriter* writer) {
  writer->number(static_cast<std::int64_t>(items.size()));
  for (const DataStore::Item& item : items) {
    writer->text(item.key);
    writer->text(item.owner_job);
    writer->number(item.owner_rank);
    writer->text(item.value);
    writer->number(item.once ? 1 : 0);
  }
}

std::vector<DataStore::Item> read_items(WireReader* reader) {
  std::vector<DataStore::Item> items;
  for (std::int64_t count = reader->number(); count > 0 && reader->good(); --count) {
    DataStore::Item item;
    item.key = reader->text();
    item.owner_job = reader->text();
    item.owner_rank = static_cast<int>(reader->number());
    item.value = reader->text();
    item.once = reader->number() != 0;
    items.push_back(std::move(item));
  }
  return items;
}

void write_event(const PmixEvent& event, WireWriter* writer) {
  writer->number(event.status);
  writer->text(event.source.job);
  writer->number(event.source.rank);
  writer->number(event.range);
  writer->number(event.infos);
  writer->text(event.info);
}

// Nothing else may follow it.
std::optional<PmixEvent> read_event(WireReader* reader) {
  PmixEvent event;
  event.status = reader->integer();
  event.source.job = reader->text();
  event.source.rank = reader->integer();
  event.range = reader->integer();
  event.infos = reader->integer();
  event.info = reader->text();
  // Each takes a byte or more.
  const bool good = reader->complete() && event.infos >= 0 &&
                    static_cast<std::size_t>(event.infos) <= event.info.size();
  return good ? std::optional(std::move(event)) : std::nullopt;
}

// "0+4,6+1"
std::string text_of(const ProcessRuns& runs) {
  std::string text;
  for (const ProcessRun& run : runs) {
    text += fmt::format("{}{}+{}", text.empty() ? "" : ",", run.first, run.count);
  }
  return text;
}

template <class Value>
Value taken(std::map<std::int64_t, Value>& waiting, std::int64_t id) {
  const auto found = waiting.find(id);
  if (found == waiting.end()) return {};
  Value value = std::move(found->second);
  waiting.erase(found);
  return value;
}

}  // namespace

void HostExchange::add_job(const Job& job) {
  for (const Rank& rank : job.ranks) {
    nodes_.push_back(job.hosts[static_cast<std::size_t>(rank.host)].node);
  }
}

int HostExchange::node_of(int process) const {
  const bool exists = process >= 0 && process < processes();
  return exists ? nodes_[static_cast<std::size_t>(process)] : -1;
}

// The nodes that have some of these processes.
std::vector<int> HostExchange::nodes_of(const ProcessRuns& members) const {
  std::vector<bool> has(static_cast<std::size_t>(tree_.tree().nodes()));
  for (const ProcessRun& run : members) {
    for (int i = 0; i < run.count; ++i) {
      has[static_cast<std::size_t>(node_of(run.first + i))] = true;
    }
  }
  std::vector<int> nodes;
  for (int node = 0; node < tree_.tree().nodes(); ++node) {
    if (has[static_cast<std::size_t>(node)]) nodes.push_back(node);
  }
  return nodes;
}

bool HostExchange::is_needed(const std::vector<int>& nodes, int top) const {
  return std::ranges::any_of(nodes, [&](int node) { return tree_.tree().is_within(node, top); });
}

HostExchange::Gathering* HostExchange::gathering(const std::string& key,
                                                 const ProcessRuns& members) {
  const auto [place, is_new] = gatherings_.try_emplace(key);
  Gathering& entry = place->second;
  if (is_new) {
    entry.members = members;
    const std::vector<int> nodes = nodes_of(members);
    entry.missing = std::ranges::count(nodes, tree_.self()) > 0 ? 1 : 0;
    for (const int child : tree_.tree().children(tree_.self())) {
      if (is_needed(nodes, child)) ++entry.missing;
    }
  }
  return &entry;
}

void HostExchange::collect(const std::string& name, const ProcessRuns& members, std::string data,
                           Collected done) {
  const std::string kind = fmt::format("{} {}", name, text_of(members));
  const std::string key = fmt::format("{} {}", kind, rounds_[kind]++);
  Gathering* entry = gathering(key, members);
  entry->done = std::move(done);
  contribute(key, entry, data);
}

void HostExchange::contribute(const std::string& key, Gathering* entry, std::string_view data) {
  entry->data.append(data);
  if (entry->missing > 0) --entry->missing;
  if (entry->missing > 0) return;
  const std::string all = std::move(entry->data);
  if (tree_.self() == 0) return distribute(key, all, next_number_++);
  WireWriter writer;
  writer.text(key);
  write_runs(entry->members, &writer);
  writer.text(all);
  tree_.send(tree_.tree().parent(tree_.self()), MessageKind::collect, writer.bytes());
}

void HostExchange::take_part(const Message& message) {
  WireReader reader(message.payload);
  const std::string key = reader.text();
  const ProcessRuns members = read_runs(&reader);
  const std::string data = reader.text();
  if (reader.complete() && are_sound(members, processes()))
    contribute(key, gathering(key, members), data);
}

void HostExchange::distribute(const std::string& key, const std::string& data,
                              std::uint64_t number) {
  const auto found = gatherings_.find(key);
  if (found == gatherings_.end()) return;
  const Gathering entry = std::move(found->second);
  gatherings_.erase(found);
  const std::vector<int> nodes = nodes_of(entry.members);
  WireWriter writer;
  writer.text(key);
  writer.text(data);
  writer.number(static_cast<std::int64_t>(number));
  for (const int child : tree_.tree().children(tree_.self())) {
    if (is_needed(nodes, child)) tree_.send(child, MessageKind::collected, writer.bytes());
  }
  if (entry.done) entry.done(data, number);
}

void HostExchange::take_result(const Message& message) {
  WireReader reader(message.payload);
  const std::string key = reader.text();
  const std::string data = reader.text();
  const std::int64_t number = reader.number();
  if (reader.complete()) distribute(key, data, static_cast<std::uint64_t>(number));
}

void HostExchange::modex(int process, Data done) {
  const int node = node_of(process);
  if (node < 0) return done(PMIX_ERR_NOT_FOUND, "");
  const std::int64_t id = next_request_++;
  modexes_[id] = std::move(done);
  WireWriter writer;
  writer.number(id);
  writer.number(process);
  tree_.send(node, MessageKind::modex, writer.bytes());
}

void HostExchange::answer_modex(const Message& message) {
  WireReader reader(message.payload);
  const std::int64_t id = reader.number();
  const int process = reader.integer();
  const auto answer = [this, id, from = message.from](int status, const std::string& data) {
    WireWriter writer;
    writer.number(id);
    writer.number(status);
    writer.text(data);
    tree_.send(from, MessageKind::modex_answer, writer.bytes());
  };
  if (!reader.complete() || !server_.data) return answer(PMIX_ERR_NOT_FOUND, "");
  server_.data(process, answer);
}

void HostExchange::take_modex(const Message& message) {
  WireReader reader(message.payload);
  const std::int64_t id = reader.number();
  const auto status = static_cast<int>(reader.number());
  std::string data = reader.text();
  const Data done = taken(modexes_, id);
  if (reader.complete() && done) done(status, std::move(data));
}

void HostExchange::publish(const std::vector<DataStore::Item>& items,
                           std::function<void(bool)> done) {
  const std::int64_t id = next_request_++;
  publications_[id] = std::move(done);
  WireWriter writer;
  writer.number(id);
  write_items(items, &writer);
  tree_.send(0, MessageKind::publish, writer.bytes());
}

void HostExchange::store_published(const Message& message) {
  WireReader reader(message.payload);
  const std::int64_t id = reader.number();
  std::vector<DataStore::Item> items = read_items(&reader);
  bool good = reader.complete();
  if (!good) items.clear();
  for (DataStore::Item& item : items) {
    if (!store_.publish(std::move(item))) good = false;  // a duplicate; the others count
  }
  WireWriter writer;
  writer.number(id);
  writer.number(good ? 1 : 0);
  tree_.send(message.from, MessageKind::published, writer.bytes());
}

void HostExchange::lookup(const std::vector<std::string>& keys, bool wait, int timeout_s,
                          DataStore::Answer answer) {
  const std::int64_t id = next_request_++;
  lookups_[id] = std::move(answer);
  WireWriter writer;
  writer.number(id);
  writer.texts(keys);
  writer.number(wait ? 1 : 0);
  writer.number(timeout_s);
  tree_.send(0, MessageKind::lookup, writer.bytes());
}

void HostExchange::answer_lookup(const Message& message) {
  WireReader reader(message.payload);
  const std::int64_t id = reader.number();
  const std::vector<std::string> keys = reader.texts();
  const bool wait = reader.number() != 0;
  const auto timeout_s = static_cast<int>(reader.number());
  if (!reader.complete()) return;
  const auto answer = [this, id, from = message.from](const std::vector<DataStore::Item>& items) {
    WireWriter writer;
    writer.number(id);
    write_items(items, &writer);
    tree_.send(from, MessageKind::found, writer.bytes());
  };
  const std::uint64_t ticket = store_.lookup(keys, wait, answer);
  if (ticket == 0 || timeout_s <= 0) return;
  auto timer = std::make_shared<asio::steady_timer>(io_, std::chrono::seconds(timeout_s));
  timer->async_wait([this, ticket, timer](std::error_code) { store_.expire(ticket); });
}

void HostExchange::take_found(const Message& message) {
  WireReader reader(message.payload);
  const std::int64_t id = reader.number();
  const std::vector<DataStore::Item> items = read_items(&reader);
  const DataStore::Answer answer = taken(lookups_, id);
  if (reader.complete() && answer) answer(items);
}

void HostExchange::unpublish(const std::string& owner_job, int owner_rank,
                             const std::vector<std::string>& keys, std::function<void(bool)> done) {
  const std::int64_t id = next_request_++;
  publications_[id] = std::move(done);
  WireWriter writer;
  writer.number(id);
  writer.text(owner_job);
  writer.number(owner_rank);
  writer.texts(keys);
  tree_.send(0, MessageKind::unpublish, writer.bytes());
}

void HostExchange::notify(const PmixEvent& event) {
  WireWriter writer;
  write_event(event, &writer);
  tree_.send(0, MessageKind::notify, writer.bytes());
}

// At mpirun.
void HostExchange::pass_event(const Message& message) {
  WireReader reader(message.payload);
  if (tree_.self() != 0 || !read_event(&reader)) return;
  WireWriter writer;
  writer.number(message.from);
  writer.text(message.payload);
  const std::string all = writer.bytes();
  tree_.send(Message::kEveryone, MessageKind::notified, all);
  take_event({MessageKind::notified, 0, 0, all});
}

// Its own server has told the processes of the host that it comes from.
void HostExchange::take_event(const Message& message) const {
  WireReader reader(message.payload);
  const int origin = reader.integer();
  const std::string bytes = reader.text();
  WireReader inside(bytes);
  const std::optional<PmixEvent> event = read_event(&inside);
  if (!reader.complete() || !event || origin == tree_.self() || !server_.notified) return;
  server_.notified(*event);
}

bool HostExchange::handle(const Message& message) {
  WireReader reader(message.payload);
  switch (message.kind) {
    case MessageKind::collect:
      take_part(message);
      return true;
    case MessageKind::collected:
      take_result(message);
      return true;
    case MessageKind::modex:
      answer_modex(message);
      return true;
    case MessageKind::modex_answer:
      take_modex(message);
      return true;
    case MessageKind::publish:
      store_published(message);
      return true;
    case MessageKind::published: {
      const auto done = taken(publications_, reader.number());
      const bool good = reader.number() != 0;
      if (done) done(good);
      return true;
    }
    case MessageKind::lookup:
      answer_lookup(message);
      return true;
    case MessageKind::found:
      take_found(message);
      return true;
    case MessageKind::notify:
      pass_event(message);
      return true;
    case MessageKind::notified:
      take_event(message);
      return true;
    case MessageKind::unpublish: {
      const std::int64_t id = reader.number();
      const std::string owner = reader.text();
      const auto rank = static_cast<int>(reader.number());
      const std::vector<std::string> keys = reader.texts();
      const bool good = reader.complete() && store_.unpublish(owner, rank, keys);
      tree_.send(message.from, MessageKind::published, numbers(id, good ? 1 : 0));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace remit::launcher
