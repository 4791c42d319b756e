// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A PMIx client without MPI that does, or fails to do, what its first argument says.
#include <pmix.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pmix_proc_t me;

static void die(const char* what, int status) {
  fprintf(stderr, "rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(status));
  exit(99);
}

static void check(int status, const char* what) {
  if (status != PMIX_SUCCESS) die(what, status);
}

// A key of the job (rank PMIX_RANK_WILDCARD) or of one rank, whatever its integer type is.
static long number(pmix_rank_t rank, const char* key) {
  pmix_proc_t proc;
  PMIX_LOAD_PROCID(&proc, me.nspace, rank);
  pmix_value_t* value = NULL;
  pmix_info_t optional;
  bool yes = true;
  PMIX_INFO_LOAD(&optional, PMIX_OPTIONAL, &yes, PMIX_BOOL);
  check(PMIx_Get(&proc, key, &optional, 1, &value), key);
  long result = -1;
  switch (value->type) {
    case PMIX_UINT16:
      result = value->data.uint16;
      break;
    case PMIX_UINT32:
      result = value->data.uint32;
      break;
    case PMIX_PROC_RANK:
      result = value->data.rank;
      break;
    case PMIX_INT:
      result = value->data.integer;
      break;
    case PMIX_SIZE:
      result = (long)value->data.size;
      break;
    default:
      die("unexpected type", value->type);
  }
  PMIX_VALUE_RELEASE(value);
  return result;
}

static char* text(pmix_rank_t rank, const char* key) {
  pmix_proc_t proc;
  PMIX_LOAD_PROCID(&proc, me.nspace, rank);
  pmix_value_t* value = NULL;
  pmix_info_t optional;
  bool yes = true;
  PMIX_INFO_LOAD(&optional, PMIX_OPTIONAL, &yes, PMIX_BOOL);
  if (PMIx_Get(&proc, key, &optional, 1, &value) != PMIX_SUCCESS) return "-";
  if (value->type != PMIX_STRING) die("not a string", value->type);
  return value->data.string;
}

static void put(void) {
  char address[64];
  snprintf(address, sizeof address, "address of %u", me.rank);
  pmix_value_t value;
  PMIX_VALUE_LOAD(&value, address, PMIX_STRING);
  check(PMIx_Put(PMIX_GLOBAL, "test.address", &value), "put");
  check(PMIx_Commit(), "commit");
}

static void get_all(const char* job, long size) {
  for (long peer = 0; peer < size; ++peer) {
    pmix_proc_t proc;
    PMIX_LOAD_PROCID(&proc, job, (pmix_rank_t)peer);
    pmix_value_t* value = NULL;
    check(PMIx_Get(&proc, "test.address", NULL, 0, &value), "get of a peer");
    char expected[64];
    snprintf(expected, sizeof expected, "address of %ld", peer);
    if (strcmp(value->data.string, expected) != 0) die("wrong address", PMIX_ERROR);
    PMIX_VALUE_RELEASE(value);
  }
}

static void fence(void) {
  pmix_info_t collect;
  bool yes = true;
  PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
  check(PMIx_Fence(NULL, 0, &collect, 1), "fence");
}

enum { kChildren = 3 };

// Two jobs: "parent", whose rank 0 starts "child".
static void meet(const char* other, long others) {
  pmix_proc_t both[2];
  PMIX_LOAD_PROCID(&both[0], me.nspace, PMIX_RANK_WILDCARD);
  PMIX_LOAD_PROCID(&both[1], other, PMIX_RANK_WILDCARD);
  pmix_info_t collect;
  bool yes = true;
  PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
  put();
  check(PMIx_Connect(both, 2, NULL, 0), "connect");
  get_all(other, others);
  check(PMIx_Fence(both, 2, &collect, 1), "fence of both");
  check(PMIx_Disconnect(both, 2, NULL, 0), "disconnect");
}

static void bring_up_children(char* program) {
  pmix_info_t info;
  pmix_pdata_t found;
  PMIX_PDATA_CONSTRUCT(&found);
  PMIX_LOAD_KEY(found.key, "test.children");
  if (me.rank == 0) {
    char* words[] = {program, "child", NULL};
    pmix_app_t app;
    PMIX_APP_CONSTRUCT(&app);
    app.cmd = program;
    app.argv = words;
    app.maxprocs = kChildren;
    pmix_nspace_t children;
    check(PMIx_Spawn(NULL, 0, &app, 1, children), "spawn");
    PMIX_INFO_LOAD(&info, "test.children", children, PMIX_STRING);
    check(PMIx_Publish(&info, 1), "publish");
  }
  int all = 0;
  PMIX_INFO_LOAD(&info, PMIX_WAIT, &all, PMIX_INT);
  check(PMIx_Lookup(&found, 1, &info, 1), "lookup");
  meet(found.value.data.string, kChildren);
}

static void find_parents(void) {
  pmix_proc_t proc;
  PMIX_LOAD_PROCID(&proc, me.nspace, PMIX_RANK_WILDCARD);
  pmix_value_t* value = NULL;
  check(PMIx_Get(&proc, PMIX_PARENT_ID, NULL, 0, &value), "parent");
  const char* parents = value->data.proc->nspace;
  PMIX_LOAD_PROCID(&proc, parents, PMIX_RANK_WILDCARD);
  pmix_value_t* size = NULL;
  check(PMIx_Get(&proc, PMIX_JOB_SIZE, NULL, 0, &size), "size of the parents' job");
  meet(parents, (long)size->data.uint32);
}

// Rank 0 publishes after the others have begun to wait for it.
static void publish_and_look_up(long size) {
  pmix_info_t info;
  if (me.rank == 0) {
    usleep(200000);
    PMIX_INFO_LOAD(&info, "test.port", "a port", PMIX_STRING);
    check(PMIx_Publish(&info, 1), "publish");
    if (PMIx_Publish(&info, 1) != PMIX_ERR_DUPLICATE_KEY) die("published twice", PMIX_ERROR);
  }
  int all = 0;
  PMIX_INFO_LOAD(&info, PMIX_WAIT, &all, PMIX_INT);
  pmix_pdata_t found;
  PMIX_PDATA_CONSTRUCT(&found);
  PMIX_LOAD_KEY(found.key, "test.port");
  check(PMIx_Lookup(&found, 1, &info, 1), "lookup");
  if (strcmp(found.value.data.string, "a port") != 0) die("wrong port", PMIX_ERROR);
  fence();
  if (me.rank == 0) check(PMIx_Unpublish(NULL, NULL, 0), "unpublish");
  fence();
  PMIX_PDATA_CONSTRUCT(&found);
  PMIX_LOAD_KEY(found.key, "test.port");
  if (PMIx_Lookup(&found, 1, NULL, 0) == PMIX_SUCCESS) die("still published", (int)size);
}

// As MPI_Publish_name does, for a port whose name has so many characters.
static void publish_name(size_t length) {
  char* port = malloc(length + 1);
  memset(port, 'x', length);
  port[length] = '\0';
  pmix_info_t info;
  PMIX_INFO_LOAD(&info, "remit.name.remit test", port, PMIX_STRING);
  check(PMIx_Publish(&info, 1), "publish");
  free(port);
}

// --- events

enum { kEvent = PMIX_EXTERNAL_ERR_BASE - 7 };
static pthread_mutex_t heard_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t heard_more = PTHREAD_COND_INITIALIZER;
static char heard[200];  // the words of events that came, in their order
static bool heard_end;

static void hear(size_t id, pmix_status_t status, const pmix_proc_t* source, pmix_info_t info[],
                 size_t ninfo, pmix_info_t* results, size_t nresults,
                 pmix_event_notification_cbfunc_fn_t done, void* data) {
  (void)id, (void)results, (void)nresults;
  pthread_mutex_lock(&heard_lock);
  for (size_t i = 0; i < ninfo; ++i) {
    if (strcmp(info[i].key, "test.word") != 0) continue;
    const size_t used = strlen(heard);
    const char* word = info[i].value.data.string;
    snprintf(heard + used, sizeof heard - used, " %s/%u", word, source->rank);
    if (strcmp(word, "end") == 0 || status != kEvent) heard_end = true;
  }
  pthread_cond_signal(&heard_more);
  pthread_mutex_unlock(&heard_lock);
  if (done != NULL) done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, data);
}

