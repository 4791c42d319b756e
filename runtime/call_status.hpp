// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a blocked rank waits for, in memory that mpirun reads for its report of a job that hangs: a
// file with a page for each rank in the job's private directory. A rank writes to its page only
// when a call has been asleep for a while, or has looked in vain many times. Calls that complete
// before pay with the few stores that make their WaitSubject.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace remit {

/// Ranks of MPI_COMM_WORLD: {first, first + stride, ...}, or a list.
struct RankSet {
  static constexpr std::uint32_t kMostListed = 64;

  std::uint32_t count = 0;  ///< of a list this may be more than kMostListed: the rest is not known
  std::uint32_t first = 0;
  std::int64_t stride = 0;
  bool listed = false;
  std::uint32_t list[kMostListed] = {};

  void add(std::uint32_t rank) {
    listed = true;
    if (count < kMostListed) list[count] = rank;
    ++count;
  }
  /// Ranks that known() gives.
  [[nodiscard]] std::uint32_t size() const {
    return listed && count > kMostListed ? kMostListed : count;
  }
  [[nodiscard]] bool is_whole() const { return size() == count; }
  [[nodiscard]] std::uint32_t at(std::uint32_t i) const {
    return listed ? list[i]
                  : static_cast<std::uint32_t>(first + static_cast<std::int64_t>(i) * stride);
  }
  /// Those of {0, ..., most - 1} among them, in no more steps than that however many there are.
  template <class Use>
  void each_below(std::uint32_t most, Use use) const {
    std::uint32_t i = 0;
    if (!listed && stride < 0 && first >= most) {  // it comes down to them
      i = static_cast<std::uint32_t>((first - most) / -stride + 1);
    }
    for (; i < size(); ++i) {
      const std::uint32_t rank = at(i);
      if (rank < most) use(rank);
      if (rank >= most && !listed && stride > 0) return;  // as all that follow
    }
  }
};

enum class CallKind : std::uint8_t { other, receive, send, collective, lock };

/// CallRecord::holder if it is no rank.
inline constexpr std::int32_t kHolderUnknown = -1;
inline constexpr std::int32_t kHeldByReaders = -2;

/// One MPI call that waits. Plain bytes: another process reads it. Texts end with a zero byte.
struct CallRecord {
  char function[40] = "";  ///< "MPI_Recv"
  char operation[24] =
      "";              ///< what is waited for, if not the function itself: "receive", "barrier"
  char comm[48] = "";  ///< its name
  char type[32] = "";
  CallKind kind = CallKind::other;
  bool any = false;       ///< one of `waits_for` is enough; else all are needed
  bool threads = false;   ///< MPI_THREAD_MULTIPLE: another thread may do what this one waits for
  bool has_peer = false;  ///< `peer` and `tag` mean something
  std::uint32_t context = 0;   ///< of the communicator: the same number at all its members
  std::uint32_t sequence = 0;  ///< collectives: the number of the operation on its communicator
  std::int32_t peer = 0;       ///< a rank of `comm`, or MPI_ANY_SOURCE; locks: whose lock it is
  std::int32_t tag = 0;
  std::int32_t holder = kHolderUnknown;  ///< locks: who has it, a rank of `comm` or the above
  /// Locks: monotonic_ns() since when it was seen to be held so, at least; 0: not known.
  std::int64_t held_ns = 0;
  std::int64_t count = -1;   ///< elements of `type`; -1: none
  std::int32_t pending = 0;  ///< requests that are not complete, of `total`
  std::int32_t total = 0;
  /// monotonic_ns() of a call that polled in vain, as many before it, like MPI_Test in a loop; 0:
  /// the call waits.
  std::int64_t polled_ns = 0;
  RankSet members;    ///< collectives: of the communicator
  RankSet waits_for;  ///< those whose messages are missing, or who have not taken ours
};

/// Its flags are flags, and the ranks of its sets can be computed. What another process wrote, or
/// another host sent, need not be so.
[[nodiscard]] bool is_sound(const CallRecord& record);

/// Copies a text, cut to fit.
template <std::size_t N>
void set_text(char (&field)[N], std::string_view text) {
  const std::size_t size = text.size() < N ? text.size() : N - 1;
  text.copy(field, size);
  field[size] = '\0';
}

/// Describes a wait; asked only when it has lasted for a while, by the waiting thread with the MPI
/// lock held.
struct WaitSubject {
  virtual void describe(CallRecord& record) const = 0;

 protected:
  ~WaitSubject() = default;
};

/// The place of one waiting thread. A reader takes what it read for good if `version` was even and
/// the same before and after.
struct CallSlot {
  std::atomic<std::uint32_t> version{0};
  std::uint32_t used = 0;
  std::int64_t since_ns = 0;  ///< monotonic_ns()
  CallRecord record;
};

inline constexpr std::size_t kCallSlots = 5;

/// From one rank's page to the next: the system's page size.
[[nodiscard]] std::size_t call_page_bytes();

/// A rank's page. All zero: no rank of this library has come to MPI_Init.
struct CallPage {
  static constexpr std::uint32_t kMagic = 0x52434234;  ///< changes with the layout

  std::atomic<std::uint32_t> magic{0};
  CallSlot slots[kCallSlots];
};
static_assert(sizeof(CallPage) <= 4096);

/// The file of the pages of the PMIx namespace `job`, in the directory that PMIX_SERVER_TMPDIR
/// names.
[[nodiscard]] std::string call_file_path(const std::string& directory, const std::string& job);

/// A rank's hold of its page. All calls with the MPI lock held.
class CallStatusPage {
 public:
  /// Null if the launcher has none for us.
  [[nodiscard]] static std::unique_ptr<CallStatusPage> open(const std::string& file, int rank);
  ~CallStatusPage();
  CallStatusPage(const CallStatusPage&) = delete;
  CallStatusPage& operator=(const CallStatusPage&) = delete;

  /// A free slot for a wait that began `waited_ms` ago; null if there is none.
  [[nodiscard]] CallSlot* take(int waited_ms);
  /// `polled_ns`: as CallRecord's.
  static void write(CallSlot& slot, const WaitSubject& subject, std::int64_t polled_ns = 0);
  static void release(CallSlot& slot);

 private:
  explicit CallStatusPage(CallPage* page) : page_(page) {}

  CallPage* page_;
};

/// A consistent copy of a slot; false if it is not in use, changes all the time, or holds what no
/// rank of this library writes.
[[nodiscard]] bool read_slot(const CallSlot& slot, CallRecord& record, std::int64_t& since_ns);

inline constexpr std::int64_t kNsPerMs = 1'000'000;

}  // namespace remit
