/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Processes that start others. The program plays the spawned ones, too: their first argument says
 * which part. Arguments of the parents: none, or what a spawned one does wrong
 * (tests/launcher/spawns.py). */
#include <dirent.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

static char self[PATH_MAX];

/* Of a spawned process: all that a parent relies on. */
static void check_family(MPI_Comm parent, int app) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0, flag = 0, *value = NULL;
  OK(MPI_Comm_get_name(parent, name, &length));
  CHECK(strcmp(name, "MPI_COMM_PARENT") == 0);
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag));
  CHECK(flag && *value == app);
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag));
  CHECK(flag && *value >= 1);
}

/* What both sides do with an inter-communicator. */
static void use(MPI_Comm inter, int is_child) {
  int rank, size, remote, merged_size, merged_rank, sum = 0;
  MPI_Comm merged, split, dup, shared, group_comm;
  MPI_Group group;
  OK(MPI_Comm_rank(inter, &rank));
  OK(MPI_Comm_size(inter, &size));
  OK(MPI_Comm_remote_size(inter, &remote));
  const int one = 1;
  OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter));
  CHECK(sum == remote);
  OK(MPI_Comm_dup(inter, &dup));
  OK(MPI_Barrier(dup));
  OK(MPI_Comm_free(&dup));
  /* the same say of both sides: the order is theirs, but one */
  OK(MPI_Intercomm_merge(inter, 0, &merged));
  OK(MPI_Comm_free(&merged));
  OK(MPI_Intercomm_merge(inter, is_child, &merged));
  OK(MPI_Comm_size(merged, &merged_size));
  OK(MPI_Comm_rank(merged, &merged_rank));
  CHECK(merged_size == size + remote);
  CHECK(merged_rank == (is_child ? remote + rank : rank));
  enum { kLong = 70000 };
  int* data = calloc(kLong, sizeof *data);
  for (int root = 0; root < merged_size; ++root) {
    for (int i = 0; i < kLong; ++i) data[i] = merged_rank == root ? root + i : -1;
    OK(MPI_Bcast(data, kLong, MPI_INT, root, merged));
    CHECK(data[0] == root && data[kLong - 1] == root + kLong - 1);
  }
  for (int round = 0; round < 10; ++round) {
    OK(MPI_Allreduce(&merged_rank, &sum, 1, MPI_INT, MPI_SUM, merged));
    CHECK(sum == merged_size * (merged_size - 1) / 2);
  }
  int next = -1;
  OK(MPI_Sendrecv(&merged_rank, 1, MPI_INT, (merged_rank + 1) % merged_size, 5, &next, 1, MPI_INT,
                  (merged_rank + merged_size - 1) % merged_size, 5, merged, MPI_STATUS_IGNORE));
  CHECK(next == (merged_rank + merged_size - 1) % merged_size);
  free(data);
  OK(MPI_Comm_split(merged, merged_rank % 2, 0, &split));
  OK(MPI_Barrier(split));
  OK(MPI_Comm_free(&split));
  OK(MPI_Comm_split_type(merged, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared));
  int shared_size = 0;
  OK(MPI_Comm_size(shared, &shared_size));
  CHECK(shared_size >= 1 && shared_size <= merged_size);
  OK(MPI_Comm_free(&shared));
  OK(MPI_Comm_group(merged, &group));
  OK(MPI_Comm_create_group(merged, group, 7, &group_comm));
  OK(MPI_Barrier(group_comm));
  OK(MPI_Comm_free(&group_comm));
  OK(MPI_Group_free(&group));
  /* leaders of two halves that have members of both jobs */
  MPI_Comm half, across;
  OK(MPI_Comm_split(merged, merged_rank % 2, 0, &half));
  OK(MPI_Intercomm_create(half, 0, merged, 1 - merged_rank % 2, 9, &across));
  OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, across));
  OK(MPI_Comm_remote_size(across, &remote));
  CHECK(sum == remote);
  OK(MPI_Comm_free(&across));
  OK(MPI_Comm_free(&half));
  OK(MPI_Comm_free(&merged));
}

static MPI_Comm spawn(const char* part, const char* word, int count, MPI_Comm comm, MPI_Info info) {
  char* arguments[] = {(char*)part, (char*)word, NULL};
  MPI_Comm inter = MPI_COMM_NULL;
  int* codes = malloc((size_t)count * sizeof *codes);
  for (int i = 0; i < count; ++i) codes[i] = -1;
  OK(MPI_Comm_spawn(self, arguments, count, info, 0, comm, &inter, codes));
  for (int i = 0; i < count; ++i) CHECK(codes[i] == MPI_SUCCESS);
  free(codes);
  return inter;
}