static void wait_for_end(void) {
  pthread_mutex_lock(&heard_lock);
  while (!heard_end) pthread_cond_wait(&heard_more, &heard_lock);
  pthread_mutex_unlock(&heard_lock);
}

static void tell(const char* word, pmix_data_range_t range, long only) {
  pmix_info_t info[2];
  PMIX_INFO_LOAD(&info[0], "test.word", word, PMIX_STRING);
  pmix_proc_t target;
  PMIX_LOAD_PROCID(&target, me.nspace, (pmix_rank_t)only);
  PMIX_INFO_LOAD(&info[1], PMIX_EVENT_CUSTOM_RANGE, &target, PMIX_PROC);
  const int status = PMIx_Notify_event(kEvent, &me, range, info, only < 0 ? 1 : 2, NULL, NULL);
  if (status != PMIX_OPERATION_SUCCEEDED) check(status, word);
}

// Rank `teller` tells something in each range, to the last rank alone with PMIX_RANGE_CUSTOM.
static void tell_events(pmix_rank_t teller, long size) {
  pmix_status_t code = kEvent;
  const int id = PMIx_Register_event_handler(&code, 1, NULL, 0, hear, NULL, NULL);
  if (id < 0) die("registering for events", id);
  fence();
  if (me.rank == teller) {
    tell("local", PMIX_RANGE_LOCAL, -1);
    tell("custom", PMIX_RANGE_CUSTOM, size - 1);
    tell("namespace", PMIX_RANGE_NAMESPACE, -1);
    tell("session", PMIX_RANGE_SESSION, -1);
    tell("end", PMIX_RANGE_GLOBAL, -1);
  }
  wait_for_end();
  fence();
  if (me.rank != teller) printf("rank %u heard%s\n", me.rank, heard);
}

