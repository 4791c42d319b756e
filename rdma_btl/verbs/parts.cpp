// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Wiring the parts of a verbs device.
#include "rdma_btl/verbs/parts.hpp"

namespace remit::verbs {

Parts::Parts(const VerbsConfig& wanted)
    : progress({adapter, receiver, work, swaps, notes, reader, lending, borrowing, connections,
                greetings, teardown, keepalive, events}),
      work(adapter, counters, endpoints, progress.agenda(), swaps, teardown),
      receiver(adapter, config, counters, memory, endpoints, lending, borrowing, reader,
               connections, teardown),
      config(wanted),
      memory(adapter, config),
      credits(Lending::limits(wanted)),
      messages(counters, credits, work),
      swaps(counters, endpoints, progress.agenda(), work, messages, borrowing),
      operations(adapter, config, counters, progress.agenda(), work, messages, swaps, borrowing,
                 notes),
      notes(adapter, config, memory, endpoints, progress.agenda(), work),
      reader(endpoints, progress.agenda(), borrowing, lending),
      borrowing(counters, endpoints, progress.agenda(), messages, notes, reader),
      lending(config, counters, endpoints, progress.agenda(), credits, receiver.pool(), messages,
              notes, reader),
      questions(adapter, config, counters),
      queue_pairs(adapter, config, endpoints, receiver, lending, notes),
      greetings(adapter, endpoints, work, messages, connections),
      connections(adapter, config, counters, endpoints, progress.agenda(), lending, questions,
                  queue_pairs, greetings, teardown),
      teardown(adapter, config, counters, endpoints, progress.agenda(), work, lending, questions,
               connections),
      keepalive(adapter, config, counters, endpoints, work, notes, teardown),
      events(adapter, config, endpoints, teardown) {}

}  // namespace remit::verbs
