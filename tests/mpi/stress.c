/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Random traffic: all ranks draw the same plan from a printed seed (REMIT_TEST_SEED replays it):
 * messages of random sizes, types, modes and communicators, received with or without wildcards,
 * posted early or late, completed in random ways, with collectives in between. Every byte is
 * checked. An argument gives the number of rounds. */
#include "check.h"

enum { kLargest = 400000, kMost = 60, kComms = 3, kTags = 4 };

static MPI_Comm comms[kComms];
static MPI_Datatype spaced; /* 3 bytes of every 5 */

struct message {
  int from, to, tag, comm, bytes, mode;
  int send_derived, receive_derived, wildcard, probe, room;
  uint64_t salt;
};

static uint64_t below(uint64_t* state, uint64_t n) {
  return check_next(state) % n;
}

/* Sizes near the limits of the protocols, and any other. */
static int draw_size(uint64_t* state) {
  static const int kEdges[] = {0, 8, 36, 56, 64, 1024, 4096, 8192, 16384, 65536, 131072};
  switch (below(state, 4)) {
    case 0:
      return (int)below(state, 100);
    case 1:
      return kEdges[below(state, 11)] + (int)below(state, 5);
    case 2:
      return (int)below(state, 20000);
    default:
      return (int)below(state, below(state, 8) == 0 ? kLargest : 3000);
  }
}

static void draw(struct message* m, uint64_t* state) {
  m->from = (int)below(state, (uint64_t)check_size);
  m->to = (int)below(state, (uint64_t)check_size);
  m->tag = (int)below(state, kTags);
  m->comm = (int)below(state, kComms);
  m->bytes = draw_size(state);
  m->mode = (int)below(state, 4);
  m->send_derived = below(state, 4) == 0;
  m->receive_derived = below(state, 4) == 0;
  m->wildcard = (int)below(state, 4); /* decided for the group below */
  m->probe = (int)below(state, 6);
  m->room = (int)below(state, 3) == 0 ? 0 : (int)below(state, 50);
  m->salt = check_next(state);
}

/* What `n` bytes need in memory as elements of the spaced type (n a multiple of 3), or plain. */
static size_t span(int n, int derived) {
  return derived ? (size_t)n / 3 * 5 + 5 : (size_t)n + 1;
}
static size_t at(int i, int derived) {
  return derived ? (size_t)i / 3 * 5 + (size_t)i % 3 : (size_t)i;
}

static unsigned char* make_buffer(const struct message* m, int room, int derived, int fill) {
  const size_t n = span(m->bytes + room, derived);
  unsigned char* buffer = malloc(n);
  memset(buffer, 0xee, n);
  if (fill)
    for (int i = 0; i < m->bytes; ++i) buffer[at(i, derived)] = check_byte(m->salt, (size_t)i);
  return buffer;
}

static int check_buffer(const struct message* m, const unsigned char* buffer, int room,
                        int derived) {
  const size_t n = span(m->bytes + room, derived);
  size_t next = 0;
  for (int i = 0; i < m->bytes; ++i) {
    const size_t place = at(i, derived);
    while (next < place)
      if (buffer[next++] != 0xee) return 0;
    if (buffer[place] != check_byte(m->salt, (size_t)i)) return 0;
    next = place + 1;
  }
  while (next < n)
    if (buffer[next++] != 0xee) return 0;
  return 1;
}

static void start_send(const struct message* m, void* buffer, MPI_Request* request) {
  const MPI_Datatype type = m->send_derived ? spaced : MPI_BYTE;
  const int n = m->send_derived ? m->bytes / 3 : m->bytes;
  const MPI_Comm comm = comms[m->comm];
  switch (m->mode) {
    case 0:
      OK(MPI_Issend(buffer, n, type, m->to, m->tag, comm, request));
      break;
    case 1:
      OK(MPI_Send_init(buffer, n, type, m->to, m->tag, comm, request));
      OK(MPI_Start(request));
      break;
    default:
      OK(MPI_Isend(buffer, n, type, m->to, m->tag, comm, request));
      break;
  }
}

