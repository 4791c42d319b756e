// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The engine's counters by name.
#include "pt2pt/engine.hpp"

namespace remit {

std::vector<Engine::StatisticGroup> Engine::statistics() const {
  std::vector<StatisticGroup> groups;
  const Counters& c = counters_;
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
                     {"malformed", c.malformed + links_.malformed()},
                     {"pinned_pieces", c.pinned_pieces},
                     {"deferred", c.deferred},
                     {"bounced", c.bounced},
                     {"on_demand", c.on_demand},
                     {"unexpected_peak_bytes", unexpected_peak_},
                     {"peers", peer_count()}}});
  if (!links_.memory_monitor().empty()) {
    const RegistrationCounters r = links_.registrations();
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
  for (const auto& slot : links_.devices()) {
    groups.push_back({std::string(slot->device->caps().name), slot->device->statistics()});
  }
  return groups;
}

}  // namespace remit
