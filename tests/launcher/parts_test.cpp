// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The launcher's small parts: line cutting, the output thread, messages, published data, children.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <asio/executor_work_guard.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <latch>
#include <limits>
#include <random>
#include <system_error>
#include <thread>

#include "launcher/cli/options.hpp"
#include "launcher/host/guardian.hpp"
#include "launcher/host/guardian_process.hpp"
#include "launcher/host/open_orders.hpp"
#include "launcher/host/spawn.hpp"
#include "launcher/pmix/data_store.hpp"
#include "launcher/pmix/job_control.hpp"
#include "launcher/report/job_report.hpp"
#include "launcher/report/loader_check.hpp"
#include "launcher/report/rank_inspection.hpp"
#include "launcher/streams/io_forward.hpp"
#include "launcher/streams/output_files.hpp"
#include "launcher/tree/job_wire.hpp"
#include "launcher/tree/wire.hpp"
#include "tests/sanitized.h"
#include "tests/unit/test_seed.hpp"

namespace remit::launcher {
namespace {

TEST(LineBuffer, OnlyWholeLinesPass) {
  LineBuffer lines("");
  std::string out;
  lines.append("one\ntw", &out);
  EXPECT_EQ(out, "one\n");
  EXPECT_TRUE(lines.has_partial_line());
  lines.append("o\nthree", &out);
  EXPECT_EQ(out, "one\ntwo\n");
  lines.finish(&out);
  EXPECT_EQ(out, "one\ntwo\nthree");
}

TEST(LineBuffer, PrefixesAndTheLastNewline) {
  LineBuffer lines("[3] ");
  std::string out;
  lines.append("a\n\nb", &out);
  lines.finish(&out);
  EXPECT_EQ(out, "[3] a\n[3] \n[3] b\n");
}

TEST(LineBuffer, StampsAreTakenWhenALineBegins) {
  int now = 0;
  LineBuffer lines("[3] ", [&] { return std::to_string(++now) + " "; });
  std::string out;
  lines.append("a\nb\nc", &out);
  lines.flush(&out);
  lines.append("d\n", &out);
  EXPECT_EQ(out, "1 [3] a\n2 [3] b\n3 [3] cd\n");
}

TEST(LineBuffer, LongLinesPassInPiecesWithOnePrefix) {
  LineBuffer lines("> ");
  std::string out;
  const std::string piece(LineBuffer::kMaxLine, 'x');
  lines.append(piece, &out);
  EXPECT_EQ(out, "> " + piece);
  lines.append("y\nz", &out);
  EXPECT_EQ(out, "> " + piece + "y\n");
}

TEST(LineBuffer, AnyCuttingGivesTheSameText) {
  const std::uint64_t seed = testing::test_seed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    text.append(random() % 50, static_cast<char>('a' + random() % 26)).push_back('\n');
  }
  text += "end";
  LineBuffer lines("");
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = std::min<std::size_t>(1 + random() % 300, text.size() - at);
    lines.append(std::string_view(text).substr(at, size), &out);
    EXPECT_TRUE(out.empty() || out.back() == '\n');
    at += size;
  }
  lines.finish(&out);
  EXPECT_EQ(out, text);
}

struct SinkResult {
  int rooms = 0;
  int error = 0;
  int errors = 0;
  bool drained = false;
};

OutputSink::Callbacks callbacks_of(SinkResult* result, asio::io_context* io) {
  return {[result] { ++result->rooms; },
          [result](int, int error) {
            result->error = error;
            ++result->errors;
          },
          [result, io] {
            result->drained = true;
            io->stop();
          }};
}