/* --- the spawned -------------------------------------------------------------------------------
 */

static int child(int argc, char** argv, MPI_Comm parent) {
  const char* part = argv[1];
  const char* word = argc > 2 ? argv[2] : "";
  MPI_Comm again = MPI_COMM_NULL;
  check_family(parent, strcmp(part, "second") == 0);
  if (strcmp(part, "folder") == 0) {
    char here[PATH_MAX];
    CHECK(getcwd(here, sizeof here) != NULL && strcmp(here, word) == 0);
  } else if (strcmp(part, "words") == 0) {
    CHECK(argc == 5 && strcmp(argv[2], "") == 0 && strcmp(argv[3], "two words") == 0 &&
          strcmp(argv[4], "'\"$x\\") == 0);
  } else if (strcmp(part, "nest") == 0 && atoi(word) > 0) {
    char less[20];
    snprintf(less, sizeof less, "%d", atoi(word) - 1);
    MPI_Comm inter = spawn("nest", less, 1, MPI_COMM_WORLD, MPI_INFO_NULL);
    use(inter, 0);
    OK(MPI_Comm_disconnect(&inter));
  } else if (strcmp(part, "named") == 0) {
    if (check_rank == 0) OK(MPI_Publish_name("spawn test", MPI_INFO_NULL, "a port"));
  } else if (strcmp(part, "say") == 0) {
    printf("said %d\n", check_rank);
  } else if (strcmp(part, "abort") == 0) {
    MPI_Abort(MPI_COMM_WORLD, 9);
  } else if (strcmp(part, "killed") == 0) {
    raise(SIGKILL);
  } else if (strcmp(part, "status") == 0) {
    MPI_Finalize();
    exit(5);
  } else if (strcmp(part, "hang") == 0) {
    int none;
    MPI_Recv(&none, 1, MPI_INT, 0, 77, parent, MPI_STATUS_IGNORE);
  } else if (strcmp(part, "ring") == 0) {
    int none;
    MPI_Recv(&none, 1, MPI_INT, (check_rank + 1) % check_size, 77, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
  use(parent, 1);
  if (strcmp(part, "named") == 0 && check_rank == 0) {
    int none; /* comes when the name was looked up: it goes with this job */
    OK(MPI_Recv(&none, 1, MPI_INT, 0, 78, parent, MPI_STATUS_IGNORE));
  }
  if (strcmp(part, "again") == 0) {
    char port[MPI_MAX_PORT_NAME] = "";
    if (check_rank == 0) OK(MPI_Recv(port, sizeof port, MPI_CHAR, 0, 1, parent, MPI_STATUS_IGNORE));
    OK(MPI_Comm_disconnect(&parent));
    OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
    OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &again));
    use(again, 1);
    OK(MPI_Comm_disconnect(&again));
  } else if (strcmp(part, "kept") != 0) {
    OK(MPI_Comm_disconnect(&parent));
  }
  if (check_failures != 0) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Finalize();
  return 0;
}

/* --- the parents -------------------------------------------------------------------------------
 */