// One directive for a rank of a job, or for all of one's own (target PMIX_RANK_WILDCARD, no job).
static int control(const char* job, pmix_rank_t target, const char* key, int signal) {
  pmix_proc_t proc;
  PMIX_LOAD_PROCID(&proc, job != NULL ? job : me.nspace, target);
  const bool yes = true;
  pmix_info_t directive;
  if (signal != 0) {
    PMIX_INFO_LOAD(&directive, key, &signal, PMIX_INT);
  } else {
    PMIX_INFO_LOAD(&directive, key, &yes, PMIX_BOOL);
  }
  PMIX_INFO_REQUIRED(&directive);
  const bool everyone = job == NULL && target == PMIX_RANK_WILDCARD;
  pmix_info_t* results = NULL;
  size_t nresults = 0;
  const int status = PMIx_Job_control(everyone ? NULL : &proc, everyone ? 0 : 1, &directive, 1,
                                      &results, &nresults);
  return status == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : status;
}

static void await_signal(const char* why) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  const struct timespec limit = {60, 0};
  if (sigtimedwait(&set, NULL, &limit) != SIGUSR1) die("no signal came", PMIX_ERR_TIMEOUT);
  printf("rank %u was signalled %s\n", me.rank, why);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Returns after a time, from `begin` on, in which this process did not run.
static void await_pause(double begin) {
  for (double last = begin, now = seconds(); now - last < 0.3; now = seconds()) {
    if (now - begin > 60) die("no pause came", PMIX_ERR_TIMEOUT);
    last = now;
    usleep(1000);
  }
  printf("rank %u was paused\n", me.rank);
}

// Rank `asker` controls the last one, which is another, and then all; SIGUSR1 is blocked.
static void control_others(pmix_rank_t asker, long size) {
  const pmix_rank_t last = (pmix_rank_t)(size - 1);
  fence();
  if (me.rank == asker) {
    check(control(NULL, last, PMIX_JOB_CTRL_SIGNAL, SIGUSR1), "a signal");
  } else if (me.rank == last) {
    await_signal("alone");
  }
  const double begin = seconds();
  fence();
  if (me.rank == asker) {
    check(control(NULL, last, PMIX_JOB_CTRL_PAUSE, 0), "a pause");
    usleep(600000);
    check(control(NULL, last, PMIX_JOB_CTRL_RESUME, 0), "its end");
  } else if (me.rank == last) {
    await_pause(begin);
  }
  fence();
  if (me.rank == asker) {
    if (control("nobody", 0, PMIX_JOB_CTRL_KILL, 0) != PMIX_ERR_NOT_FOUND ||
        control(NULL, (pmix_rank_t)size, PMIX_JOB_CTRL_KILL, 0) != PMIX_ERR_NOT_FOUND) {
      die("controlling nobody", PMIX_ERROR);
    }
    if (control(NULL, last, PMIX_JOB_CTRL_CHECKPOINT, 0) != PMIX_ERR_NOT_SUPPORTED ||
        control(NULL, last, PMIX_JOB_CTRL_SIGNAL, 1000) != PMIX_ERR_NOT_SUPPORTED) {
      die("wanting what there is not", PMIX_ERROR);
    }
    check(control(NULL, PMIX_RANK_WILDCARD, PMIX_JOB_CTRL_SIGNAL, SIGUSR1), "a signal to all");
  }
  await_signal("with all");
  fence();
}