TEST(OutputSink, EverythingIsWrittenInOrder) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  asio::io_context io;
  const auto work = asio::make_work_guard(io);
  SinkResult result;
  OutputSink sink(io, callbacks_of(&result, &io));
  std::string expected;
  for (int i = 0; i < 300000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    expected += line;
    sink.write(pipe[1], line);
  }
  EXPECT_TRUE(sink.is_full());  // nobody has read
  std::string got;
  std::thread reader([&] {
    std::array<char, 4096> bytes;
    while (got.size() < expected.size()) {
      got.append(bytes.data(), static_cast<std::size_t>(::read(pipe[0], bytes.data(), 4096)));
    }
  });
  sink.close();
  io.run();
  reader.join();
  EXPECT_TRUE(result.drained);
  EXPECT_EQ(result.rooms, 1);
  EXPECT_EQ(got, expected);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(OutputSink, AnErrorIsToldOnce) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  asio::io_context io;
  const auto work = asio::make_work_guard(io);
  SinkResult result;
  OutputSink sink(io, callbacks_of(&result, &io));
  sink.write(full, "text");
  sink.write(full, "more");
  sink.close();
  io.run();
  EXPECT_EQ(result.error, ENOSPC);
  EXPECT_EQ(result.errors, 1);
  ::close(full);
}

TEST(OutputSink, SeveralDescriptorsKeepTheirOwnOrder) {
  const int full = ::open("/dev/full", O_WRONLY);
  std::array<std::string, 2> paths;
  std::array<int, 2> files{};
  for (int i = 0; i < 2; ++i) {
    paths[i] = "/tmp/launcher_parts.XXXXXX";
    files[i] = ::mkstemp(paths[i].data());
    ASSERT_GE(files[i], 0);
  }
  asio::io_context io;
  const auto work = asio::make_work_guard(io);
  SinkResult result;
  OutputSink sink(io, callbacks_of(&result, &io));
  for (const int fd : files) sink.own(fd);
  std::array<std::string, 2> expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = std::to_string(i) + "\n";
    expected[i % 2] += text;
    sink.write(files[i % 2], text);
    sink.write(full, text);  // its failure is no other's
  }
  sink.close();
  io.run();
  EXPECT_EQ(result.errors, 1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(::fcntl(files[i], F_GETFD), -1);  // closed
    EXPECT_EQ(read_text_file(paths[i]).value_or(""), expected[i]);
    ::unlink(paths[i].c_str());
  }
  ::close(full);
}

TEST(OutputSink, MayBeDestroyedWhileItsThreadWaits) {
  asio::io_context io;
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  SinkResult result;
  {
    OutputSink sink(io, callbacks_of(&result, &io));
    sink.write(pipe[1], "x");
    char byte = 0;
    ASSERT_EQ(::read(pipe[0], &byte, 1), 1);
  }
  ::close(pipe[0]);
  ::close(pipe[1]);
}

// This process's address space, in bytes.
rlim_t address_space() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

TEST(OutputSink, WritesAsWellWhereNoThreadCanBeStarted) {
  if (kSanitized != 0) GTEST_SKIP() << "a sanitizer takes terabytes of address space";
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  std::string expected;
  for (int i = 0; i < 100000; ++i) expected += std::to_string(i) + "\n";
  std::string got;
  std::thread reader([&] {
    std::array<char, 4096> bytes;
    ssize_t count = 0;
    while ((count = ::read(pipe[0], bytes.data(), bytes.size())) > 0) {
      got.append(bytes.data(), static_cast<std::size_t>(count));
    }
  });
  asio::io_context io;
  const auto work = asio::make_work_guard(io);
  SinkResult result;
  OutputSink sink(io, callbacks_of(&result, &io));
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  rlimit tight = before;
  tight.rlim_cur = address_space() + (rlim_t{3} << 20);  // a thread's stack has 8 MB
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &tight), 0);
  // Stacks of threads that have ended may be kept, and serve a few more.
  std::latch released(1);
  std::vector<std::thread> parked;
  parked.reserve(64);
  EXPECT_THROW(while (parked.size() < 64) parked.emplace_back([&] { released.wait(); }),
               std::system_error);
  sink.write(pipe[1], std::string_view(expected).substr(0, 300000));
  io.poll();
  ::setrlimit(RLIMIT_AS, &before);
  released.count_down();
  for (std::thread& thread : parked) thread.join();
  sink.write(pipe[1], std::string_view(expected).substr(300000));  // by a thread again
  sink.close();
  io.run();
  EXPECT_TRUE(result.drained);
  ::close(pipe[1]);
  reader.join();
  EXPECT_EQ(got, expected);
  ::close(pipe[0]);
}

