/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Ports, names and sockets between the halves of MPI_COMM_WORLD, which share no communicator that
 * they would use for it. "serve" and "visit" are two jobs (tests/launcher/spawns.py). */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

static int in_front;
static MPI_Comm half;

/* All collectives that an inter-communicator may need for more, and messages of several sizes. */
static void use(MPI_Comm inter, int remote_expected) {
  int flag = 0, remote = 0, size, rank, sum = -1;
  OK(MPI_Comm_test_inter(inter, &flag));
  CHECK(flag);
  OK(MPI_Comm_remote_size(inter, &remote));
  CHECK(remote == remote_expected);
  OK(MPI_Comm_size(inter, &size));
  OK(MPI_Comm_rank(inter, &rank));
  int mine = check_rank + 1, expected = 0;
  OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter));
  for (int i = 0; i < check_size; ++i)
    if ((i < (check_size + 1) / 2) != in_front) expected += i + 1;
  CHECK(sum == expected);
  const size_t sizes[] = {0, 8, 5000, 300000};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    unsigned char* buffer = malloc(sizes[s] + 1);
    if (in_front && rank == 0) {
      check_fill(buffer, sizes[s], s);
      OK(MPI_Send(buffer, (int)sizes[s], MPI_BYTE, remote - 1, 3, inter));
    } else if (!in_front && rank == size - 1) {
      MPI_Status status;
      OK(MPI_Recv(buffer, (int)sizes[s], MPI_BYTE, MPI_ANY_SOURCE, 3, inter, &status));
      CHECK(status.MPI_SOURCE == 0 && check_filled(buffer, sizes[s], s));
    }
    free(buffer);
  }
  OK(MPI_Barrier(inter));
}

