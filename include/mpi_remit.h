/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * mpi_remit.h: what Remit has beside MPI 5.0, for C99 or later and C++98 or later: notified access,
 * and a word to libraries between a program and MPI.
 *
 * An operation on a window can tell the target that it has happened there. The target then needs
 * neither a message nor a fence to know that data have come, and the origin need not flush first.
 * There are two forms:
 *
 * - Notifications: each member of a window makes counters of 64 bits, which are the library's.
 *   MPIX_Put_notify, MPIX_Get_notify, MPIX_Accumulate_notify and MPIX_Fetch_and_op_notify add 1 to
 *   one of the target's. The target reads a counter, or waits for it by a request, together with
 *   receives.
 * - Signals: a word of 64 bits in the window's own memory, as in SHMEM. MPIX_Put_signal sets it or
 *   adds to it; MPIX_Signal_wait waits until it compares.
 *
 * What all of them promise, and what they do not:
 *
 * - A notification or signal implies the bytes of its own operation and nothing else: earlier
 *   operations, also of the same origin, may come later.
 * - The notification of a get says that the target's buffer may be overwritten.
 * - Counters cannot overflow. They take 8 bytes each at their owner, and nothing for each peer.
 * - Operations need an epoch as MPI_Put does (MPI_Win_lock_all, MPI_Win_fence, ...), and leave
 *   completion at the origin to it: the origin's buffer may be used again after a flush. Reading
 *   counters and waiting need none.
 * - Whoever waits sleeps as in any other wait, and communication goes on meanwhile.
 * - A target of MPI_PROC_NULL is fine: nothing happens, and nobody is notified.
 *
 * The names and arguments of MPIX_Win_create_notify, MPIX_Win_free_notify, MPIX_Win_get_notify,
 * MPIX_Win_set_notify, MPIX_Win_get_notify_request, MPIX_Put_notify and MPIX_Get_notify are those
 * of the Intel MPI Library. All functions return an MPI error code, raise errors through the
 * window's handler, and have a twin PMPIX_ for tools. A name that ends in _c is the large-count
 * form of the one before it. docs/notified-access.md has an example of each use.
 */
#ifndef REMIT_MPI_REMIT_H
#define REMIT_MPI_REMIT_H

#include <stdint.h>

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* ----------------------------------------------------------------------------------------------
 * Counters
 * ------------------------------------------------------------------------------------------- */

/* Makes `notification_num` counters, 0 or more, for this member of the window: 0, 1, and so on, all
 * zero. Members may make different numbers of them. Collective over the window's group; it may be
 * called while an epoch is open. MPI_ERR_ARG: the number is negative. MPI_ERR_RMA_SYNC: the window
 * has counters already. MPI_ERR_NO_MEM. */
int MPIX_Win_create_notify(MPI_Win win, int notification_num);

/* Gives the counters back when all operations of all members that notify have arrived. Collective.
 * MPI_ERR_RMA_SYNC: there are none, or a request of this process waits for one; then nothing is
 * done. MPI_Win_free gives them back, too. */
int MPIX_Win_free_notify(MPI_Win win);

/* Reads one of this process's counters: how many notifications have come, on top of what it was set
 * to. What their operations have done can be seen. MPI_ERR_ARG: there is no such counter.
 * MPI_ERR_RMA_SYNC: the window has none. */
int MPIX_Win_get_notify(MPI_Win win, int notification_idx, MPI_Count* notification);

/* Sets one of this process's counters to a value, 0 or more, as if so many notifications had come
 * and no request had taken any. Notifications that come during the call are counted before it or
 * after it, so a program does this where none is on its way. Errors as above, and MPI_ERR_ARG for a
 * negative value. */
int MPIX_Win_set_notify(MPI_Win win, int notification_idx, MPI_Count notification);

/* ----------------------------------------------------------------------------------------------
 * Waiting for notifications
 * ------------------------------------------------------------------------------------------- */

/* A request that is complete when the counter is `expected_value` or more, for MPI_Wait, MPI_Test
 * and all their kin. Takes nothing off the counter. In its status MPI_TAG is the index. It may be
 * cancelled; to free it cancels it. Errors as of MPIX_Win_get_notify, and MPI_ERR_ARG for a
 * negative value. */
int MPIX_Win_get_notify_request(MPI_Win win, int notification_idx, MPI_Count expected_value,
                                MPI_Request* request);

