// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Exceptions at the boundary of C: the library's own become error classes, those of a program's
// error handler pass. One process, through the public functions.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstring>
#include <string>

#include "mpi.h"

namespace {

constexpr MPI_Count kHuge = MPI_Count{1} << 62;

struct Thrown {
  int code;
};
void throwing_handler(MPI_Comm* /*comm*/, int* code, ...) {
  throw Thrown{*code};
}

int ended = 0;
void ending_handler(MPI_Comm* /*comm*/, int* /*code*/, ...) {
  ::pthread_exit(&ended);
}

int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

std::string words_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

/// Asks for memory that no process can have.
int ask_too_much() {
  const MPI_Count one = 1;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  return MPI_Type_indexed_c(kHuge, &one, &one, MPI_INT, &made);
}

class Caught : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    int is_running = 0;
    MPI_Initialized(&is_running);
    int provided = 0;
    if (is_running == 0) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  }
  void SetUp() override {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_create_errhandler(throwing_handler, &throwing);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, throwing);
  }
  void TearDown() override {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&throwing);
  }

  /// The library has not lost its way.
  void works() const {
    int out = 17;
    int in = 0;
    EXPECT_EQ(MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    EXPECT_EQ(in, 17);
    EXPECT_EQ(MPI_Barrier(comm), MPI_SUCCESS);
  }

  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Errhandler throwing = MPI_ERRHANDLER_NULL;
};

/// The first test: the library itself has thrown nothing yet.
TEST_F(Caught, WhatAHandlerThrowsPasses) {
  int value = 0;
  for (int i = 0; i < 3; ++i) {
    try {
      MPI_Send(&value, 1, MPI_INT, 77, 0, comm);
      ADD_FAILURE() << "no exception";
    } catch (const Thrown& thrown) {
      EXPECT_EQ(class_of(thrown.code), MPI_ERR_RANK);
    }
    works();
    // The exception that passed is not taken for the next one.
    ASSERT_NO_THROW(EXPECT_EQ(class_of(ask_too_much()), MPI_ERR_NO_MEM));
  }
}

/// So does the end of a thread.
TEST_F(Caught, AHandlerMayEndItsThread) {
  MPI_Errhandler ending = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(ending_handler, &ending);
  MPI_Comm_set_errhandler(comm, ending);
  pthread_t thread{};
  const auto fails = [](void* where) -> void* {
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, 77, 0, static_cast<MPI_Comm>(where));
    return nullptr;
  };
  ASSERT_EQ(::pthread_create(&thread, nullptr, fails, comm), 0);
  void* result = nullptr;
  ASSERT_EQ(::pthread_join(thread, &result), 0);
  EXPECT_EQ(result, &ended);
  MPI_Comm_set_errhandler(comm, throwing);
  MPI_Errhandler_free(&ending);
  works();
}

TEST_F(Caught, TheLibrarysOwnBecomeErrors) {
  int code = MPI_SUCCESS;
  ASSERT_NO_THROW(code = ask_too_much());
  EXPECT_EQ(class_of(code), MPI_ERR_NO_MEM);
  EXPECT_NE(words_of(code).find("MPI_Type_indexed_c"), std::string::npos) << words_of(code);
  EXPECT_NE(words_of(code).find("far too large"), std::string::npos) << words_of(code);
  works();
}

TEST_F(Caught, AHandlerMayThrowBecauseOfAnException) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, throwing);
  try {
    ask_too_much();
    ADD_FAILURE() << "no exception";
  } catch (const Thrown& thrown) {
    EXPECT_EQ(class_of(thrown.code), MPI_ERR_NO_MEM);
  }
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  works();
}

/// It is raised once, however many requests there are.
TEST_F(Caught, ThrowsOnceFromAnArray) {
  int value = 0;
  MPI_Request requests[2];
  for (MPI_Request& request : requests) {
    ASSERT_EQ(MPI_Recv_init(&value, 1, MPI_INT, 0, 0, comm, &request), MPI_SUCCESS);
  }
  ASSERT_EQ(MPI_Start(&requests[1]), MPI_SUCCESS);
  EXPECT_THROW(MPI_Startall(2, requests), Thrown);  // the second is active
  for (MPI_Request& request : requests) {
    EXPECT_EQ(MPI_Cancel(&request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  }
  works();
}

}  // namespace
