// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Attributes, names and error handlers of windows, and error handlers of files: on objects that the
// test makes, and with handles that are none. One process, through the public functions.
#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "bindings/objects.hpp"

namespace remit {
namespace {

struct Said {
  std::vector<int> codes;
  std::vector<const void*> handles;
};
Said said;

void note_win(MPI_Win* win, int* code, ...) {
  said.codes.push_back(*code);
  said.handles.push_back(*win);
}
void note_file(MPI_File* file, int* code, ...) {
  said.codes.push_back(*code);
  said.handles.push_back(*file);
}

/// The last error's words have `word`.
void expect_error(int code, int error_class, const char* word) {
  int got = MPI_SUCCESS;
  int length = 0;
  char text[MPI_MAX_ERROR_STRING] = "";
  ASSERT_EQ(MPI_Error_class(code, &got), MPI_SUCCESS);
  EXPECT_EQ(got, error_class);
  ASSERT_EQ(MPI_Error_string(code, text, &length), MPI_SUCCESS);
  EXPECT_NE(std::strstr(text, word), nullptr) << text;
}

class Handled : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    int is_running = 0;
    MPI_Initialized(&is_running);
    if (is_running == 0) MPI_Init(nullptr, nullptr);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }
  void SetUp() override {
    said = {};
    win_object.errhandler = file_object.errhandler = MPI_ERRORS_RETURN;
  }

  WinObject win_object;
  FileObject file_object{MPI_ERRORS_RETURN};
  MPI_Win win = reinterpret_cast<MPI_Win>(&win_object);
  MPI_File file = reinterpret_cast<MPI_File>(&file_object);
};

// --- what is no window -------------------------------------------------------------------------

/// MPI_WIN_NULL, a predefined handle of another kind, and an object of another kind.
std::vector<MPI_Win> no_windows(FileObject& other) {
  return {MPI_WIN_NULL, reinterpret_cast<MPI_Win>(MPI_COMM_WORLD),
          reinterpret_cast<MPI_Win>(&other), nullptr};
}

TEST_F(Handled, NoWindow) {
  int key = MPI_KEYVAL_INVALID;
  int flag = 0;
  int length = 0;
  void* value = nullptr;
  char name[MPI_MAX_OBJECT_NAME] = "";
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  ASSERT_EQ(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, nullptr),
            MPI_SUCCESS);
  for (MPI_Win none : no_windows(file_object)) {
    expect_error(MPI_Win_set_attr(none, key, &key), MPI_ERR_WIN, "is not a window");
    expect_error(MPI_Win_get_attr(none, key, &value, &flag), MPI_ERR_WIN, "is not a window");
    expect_error(MPI_Win_get_attr(none, MPI_WIN_BASE, &value, &flag), MPI_ERR_WIN,
                 "is not a window");
    expect_error(MPI_Win_delete_attr(none, key), MPI_ERR_WIN, "is not a window");
    expect_error(MPI_Win_set_name(none, "x"), MPI_ERR_WIN, "is not a window");
    expect_error(MPI_Win_set_errhandler(none, MPI_ERRORS_RETURN), MPI_ERR_WIN, "is not a window");
    expect_error(MPI_Win_get_errhandler(none, &handler), MPI_ERR_WIN, "is not a window");
    expect_error(MPI_Win_call_errhandler(none, MPI_ERR_IO), MPI_ERR_WIN, "is not a window");
    if (none == MPI_WIN_NULL) continue;
    expect_error(MPI_Win_get_name(none, name, &length), MPI_ERR_WIN, "is not a window");
  }
  ASSERT_EQ(MPI_Win_get_name(MPI_WIN_NULL, name, &length), MPI_SUCCESS);
  EXPECT_STREQ(name, "MPI_WIN_NULL");
  EXPECT_EQ(length, 12);
  expect_error(MPI_Win_call_errhandler(MPI_WIN_NULL, MPI_ERR_IO), MPI_ERR_WIN, "MPI_WIN_NULL");
  EXPECT_EQ(MPI_Win_free_keyval(&key), MPI_SUCCESS);
}