static void check_status(const struct message* m, const MPI_Status* status) {
  int n = -1;
  OK(MPI_Get_count(status, MPI_BYTE, &n));
  CHECK(n == m->bytes && status->MPI_SOURCE == m->from && status->MPI_TAG == m->tag);
}

/* Message `later` may be taken by the receive of `m` if they agree in what the receive asks for. */
static int wildcards_are_safe(const struct message* messages, int n, int i, int wildcard) {
  const struct message* m = &messages[i];
  for (int j = 0; j < n; ++j) {
    const struct message* other = &messages[j];
    if (j == i || other->to != m->to || other->comm != m->comm) continue;
    const int same_source = other->from == m->from, same_tag = other->tag == m->tag;
    if ((same_source || (wildcard & 1)) && (same_tag || (wildcard & 2))) {
      /* the same pair and tag arrive in order of sending: fine without wildcards only */
      if (!(same_source && same_tag)) return 0;
    }
  }
  return 1;
}

/* A receive with wildcards must be the only one that can take what it takes; two such receives
 * with another of the same channel between them would compete. */
static void settle_wildcards(struct message* messages, int n) {
  for (int i = 0; i < n; ++i)
    if (!wildcards_are_safe(messages, n, i, messages[i].wildcard)) messages[i].wildcard = 0;
}

struct pending {
  int message;
  unsigned char* buffer;
};

static void post_receive(const struct message* m, unsigned char* buffer, int probing,
                         MPI_Request* request) {
  const MPI_Datatype type = m->receive_derived ? spaced : MPI_BYTE;
  const int room = m->bytes + m->room;
  const int n = m->receive_derived ? room / 3 : room;
  const int source = m->wildcard & 1 ? MPI_ANY_SOURCE : m->from;
  const int tag = m->wildcard & 2 ? MPI_ANY_TAG : m->tag;
  if (m->probe == 0 && probing) {
    MPI_Message message;
    MPI_Status status;
    OK(MPI_Mprobe(source, tag, comms[m->comm], &message, &status));
    check_status(m, &status);
    OK(MPI_Imrecv(buffer, n, type, &message, request));
  } else if (m->probe == 1) {
    OK(MPI_Recv_init(buffer, n, type, source, tag, comms[m->comm], request));
    OK(MPI_Start(request));
  } else {
    OK(MPI_Irecv(buffer, n, type, source, tag, comms[m->comm], request));
  }
}

/* Completes everything in a drawn way; statuses in the order of the requests. */
static void complete(int n, MPI_Request* requests, MPI_Status* statuses, uint64_t* state) {
  MPI_Status* some_statuses = malloc(sizeof(MPI_Status) * (size_t)(n + 1));
  int* indices = malloc(sizeof(int) * (size_t)(n + 1));
  const int way = (int)below(state, 4);
  int done = 0;
  if (way == 0) {
    OK(MPI_Waitall(n, requests, statuses));
    done = n;
  }
  while (done < n) {
    int some = 0, flag = 0;
    if (way == 1) {
      OK(MPI_Waitany(n, requests, indices, some_statuses));
      some = 1;
    } else if (way == 2) {
      OK(MPI_Testsome(n, requests, &some, indices, some_statuses));
    } else {
      OK(MPI_Testany(n, requests, indices, &flag, some_statuses));
      some = flag;
    }
    for (int i = 0; i < some; ++i) statuses[indices[i]] = some_statuses[i];
    done += some;
  }
  free(some_statuses);
  free(indices);
}

static void collective(uint64_t* state) {
  const MPI_Comm comm = comms[below(state, kComms)];
  const int n = (int)below(state, 3000), root = (int)below(state, (uint64_t)check_size);
  const int kind = (int)below(state, 5);
  int* in = malloc(sizeof(int) * (size_t)(n + 1));
  int* out = malloc(sizeof(int) * (size_t)(n + 1) * (size_t)check_size);
  int me, good = 1;
  MPI_Comm_rank(comm, &me);
  for (int i = 0; i < n; ++i) in[i] = me * 3 + i;
  switch (kind) {
    case 0:
      OK(MPI_Barrier(comm));
      break;
    case 1:
      OK(MPI_Bcast(in, n, MPI_INT, root, comm));
      for (int i = 0; i < n; ++i) good &= in[i] == root * 3 + i;
      break;
    case 2:
      OK(MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, comm));
      for (int i = 0; i < n; ++i)
        good &= out[i] == 3 * check_size * (check_size - 1) / 2 + i * check_size;
      break;
    case 3:
      OK(MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, root, comm));
      for (int r = 0; r < check_size && me == root; ++r)
        for (int i = 0; i < n; ++i) good &= out[r * n + i] == r * 3 + i;
      break;
    default:
      OK(MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, comm));
      for (int r = 0; r < check_size; ++r)
        for (int i = 0; i < n; ++i) good &= out[r * n + i] == r * 3 + i;
      break;
  }
  CHECK(good);
  free(in);
  free(out);
}