// Rank `asker` ends the last one.
static void end_another(pmix_rank_t asker, long size, const char* how) {
  fence();
  if (me.rank == asker) {
    const bool kill = strcmp(how, "kill") == 0;
    check(control(NULL, (pmix_rank_t)(size - 1),
                  kill ? PMIX_JOB_CTRL_KILL : PMIX_JOB_CTRL_TERMINATE, 0),
          how);
  }
  for (;;) pause();
}

static void print_keys(void) {
  printf(
      "rank=%u size=%ld universe=%ld max=%ld local_size=%ld local_rank=%ld node_rank=%ld "
      "app=%ld apps=%ld nodes=%ld peers=%s host=%s cpuset=%s locality=%s xml=%d map=%s\n",
      me.rank, number(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE),
      number(PMIX_RANK_WILDCARD, PMIX_UNIV_SIZE), number(PMIX_RANK_WILDCARD, PMIX_MAX_PROCS),
      number(PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE), number(me.rank, PMIX_LOCAL_RANK),
      number(me.rank, PMIX_NODE_RANK), number(me.rank, PMIX_APPNUM),
      number(PMIX_RANK_WILDCARD, PMIX_JOB_NUM_APPS), number(PMIX_RANK_WILDCARD, PMIX_NUM_NODES),
      text(PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS), text(me.rank, PMIX_HOSTNAME),
      text(me.rank, PMIX_CPUSET), text(me.rank, PMIX_LOCALITY_STRING),
      strstr(text(PMIX_RANK_WILDCARD, PMIX_HWLOC_XML_V2), "<topology") != NULL,
      text(PMIX_RANK_WILDCARD, PMIX_ANL_MAP));
  char* nodes = NULL;
  check(PMIx_Resolve_nodes(me.nspace, &nodes), "resolve nodes");
  long all = 0;
  for (const char* node = strtok(nodes, ","); node != NULL; node = strtok(NULL, ",")) {
    pmix_proc_t* peers = NULL;
    size_t count = 0;
    check(PMIx_Resolve_peers(node, me.nspace, &peers, &count), "resolve peers");
    all += (long)count;
  }
  if (all != number(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE)) die("peers", PMIX_ERROR);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "exchange";
  const long value = argc > 2 ? atol(argv[2]) : 0;
  const pmix_rank_t culprit = argc > 3 ? (pmix_rank_t)atol(argv[3]) : 0;
  sigset_t awaited;  // by await_signal(), in all threads
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGUSR1);
  if (strcmp(mode, "control") == 0) sigprocmask(SIG_BLOCK, &awaited, NULL);
  check(PMIx_Init(&me, NULL, 0), "init");
  const long size = number(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
  if (strcmp(mode, "exchange") == 0) {
    put();
    fence();
    get_all(me.nspace, size);
    printf("rank %u of %ld ok\n", me.rank, size);
  } else if (strcmp(mode, "direct") == 0) {
    put();
    get_all(me.nspace, size);
    printf("rank %u of %ld ok\n", me.rank, size);
  } else if (strcmp(mode, "publish") == 0) {
    publish_and_look_up(size);
    printf("rank %u of %ld ok\n", me.rank, size);
  } else if (strcmp(mode, "family") == 0) {
    bring_up_children(argv[0]);
    printf("parent %u of %ld ok\n", me.rank, size);
  } else if (strcmp(mode, "child") == 0) {
    find_parents();
    printf("child %u of %ld ok\n", me.rank, size);
  } else if (strcmp(mode, "events") == 0) {
    tell_events(culprit, size);
  } else if (strcmp(mode, "control") == 0) {
    control_others(culprit, size);
  } else if (strcmp(mode, "end-another") == 0) {
    end_another(culprit, size, argv[4]);
  } else if (strcmp(mode, "name") == 0) {
    publish_name((size_t)value);
  } else if (strcmp(mode, "keys") == 0) {
    print_keys();
  } else if (strcmp(mode, "exit-after") != 0) {
    // The failures happen when every rank is inside the job.
    fence();
    if (argc > 5) { /* whom another one's failure ends, before that one does */
      if (me.rank != culprit) PMIx_Abort((int)atol(argv[4]), argv[5], NULL, 0);
      usleep(300000);
    }
    if (me.rank == culprit) {
      if (strcmp(mode, "abort") == 0) PMIx_Abort((int)value, "as asked", NULL, 0);
      if (strcmp(mode, "exit") == 0) exit((int)value);
      if (strcmp(mode, "signal") == 0) {
        signal((int)value, SIG_DFL); /* the address sanitizer catches some */
        raise((int)value);
      }
    }
    sleep(100);
  }
  check(PMIx_Finalize(NULL, 0), "finalize");
  return me.rank == culprit ? (int)value : 0;
}
