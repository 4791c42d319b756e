// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What ranks tell mpirun and each other: the pages in which they say what they wait for, and the
// addresses that they publish or tell processes of other jobs.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "launcher/pmix/pmi1_space.hpp"
#include "launcher/report/call_file.hpp"
#include "launcher/report/wait_graph.hpp"
#include "links/address_blob.hpp"
#include "links/passport.hpp"
#include "tests/fuzz/surface.hpp"

namespace remit::fuzz {
namespace {

using namespace launcher;

// --- the pages of calls ------------------------------------------------------------------------

constexpr int kRanks = 3;
// One slot of each rank gets bytes of the input, so that mutations stay where they matter.
constexpr std::size_t kSlotBytes = sizeof(CallSlot);

// The file of a job, with a second mapping by which its ranks write. Made once.
struct Calls {
  Calls() {
    char folder[] = "/tmp/remit-fuzz-XXXXXX";
    require(::mkdtemp(folder) != nullptr, "a folder for the pages");
    auto made = CallFile::create(folder, "job", kRanks);
    if (!made) violated("pages are made", made.error().message);
    file = std::move(*made);
    const std::string name = call_file_path(folder, "job");
    const int fd = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
    pages = static_cast<std::byte*>(
        ::mmap(nullptr, kRanks * call_page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    require(pages != MAP_FAILED, "the pages are mapped");
    ::close(fd);
    ::unlink(name.c_str());
    ::rmdir(folder);
  }
  [[nodiscard]] CallPage& page(int rank) const {
    return *reinterpret_cast<CallPage*>(pages + static_cast<std::size_t>(rank) * call_page_bytes());
  }

  std::unique_ptr<CallFile> file;
  std::byte* pages = nullptr;
};

void run_calls(std::string_view bytes) {
  static const Calls calls;
  std::vector<RankWait> waits;
  for (int rank = 0; rank < kRanks; ++rank) {
    CallPage& page = calls.page(rank);
    std::memset(static_cast<void*>(&page), 0, sizeof page);
    page.magic.store(CallPage::kMagic);
    for (CallSlot& slot : page.slots) {
      const std::string_view mine = bytes.substr(0, kSlotBytes);
      bytes.remove_prefix(mine.size());
      if (!mine.empty()) std::memcpy(static_cast<void*>(&slot), mine.data(), mine.size());
      if (&slot == &page.slots[1]) break;
    }
    const RankCalls said = calls.file->read(rank);
    require(said.known && said.blocked.size() <= kCallSlots, "a page has so many slots");
    RankWait wait{RankLife::inside, {}};
    for (const BlockedCall& call : said.blocked) {
      wait.calls.push_back(call.record);
      require(call.since_ns >= 0 && call.record.polled_ns >= 0, "times can be compared");
      require(describe_call(call.record).size() < 1000, "a call is described in a line");
    }
    waits.push_back(std::move(wait));
  }
  for (const std::string& line : describe_waits(waits)) require(!line.empty(), "a finding is told");
}

// A slot as a rank leaves it.
std::string slot_of(const CallRecord& record) {
  CallSlot slot;
  slot.used = 1;
  slot.since_ns = 1;
  slot.record = record;
  slot.version.store(2);
  return {reinterpret_cast<const char*>(&slot), sizeof slot};
}

CallRecord receive_from(std::uint32_t rank) {
  CallRecord record;
  set_text(record.function, "MPI_Recv");
  set_text(record.comm, "MPI_COMM_WORLD");
  set_text(record.type, "MPI_INT");
  record.kind = CallKind::receive;
  record.has_peer = true;
  record.peer = static_cast<int>(rank);
  record.count = 4;
  record.waits_for.add(rank);
  return record;
}

std::vector<std::string> calls_seeds() {
  CallRecord barrier;
  set_text(barrier.function, "MPI_Barrier");
  set_text(barrier.operation, "barrier");
  barrier.kind = CallKind::collective;
  barrier.members.count = kRanks;
  barrier.members.stride = 1;
  CallRecord bcast = barrier;
  set_text(bcast.function, "MPI_Bcast");
  set_text(bcast.operation, "bcast");
  bcast.waits_for.add(0);
  CallRecord any = receive_from(1);
  any.any = any.threads = true;
  any.peer = -1;
  any.waits_for = barrier.members;
  const std::string none(kSlotBytes, '\0');
  return {
      slot_of(receive_from(1)) + none + slot_of(receive_from(2)) + none + slot_of(receive_from(0)),
      slot_of(barrier) + slot_of(receive_from(2)) + slot_of(bcast),
      slot_of(any) + none + slot_of(any) + none + slot_of(barrier)};
}

// --- addresses ---------------------------------------------------------------------------------

void run_address(std::string_view bytes) {
  const auto view = std::as_bytes(std::span(bytes));
  const Expected<AddressBlob> blob = decode(view);
  if (!blob) return;
  const std::vector<std::byte> again = encode(*blob);
  require(std::ranges::equal(again, view), "an address encodes back to its bytes");
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> address_seeds() {
  AddressBlob blob;
  blob.first_window = 16;
  std::vector<std::string> seeds{text_of(encode(blob))};
  blob.devices = {{"shm", std::vector<std::byte>(32, std::byte{7})}, {"verbs", {}}};
  seeds.push_back(text_of(encode(blob)));
  return seeds;
}

// --- passports of other jobs' processes --------------------------------------------------------

void run_passports(std::string_view bytes) {
  const auto view = std::as_bytes(std::span(bytes));
  const Expected<std::vector<Passport>> passports = decode_passports(view);
  if (!passports) return;
  constexpr std::uint32_t kOwnJob = 4;
  ForeignProcs procs{ProcId{kOwnJob}};
  std::vector<std::byte> again;
  for (const Passport& passport : *passports) {
    const std::vector<std::byte> one = encode(passport);
    again.insert(again.end(), one.begin(), one.end());
    const Expected<ProcId> proc = procs.introduce(passport);
    if (!proc) continue;
    require(number_of(*proc) >= kOwnJob && number_of(*proc) < procs.known(),
            "a foreign process has a number of its own");
    require(procs.name_of(*proc) == passport.name(), "a number leads to the name");
    require(procs.passport_of(*proc).job == passport.job, "a number leads to the passport");
  }
  require(procs.known() <= kOwnJob + passports->size(), "nobody else has a number");
  require(std::ranges::equal(again, view), "passports encode back to their bytes");
}

std::vector<std::string> passports_seeds() {
  Passport one;
  one.job = "remit-1@2";
  one.rank = 3;
  one.host = "node01";
  one.address.assign(40, std::byte{7});
  Passport other = one;
  other.rank = 4;
  Passport stranger = other;
  stranger.job = "remit-9@1";
  return {text_of(encode(one)), text_of(encode(one)) + text_of(encode(other)),
          text_of(encode(other)) + text_of(encode(stranger)) + text_of(encode(other))};
}

// --- PMI-1 -------------------------------------------------------------------------------------

// Lines of two ranks of a host, a letter each before them; what they put comes back, with that of
// another host, which is a line that begins with another letter.
void run_pmi1(std::string_view bytes) {
  Job job;
  job.nspace = "job";
  job.hosts = {{"a", {0, 1}, 0, 0}, {"b", {2}, 1, 0}};
  for (const int host : {0, 0, 1}) {
    Rank& rank = job.ranks.emplace_back();
    rank.rank = static_cast<int>(job.ranks.size()) - 1;
    rank.host = host;
  }
  std::vector<std::string> entered;
  std::vector<int> answers(job.ranks.size());
  const auto is_here = [](int rank) { return rank == 0 || rank == 1; };
  Pmi1Space space(
      job, 0,
      {[&](int rank, const std::string& lines) {
         require(is_here(rank), "an answer is for a rank of this host");
         require(
             lines.empty() || (lines.starts_with("cmd=") && lines.find('\n') == lines.size() - 1),
             "an answer is a line");
         ++answers[static_cast<std::size_t>(rank)];
       },
       [&](int rank) { require(is_here(rank), "who connects is here"); },
       [&](int rank) { require(is_here(rank), "who leaves is here"); },
       [&](int rank, int, const std::string&) { require(is_here(rank), "who aborts is here"); },
       [&](std::string put) { entered.push_back(std::move(put)); }});
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.empty()) continue;
    if (line.front() == 'a' || line.front() == 'b') {
      (void)space.take(line.front() - 'a', line.substr(1));
    } else {
      (void)space.leave_barrier(line.substr(1));
    }
    for (const std::string& put : std::exchange(entered, {})) {
      std::ranges::fill(answers, 0);
      require(space.leave_barrier(put), "what is put can be read");
      require(answers[0] == 1 && answers[1] == 1, "all leave the barrier");
    }
  }
}

std::vector<std::string> pmi1_seeds() {
  return {
      "acmd=init pmi_version=1 "
      "pmi_subversion=1\nacmd=get_maxes\nbcmd=get_my_kvsname\nbcmd=get_appnum\n"
      "acmd=put kvsname=job key=k value=v w\nacmd=barrier_in\nbcmd=barrier_in\nbcmd=get "
      "kvsname=job key=k\n"
      "acmd=finalize\nbcmd=abort exitcode=7 message=why\n",
      "amcmd=spawn\nanprocs=1\naexecname=x\naendcmd\nacmd=get_universe_size\n"};
}

}  // namespace

std::vector<Surface> rank_surfaces() {
  return {
      {"pmi1", 4096, 64 * kKb, 64, run_pmi1, pmi1_seeds},
      {"calls", 6 * kSlotBytes, 1024 * kKb, 64, run_calls, calls_seeds},
      {"address", 1024, 16 * kKb, 64, run_address, address_seeds},
      {"passports", 4096, 64 * kKb, 64, run_passports, passports_seeds},
  };
}

}  // namespace remit::fuzz
