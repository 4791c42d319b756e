/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Tries to lose a wake-up: every round each rank sends to one other and waits for a third, in every
 * way there is to wait, after a pause that lets the message come just before, while, or just after
 * the waiting rank goes to sleep. Signals interrupt some sleeps, processes that only burn time take
 * the cores away. A wake-up that is lost shows as a round that does not end, or as a sleep that
 * ended only because it had lasted a second (ranks look after their peers then), which Remit
 * counts. wakeups [rounds [burners [threads]]]; WAKEUPS_ROUNDS overrides the rounds. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { kPatience = 60, kMostBurners = 16, kMostThreads = 4, kLargest = 100000 };

/* Worth a line: rounds take about 0.1 ms. */
static const double kSlow = 0.5;

struct talk {
  long rounds;
  int thread;
  uint64_t seed;
  atomic_long done;
};

static struct talk talks[kMostThreads];
static int talk_count;
static volatile sig_atomic_t signals;

static void on_alarm(int number) {
  (void)number;
  ++signals;
}

/* A round that takes a minute never ends. */
static void* watch(void* unused) {
  long before[kMostThreads] = {0};
  (void)unused;
  for (;;) {
    sleep(kPatience);
    for (int i = 0; i < talk_count; ++i) {
      const long now = atomic_load(&talks[i].done);
      if (now == before[i] && now < talks[i].rounds) {
        fprintf(stderr, "rank %d, thread %d: round %ld does not end: a wake-up was lost\n",
                check_rank, i, now);
        kill(getpid(), SIGABRT); /* mpirun says what each rank waits for */
      }
      before[i] = now;
    }
  }
  return NULL;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void burn(double duration) {
  const double end = seconds() + duration;
  while (seconds() < end) {
  }
}

static pid_t start_burner(void) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  signal(SIGTERM, SIG_DFL);
  for (;;) {
  }
}

/* One signal, at about the time at which the rank goes to sleep. None follows that could hide a
 * wake-up lost later. */
static void send_one_signal(uint64_t random) {
  struct itimerval timer;
  memset(&timer, 0, sizeof timer);
  timer.it_value.tv_usec = 1 + (suseconds_t)(random % 100);
  setitimer(ITIMER_REAL, &timer, NULL);
}

static size_t message_size(uint64_t random) {
  const uint64_t kind = random % 64;
  if (kind == 0) return kLargest;
  if (kind < 8) return 2000;
  return 8;
}