/* The name of the port travels by a message, or is published. */
static void meet(int published, int root, int rounds) {
  char port[MPI_MAX_PORT_NAME] = "";
  int half_rank, half_size, here = 0;
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  if (root >= half_size || root >= check_size / 2) root = 0;
  const int front_root = root, back_root = (check_size + 1) / 2 + root;
  if (in_front) {
    if (half_rank == root) {
      OK(MPI_Open_port(MPI_INFO_NULL, port));
      CHECK(strlen(port) > 0 && strlen(port) < MPI_MAX_PORT_NAME);
      if (published) {
        OK(MPI_Publish_name("remit test", MPI_INFO_NULL, port));
        EXPECT(MPI_ERR_SERVICE, "already", MPI_Publish_name("remit test", MPI_INFO_NULL, "x"));
        OK(MPI_Send(&here, 1, MPI_INT, back_root, 1, MPI_COMM_WORLD));
      } else {
        OK(MPI_Send(port, (int)sizeof port, MPI_CHAR, back_root, 1, MPI_COMM_WORLD));
      }
    }
  } else if (half_rank == root) {
    if (published) {
      OK(MPI_Recv(&here, 1, MPI_INT, front_root, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      OK(MPI_Lookup_name("remit test", MPI_INFO_NULL, port));
      EXPECT(MPI_ERR_SERVICE, "has not published",
             MPI_Unpublish_name("remit test", MPI_INFO_NULL, port));
    } else {
      OK(MPI_Recv(port, (int)sizeof port, MPI_CHAR, front_root, 1, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE));
    }
  }
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm inter = MPI_COMM_NULL, merged;
    if (in_front)
      OK(MPI_Comm_accept(port, MPI_INFO_NULL, root, half, &inter));
    else
      OK(MPI_Comm_connect(port, MPI_INFO_NULL, root, half, &inter));
    use(inter, in_front ? check_size / 2 : (check_size + 1) / 2);
    OK(MPI_Intercomm_merge(inter, in_front, &merged));
    int size;
    OK(MPI_Comm_size(merged, &size));
    CHECK(size == check_size);
    OK(MPI_Comm_free(&merged));
    OK(MPI_Comm_disconnect(&inter));
    CHECK(inter == MPI_COMM_NULL);
  }
  if (in_front && half_rank == root) {
    if (published) OK(MPI_Unpublish_name("remit test", MPI_INFO_NULL, port));
    OK(MPI_Close_port(port));
    EXPECT(MPI_ERR_PORT, "no port", MPI_Close_port(port));
  }
}

/* Somebody knocks at a port that is closed instead. */
static void closed(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm inter = MPI_COMM_WORLD;
  if (check_rank == 0) {
    OK(MPI_Open_port(MPI_INFO_NULL, port));
    OK(MPI_Send(port, (int)sizeof port, MPI_CHAR, 1, 2, MPI_COMM_WORLD));
    OK(MPI_Close_port(port));
    /* the knock comes now, or came before */
    OK(MPI_Recv(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    EXPECT(MPI_ERR_PORT, "not open",
           MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
  } else if (check_rank == 1) {
    OK(MPI_Recv(port, (int)sizeof port, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    EXPECT(MPI_ERR_PORT, "closed", MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    CHECK(inter == MPI_COMM_NULL);
    OK(MPI_Send(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD));
  }
}

/* One that nobody closes: its process is in MPI_Finalize, or has ended. */
static int gone(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm inter = MPI_COMM_WORLD;
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  if (check_rank == 0) OK(MPI_Open_port(MPI_INFO_NULL, port));
  OK(MPI_Bcast(port, (int)sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD));
  if (check_rank != 0) {
    if (check_rank > 1) usleep(300000); /* now, or later */
    EXPECT(MPI_ERR_PORT, "port", MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    CHECK(inter == MPI_COMM_NULL);
  }
  MPI_Finalize();
  if (check_rank == check_size - 1 && check_failures == 0) printf("ports gone: passed\n");
  return check_failures != 0;
}

/* For processes of other jobs: a port that was closed; the process is in a barrier then, until
 * somebody says something to rank 1. */
static int shut(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  if (check_rank == 0) {
    OK(MPI_Open_port(MPI_INFO_NULL, port));
    OK(MPI_Close_port(port));
    printf("%s\n", port);
    fflush(stdout);
  } else {
    (void)getchar();
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  return check_end("ports shut");
}

/* A name that a client of PMIx publishes, for a port whose name has so many characters. */
static int look_up(int length) {
  char port[MPI_MAX_PORT_NAME + 1] = "";
  int code = MPI_ERR_NAME, error_class = MPI_ERR_NAME;
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  while (error_class == MPI_ERR_NAME) {
    code = MPI_Lookup_name("remit test", MPI_INFO_NULL, port);
    MPI_Error_class(code, &error_class);
  }
  if (length < MPI_MAX_PORT_NAME) {
    CHECK(code == MPI_SUCCESS && strlen(port) == (size_t)length);
  } else {
    EXPECT(MPI_ERR_PORT, "characters", code);
    CHECK(port[0] == '\0');
  }
  MPI_Finalize(); /* without the other process of MPI_COMM_WORLD, which is none of MPI */
  return check_failures != 0;
}

/* Where other hosts find this one, or else the loopback. */
static struct sockaddr_in own_address(void) {
  struct sockaddr_in own = {.sin_family = AF_INET};
  struct ifaddrs* all = NULL;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(getifaddrs(&all) == 0);
  for (const struct ifaddrs* each = all; each != NULL; each = each->ifa_next) {
    const unsigned wanted = IFF_UP | IFF_LOOPBACK;
    if (each->ifa_addr == NULL || each->ifa_addr->sa_family != AF_INET) continue;
    if ((each->ifa_flags & wanted) == IFF_UP) {
      own.sin_addr = ((const struct sockaddr_in*)each->ifa_addr)->sin_addr;
    }
  }
  freeifaddrs(all);
  return own;
}

/* Ranks 0 and 1 join over a socket, which may lead to another host. */
static void join(void) {
  MPI_Comm inter = MPI_COMM_NULL;
  if (check_rank > 1) return;
  struct sockaddr_in address = own_address();
  int fd = -1;
  if (check_rank == 0) {
    socklen_t length = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr*)&address, sizeof address) == 0);
    CHECK(listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr*)&address, &length) == 0);
    OK(MPI_Send(&address, (int)sizeof address, MPI_BYTE, 1, 4, MPI_COMM_WORLD));
    fd = accept(listener, NULL, NULL);
    close(listener);
  } else {
    OK(MPI_Recv(&address, (int)sizeof address, MPI_BYTE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(fd, (struct sockaddr*)&address, sizeof address) == 0);
  }
  OK(MPI_Comm_join(fd, &inter));
  int value = check_rank, got = -1, size = 0;
  OK(MPI_Comm_remote_size(inter, &size));
  CHECK(size == 1);
  OK(MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE));
  CHECK(got == 1 - check_rank);
  OK(MPI_Comm_disconnect(&inter));
  /* the socket is the program's again */
  char byte = 'x';
  CHECK(write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1 && byte == 'x');
  close(fd);
}

static void wrong_arguments(void) {
  MPI_Comm inter = MPI_COMM_WORLD, none = MPI_COMM_NULL;
  char port[MPI_MAX_PORT_NAME] = "remit:1:nonsense";
  int pipes[2], pair[2];
  EXPECT(MPI_ERR_ARG, "port_name", MPI_Open_port(MPI_INFO_NULL, NULL));
  EXPECT(MPI_ERR_PORT, "no port", MPI_Close_port("nothing"));
  EXPECT(MPI_ERR_ARG, "port_name", MPI_Close_port(NULL));
  EXPECT(MPI_ERR_PORT, "name of a port",
         MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
  CHECK(inter == MPI_COMM_NULL);
  EXPECT(MPI_ERR_PORT, "name of a port",
         MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
  EXPECT(MPI_ERR_PORT, "name of a port",
         MPI_Comm_connect("", MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
  EXPECT(MPI_ERR_PORT, "null", MPI_Comm_connect(NULL, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
  EXPECT(MPI_ERR_COMM, "", MPI_Comm_connect(port, MPI_INFO_NULL, 0, none, &inter));
  EXPECT(MPI_ERR_ROOT, "root", MPI_Comm_accept(port, MPI_INFO_NULL, 7777, MPI_COMM_SELF, &inter));
  EXPECT(MPI_ERR_ARG, "newcomm", MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, NULL));
  EXPECT(MPI_ERR_SERVICE, "characters", MPI_Publish_name("", MPI_INFO_NULL, port));
  EXPECT(MPI_ERR_ARG, "port_name", MPI_Publish_name("remit test", MPI_INFO_NULL, NULL));
  char long_name[MPI_MAX_PORT_NAME + 1];
  memset(long_name, 'x', sizeof long_name);
  long_name[MPI_MAX_PORT_NAME] = '\0';
  EXPECT(MPI_ERR_PORT, "characters", MPI_Publish_name("remit test", MPI_INFO_NULL, long_name));
  EXPECT(MPI_ERR_ARG, "port_name", MPI_Lookup_name("remit test", MPI_INFO_NULL, NULL));
  EXPECT(MPI_ERR_ARG, "service_name", MPI_Unpublish_name(NULL, MPI_INFO_NULL, port));
  EXPECT(MPI_ERR_NAME, "", MPI_Lookup_name("remit test, nobody's", MPI_INFO_NULL, port));
  EXPECT(MPI_ERR_SERVICE, "", MPI_Unpublish_name("remit test, nobody's", MPI_INFO_NULL, port));
  EXPECT(MPI_ERR_ARG, "fd", MPI_Comm_join(-1, &inter));
  EXPECT(MPI_ERR_ARG, "intercomm", MPI_Comm_join(0, NULL));
  CHECK(pipe(pipes) == 0);
  EXPECT(MPI_ERR_ARG, "fd", MPI_Comm_join(pipes[0], &inter));
  close(pipes[0]);
  close(pipes[1]);
  /* who does not speak MPI, and who leaves */
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  char noise[64] = "no passport";
  CHECK(write(pair[1], noise, sizeof noise) == (ssize_t)sizeof noise);
  EXPECT(MPI_ERR_OTHER, "no MPI_Comm_join", MPI_Comm_join(pair[0], &inter));
  close(pair[0]);
  close(pair[1]);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  close(pair[1]);
  EXPECT(MPI_ERR_OTHER, "", MPI_Comm_join(pair[0], &inter));
  CHECK(inter == MPI_COMM_NULL);
  close(pair[0]);
}

/* Jobs of their own: one that is visited three times, and its visitors. */
static int serve(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  int value = 0, size = 0;
  if (check_rank == 0) {
    OK(MPI_Open_port(MPI_INFO_NULL, port));
    printf("%s\n", port);
    fflush(stdout);
  }
  for (int visit = 0; visit < 3; ++visit) {
    MPI_Comm inter, merged;
    OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
    OK(MPI_Comm_remote_size(inter, &size));
    OK(MPI_Allreduce(&check_size, &value, 1, MPI_INT, MPI_SUM, inter));
    CHECK(value == size * size);
    OK(MPI_Intercomm_merge(inter, 0, &merged));
    OK(MPI_Barrier(merged));
    OK(MPI_Comm_free(&merged));
    OK(MPI_Comm_disconnect(&inter));
  }
  return check_end("ports serve");
}

static int visit(const char* port) {
  MPI_Comm inter, merged;
  int value = 0, size = 0;
  OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
  OK(MPI_Comm_remote_size(inter, &size));
  CHECK(size == 2);
  OK(MPI_Allreduce(&check_size, &value, 1, MPI_INT, MPI_SUM, inter));
  CHECK(value == 4);
  OK(MPI_Intercomm_merge(inter, 0, &merged));
  OK(MPI_Barrier(merged));
  OK(MPI_Comm_free(&merged));
  OK(MPI_Comm_disconnect(&inter));
  return check_end("ports visit");
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "serve") == 0) return serve();
  if (argc > 2 && strcmp(argv[1], "visit") == 0) return visit(argv[2]);
  if (argc > 2 && strcmp(argv[1], "lookup") == 0) return look_up(atoi(argv[2]));
  if (argc > 1 && strcmp(argv[1], "gone") == 0) return gone();
  if (argc > 1 && strcmp(argv[1], "shut") == 0) return shut();
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  in_front = check_rank < (check_size + 1) / 2;
  OK(MPI_Comm_split(MPI_COMM_WORLD, in_front, 0, &half));
  wrong_arguments();
  if (check_size > 1) {
    meet(0, 0, 1);
    meet(0, 1, 3);
    meet(1, 0, 2);
    closed();
    join();
  }
  OK(MPI_Comm_free(&half));
  return check_end("ports");
}
