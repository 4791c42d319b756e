/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Some ranks keep sessions across MPI_Finalize, the others end there, or open sessions later. The
 * first half of the ranks keeps one. The argument: "leave": the others' programs end at once;
 * "return": they open a session of their own and talk among themselves, while the others do. */
#include <unistd.h>

#include "check.h"

enum { kLarge = 300000 };

/* All of `comm` talk in several ways. */
static void talk(MPI_Comm comm, int rounds) {
  static int in[kLarge], out[kLarge];
  int rank, size, sum = 0;
  OK(MPI_Comm_rank(comm, &rank));
  OK(MPI_Comm_size(comm, &size));
  for (int round = 0; round < rounds; ++round) {
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == size * (size - 1) / 2);
    const int count = round % 3 == 0 ? kLarge : round;
    for (int i = 0; i < count; ++i) out[i] = rank + i + round;
    OK(MPI_Sendrecv(out, count, MPI_INT, (rank + 1) % size, round, in, kLarge, MPI_INT,
                    (rank + size - 1) % size, round, comm, MPI_STATUS_IGNORE));
    if (count > 0) CHECK(in[count - 1] == (rank + size - 1) % size + count - 1 + round);
  }
}

/* A communicator of the ranks [first, last) of the world, from a session. */
static MPI_Comm part_of(MPI_Session session, int first, int last, const char* tag) {
  MPI_Group world, group;
  MPI_Comm comm;
  int range[1][3] = {{first, last - 1, 1}};
  OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
  OK(MPI_Group_range_incl(world, 1, range, &group));
  OK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  OK(MPI_Group_free(&world));
  OK(MPI_Group_free(&group));
  return comm;
}

static MPI_Session new_session(void) {
  MPI_Session session = MPI_SESSION_NULL;
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  return session;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "leave";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
  const int half = (check_size + 1) / 2, keeps = check_rank < half;
  static char late[100000];
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Comm before = MPI_COMM_NULL;
  if (keeps) {
    session = new_session();
    before = part_of(session, 0, half, "before");
  }
  talk(MPI_COMM_WORLD, 5);
  /* Sent just before the end, to one that keeps a session, and received just before its end. */
  if (check_rank == check_size - 1 && check_size > 1)
    OK(MPI_Send(late, sizeof late, MPI_CHAR, 0, 9, MPI_COMM_WORLD));
  if (check_rank == 0 && check_size > 1) {
    usleep(20000);
    OK(MPI_Recv(late, sizeof late, MPI_CHAR, check_size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  }
  OK(MPI_Finalize());
  if (!keeps) {
    if (strcmp(how, "leave") == 0) return check_failures != 0;
    session = new_session();
    before = part_of(session, half, check_size, "others");
    talk(before, 20);
    OK(MPI_Comm_free(&before));
    OK(MPI_Session_finalize(&session));
    return check_failures != 0;
  }
  talk(before, 10);
  if (check_rank == 0) usleep(50000); /* by now the others are gone */
  MPI_Comm after = part_of(session, 0, half, "after");
  talk(after, 20);
  OK(MPI_Comm_free(&before));
  OK(MPI_Comm_free(&after));
  MPI_Session another = new_session();
  OK(MPI_Session_finalize(&session));
  after = part_of(another, 0, half, "another");
  talk(after, 5);
  OK(MPI_Comm_free(&after));
  OK(MPI_Session_finalize(&another));
  if (check_rank == 0 && check_failures == 0)
    printf("kept_session: passed (%d ranks)\n", check_size);
  return check_failures != 0;
}
