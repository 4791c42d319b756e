// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "pt2pt/engine_report.hpp"

#include "pt2pt/engine.hpp"

namespace remit {

std::vector<AwaitedOperation> awaited_operations(Engine& engine) {
  std::vector<AwaitedOperation> all;
  engine.receiver().matcher().for_each_posted([&](PostedLink& link) {
    const auto& request = static_cast<Request&>(link);
    all.push_back({request.key, false, request.proc});
  });
  engine.rendezvous().transfers().for_each([&](const Transfer& transfer) {
    if (transfer.peer == nullptr) return;
    const bool is_receive = !transfer.is_send && transfer.request != nullptr;
    if (!transfer.is_send && !is_receive) return;
    const MatchKey& key = is_receive ? transfer.request->key : transfer.key;
    all.push_back({key, transfer.is_send, transfer.peer->id});
  });
  for (Link* link : engine.links().table().all()) {
    for (const Request& request : static_cast<Peer*>(link)->waiting) {
      all.push_back({request.key, true, link->id});
    }
  }
  return all;
}

std::string failure_words(Engine& engine, const CommCore& comm, int rank) {
  Links& links = engine.links();
  const LostLinks& lost = links.lost_links();
  if (rank >= 0 && rank < comm.peers().size()) return lost.explain(comm.peers().proc(rank));
  for (const Link* link : links.table().all()) {
    const bool has = comm.local->rank_of(link->id) != MPI_UNDEFINED ||
                     comm.peers().rank_of(link->id) != MPI_UNDEFINED;
    if (!has) continue;
    if (const std::string words = lost.words_of(link->id); !words.empty()) {
      return fmt::format("{}: {}", links.directory().words_of(link->id), words);
    }
  }
  return "";
}

std::vector<ProtocolRange> protocol_ranges(Engine& engine) {
  std::vector<ProtocolRange> out;
  for (const auto& slot : engine.links().devices()) {
    for (std::size_t i = 0; i < kLayoutClasses; ++i) {
      const auto layout = static_cast<LayoutClass>(i);
      for (const ProtocolRow& row : engine.sender().protocols()[slot->index].table.rows(layout)) {
        out.push_back({std::string(slot->device->caps().name), std::string(to_string(layout)),
                       std::string(to_string(row.protocol)), row.from_bytes, row.to_bytes});
      }
    }
  }
  return out;
}

std::vector<StatisticGroup> engine_statistics(Engine& engine) {
  std::vector<StatisticGroup> groups;
  Links& links = engine.links();
  const MessageCounters& c = engine.counters();
  groups.push_back({"messages",
                    {{"eager", c.eager},
                     {"rendezvous", c.rendezvous},
                     {"starved", c.starved},
                     {"gets", c.gets},
                     {"puts", c.puts},
                     {"listed", c.listed},
                     {"pipelined", c.pipelined},
                     {"pulled", c.pulled},
                     {"recalls", c.recalls},
                     {"malformed", c.malformed + links.users().malformed()},
                     {"pinned_pieces", c.pinned_pieces},
                     {"deferred", c.deferred},
                     {"bounced", c.bounced},
                     {"on_demand", c.on_demand},
                     {"unexpected_peak_bytes", engine.receiver().unexpected().peak()},
                     {"peers", links.table().all().size()}}});
  if (!links.devices().memory_monitor().empty()) {
    const RegistrationCounters r = links.devices().registrations();
    groups.push_back({"registrations",
                      {{"hits", r.hits},
                       {"misses", r.misses},
                       {"uncached", r.uncached},
                       {"invalidations", r.invalidations},
                       {"evictions", r.evictions},
                       {"waits", r.waits},
                       {"registrations", r.registrations},
                       {"deregistrations", r.deregistrations},
                       {"pinned_bytes", r.pinned_bytes},
                       {"pinned_peak_bytes", r.pinned_peak},
                       {"entries", r.entries}}});
  }
  for (const auto& slot : links.devices()) {
    groups.push_back({std::string(slot->device->caps().name), slot->device->statistics()});
  }
  return groups;
}

}  // namespace remit
