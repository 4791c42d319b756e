/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* What TCP allows between two hosts, with nothing above it: ping-pongs and one-way streams of two
   processes that never sleep. Tables as those of latency and bw in benchmarks/suite; needs no MPI.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kWindow = 64 }; /* messages of bw before the receiver answers */

/* What the client asks the server for, in front of each measurement. */
struct task {
  uint64_t bytes, rounds, window; /* window 0: ping-pongs */
};

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void fail(const char* what) {
  fprintf(stderr, "raw_tcp: %s: %s\n", what, strerror(errno));
  exit(1);
}

/* All of it, without ever sleeping; false if the other side has hung up. */
static bool transfer(int fd, char* buffer, size_t bytes, bool sends) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t n = sends ? send(fd, buffer + done, bytes - done, MSG_DONTWAIT | MSG_NOSIGNAL)
                            : recv(fd, buffer + done, bytes - done, MSG_DONTWAIT);
    if (n == 0 && !sends) return false;
    if (n < 0 && errno != EAGAIN && errno != EINTR) fail(sends ? "send" : "recv");
    if (n > 0) done += (size_t)n;
  }
  return true;
}

static char* buffer_of(uint64_t bytes) {
  char* buffer = calloc(1, bytes > 0 ? bytes : 1);
  if (buffer == NULL) fail("memory");
  return buffer;
}

static void send_at_once(int fd) {
  const int yes = 1;
  if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0) fail("TCP_NODELAY");
}

/* Prints its port, and serves one client. */
static int serve(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0 || bind(listener, (struct sockaddr*)&address, size) != 0 ||
      listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr*)&address, &size) != 0) {
    fail("listen");
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  const int fd = accept(listener, NULL, NULL);
  if (fd < 0) fail("accept");
  send_at_once(fd);
  struct task task;
  while (transfer(fd, (char*)&task, sizeof task, false)) {
    char* buffer = buffer_of(task.bytes);
    for (uint64_t i = 0; i < task.rounds; ++i) {
      for (uint64_t k = 1; k < task.window; ++k) transfer(fd, buffer, task.bytes, false);
      transfer(fd, buffer, task.bytes, false);
      transfer(fd, buffer, task.window > 0 ? 1 : task.bytes, true);
    }
    free(buffer);
  }
  return 0;
}

/* Time of one round in us. */
static double measure(int fd, struct task task) {
  char* buffer = buffer_of(task.bytes);
  transfer(fd, (char*)&task, sizeof task, true);
  const double begin = now_us();
  for (uint64_t i = 0; i < task.rounds; ++i) {
    for (uint64_t k = 1; k < task.window; ++k) transfer(fd, buffer, task.bytes, true);
    transfer(fd, buffer, task.bytes, true);
    transfer(fd, buffer, task.window > 0 ? 1 : task.bytes, false);
  }
  free(buffer);
  return (now_us() - begin) / (double)task.rounds;
}

static int connect_to(const char* host, const char* port) {
  const struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  struct addrinfo* found = NULL;
  if (getaddrinfo(host, port, &wanted, &found) != 0) fail(host);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) != 0) fail(host);
  freeaddrinfo(found);
  send_at_once(fd);
  return fd;
}

/* usage: raw_tcp serve
          raw_tcp latency|bw HOST PORT ROUNDS BYTES... */
int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "serve") == 0) return serve();
  const bool streams = argc > 5 && strcmp(argv[1], "bw") == 0;
  if (argc < 6 || (!streams && strcmp(argv[1], "latency") != 0)) {
    fprintf(stderr, "usage: raw_tcp serve | raw_tcp latency|bw HOST PORT ROUNDS BYTES...\n");
    return 2;
  }
  const int fd = connect_to(argv[2], argv[3]);
  for (int i = 5; i < argc; ++i) {
    struct task task = {strtoull(argv[i], NULL, 10), strtoull(argv[4], NULL, 10),
                        streams ? kWindow : 0};
    struct task warmup = task;
    warmup.rounds = task.rounds / 10 + 1;
    measure(fd, warmup);
    const double us = measure(fd, task);
    printf("%llu %.2f\n", (unsigned long long)task.bytes,
           streams ? (double)task.bytes * kWindow / us : us / 2);
  }
  close(fd);
  return 0;
}