// --- attributes --------------------------------------------------------------------------------

struct Deleted {
  MPI_Win win;
  int key;
  void* value;
};
struct Log {
  std::vector<Deleted> deleted;
  int refuse = MPI_SUCCESS;
};

int note_deletion(MPI_Win win, int key, void* value, void* extra_state) {
  auto* log = static_cast<Log*>(extra_state);
  if (log->refuse != MPI_SUCCESS) return log->refuse;
  log->deleted.push_back({win, key, value});
  return MPI_SUCCESS;
}

TEST_F(Handled, AttributesOfWindows) {
  Log log;
  int first = MPI_KEYVAL_INVALID;
  int second = MPI_KEYVAL_INVALID;
  int flag = 1;
  void* value = nullptr;
  int a = 0;
  int b = 0;
  ASSERT_EQ(MPI_Win_create_keyval(MPI_WIN_DUP_FN, note_deletion, &first, &log), MPI_SUCCESS);
  ASSERT_EQ(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &second, nullptr),
            MPI_SUCCESS);
  EXPECT_NE(first, second);
  ASSERT_EQ(MPI_Win_get_attr(win, first, &value, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 0);
  EXPECT_EQ(MPI_Win_delete_attr(win, first), MPI_SUCCESS) << "nothing to delete";
  ASSERT_EQ(MPI_Win_set_attr(win, first, &a), MPI_SUCCESS);
  ASSERT_EQ(MPI_Win_set_attr(win, second, nullptr), MPI_SUCCESS);
  ASSERT_EQ(MPI_Win_get_attr(win, first, &value, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 1);
  EXPECT_EQ(value, &a);
  ASSERT_EQ(MPI_Win_get_attr(win, second, &value, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 1);
  EXPECT_EQ(value, nullptr);
  // Setting again deletes the old value, unless its function says no.
  log.refuse = MPI_ERR_OTHER;
  expect_error(MPI_Win_set_attr(win, first, &b), MPI_ERR_OTHER, "delete function");
  expect_error(MPI_Win_delete_attr(win, first), MPI_ERR_OTHER, "delete function");
  log.refuse = MPI_SUCCESS;
  ASSERT_EQ(MPI_Win_get_attr(win, first, &value, &flag), MPI_SUCCESS);
  EXPECT_EQ(value, &a);
  ASSERT_EQ(MPI_Win_set_attr(win, first, &b), MPI_SUCCESS);
  ASSERT_EQ(log.deleted.size(), 1U);
  EXPECT_EQ(log.deleted[0].win, win);
  EXPECT_EQ(log.deleted[0].key, first);
  EXPECT_EQ(log.deleted[0].value, &a);
  // A key that was freed serves the attributes that have it.
  int freed = first;
  ASSERT_EQ(MPI_Win_free_keyval(&freed), MPI_SUCCESS);
  EXPECT_EQ(freed, MPI_KEYVAL_INVALID);
  expect_error(MPI_Win_set_attr(win, first, &a), MPI_ERR_KEYVAL, "was freed");
  ASSERT_EQ(MPI_Win_delete_attr(win, first), MPI_SUCCESS);
  ASSERT_EQ(log.deleted.size(), 2U);
  EXPECT_EQ(log.deleted[1].value, &b);
  ASSERT_EQ(MPI_Win_delete_attr(win, second), MPI_SUCCESS);
  EXPECT_TRUE(win_object.attributes.entries.empty());
  ASSERT_EQ(MPI_Win_free_keyval(&second), MPI_SUCCESS);
}

TEST_F(Handled, WrongArgumentsOfAttributes) {
  int key = MPI_KEYVAL_INVALID;
  int of_comm = MPI_KEYVAL_INVALID;
  int flag = 0;
  void* value = nullptr;
  ASSERT_EQ(MPI_Win_create_keyval(nullptr, nullptr, &key, nullptr), MPI_SUCCESS);
  ASSERT_EQ(MPI_Comm_create_keyval(nullptr, nullptr, &of_comm, nullptr), MPI_SUCCESS);
  expect_error(MPI_Win_create_keyval(nullptr, nullptr, nullptr, nullptr), MPI_ERR_ARG, "keyval");
  expect_error(MPI_Win_set_attr(win, of_comm, &key), MPI_ERR_KEYVAL, "another kind");
  expect_error(MPI_Win_get_attr(win, of_comm, &value, &flag), MPI_ERR_KEYVAL, "another kind");
  expect_error(MPI_Win_delete_attr(win, of_comm), MPI_ERR_KEYVAL, "another kind");
  expect_error(MPI_Comm_set_attr(MPI_COMM_SELF, key, &key), MPI_ERR_KEYVAL, "another kind");
  expect_error(MPI_Type_set_attr(MPI_INT, key, &key), MPI_ERR_KEYVAL, "another kind");
  expect_error(MPI_Win_free_keyval(&of_comm), MPI_ERR_KEYVAL, "another kind");
  expect_error(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL, "another kind");
  expect_error(MPI_Win_free_keyval(nullptr), MPI_ERR_ARG, "keyval");
  expect_error(MPI_Win_set_attr(win, MPI_KEYVAL_INVALID, &key), MPI_ERR_KEYVAL,
               "MPI_KEYVAL_INVALID");
  expect_error(MPI_Win_get_attr(win, key, nullptr, &flag), MPI_ERR_ARG, "attribute_val");
  expect_error(MPI_Win_get_attr(win, key, &value, nullptr), MPI_ERR_ARG, "flag");
  expect_error(MPI_Win_get_attr(win, MPI_WIN_SIZE, nullptr, &flag), MPI_ERR_ARG, "attribute_val");
  // An error about a valid window is raised on it, not on MPI_COMM_SELF.
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  ASSERT_EQ(MPI_Win_create_errhandler(note_win, &handler), MPI_SUCCESS);
  ASSERT_EQ(MPI_Win_set_errhandler(win, handler), MPI_SUCCESS);
  expect_error(MPI_Win_set_attr(win, MPI_TAG_UB, &key), MPI_ERR_KEYVAL, "not a key");
  ASSERT_EQ(said.codes, std::vector<int>{MPI_ERR_KEYVAL});
  EXPECT_EQ(said.handles[0], win);
  ASSERT_EQ(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN), MPI_SUCCESS);
  ASSERT_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
  ASSERT_EQ(MPI_Win_free_keyval(&key), MPI_SUCCESS);
  ASSERT_EQ(MPI_Comm_free_keyval(&of_comm), MPI_SUCCESS);
}

TEST_F(Handled, AttributesThatWindowsAreBornWith) {
  int memory[4] = {};
  win_object.base = memory;
  win_object.size = sizeof memory;
  win_object.displacement_unit = sizeof memory[0];
  win_object.create_flavor = MPI_WIN_FLAVOR_ALLOCATE;
  void* value = nullptr;
  int flag = 0;
  const auto get = [&](int key) {
    flag = 0;
    value = nullptr;
    EXPECT_EQ(MPI_Win_get_attr(win, key, &value, &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    return value;
  };
  EXPECT_EQ(get(MPI_WIN_BASE), memory);
  EXPECT_EQ(*static_cast<MPI_Aint*>(get(MPI_WIN_SIZE)), MPI_Aint{sizeof memory});
  EXPECT_EQ(*static_cast<int*>(get(MPI_WIN_DISP_UNIT)), static_cast<int>(sizeof(int)));
  EXPECT_EQ(*static_cast<int*>(get(MPI_WIN_CREATE_FLAVOR)), MPI_WIN_FLAVOR_ALLOCATE);
  EXPECT_EQ(*static_cast<int*>(get(MPI_WIN_MODEL)), MPI_WIN_UNIFIED);
  win_object.base = nullptr;
  EXPECT_EQ(get(MPI_WIN_BASE), nullptr) << "a window without memory";
  for (const int key :
       {MPI_WIN_BASE, MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL}) {
    expect_error(MPI_Win_set_attr(win, key, memory), MPI_ERR_KEYVAL, "read-only");
    expect_error(MPI_Win_delete_attr(win, key), MPI_ERR_KEYVAL, "read-only");
    int copy = key;
    expect_error(MPI_Win_free_keyval(&copy), MPI_ERR_KEYVAL, "read-only");
    // They mean nothing on other objects.
    expect_error(MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &flag), MPI_ERR_KEYVAL, "not a key");
  }
}

// --- names -------------------------------------------------------------------------------------

TEST_F(Handled, NamesOfWindows) {
  char name[MPI_MAX_OBJECT_NAME] = "something";
  int length = -1;
  ASSERT_EQ(MPI_Win_get_name(win, name, &length), MPI_SUCCESS);
  EXPECT_STREQ(name, "");
  EXPECT_EQ(length, 0);
  ASSERT_EQ(MPI_Win_set_name(win, "halo"), MPI_SUCCESS);
  ASSERT_EQ(MPI_Win_get_name(win, name, &length), MPI_SUCCESS);
  EXPECT_STREQ(name, "halo");
  EXPECT_EQ(length, 4);
  const std::string longer(2 * MPI_MAX_OBJECT_NAME, 'n');
  ASSERT_EQ(MPI_Win_set_name(win, longer.c_str()), MPI_SUCCESS);
  ASSERT_EQ(MPI_Win_get_name(win, name, &length), MPI_SUCCESS);
  EXPECT_EQ(length, MPI_MAX_OBJECT_NAME - 1);
  EXPECT_EQ(std::strlen(name), static_cast<std::size_t>(length));
  expect_error(MPI_Win_set_name(win, nullptr), MPI_ERR_ARG, "win_name");
  expect_error(MPI_Win_get_name(win, nullptr, &length), MPI_ERR_ARG, "win_name");
  expect_error(MPI_Win_get_name(win, name, nullptr), MPI_ERR_ARG, "resultlen");
}

// --- error handlers ----------------------------------------------------------------------------

TEST_F(Handled, ErrorHandlersOfWindows) {
  MPI_Errhandler of_win = MPI_ERRHANDLER_NULL;
  MPI_Errhandler of_file = MPI_ERRHANDLER_NULL;
  MPI_Errhandler got = MPI_ERRHANDLER_NULL;
  ASSERT_EQ(MPI_Win_create_errhandler(note_win, &of_win), MPI_SUCCESS);
  ASSERT_EQ(MPI_File_create_errhandler(note_file, &of_file), MPI_SUCCESS);
  ASSERT_EQ(MPI_Win_get_errhandler(win, &got), MPI_SUCCESS);
  EXPECT_EQ(got, MPI_ERRORS_RETURN);
  expect_error(MPI_Win_set_errhandler(win, of_file), MPI_ERR_ERRHANDLER, "another kind");
  expect_error(MPI_Win_set_errhandler(win, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER,
               "MPI_ERRHANDLER_NULL");
  ASSERT_EQ(MPI_Win_set_errhandler(win, of_win), MPI_SUCCESS);
  ASSERT_EQ(MPI_Errhandler_free(&of_win), MPI_SUCCESS);
  ASSERT_EQ(MPI_Win_call_errhandler(win, MPI_ERR_RMA_RANGE), MPI_SUCCESS) << "still in use";
  EXPECT_EQ(said.codes, std::vector<int>{MPI_ERR_RMA_RANGE});
  EXPECT_EQ(said.handles, std::vector<const void*>{win});
  ASSERT_EQ(MPI_Win_get_errhandler(win, &got), MPI_SUCCESS);
  EXPECT_NE(got, MPI_ERRORS_RETURN);
  ASSERT_EQ(MPI_Errhandler_free(&got), MPI_SUCCESS);
  expect_error(MPI_Win_get_errhandler(win, nullptr), MPI_ERR_ARG, "errhandler");
  EXPECT_EQ(said.codes.size(), 2U) << "raised on the window";
  ASSERT_EQ(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN), MPI_SUCCESS);
  ASSERT_EQ(MPI_Errhandler_free(&of_file), MPI_SUCCESS);
}

TEST_F(Handled, ErrorHandlersOfFiles) {
  MPI_Errhandler of_file = MPI_ERRHANDLER_NULL;
  MPI_Errhandler got = MPI_ERRHANDLER_NULL;
  ASSERT_EQ(MPI_File_create_errhandler(note_file, &of_file), MPI_SUCCESS);
  // A file of its own, which is not MPI_FILE_NULL.
  ASSERT_EQ(MPI_File_set_errhandler(file, of_file), MPI_SUCCESS);
  ASSERT_EQ(MPI_File_get_errhandler(MPI_FILE_NULL, &got), MPI_SUCCESS);
  EXPECT_EQ(got, MPI_ERRORS_RETURN) << "the default of files has not changed";
  ASSERT_EQ(MPI_File_call_errhandler(file, MPI_ERR_IO), MPI_SUCCESS);
  EXPECT_EQ(said.handles, std::vector<const void*>{file});
  // What is no file is an error at MPI_FILE_NULL's handler.
  for (MPI_File none : {reinterpret_cast<MPI_File>(&win_object),
                        reinterpret_cast<MPI_File>(MPI_COMM_WORLD), MPI_File{nullptr}}) {
    expect_error(MPI_File_set_errhandler(none, of_file), MPI_ERR_FILE, "is not an open file");
    expect_error(MPI_File_get_errhandler(none, &got), MPI_ERR_FILE, "is not an open file");
    expect_error(MPI_File_call_errhandler(none, MPI_ERR_IO), MPI_ERR_FILE, "is not an open file");
  }
  EXPECT_EQ(said.codes.size(), 1U);
  ASSERT_EQ(MPI_File_set_errhandler(MPI_FILE_NULL, of_file), MPI_SUCCESS);
  expect_error(MPI_File_get_errhandler(reinterpret_cast<MPI_File>(&win_object), &got), MPI_ERR_FILE,
               "is not an open file");
  EXPECT_EQ(said.codes, (std::vector<int>{MPI_ERR_IO, MPI_ERR_FILE}));
  EXPECT_EQ(said.handles[1], MPI_FILE_NULL);
  ASSERT_EQ(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN), MPI_SUCCESS);
  ASSERT_EQ(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN), MPI_SUCCESS);
  ASSERT_EQ(MPI_Errhandler_free(&of_file), MPI_SUCCESS);
}

