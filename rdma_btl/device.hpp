// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The one interface for moving bytes. Shared memory, verbs, TCP, libfabric and the simulated
// network all implement it; rdma_btl/sim/ is the model to copy when adding one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/error.hpp"

namespace remit {

/// A process as devices know it: unique within everything that can ever be connected.
/// Devices only carry and compare it. Its lower half is the rank in its job, for messages to
/// people.
using PeerName = std::uint64_t;
[[nodiscard]] constexpr std::uint32_t rank_of_name(PeerName name) {
  return static_cast<std::uint32_t>(name);
}

/// An endpoint: this device's connection to one peer. Dense, starting at 0, never reused while
/// the device is open.
using EndpointId = std::uint32_t;

/// One contiguous piece of local memory. `key` is Region::local_key where the device says that it
/// needs registration, else 0.
struct Piece {
  void* address = nullptr;
  std::size_t length = 0;  ///< bytes
  std::uint64_t key = 0;
};

/// Bytes in all.
[[nodiscard]] inline std::size_t total_length(std::span<const Piece> pieces) {
  std::size_t total = 0;
  for (const Piece& piece : pieces) total += piece.length;
  return total;
}

/// Memory of a peer: an address there and the key that its registration gave. Fits any wire
/// message; no pointer in it is ever followed on this side.
struct RemoteAddress {
  std::uint64_t address = 0;
  std::uint64_t key = 0;
};

/// What registration gives. `remote_key` is what a peer puts into RemoteAddress::key.
struct Region {
  void* address = nullptr;
  std::size_t length = 0;
  std::uint64_t local_key = 0;
  std::uint64_t remote_key = 0;
  std::uint64_t handle = 0;  ///< for deregister
};

/// What peers may do with a registered region. Flags: combine with |, ask with allows().
enum class Access : std::uint8_t {
  local = 0,
  remote_read = 1,
  remote_write = 2,
  remote_atomic = 4,
  all = 7
};

[[nodiscard]] constexpr Access operator|(Access a, Access b) {
  return static_cast<Access>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// True if every flag of `wanted` is in `granted`.
[[nodiscard]] constexpr bool allows(Access granted, Access wanted) {
  return (static_cast<unsigned>(wanted) & ~static_cast<unsigned>(granted)) == 0;
}

enum class OpKind : std::uint8_t { send, put, get, atomic, confirm };

enum class AtomicKind : std::uint8_t { fetch_add, compare_swap, swap };

/// Operation::cookie of an operation whose completion nobody waits for.
inline constexpr std::uint64_t kNoCompletion = ~std::uint64_t{0};

/// One operation, a value.
///
/// send:   the concatenated local pieces arrive at the peer as one receive completion. The pieces
///         may be reused as soon as post() has accepted it (the device copies or has sent). At most
///         Caps::max_send bytes. A send asks for no completion (cookie is ignored).
/// put:    local pieces are written to [remote, remote + total). Local memory is in use until the
///         completion. With `notify`, `notification` appears in the target's completions after
///         every byte is visible there (decision 3).
/// get:    [remote, remote + total) is read into the local pieces; complete when all bytes are
///         here.
/// atomic: 64 bits at `remote` (8-byte aligned) are changed atomically with respect to other
///         atomics of this device; the old value is stored to local[0] (8 bytes) if it is given.
///         With `notify` as for put.
/// confirm: completes when all puts and atomics that were posted before it on this endpoint are
///         visible in the target's memory, to whoever reads there, whether or not they had
///         completions of their own. It moves nothing and has neither pieces nor notification; a
///         completion that nobody waits for (kNoCompletion) is an error of the caller. It says
///         nothing of gets, sends, notifications, nor of what is posted behind it, which does not
///         wait for it. An operation that failed by itself does not make it fail; the end of its
///         endpoint does. The target has to make progress for it where it has to for puts. Every
///         device has it.
///
/// Between operations on one endpoint only this order is promised: sends arrive in the order of
/// posting if Caps::ordered; a notification comes after its own bytes; a confirm after what it
/// confirms can be seen, though completions of that may still follow it. Nothing else.
struct Operation {
  OpKind kind = OpKind::send;
  AtomicKind atomic = AtomicKind::fetch_add;
  bool notify = false;
  std::uint32_t notification = 0;
  std::span<const Piece> local;  ///< must live until post() returns
  RemoteAddress remote;
  std::uint64_t operand = 0;  ///< fetch_add: addend; swap, compare_swap: the new value
  std::uint64_t compare = 0;
  std::uint64_t cookie = kNoCompletion;
};

enum class CompletionKind : std::uint8_t {
  local,            ///< a put, get, atomic or confirm with a cookie is done (status says how)
  receive,          ///< a peer's send arrived: `data`
  notification,     ///< a peer's put or atomic is visible here: `notification`
  endpoint_closed,  ///< the peer has left in order: nothing comes from it any more, and what is
                    ///< posted to it from now on goes nowhere
  endpoint_failed,  ///< the peer or the path died; every operation on it fails from now on
};

/// The first 16 bytes of a small message, in registers.
struct SendHead {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

/// An event of the device. A value; `data` alone points into the device.
struct Completion {
  CompletionKind kind = CompletionKind::local;
  int status = 0;  ///< MPI_SUCCESS or the MPI error class; details through Device::explain()
  EndpointId endpoint = 0;
  std::uint32_t notification = 0;
  std::uint64_t cookie = 0;
  std::span<const std::byte> data;  ///< receive: valid until the next poll() of this device, or
                                    ///< receive() or have_read() of its eager path; 8-byte aligned
};

/// How a notification is delivered; for remit_info.
enum class NotifyMode : std::uint8_t { none, native, immediate, write_then_send };

/// What the devices of networks take at most, even where an adapter or a kernel would take more:
/// bytes of one put or get, and local pieces of one operation.
inline constexpr std::size_t kLongestMessage = std::size_t{1} << 30;
inline constexpr std::size_t kMostPieces = 16;

/// What a device can do. Constant while the device is open, but for what it learns.
struct Caps {
  std::string_view name;        ///< "shm", "sim", "verbs", "ofi", "tcp"
  std::size_t max_inline = 0;   ///< bytes of a send that travel in the descriptor itself
  std::size_t max_send = 0;     ///< bytes of one send
  std::size_t max_message = 0;  ///< bytes of one put or get
  std::size_t max_pieces = 1;   ///< local pieces of one operation
  std::size_t min_piece = 512;  ///< bytes; shorter pieces of a put or get are cheaper copied
  double latency_ns = 0;        ///< of a small send, one way
  double bandwidth = 0;         ///< bytes per second of a large get or put
  double overhead_ns = 0;       ///< fixed cost of one get or put
  double get_slowdown = 1;      ///< time of a byte of a large get, in that of a put
  std::size_t eager_limit = 0;  ///< to which sends beat all else here, if that is more than usual
  bool ordered = true;          ///< sends of an endpoint arrive in order
  bool has_put = false;
  bool has_get = false;
  bool has_atomic = false;
  bool atomic_with_cpu = false;  ///< its atomics are atomic with those of the processor
  /// Puts, gets, fetch_add and compare_swap (those that it has) need nothing of the target's
  /// processor.
  bool passive = false;
  /// Puts and atomics of an endpoint change the target's memory in the order of posting, and before
  /// a notification or a send behind them, which arrive in that order, too; a get sees what is
  /// before it; and the completion of a put says that it is visible at the target. Nothing is said
  /// of what is posted behind a get that has not completed.
  bool in_order = false;
  bool needs_registration = false;  ///< pieces need keys; else register_memory is free
  bool pages_on_demand = false;     ///< register_memory(nullptr, SIZE_MAX) serves puts and gets of
                                    ///< all memory, now and to come, and pins nothing
  NotifyMode notify = NotifyMode::none;
};

/// What a device did so far, by name; for people and tests.
struct Statistic {
  std::string_view name;  ///< of static storage
  std::uint64_t value = 0;
};

class EagerPath;   // rdma_btl/eager_path.hpp
class HostMemory;  // rdma_btl/host_memory.hpp

/// A device of one process. Every function is called by the thread that holds the MPI process;
/// none blocks.
class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual const Caps& caps() const = 0;

  /// What a peer's connect() needs to reach this process; constant.
  [[nodiscard]] virtual std::vector<std::byte> local_address() const = 0;

  /// True if `address` (a peer's local_address()) can be reached through this device.
  [[nodiscard]] virtual bool reachable(std::span<const std::byte> address) const = 0;

  /// The endpoint to `peer`; the same one if it exists already (also when the peer connected
  /// first). Never waits: operations may be posted at once.
  [[nodiscard]] virtual Expected<EndpointId> connect(PeerName peer,
                                                     std::span<const std::byte> address) = 0;

  /// Whose endpoint this is; also for those made by an incoming connection.
  [[nodiscard]] virtual PeerName peer(EndpointId endpoint) const = 0;

  [[nodiscard]] virtual Expected<Region> register_memory(void* address, std::size_t length,
                                                         Access access) = 0;
  virtual void deregister(const Region& region) = 0;

  /// Accepts a prefix of `operations` and says how many; the caller keeps the rest in its one queue
  /// per endpoint and offers it again after poll(). On a failed endpoint everything is accepted
  /// and completes with an error. Throws std::bad_alloc if there is no memory for the first
  /// of them: then none was accepted.
  [[nodiscard]] virtual std::size_t post(EndpointId endpoint,
                                         std::span<const Operation> operations) = 0;

  /// Fills `out` with events and says how many. Also drives whatever the device does in software.
  [[nodiscard]] virtual std::size_t poll(std::span<Completion> out) = 0;

  /// From now on an event makes wait_fd() readable; poll once more before sleeping on it.
  virtual void arm() = 0;
  virtual void disarm() = 0;
  /// -1: this device cannot wake a sleeper.
  [[nodiscard]] virtual int wait_fd() const = 0;
  /// The longest safe sleep in milliseconds after arm(); -1: no bound.
  [[nodiscard]] virtual int max_sleep_ms() const = 0;

  /// True when everything accepted has left this process for good (nothing of it is lost if the
  /// process exits now).
  [[nodiscard]] virtual bool flushed() const = 0;

  /// The words behind the last failure of this endpoint, for a message to the user.
  [[nodiscard]] virtual std::string explain(EndpointId endpoint) const = 0;

  /// The counters that a person would want to see at the end of a job.
  [[nodiscard]] virtual std::vector<Statistic> statistics() const = 0;

  /// Beyond the above a device may offer these; null: it does not. Constant while it is open.
  [[nodiscard]] virtual EagerPath* eager_path() { return nullptr; }
  [[nodiscard]] virtual HostMemory* host_memory() { return nullptr; }
};

}  // namespace remit