static void one_round(uint64_t* state, uint64_t* mine) {
  struct message messages[kMost];
  MPI_Request requests[2 * kMost];
  MPI_Status statuses[2 * kMost];
  struct pending pending[2 * kMost];
  const int n = 1 + (int)below(state, kMost);
  /* a message of the next round must not reach a wildcard of this one: those rounds end together */
  const int wild = below(state, 2) == 0;
  int count = 0;
  for (int i = 0; i < n; ++i) {
    draw(&messages[i], state);
    struct message* m = &messages[i];
    if (!wild) m->wildcard = 0;
    if (m->send_derived) m->bytes -= m->bytes % 3;
    if (m->receive_derived) m->bytes -= m->bytes % 3, m->room -= m->room % 3;
  }
  settle_wildcards(messages, n);
  /* A blocking probe needs its message sent, so in some rounds all send before they receive. In
   * the others each rank does as it likes; receives keep the order of their messages. */
  const int probing = below(state, 3) == 0;
  const int sends_first = probing || below(mine, 2) == 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < n; ++i) {
      const struct message* m = &messages[i];
      for (int half = 0; half < 2; ++half) {
        const int is_send = half == 0;
        if ((is_send ? m->from : m->to) != check_rank) continue;
        if (pass != (!is_send && sends_first)) continue;
        const int derived = is_send ? m->send_derived : m->receive_derived;
        unsigned char* buffer = make_buffer(m, is_send ? 0 : m->room, derived, is_send);
        if (is_send) {
          start_send(m, buffer, &requests[count]);
        } else {
          post_receive(m, buffer, probing, &requests[count]);
        }
        pending[count++] = (struct pending){is_send ? -1 : i, buffer};
      }
    }
  }
  const int interleaved = below(state, 3) == 0; /* a collective while messages are under way */
  if (interleaved) collective(state);
  MPI_Request kept[2 * kMost];
  memcpy(kept, requests, sizeof(MPI_Request) * (size_t)count);
  complete(count, requests, statuses, mine);
  for (int i = 0; i < count; ++i) {
    if (pending[i].message >= 0) {
      const struct message* m = &messages[pending[i].message];
      check_status(m, &statuses[i]);
      CHECK(check_buffer(m, pending[i].buffer, m->room, m->receive_derived));
    }
    if (requests[i] != MPI_REQUEST_NULL) { /* persistent */
      CHECK(requests[i] == kept[i]);
      OK(MPI_Request_free(&requests[i]));
    }
    free(pending[i].buffer);
  }
  if (below(state, 4) == 0) collective(state);
  if (wild) OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  const int given = argc > 1 ? atoi(argv[1]) : 0;
  const int rounds = given > 0 ? given : check_size > 8 ? 40 : 150;
  uint64_t state = check_seed("stress");
  uint64_t mine = state + (uint64_t)check_rank;
  MPI_Datatype three;
  OK(MPI_Type_contiguous(3, MPI_BYTE, &three));
  OK(MPI_Type_create_resized(three, 0, 5, &spaced));
  OK(MPI_Type_commit(&spaced));
  OK(MPI_Type_free(&three));
  comms[0] = MPI_COMM_WORLD;
  for (int i = 1; i < kComms; ++i) OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
  for (int i = 0; i < rounds && check_failures == 0; ++i) one_round(&state, &mine);
  for (int i = 1; i < kComms; ++i) OK(MPI_Comm_free(&comms[i]));
  OK(MPI_Type_free(&spaced));
  return check_end("stress");
}