static void wrong(void) {
  char* arguments[] = {NULL};
  char name[] = "./no-such-program", folder[] = "/";
  char* commands[] = {self, name};
  int counts[] = {1, 2}, codes[3] = {-1, -1, -1};
  MPI_Info info, infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm inter = MPI_COMM_WORLD, none = MPI_COMM_NULL;
  EXPECT(MPI_ERR_SPAWN, "no-such-program",
         MPI_Comm_spawn(name, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes));
  CHECK(inter == MPI_COMM_NULL);
  CHECK(codes[0] == MPI_ERR_SPAWN && codes[1] == MPI_ERR_SPAWN && codes[2] == -1);
  EXPECT(MPI_ERR_SPAWN, "no-such-program",
         MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, counts, infos, 0, MPI_COMM_WORLD,
                                 &inter, codes));
  CHECK(codes[2] == MPI_ERR_SPAWN);
  EXPECT(MPI_ERR_SPAWN, "not executable",
         MPI_Comm_spawn(folder, arguments, 1, MPI_INFO_NULL, check_size - 1, MPI_COMM_WORLD, &inter,
                        MPI_ERRCODES_IGNORE));
  EXPECT(MPI_ERR_ARG, "maxprocs",
         MPI_Comm_spawn(self, MPI_ARGV_NULL, -1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                        MPI_ERRCODES_IGNORE));
  EXPECT(MPI_ERR_SPAWN, "maxprocs",
         MPI_Comm_spawn(self, MPI_ARGV_NULL, 0, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                        MPI_ERRCODES_IGNORE));
  EXPECT(MPI_ERR_ARG, "command",
         MPI_Comm_spawn(NULL, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                        MPI_ERRCODES_IGNORE));
  EXPECT(MPI_ERR_ARG, "count",
         MPI_Comm_spawn_multiple(0, commands, MPI_ARGVS_NULL, counts, infos, 0, MPI_COMM_SELF,
                                 &inter, MPI_ERRCODES_IGNORE));
  EXPECT(MPI_ERR_ARG, "null",
         MPI_Comm_spawn_multiple(1, commands, MPI_ARGVS_NULL, NULL, infos, 0, MPI_COMM_SELF, &inter,
                                 MPI_ERRCODES_IGNORE));
  EXPECT(
      MPI_ERR_COMM, "",
      MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, none, &inter, MPI_ERRCODES_IGNORE));
  EXPECT(MPI_ERR_ROOT, "root",
         MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, check_size, MPI_COMM_WORLD, &inter,
                        MPI_ERRCODES_IGNORE));
  EXPECT(MPI_ERR_ARG, "intercomm",
         MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, NULL,
                        MPI_ERRCODES_IGNORE));
  static const struct {
    const char *key, *value, *word;
    int error_class;
  } kKeys[] = {{"wdir", "/no/such/folder", "/no/such/folder", MPI_ERR_SPAWN},
               {"host", "no-such-host", "no-such-host", MPI_ERR_SPAWN},
               {"file", "/no/such/file", "/no/such/file", MPI_ERR_SPAWN},
               {"soft", "1:x", "1:x", MPI_ERR_INFO_VALUE},
               {"soft", "5,9:12", "5,9:12", MPI_ERR_SPAWN}};
  for (size_t i = 0; i < sizeof kKeys / sizeof *kKeys; ++i) {
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, kKeys[i].key, kKeys[i].value));
    EXPECT(kKeys[i].error_class, kKeys[i].word,
           MPI_Comm_spawn(self, MPI_ARGV_NULL, 2, info, 0, MPI_COMM_WORLD, &inter, codes));
    OK(MPI_Info_free(&info));
  }
}

/* What info keys change. */
static void keys(void) {
  MPI_Info info;
  char file[] = "/tmp/remit-spawn-XXXXXX";
  char copy[PATH_MAX], base[PATH_MAX];
  char* arguments[] = {"folder", "/", NULL};
  MPI_Comm inter;
  int codes[5], size = 0;
  strcpy(copy, self);
  strcpy(base, self);
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "path", dirname(copy)));
  OK(MPI_Info_set(info, "wdir", "/"));
  OK(MPI_Info_set(info, "host", "localhost"));
  OK(MPI_Info_set(info, "nobody knows this", "value"));
  OK(MPI_Comm_spawn(basename(base), arguments, 1, info, 0, MPI_COMM_WORLD, &inter, codes));
  use(inter, 0);
  OK(MPI_Comm_disconnect(&inter));
  OK(MPI_Info_free(&info));
  /* the same from a file */
  FILE* out = fdopen(mkstemp(file), "w");
  CHECK(out != NULL);
  fprintf(out, "# keys\n wdir = /\n\nsoft=1,2:4:2\n");
  fclose(out);
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "file", file));
  OK(MPI_Comm_spawn(self, arguments, 3, info, 0, MPI_COMM_WORLD, &inter, codes));
  CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS && codes[2] == MPI_ERR_SPAWN);
  OK(MPI_Comm_remote_size(inter, &size));
  CHECK(size == 2);
  use(inter, 0);
  OK(MPI_Comm_disconnect(&inter));
  OK(MPI_Info_free(&info));
  unlink(file);
  char* words[] = {"words", "", "two words", "'\"$x\\", NULL};
  OK(MPI_Comm_spawn(self, words, 1, MPI_INFO_NULL, check_size - 1, MPI_COMM_WORLD, &inter, codes));
  use(inter, 0);
  OK(MPI_Comm_disconnect(&inter));
}

static void multiple(void) {
  char* first[] = {"first", NULL};
  char* second[] = {"second", NULL};
  char** arguments[] = {first, second};
  char* commands[] = {self, self};
  const int counts[] = {2, 1};
  const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  int codes[3] = {-1, -1, -1}, size = 0;
  MPI_Comm inter;
  OK(MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, 0, MPI_COMM_WORLD, &inter,
                             codes));
  CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS && codes[2] == MPI_SUCCESS);
  OK(MPI_Comm_remote_size(inter, &size));
  CHECK(size == 3);
  use(inter, 0);
  OK(MPI_Comm_disconnect(&inter));
}