TEST(OutputSink, FlushWritesAllOrGivesUp) {
  std::signal(SIGPIPE, SIG_IGN);
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  asio::io_context io;
  SinkResult result;
  OutputSink sink(io, callbacks_of(&result, &io));
  const auto soon = [] {
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  };
  sink.write(pipe[1], "a line\n");
  EXPECT_TRUE(sink.flush(soon()));
  sink.write(pipe[1], std::string(200000, 'x'));  // a pipe takes 64 KB
  EXPECT_FALSE(sink.flush(soon()));
  ::close(pipe[0]);
  EXPECT_TRUE(sink.flush(soon()));  // nobody reads it any more
  ::close(pipe[1]);
}

TEST(OutputFiles, EachIsOpenedOnceWithItsFolders) {
  char folder[] = "/tmp/remit-files-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/rank.0/stdout";
  asio::io_context io;
  const auto work = asio::make_work_guard(io);
  SinkResult result;
  {
    OutputFiles files(std::make_unique<OutputSink>(io, callbacks_of(&result, &io)));
    const auto first = files.open(path);
    ASSERT_TRUE(first.has_value()) << first.error().message;
    EXPECT_EQ(files.open(path).value(), *first);
    EXPECT_EQ(files.path_of(*first), path);
    EXPECT_EQ(files.path_of(STDOUT_FILENO), "");
    const auto none = files.open("/dev/null/out");
    ASSERT_FALSE(none.has_value());
    EXPECT_NE(none.error().message.find("cannot write the output file /dev/null/out"),
              std::string::npos);
    files.sink().write(*first, "text");
    files.sink().close();
    io.run();
  }
  std::string written;
  std::getline(std::ifstream(path), written);
  EXPECT_EQ(written, "text");
  std::filesystem::remove_all(folder);
}

TEST(LoaderCheck, ReadsWhatTheLoaderPrints) {
  const LoaderFindings findings = read_loader_list(
      "\tlinux-vdso.so.1 (0x00007fb1e22e2000)\n"
      "\tlibmpi_abi.so.1 => /opt/remit (1)/lib/libmpi_abi.so.1 (0x00007fb1e22d0000)\n"
      "\tlibfoo.so.2 => not found\n"
      "\tlibbar.so.3 => not found\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007fb1e22e4000)\n"
      "undefined symbol: MPI_Bar\t(./a.out)\n"
      "undefined symbol: foo, version V1\t(./a.out)\n"
      "libbaz.so => not found\nsomething else");
  EXPECT_EQ(findings.missing, (std::vector<std::string>{"libfoo.so.2", "libbar.so.3"}));
  EXPECT_EQ(findings.undefined, (std::vector<std::string>{"MPI_Bar", "foo"}));
  EXPECT_EQ(findings.mpi_library, "/opt/remit (1)/lib/libmpi_abi.so.1");
  EXPECT_EQ(findings.other_library, "");
  EXPECT_TRUE(read_loader_list("").missing.empty());
  EXPECT_TRUE(read_loader_list("\t => not found").missing.front().empty());
}

TEST(LoaderCheck, NamesTwoLibrariesInOneProcess) {
  const std::string own = "\tlibmpi_abi.so.1 => /opt/remit/libmpi_abi.so.1 (0x00007fb1e22d0000)\n";
  const std::string text =
      "     12:\tfile=libfoo.so.1 [0];  needed by ./a.out [0]\n"
      "     12:\tfile=libmpi.so.40 [0];  needed by /lib/libmpi_mpifh.so.40 [0]\n"
      "     12:\tfile=libmpi.so.40 [0];  needed by /lib/libfoo.so.1 [0]\n"
      "     12:\tfile=libmpi.so.40 [0];  generating link map\n"
      "\tlibmpi.so.40 => /lib/libmpi.so.40 (0x00007fb1e22d0000)\n";
  const LoaderFindings both = read_loader_list(text + own);
  EXPECT_EQ(both.other_library, "/lib/libmpi.so.40");
  EXPECT_EQ(both.brought_by, "/lib/libfoo.so.1");
  EXPECT_EQ(
      describe_two_libraries("./a.out", both),
      "./a.out has two MPI libraries in one process, which take each other's calls: "
      "/opt/remit/libmpi_abi.so.1, and /lib/libmpi.so.40, which /lib/libfoo.so.1 needs. Build "
      "that with Remit's mpicc, too, or leave it out");
  EXPECT_EQ(describe_two_libraries("./a.out", read_loader_list(text)), "");
  EXPECT_EQ(describe_two_libraries("./a.out", read_loader_list(own)), "");
  EXPECT_NE(describe_two_libraries("./a.out", {{}, {}, "/a", "/b", "", false})
                .find("one of its libraries"),
            std::string::npos);
}