TEST_F(Handled, HandlesAsIntegers) {
  EXPECT_EQ(MPI_Win_fromint(MPI_Win_toint(win)), win);
  EXPECT_EQ(MPI_File_fromint(MPI_File_toint(file)), file);
  EXPECT_EQ(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)), MPI_WIN_NULL);
  EXPECT_EQ(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL)), MPI_FILE_NULL);
}

TEST_F(Handled, IntegersEndWithTheirObjects) {
  int win_number = 0;
  int file_number = 0;
  {
    WinObject short_win;
    FileObject short_file{MPI_ERRORS_RETURN};
    win_number = MPI_Win_toint(reinterpret_cast<MPI_Win>(&short_win));
    file_number = MPI_File_toint(reinterpret_cast<MPI_File>(&short_file));
    EXPECT_EQ(MPI_Win_fromint(win_number), reinterpret_cast<MPI_Win>(&short_win));
    EXPECT_EQ(MPI_File_fromint(win_number), MPI_FILE_NULL);
    EXPECT_EQ(MPI_Win_fromint(file_number), MPI_WIN_NULL);
  }
  EXPECT_EQ(MPI_Win_fromint(win_number), MPI_WIN_NULL);
  EXPECT_EQ(MPI_File_fromint(file_number), MPI_FILE_NULL);
}

// MPI ends with the program's last test.
class Ended : public ::testing::Environment {
  void TearDown() override { MPI_Finalize(); }
};
[[maybe_unused]] const auto* const ended = ::testing::AddGlobalTestEnvironment(new Ended);

}  // namespace
}  // namespace remit
