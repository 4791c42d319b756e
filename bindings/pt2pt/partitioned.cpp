// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication (MPI-5.0, chapter 4).
#include "pt2pt/partitioned.hpp"

#include "bindings/env/info_objects.hpp"
#include "bindings/pt2pt/requests.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// Tags for the partitions of one send: none is used twice before all others have been.
int take_tags(Instance& instance, int partitions) {
  if (instance.next_partition_tag > kTagUpperBound - partitions) instance.next_partition_tag = 0;
  const int first = instance.next_partition_tag;
  instance.next_partition_tag += partitions;
  return first;
}

int check_partitions(Entry& entry, int partitions, const MessageArgs& args) {
  if (partitions < 0) {
    return entry.fail(MPI_ERR_ARG, "partitions is {}; it must not be negative", partitions);
  }
  MPI_Count bytes = 0;
  if (__builtin_mul_overflow(static_cast<MPI_Count>(args.view.size()), partitions, &bytes)) {
    return entry.fail(MPI_ERR_COUNT, "{} partitions of {} bytes are too large together", partitions,
                      args.view.size());
  }
  return MPI_SUCCESS;
}

int hand_out_partitioned(Entry& entry, bool sends, int partitions, const MessageArgs& args,
                         MPI_Request* request) {
  if (int err = check_partitions(entry, partitions, args)) return err;
  if (int err = entry.not_null(request, "request")) return err;
  Instance& instance = entry.instance();
  RequestObject* made = make_request(instance, RequestForm::partitioned, args);
  made->persistent = true;
  made->active = false;
  PartitionedArgs parts{args.view, partitions, args.peer, args.tag, args.comm->core, 0};
  if (sends) {
    parts.first_tag = take_tags(instance, partitions);
    made->partitioned = std::make_unique<PartitionedSend>(entry.engine(), made->core, parts);
  } else {
    made->partitioned = std::make_unique<PartitionedReceive>(entry.engine(), made->core, parts);
  }
  *request = handle_of(made);
  return MPI_SUCCESS;
}

int psend_init(const char* function, const void* buffer, int partitions, MPI_Count count,
               MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
  Entry entry(function);
  MessageArgs args;
  if (int err = check_send(entry, buffer, count, type, dest, tag, comm, args)) return err;
  if (int err = optional_info(entry, info)) return err;
  return hand_out_partitioned(entry, true, partitions, args, request);
}

int precv_init(const char* function, void* buffer, int partitions, MPI_Count count,
               MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
  Entry entry(function);
  MessageArgs args;
  if (int err = check_receive(entry, buffer, count, type, source, tag, comm, args)) return err;
  if (source == MPI_ANY_SOURCE) {
    return entry.fail(MPI_ERR_RANK, "source is MPI_ANY_SOURCE, which may not stand here");
  }
  if (tag == MPI_ANY_TAG) {
    return entry.fail(MPI_ERR_TAG, "tag is MPI_ANY_TAG, which may not stand here");
  }
  if (int err = optional_info(entry, info)) return err;
  return hand_out_partitioned(entry, false, partitions, args, request);
}

/// The partitioned operation of one direction behind a handle.
template <class Side>
int side_of(Entry& entry, MPI_Request handle, bool sends, RequestObject*& object, Side*& out) {
  if (int err = entry.request(handle, object)) return err;
  if (object->partitioned == nullptr || object->partitioned->sends() != sends) {
    return entry.fail(MPI_ERR_REQUEST, "the request is not one of {}",
                      sends ? "MPI_Psend_init" : "MPI_Precv_init");
  }
  out = static_cast<Side*>(object->partitioned.get());
  return MPI_SUCCESS;
}

int check_partition(Entry& entry, const Partitioned& operation, int partition, const char* name) {
  if (partition >= 0 && partition < operation.partitions()) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_ARG, "{} is {}; the operation has {} partitions", name, partition,
                    operation.partitions());
}

int started_send(Entry& entry, MPI_Request handle, PartitionedSend*& out) {
  RequestObject* object = nullptr;
  if (int err = side_of(entry, handle, true, object, out)) return err;
  if (object->active) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_REQUEST, "the request is inactive; start it first");
}

int check_not_ready(Entry& entry, const PartitionedSend& send, int partition) {
  if (!send.is_ready(partition)) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_ARG, "partition {} was made ready before", partition);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Pready(int partition, MPI_Request request) try {
  Entry entry("MPI_Pready");
  PartitionedSend* send = nullptr;
  if (int err = started_send(entry, request, send)) return err;
  if (int err = check_partition(entry, *send, partition, "partition")) return err;
  if (int err = check_not_ready(entry, *send, partition)) return err;
  send->ready(partition);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Pready");
}
REMIT_WEAK(Pready);

int PMPI_Pready_range(int partition_low, int partition_high, MPI_Request request) try {
  Entry entry("MPI_Pready_range");
  PartitionedSend* send = nullptr;
  if (int err = started_send(entry, request, send)) return err;
  if (int err = check_partition(entry, *send, partition_low, "partition_low")) return err;
  if (int err = check_partition(entry, *send, partition_high, "partition_high")) return err;
  if (partition_low > partition_high) {
    return entry.fail(MPI_ERR_ARG, "partition_low is {}, above partition_high, {}", partition_low,
                      partition_high);
  }
  for (int i = partition_low; i <= partition_high; ++i) {
    if (int err = check_not_ready(entry, *send, i)) return err;
  }
  for (int i = partition_low; i <= partition_high; ++i) send->ready(i);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Pready_range");
}
REMIT_WEAK(Pready_range);

int PMPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request) try {
  Entry entry("MPI_Pready_list");
  PartitionedSend* send = nullptr;
  if (int err = started_send(entry, request, send)) return err;
  if (length < 0) return entry.fail(MPI_ERR_ARG, "length is {}; it must not be negative", length);
  if (length > 0) {
    if (int err = entry.not_null(array_of_partitions, "array_of_partitions")) return err;
  }
  for (int i = 0; i < length; ++i) {
    const int partition = array_of_partitions[i];
    if (int err = check_partition(entry, *send, partition, "array_of_partitions[i]")) return err;
    if (int err = check_not_ready(entry, *send, partition)) return err;
  }
  for (int i = 0; i < length; ++i) {
    if (int err = check_not_ready(entry, *send, array_of_partitions[i])) return err;  // twice in it
    send->ready(array_of_partitions[i]);
  }
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Pready_list");
}
REMIT_WEAK(Pready_list);

int PMPI_Parrived(MPI_Request request, int partition, int* flag) try {
  Entry entry("MPI_Parrived");
  if (int err = entry.not_null(flag, "flag")) return err;
  RequestObject* object = nullptr;
  PartitionedReceive* receive = nullptr;
  if (int err = side_of(entry, request, false, object, receive)) return err;
  if (int err = check_partition(entry, *receive, partition, "partition")) return err;
  *flag = !object->active || receive->arrived(partition);
  if (*flag) return MPI_SUCCESS;
  entry.progress().poll();
  *flag = receive->arrived(partition);
  if (!*flag) entry.only_looked();
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Parrived");
}
REMIT_WEAK(Parrived);

#include "bindings/generated/pt2pt/partitioned.inc"