TEST(LoaderCheck, SaysWhatToDo) {
  const auto says = [](const LoaderFindings& findings, const std::string& folder = "") {
    return describe_findings("./a.out", findings, folder);
  };
  EXPECT_EQ(says({}), "");
  EXPECT_NE(says({{"libfoo.so.1"}, {}, "", "", "", false}).find("-x LD_LIBRARY_PATH=FOLDER"),
            std::string::npos);
  EXPECT_NE(says({{"libfoo.so.1"}, {}, "", "", "", true}).find("=FOLDER:$LD_LIBRARY_PATH"),
            std::string::npos);
  EXPECT_NE(says({{"libfoo.so.1", "libmpi.so.40"}, {}, "", "", "", false})
                .find("libmpi.so.40, which the loader does not find: it was compiled for Open MPI"),
            std::string::npos);
  EXPECT_NE(says({{"libmpi.so.12"}, {}, "", "", "", false}).find("MPICH or Intel MPI"),
            std::string::npos);
  EXPECT_NE(says({{"libmpi_abi.so.1"}, {}, "", "", "", false}, "/nowhere")
                .find("which Remit does not have"),
            std::string::npos);
  const std::string symbol =
      says({{}, {"foo", "MPI_Bar"}, "/opt/other/libmpi_abi.so.1", "", "", false}, "/nowhere");
  EXPECT_NE(symbol.find("calls MPI_Bar, which /opt/other/libmpi_abi.so.1 does not have"),
            std::string::npos);
  EXPECT_NE(
      says({{}, {"foo"}, "/opt/other/libmpi_abi.so.1", "", "", false}).find("needs the symbol foo"),
      std::string::npos);
}

TEST(LoaderCheck, FindsNothingWhereNothingIsMissing) {
  App app;
  app.wdir = "/";
  app.search_path = "/usr/bin:/bin";
  for (const std::vector<std::string>& argv : {std::vector<std::string>{"true"},
                                               {"sh", "-c", "exit 127"},
                                               {"not_there"},
                                               {"/etc/passwd"}}) {
    app.argv = argv;
    EXPECT_EQ(explain_by_loader(app, kLoaderStatus << 8), "") << argv.front();
  }
}

TEST(JobReport, NamesEachRankAndWhatItDoes) {
  const pid_t group = ::getpgrp();
  // A rank leads a group of its own; whoever leads a session does so anyway.
  ASSERT_TRUE(group == ::getpid() || ::setpgid(0, 0) == 0);
  std::vector<RankSnapshot> ranks{{0, ::getpid(), false, MpiPhase::inside, "here"},
                                  {1, 77, true, MpiPhase::finished, "here"},
                                  {2, -1, false, MpiPhase::outside, "here"},
                                  {3, 78, false, MpiPhase::inside, "there", true}};
  ranks[0].seen = true;
  ranks[0].process = ProcessTable().busiest_of(::getpid());
  const std::string text = describe_ranks(ranks, 12.34);
  EXPECT_TRUE(group == ::getpid() || ::setpgid(0, group) == 0);
  EXPECT_NE(text.find("After 12.3 s"), std::string::npos);
  EXPECT_NE(text.find("between MPI_Init and MPI_Finalize"), std::string::npos);
  EXPECT_NE(text.find("after MPI_Finalize"), std::string::npos);
  EXPECT_NE(text.find("not started"), std::string::npos);
  EXPECT_NE(text.find("running"), std::string::npos);    // this process
  EXPECT_NE(text.find("not known"), std::string::npos);  // its host has not answered
}

