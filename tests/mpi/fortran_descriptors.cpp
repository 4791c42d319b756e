// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// fortran_descriptors: buffers as a Fortran compiler describes them, for fortran_descriptors.f90,
// which says what it expects. No modules and no routines of Fortran's interface are between.
#include <cstdio>
#include <vector>

#include "bindings/fortran/choice_buffer.hpp"
#include "bindings/fortran/kept.hpp"

using remit::fortran::Access;
using remit::fortran::ChoiceBuffer;
using remit::fortran::Descriptor;
using remit::fortran::Operand;

namespace {

MPI_Datatype type_of(const int* datatype) {
  return MPI_Type_fromint(*datatype);
}
int checked(const ChoiceBuffer& buffer) {
  if (buffer.ok()) return MPI_SUCCESS;
  const int code = buffer.raise(remit::fortran::Subject(MPI_COMM_SELF), "MPI_Isend", "buf");
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::printf("%s\n", text);
  return code;
}

}  // namespace

extern "C" {

/// Starts and completes a message from `out` to `in`, which are what the compiler makes of them.
int remit_test_exchange(const Descriptor* out, const Descriptor* in, const int* count,
                        const int* datatype) {
  ChoiceBuffer from(*out, out->first(), *count, type_of(datatype));
  ChoiceBuffer to(*in, in->first(), *count, type_of(datatype));
  if (int error = checked(from)) return error;
  if (int error = checked(to)) return error;
  MPI_Request requests[2];
  MPI_Irecv_c(to.address(), to.count(), to.type(), 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Isend_c(from.address(), from.count(), from.type(), 0, 1, MPI_COMM_SELF, &requests[1]);
  return MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/// A nonblocking reduction over sections.
int remit_test_iallreduce(const Descriptor* out, const Descriptor* in, const int* count,
                          const int* datatype) {
  MPI_Request request;
  {
    ChoiceBuffer from(*out, out->first(), *count, type_of(datatype), Operand{Access::read});
    ChoiceBuffer to(*in, in->first(), *count, type_of(datatype), Operand{Access::write});
    if (int error = checked(from)) return error;
    if (int error = checked(to)) return error;
    MPI_Iallreduce_c(from.address(), to.address(), to.count(), to.type(), MPI_SUM, MPI_COMM_SELF,
                     &request);
    from.keep_until(request, false);
    to.keep_until(request, false);
  }
  const MPI_Request before = request;
  const int error = MPI_Wait(&request, MPI_STATUS_IGNORE);
  remit::fortran::request_completed(before);
  return error;
}

void remit_test_begin() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}
void remit_test_end() {
  MPI_Finalize();
}
}