static void wait_for(int from, int tag, char* buffer, int way) {
  MPI_Request requests[2];
  MPI_Status status;
  int index = 0;
  switch (way) {
    case 0:
      MPI_Recv(buffer, kLargest, MPI_BYTE, from, tag, MPI_COMM_WORLD, &status);
      break;
    case 1:
      MPI_Recv(buffer, kLargest, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
      break;
    case 2:
      MPI_Irecv(buffer, kLargest, MPI_BYTE, from, tag, MPI_COMM_WORLD, &requests[0]);
      MPI_Wait(&requests[0], &status);
      break;
    case 3:
      MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
      MPI_Recv(buffer, kLargest, MPI_BYTE, from, tag, MPI_COMM_WORLD, &status);
      break;
    default:
      MPI_Irecv(buffer, 0, MPI_BYTE, from, tag + 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(buffer, kLargest, MPI_BYTE, from, tag, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitany(2, requests, &index, &status);
      MPI_Cancel(&requests[0]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      break;
  }
}

static void* talk(void* argument) {
  struct talk* me = argument;
  uint64_t common = me->seed; /* the same at all ranks */
  uint64_t own = me->seed ^ ((uint64_t)check_rank * 0x5851f42d4c957f2du + 1);
  char* out = malloc(kLargest);
  char* in = malloc(kLargest);
  memset(out, 0, kLargest);
  for (long round = 0; round < me->rounds; ++round) {
    const uint64_t plan = check_next(&common);
    const uint64_t random = check_next(&own);
    const int shift = 1 + (int)(plan % (uint64_t)(check_size - 1));
    const int to = (check_rank + shift) % check_size;
    const int from = (check_rank - shift + check_size) % check_size;
    const int tag = 2 * ((int)(round % 100000) * kMostThreads + me->thread);
    const size_t size = message_size(plan >> 32);
    MPI_Request sending;
    memcpy(out, &round, sizeof round);
    if (random % 8 == 0 && me->thread == 0) send_one_signal(random >> 8);
    if ((random >> 20) % 2 != 0) burn(1e-9 * (double)((random >> 24) % 40000));
    if (plan >> 63) {
      MPI_Issend(out, (int)size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &sending);
    } else {
      MPI_Isend(out, (int)size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &sending);
    }
    const double start = seconds();
    wait_for(from, tag, in, (int)((random >> 40) % 5));
    const double received = seconds();
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    if (seconds() - start > kSlow) {
      fprintf(stderr,
              "rank %d: round %ld of %zu bytes%s: received in %.3f s (way %d), sent in %.3f s\n",
              check_rank, round, size, plan >> 63 ? ", synchronous" : "", received - start,
              (int)((random >> 40) % 5), seconds() - received);
    }
    CHECK(memcmp(in, &round, sizeof round) == 0);
    if (plan % 64 == 0 && talk_count == 1) MPI_Barrier(MPI_COMM_WORLD);
    atomic_store(&me->done, round + 1);
  }
  free(out);
  free(in);
  return NULL;
}

/* Ends MPI, and reads what it says of itself then; shows it to who asked for it. */
static int judge(long rounds, int failed, int show) {
  char text[16384] = "";
  long sleeps = -1, late = -1;
  FILE* said = tmpfile();
  const int err = dup(2);
  dup2(fileno(said), 2);
  MPI_Finalize();
  dup2(err, 2);
  rewind(said);
  text[fread(text, 1, sizeof text - 1, said)] = '\0';
  if (show) fputs(text, stderr);
  const char* found = strstr(text, "sleeps ");
  if (found == NULL || sscanf(found, "sleeps %ld, late wake-ups %ld", &sleeps, &late) != 2) {
    fprintf(stderr, "rank %d: no statistics:\n%s\n", check_rank, text);
    return 1;
  }
  printf("rank %d: %ld rounds, %ld sleeps, %ld late wake-ups, %ld signals%s\n", check_rank, rounds,
         sleeps, late, (long)signals, failed ? ", FAILED" : "");
  /* An event may come at the very end of a long sleep: once, not often. */
  if (late > 2) return 1;
  /* Otherwise nothing was tried. */
  if (getenv("WAKEUPS_MUST_SLEEP") && sleeps < rounds / 10) return 1;
  return failed;
}

int main(int argc, char** argv) {
  const char* told = getenv("WAKEUPS_ROUNDS");
  const long rounds = told ? atol(told) : argc > 1 ? atol(argv[1]) : 10000;
  const int burners = argc > 2 ? atoi(argv[2]) : 0;
  pid_t burning[kMostBurners];
  pthread_t watcher, threads[kMostThreads];
  int provided;
  talk_count = argc > 3 ? atoi(argv[3]) : 1;
  /* A wait that lasts is written down for mpirun after 100 ms, by a rank that wakes up for it: that
   * would hide what is looked for here. */
  unsetenv("PMIX_SERVER_TMPDIR");
  const int show = getenv("REMIT_STATISTICS") != NULL;
  setenv("REMIT_STATISTICS", "yes", 1);
  MPI_Init_thread(&argc, &argv, talk_count > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
  const uint64_t seed = check_seed("wakeups");
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, NULL); /* without SA_RESTART: system calls are interrupted */
  for (int i = 0; i < burners && check_rank == 0; ++i) burning[i] = start_burner();
  for (int i = 0; i < talk_count; ++i) {
    talks[i] = (struct talk){.rounds = rounds, .thread = i, .seed = seed + (uint64_t)i};
  }
  pthread_create(&watcher, NULL, watch, NULL);
  for (int i = 1; i < talk_count; ++i) pthread_create(&threads[i], NULL, talk, &talks[i]);
  talk(&talks[0]);
  for (int i = 1; i < talk_count; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < burners && check_rank == 0; ++i) {
    kill(burning[i], SIGKILL);
    waitpid(burning[i], NULL, 0);
  }
  int all = 0;
  MPI_Allreduce(&check_failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return judge(rounds, all != 0, show);
}