TEST(Wire, ValuesComeBack) {
  WireWriter writer;
  writer.number(-5);
  writer.text("a\0b");
  writer.texts({"x", "", std::string("y\0z", 3)});
  writer.numbers({1, -2});
  WireReader reader(writer.bytes());
  EXPECT_EQ(reader.number(), -5);
  EXPECT_EQ(reader.text(), "a");
  EXPECT_EQ(reader.texts(), (std::vector<std::string>{"x", "", std::string("y\0z", 3)}));
  EXPECT_EQ(reader.numbers(), (std::vector<int>{1, -2}));
  EXPECT_TRUE(reader.complete());
}

TEST(Wire, CutMessagesAreNoticed) {
  WireWriter writer;
  writer.texts({"abc", "def"});
  writer.number(1);
  for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
    WireReader reader(std::string_view(writer.bytes()).substr(0, size));
    (void)reader.texts();
    (void)reader.number();
    EXPECT_FALSE(reader.complete()) << size;
  }
}

TEST(Wire, NumbersThatAreNoInts) {
  for (const std::int64_t value : {std::int64_t{1} << 31, -(std::int64_t{1} << 31) - 1}) {
    const std::string bytes = numbers(1, value);
    WireReader reader(std::string_view(bytes).substr(sizeof value));
    EXPECT_EQ(reader.integer(), 0);
    EXPECT_FALSE(reader.good());
    WireReader list(bytes);
    EXPECT_EQ(list.numbers(), std::vector<int>{0});
    EXPECT_FALSE(list.good());
  }
  const std::string bytes = numbers((std::int64_t{1} << 31) - 1, -(std::int64_t{1} << 31));
  WireReader reader(bytes);
  EXPECT_EQ(reader.integer(), std::numeric_limits<int>::max());
  EXPECT_EQ(reader.integer(), std::numeric_limits<int>::min());
  EXPECT_TRUE(reader.complete());
}

// What `bytes` are to mpirun, which reads them from its guardian's socket after the greeting.
int frames_until_lost(const std::string& bytes) {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  EXPECT_TRUE(send_frame(ends[1], numbers(0), nullptr));
  EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  asio::io_context io;
  auto guardian = Guardian::connect(io, {-1, ends[0], ""});
  EXPECT_TRUE(guardian.has_value());
  int frames = 0;
  bool lost = false;
  (*guardian)->start({{}, {}, [&] { ++frames; }, [&] { lost = true; }});
  // The socket is still open: that these bytes can be no reply is seen before more have come.
  while (!lost && io.run_one() > 0) {
  }
  EXPECT_TRUE(lost);
  ::close(ends[1]);
  return frames;
}

TEST(JobControl, ComesBackIfItIsSound) {
  const JobControl sent = {3, {{1, 2}, {6, 4}}, {19, 18}};
  const std::optional<JobControl> got = read_control(write_control(sent), 10);
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->asker, 3);
  EXPECT_EQ(got->signals, sent.signals);
  std::vector<int> whom;
  for (int i = -1; i < 12; ++i) {
    if (got->is_for(i)) whom.push_back(i);
  }
  EXPECT_EQ(whom, (std::vector{1, 2, 6, 7, 8, 9}));
  EXPECT_TRUE(got->sends(18, 7));
  EXPECT_FALSE(got->sends(18, 5));
  EXPECT_FALSE(got->sends(9, 7));
}

TEST(JobControl, NonsenseIsRefused) {
  constexpr int kMost = std::numeric_limits<int>::max();
  const auto is_refused = [](const JobControl& control) {
    return !read_control(write_control(control), 10).has_value();
  };
  EXPECT_FALSE(is_refused({0, {{0, 10}}, {9}}));
  EXPECT_TRUE(is_refused({10, {{0, 10}}, {9}})) << "an asker that there is not";
  EXPECT_TRUE(is_refused({-1, {{0, 10}}, {9}}));
  EXPECT_TRUE(is_refused({0, {}, {9}})) << "for nobody";
  EXPECT_TRUE(is_refused({0, {{0, 11}}, {9}})) << "for others";
  EXPECT_TRUE(is_refused({0, {{9, kMost}}, {9}}));
  EXPECT_TRUE(is_refused({0, {{-1, 2}}, {9}}));
  EXPECT_TRUE(is_refused({0, {{0, 0}}, {9}}));
  EXPECT_TRUE(is_refused({0, {{0, 1}}, {}})) << "no signal";
  EXPECT_TRUE(is_refused({0, {{0, 1}}, {9, 0}}));
  EXPECT_TRUE(is_refused({0, {{0, 1}}, {1000}}));
  EXPECT_FALSE(read_control("", 10).has_value());
  EXPECT_FALSE(read_control(write_control({0, {{0, 1}}, {9}}) + "x", 10).has_value());
}