/* A persistent request, inactive at first, for `count` notifications, 1 or more. Started by
 * MPI_Start it is complete when so many have come that no request of this function has taken, and
 * takes them: what comes between its completion and the next start is there for that. The counter
 * itself goes on counting. Several requests for one counter take in the order in which they were
 * started, each as soon as there are enough. Counters do not tell who has added to them: `source`
 * must be MPI_ANY_SOURCE, and whoever wants to know gives each origin a counter of its own. No info
 * key is known. In the status MPI_TAG is the index. It may be cancelled; to free it while it is
 * active cancels it. Errors as of MPIX_Win_get_notify, MPI_ERR_RANK for another source, and
 * MPI_ERR_COUNT for another count. */
int MPIX_Notify_init(MPI_Win win, int source, int notification_idx, MPI_Count count, MPI_Info info,
                     MPI_Request* request);

/* ----------------------------------------------------------------------------------------------
 * Operations that notify
 * ------------------------------------------------------------------------------------------- */

/* MPI_Put; then 1 is added to the target's counter `notification_idx`. Whoever has seen that sees
 * the bytes. Errors as of MPI_Put; MPI_ERR_ARG: the target has no such counter; MPI_ERR_RMA_SYNC:
 * the window has none. With an error nothing is put and nobody notified. */
int MPIX_Put_notify(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count,
                    MPI_Datatype target_datatype, int notification_idx, MPI_Win win);
int MPIX_Put_notify_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, int notification_idx, MPI_Win win);

/* MPI_Get; when the target's memory has been read, and may be overwritten, 1 is added to its
 * counter. The bytes are at the origin after a flush, as of MPI_Get. Errors are those of
 * MPIX_Put_notify. */
int MPIX_Get_notify(void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count,
                    MPI_Datatype target_datatype, int notification_idx, MPI_Win win);
int MPIX_Get_notify_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, int notification_idx, MPI_Win win);

/* MPI_Accumulate; then 1 is added to the target's counter. Errors as of MPI_Accumulate and
 * MPIX_Put_notify. */
int MPIX_Accumulate_notify(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                           int target_rank, MPI_Aint target_disp, int target_count,
                           MPI_Datatype target_datatype, MPI_Op op, int notification_idx,
                           MPI_Win win);
int MPIX_Accumulate_notify_c(const void* origin_addr, MPI_Count origin_count,
                             MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                             MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                             int notification_idx, MPI_Win win);

/* MPI_Fetch_and_op; then 1 is added to the target's counter. The result is at the origin after a
 * flush. Errors as of MPI_Fetch_and_op and MPIX_Put_notify. */
int MPIX_Fetch_and_op_notify(const void* origin_addr, void* result_addr, MPI_Datatype datatype,
                             int target_rank, MPI_Aint target_disp, MPI_Op op, int notification_idx,
                             MPI_Win win);

/* ----------------------------------------------------------------------------------------------
 * Signals
 * ------------------------------------------------------------------------------------------- */

/* How MPIX_Signal_wait and MPIX_Signal_test compare the word with the value, both unsigned. */
#define MPIX_CMP_EQ 1 /* equal */
#define MPIX_CMP_NE 2 /* not equal */
#define MPIX_CMP_GT 3 /* the word is greater */
#define MPIX_CMP_GE 4 /* greater or equal */
#define MPIX_CMP_LT 5 /* less */
#define MPIX_CMP_LE 6 /* less or equal */

/* MPI_Put; then the word of 64 bits at `signal_disp`, in the target's displacement units, becomes
 * `signal` (`op` is MPI_REPLACE) or grows by it (MPI_SUM). The word is any 8 bytes of the target's
 * part of the window that are aligned to 8 bytes and that this put does not change. It is changed
 * as by an accumulate of one MPI_UINT64_T: accumulates of others to it are fine. No counters are
 * needed. Errors as of MPI_Put and MPI_Accumulate, MPI_ERR_DISP for a word that is not aligned and
 * MPI_ERR_OP for another operation. */
int MPIX_Put_signal(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count,
                    MPI_Datatype target_datatype, MPI_Aint signal_disp, uint64_t signal, MPI_Op op,
                    MPI_Win win);
int MPIX_Put_signal_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, MPI_Aint signal_disp, uint64_t signal,
                      MPI_Op op, MPI_Win win);