/* Disconnected, and connected again by a port. */
static void again(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm inter = spawn("again", "", 2, MPI_COMM_WORLD, MPI_INFO_NULL);
  use(inter, 0);
  if (check_rank == 0) {
    OK(MPI_Open_port(MPI_INFO_NULL, port));
    OK(MPI_Send(port, sizeof port, MPI_CHAR, 0, 1, inter));
  }
  OK(MPI_Comm_disconnect(&inter));
  OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
  use(inter, 0);
  OK(MPI_Comm_disconnect(&inter));
  if (check_rank == 0) OK(MPI_Close_port(port));
}

/* What a job has published goes with it. */
static void named(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm inter = spawn("named", "", 2, MPI_COMM_WORLD, MPI_INFO_NULL);
  use(inter, 0);
  if (check_rank == 0) {
    OK(MPI_Lookup_name("spawn test", MPI_INFO_NULL, port));
    CHECK(strcmp(port, "a port") == 0);
    const int none = 0;
    OK(MPI_Send(&none, 1, MPI_INT, 0, 78, inter));
  }
  OK(MPI_Comm_disconnect(&inter));
  int found = MPI_SUCCESS;
  const double end = MPI_Wtime() + 60;
  while (check_rank == 0 && found == MPI_SUCCESS && MPI_Wtime() < end) {
    found = MPI_Lookup_name("spawn test", MPI_INFO_NULL, port);
    usleep(1000);
  }
  CHECK(check_rank != 0 || found != MPI_SUCCESS);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Of a spawned process that has no world. */
static int session_only(void) {
  MPI_Session session;
  if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) != MPI_SUCCESS) return 1;
  return MPI_Session_finalize(&session) == MPI_SUCCESS ? 0 : 1;
}

/* mpirun, or the daemon of this host, keeps a file for each job whose processes run there. */
static void await_files_gone(void) {
  for (int files = 2; files > 1;) {
    const char* folder = getenv("PMIX_SERVER_TMPDIR");
    DIR* directory = folder == NULL ? NULL : opendir(folder);
    CHECK(directory != NULL);
    if (directory == NULL) return;
    files = 0;
    for (const struct dirent* each = readdir(directory); each != NULL; each = readdir(directory)) {
      if (strncmp(each->d_name, "calls.", 6) == 0) ++files;
    }
    closedir(directory);
    usleep(10000);
  }
}

int main(int argc, char** argv) {
  /* of the two who have this word, the spawned one has another one behind it */
  if (argc == 3 && strcmp(argv[1], "session") == 0) return session_only();
  check_start(&argc, &argv);
  MPI_Comm parent, inter;
  OK(MPI_Comm_get_parent(&parent));
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) MPI_Abort(MPI_COMM_WORLD, 1);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  if (parent != MPI_COMM_NULL) return child(argc, argv, parent);
  const char* command = getenv("SPAWN_COMMAND");
  if (command != NULL) snprintf(self, sizeof self, "%s", command);
  if (command != NULL) OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  if (argc > 1) { /* spawned processes that do what the words say */
    const char* number = getenv("SPAWN_NUMBER");
    if (getenv("SPAWN_WAIT") != NULL && check_rank == 0) (void)getchar();
    MPI_Info info;
    OK(MPI_Info_create(&info));
    if (getenv("SPAWN_HOST") != NULL) OK(MPI_Info_set(info, "host", getenv("SPAWN_HOST")));
    inter = spawn(argv[1], argc > 2 ? argv[2] : "", number == NULL ? 2 : atoi(number),
                  MPI_COMM_WORLD, info);
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_ARE_FATAL)); /* who misses one ends */
    use(inter, 0);
    OK(MPI_Comm_disconnect(&inter));
    return check_end("spawn");
  }
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  wrong();
  inter = spawn("plain", "", 3, MPI_COMM_WORLD, MPI_INFO_NULL);
  use(inter, 0);
  OK(MPI_Comm_disconnect(&inter));
  keys();
  multiple();
  again();
  named();
  /* who does not disconnect */
  inter = spawn("kept", "", 1, MPI_COMM_WORLD, MPI_INFO_NULL);
  use(inter, 0);
  OK(MPI_Comm_free(&inter));
  inter = spawn("nest", "2", 1, MPI_COMM_WORLD, MPI_INFO_NULL);
  use(inter, 0);
  OK(MPI_Comm_disconnect(&inter));
  /* each for itself, at the same time */
  for (int round = 0; round < 3; ++round) {
    inter = spawn("plain", "", 1, MPI_COMM_SELF, MPI_INFO_NULL);
    use(inter, 0);
    OK(MPI_Comm_disconnect(&inter));
  }
  await_files_gone();
  return check_end("spawn");
}