TEST(Guardian, ALengthIsNotBelieved) {
  const std::string empty = numbers(static_cast<int>(ReplyKind::empty), -1);
  const auto size = static_cast<std::uint32_t>(empty.size());
  const std::string frame = std::string(reinterpret_cast<const char*>(&size), sizeof size) + empty;
  EXPECT_EQ(frames_until_lost(frame + frame + std::string(4, '\xff')), 2);
  // The guardian's side: memory grows with what has come.
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::string bytes(4 + 100, '\xff');
  ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  std::string message;
  std::array<int, 3> fds{-1, -1, -1};
  EXPECT_FALSE(receive_frame(ends[0], &message, &fds));
  EXPECT_LT(message.capacity(), std::size_t{1} << 20);
  ::close(ends[0]);
}

TEST(Guardian, LongFramesPass) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::string sent(1000003, 'x');
  std::thread sender([&] {
    EXPECT_TRUE(send_frame(ends[1], sent, nullptr));
    EXPECT_TRUE(send_frame(ends[1], "", nullptr));
  });
  std::string message;
  std::array<int, 3> fds{-1, -1, -1};
  EXPECT_TRUE(receive_frame(ends[0], &message, &fds));
  EXPECT_EQ(message, sent);
  EXPECT_TRUE(receive_frame(ends[0], &message, &fds));
  EXPECT_EQ(message, "");
  sender.join();
  ::close(ends[0]);
  ::close(ends[1]);
}

DataStore::Item item(const char* key, int rank, bool once = false) {
  return {key, "job", rank, std::string("value of ") + key, once};
}

TEST(DataStore, PublishLookUpUnpublish) {
  DataStore store;
  std::vector<std::string> found;
  const auto note = [&](std::vector<DataStore::Item> items) {
    found.clear();
    for (const auto& entry : items) found.push_back(entry.value);
  };
  EXPECT_TRUE(store.publish(item("a", 0)));
  EXPECT_FALSE(store.publish(item("a", 1)));
  store.lookup({"a", "b"}, false, note);
  EXPECT_EQ(found, (std::vector<std::string>{"value of a"}));
  EXPECT_FALSE(store.unpublish("job", 1, {"a"}));  // not its owner
  store.lookup({"a"}, false, note);
  EXPECT_EQ(found.size(), 1U);
  EXPECT_TRUE(store.unpublish("job", 0, {}));
  store.lookup({"a"}, false, note);
  EXPECT_TRUE(found.empty());
  EXPECT_TRUE(store.publish(item("once", 0, true)));
  store.lookup({"once"}, false, note);
  EXPECT_EQ(found.size(), 1U);
  store.lookup({"once"}, false, note);
  EXPECT_TRUE(found.empty());
}

TEST(DataStore, AJobThatIsOverIsForgotten) {
  DataStore store;
  DataStore::Item other = item("other", 0);
  other.owner_job = "job.1";
  EXPECT_TRUE(store.publish(item("a", 0)));
  EXPECT_TRUE(store.publish(item("b", 1)));
  EXPECT_TRUE(store.publish(other));
  store.forget("job");
  EXPECT_FALSE(store.has_all({"a"}) || store.has_all({"b"}));
  EXPECT_TRUE(store.has_all({"other"}));
  EXPECT_TRUE(store.publish(item("a", 2)));
}

TEST(DataStore, WaitingLookUps) {
  DataStore store;
  int answers = 0;
  std::size_t items = 0;
  const auto note = [&](std::vector<DataStore::Item> found) {
    ++answers;
    items = found.size();
  };
  EXPECT_NE(store.lookup({"a", "b"}, true, note), 0U);
  const std::uint64_t late = store.lookup({"a", "c"}, true, note);
  store.publish(item("a", 0));
  EXPECT_EQ(answers, 0);
  store.publish(item("b", 0));
  EXPECT_EQ(answers, 1);
  EXPECT_EQ(items, 2U);
  store.expire(late);
  EXPECT_EQ(answers, 2);
  EXPECT_EQ(items, 1U);
  store.expire(late);
  EXPECT_EQ(answers, 2);
}

