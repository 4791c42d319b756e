// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parts of a verbs device.
#pragma once

#include "rdma_btl/common/credit_pool.hpp"
#include "rdma_btl/verbs/adapter/adapter_events.hpp"
#include "rdma_btl/verbs/adapter/registered_memory.hpp"
#include "rdma_btl/verbs/connections/connections.hpp"
#include "rdma_btl/verbs/connections/greetings.hpp"
#include "rdma_btl/verbs/connections/host_questions.hpp"
#include "rdma_btl/verbs/connections/keepalive.hpp"
#include "rdma_btl/verbs/connections/queue_pairs.hpp"
#include "rdma_btl/verbs/credits/borrowing.hpp"
#include "rdma_btl/verbs/credits/lending.hpp"
#include "rdma_btl/verbs/credits/note_reader.hpp"
#include "rdma_btl/verbs/credits/notes.hpp"
#include "rdma_btl/verbs/messages/messages.hpp"
#include "rdma_btl/verbs/messages/receiver.hpp"
#include "rdma_btl/verbs/messages/swaps.hpp"
#include "rdma_btl/verbs/messages/work_queue.hpp"
#include "rdma_btl/verbs/operations.hpp"
#include "rdma_btl/verbs/progress.hpp"
#include "rdma_btl/verbs/teardown.hpp"

namespace remit::verbs {

/// Owns the parts and says who knows whom. Parts refer to each other, so this is made in one piece,
/// never moved, and handed to nobody but the device. Destroyed from the end: memory is deregistered
/// before the adapter is closed.
struct Parts {
  explicit Parts(const VerbsConfig& wanted);

  // What each message touches comes first.
  Endpoints endpoints;
  Progress progress;
  WorkQueue work;
  VerbsCounters counters;  ///< but for Receiver::counters()
  Receiver receiver;

  VerbsConfig config;
  OpenedAdapter adapter;
  RegisteredMemory memory;

  CreditPool credits;
  Messages messages;
  Swaps swaps;
  Operations operations;

  Notes notes;
  NoteReader reader;
  Borrowing borrowing;
  Lending lending;

  HostQuestions questions;
  QueuePairs queue_pairs;
  Greetings greetings;
  Connections connections;
  Teardown teardown;
  Keepalive keepalive;
  AdapterEvents events;
};

}  // namespace remit::verbs