/* Waits until the word at `signal_disp` of this process's own memory in the window, in its own
 * displacement units, compares with `value` as `cmp` says. What was put before can be seen then. A
 * word that is only ever increased, and compared by MPIX_CMP_GE, needs no resetting. MPI_ERR_ARG:
 * `cmp` is none of the above; MPI_ERR_RMA_RANGE or MPI_ERR_DISP: there is no such word. */
int MPIX_Signal_wait(MPI_Win win, MPI_Aint signal_disp, int cmp, uint64_t value);

/* Whether it does now: `flag` is 1 or 0. Errors as of MPIX_Signal_wait. */
int MPIX_Signal_test(MPI_Win win, MPI_Aint signal_disp, int cmp, uint64_t value, int* flag);

/* ----------------------------------------------------------------------------------------------
 * Requests of other languages
 * ------------------------------------------------------------------------------------------- */

/* What happens to the request of a collective operation. */
enum {
  MPIX_REQUEST_STARTS,   /* a persistent one, just before it does */
  MPIX_REQUEST_COMPLETE, /* an MPI function is about to say so, perhaps not the first one */
  MPIX_REQUEST_FREED     /* it is going away */
};

/* From now on `watcher` hears of them, whoever calls the function of MPI: a library that stands
 * between a program in another language and MPI may have data to copy then. It is called in the
 * thread that called MPI, may be called by several at once, and may not call MPI itself. There is
 * one in a process, the latest; a null pointer: none. Any thread, at any time. MPI_SUCCESS. */
int MPIX_Request_set_watcher(void (*watcher)(MPI_Request request, int event));

/* ----------------------------------------------------------------------------------------------
 * For tools
 * ------------------------------------------------------------------------------------------- */

int PMPIX_Win_create_notify(MPI_Win win, int notification_num);
int PMPIX_Win_free_notify(MPI_Win win);
int PMPIX_Win_get_notify(MPI_Win win, int notification_idx, MPI_Count* notification);
int PMPIX_Win_set_notify(MPI_Win win, int notification_idx, MPI_Count notification);
int PMPIX_Win_get_notify_request(MPI_Win win, int notification_idx, MPI_Count expected_value,
                                 MPI_Request* request);
int PMPIX_Notify_init(MPI_Win win, int source, int notification_idx, MPI_Count count, MPI_Info info,
                      MPI_Request* request);
int PMPIX_Put_notify(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, int target_count,
                     MPI_Datatype target_datatype, int notification_idx, MPI_Win win);
int PMPIX_Put_notify_c(const void* origin_addr, MPI_Count origin_count,
                       MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                       MPI_Count target_count, MPI_Datatype target_datatype, int notification_idx,
                       MPI_Win win);
int PMPIX_Get_notify(void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, int target_count,
                     MPI_Datatype target_datatype, int notification_idx, MPI_Win win);
int PMPIX_Get_notify_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                       int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                       MPI_Datatype target_datatype, int notification_idx, MPI_Win win);
int PMPIX_Accumulate_notify(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                            int target_rank, MPI_Aint target_disp, int target_count,
                            MPI_Datatype target_datatype, MPI_Op op, int notification_idx,
                            MPI_Win win);
int PMPIX_Accumulate_notify_c(const void* origin_addr, MPI_Count origin_count,
                              MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                              MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                              int notification_idx, MPI_Win win);
int PMPIX_Fetch_and_op_notify(const void* origin_addr, void* result_addr, MPI_Datatype datatype,
                              int target_rank, MPI_Aint target_disp, MPI_Op op,
                              int notification_idx, MPI_Win win);
int PMPIX_Put_signal(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, int target_count,
                     MPI_Datatype target_datatype, MPI_Aint signal_disp, uint64_t signal, MPI_Op op,
                     MPI_Win win);
int PMPIX_Put_signal_c(const void* origin_addr, MPI_Count origin_count,
                       MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                       MPI_Count target_count, MPI_Datatype target_datatype, MPI_Aint signal_disp,
                       uint64_t signal, MPI_Op op, MPI_Win win);
int PMPIX_Signal_wait(MPI_Win win, MPI_Aint signal_disp, int cmp, uint64_t value);
int PMPIX_Signal_test(MPI_Win win, MPI_Aint signal_disp, int cmp, uint64_t value, int* flag);
int PMPIX_Request_set_watcher(void (*watcher)(MPI_Request request, int event));

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* REMIT_MPI_REMIT_H */