TEST(Spawn, FailuresNameTheirStage) {
  const int null = ::fcntl(::open("/dev/null", O_RDWR | O_CLOEXEC), F_DUPFD_CLOEXEC, 10);
  ChildSpec spec{"/bin/true", {"true"}, {}, "/", {}, {null, null, null}};
  const SpawnResult good = spawn_child(spec);
  ASSERT_EQ(good.stage, SpawnStage::none);
  int status = -1;
  EXPECT_EQ(::waitpid(good.pid, &status, 0), good.pid);
  EXPECT_EQ(status, 0);
  spec.wdir = "/nonexistent";
  EXPECT_EQ(spawn_child(spec).stage, SpawnStage::chdir);
  spec.wdir = "/";
  spec.program = "/etc/passwd";
  SpawnResult bad = spawn_child(spec);
  EXPECT_EQ(bad.stage, SpawnStage::exec);
  EXPECT_EQ(bad.error, EACCES);
  EXPECT_EQ(describe_spawn_failure(bad, spec.program, "/").status, 126);
  spec.program = "/bin/true";
  spec.cpus = {100000};
  EXPECT_EQ(spawn_child(spec).stage, SpawnStage::bind);
  spec.cpus.clear();
  spec.fds = {1000, 1000, 1000};
  EXPECT_EQ(spawn_child(spec).stage, SpawnStage::fds);
}

/// The number and the order of what mpirun is sent.
std::pair<std::int64_t, std::string> sent_order(const std::string& payload) {
  WireReader reader(payload);
  const std::int64_t number = reader.number();
  std::string order = reader.text();
  EXPECT_TRUE(reader.complete());
  return {number, std::move(order)};
}

std::string order_answer(std::int64_t number, std::string_view error, std::string_view job) {
  WireWriter writer;
  writer.number(number);
  writer.text(error);
  writer.text(job);
  return writer.bytes();
}

TEST(OpenOrders, EachHearsOfItsOwnAnswerOnce) {
  OpenOrders orders;
  std::vector<std::string> heard;
  SpawnOrder order;
  order.asker = 4;
  order.programs.push_back({{"program"}, {}, "", "", "", 2});
  const auto note = [&heard](const char* who) {
    return [&heard, who](const std::string& error, const std::string& job) {
      heard.push_back(fmt::format("{}: {}/{}", who, error, job));
    };
  };
  const auto [first, bytes] = sent_order(orders.open(order, note("first")));
  EXPECT_EQ(bytes, write_order(order));
  const auto [second, same] = sent_order(orders.open(order, note("second")));
  EXPECT_NE(first, second);
  EXPECT_EQ(bytes, same);
  orders.close(order_answer(second, "", "job.2"));
  EXPECT_EQ(heard, std::vector<std::string>{"second: /job.2"});
  orders.close(order_answer(second, "", "job.2"));
  orders.close(order_answer(second + 1, "", "job.3"));
  orders.close(order_answer(first, "no room", "") + "x");
  orders.close(order_answer(first, "no room", "").substr(0, 12));
  orders.close("");
  EXPECT_EQ(heard.size(), 1U);
  orders.close(order_answer(first, "no room", ""));
  EXPECT_EQ(heard.back(), "first: no room/");
}

TEST(OpenOrders, WhoHearsOfOneMayOpenTheNext) {
  OpenOrders orders;
  std::int64_t next = 0;
  int answers = 0;
  const SpawnOrder order;
  const auto again = [&](const std::string& /*error*/, const std::string& /*job*/) {
    ++answers;
    next = sent_order(orders.open(order, [&](const auto&, const auto&) { ++answers; })).first;
  };
  orders.close(order_answer(sent_order(orders.open(order, again)).first, "", "one"));
  EXPECT_EQ(answers, 1);
  orders.close(order_answer(next, "", "two"));
  EXPECT_EQ(answers, 2);
}

}  // namespace
}  // namespace remit::launcher
