// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Ports and who knocks there; and the bridge over a socket of the program's.
#include "bindings/process/ports.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "collectives/algorithms/buffers.hpp"
#include "links/bytes.hpp"
#include "pt2pt/context_ids.hpp"
#include "runtime/call_board.hpp"

namespace remit {

namespace {

constexpr std::string_view kPortPrefix = "remit:";

/// Of all knocks: which port is meant is inside of them, so that one look finds them all.
constexpr int kKnockTag = 1;

/// Of the answer to a knock, before the tag of the bridge.
enum Verdict : std::uint32_t { kAccepted = 1, kRefused = 2 };

/// The wait for somebody to knock.
class KnockWait final : public WaitSubject {
 public:
  explicit KnockWait(const Entry& entry) : entry_(entry) {}
  void describe(CallRecord& record) const override {
    set_text(record.function, entry_.function());
    set_text(record.operation, "connection");
    record.threads = entry_.instance().locking();
  }

 private:
  const Entry& entry_;
};

std::string to_hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

std::optional<Bytes> from_hex(std::string_view text) {
  Bytes bytes;
  for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
    unsigned value = 0;
    const auto parsed = std::from_chars(&text[at], &text[at] + 2, value, 16);
    if (parsed.ptr != &text[at] + 2) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(value));
  }
  if (text.size() % 2 != 0) return std::nullopt;
  return bytes;
}

struct PortName {
  int tag = 0;
  Passport passport;
};

std::string port_text(int tag, const Passport& passport) {
  return fmt::format("{}{}:{}", kPortPrefix, tag, to_hex(encode(passport)));
}

std::optional<PortName> parse(std::string_view text) {
  if (!text.starts_with(kPortPrefix)) return std::nullopt;
  text.remove_prefix(kPortPrefix.size());
  PortName port;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), port.tag);
  if (parsed.ec != std::errc{} || port.tag <= 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  if (!text.starts_with(':')) return std::nullopt;
  const std::optional<Bytes> bytes = from_hex(text.substr(1));
  if (!bytes) return std::nullopt;
  auto passports = decode_passports(*bytes);
  if (!passports || passports->size() != 1) return std::nullopt;
  port.passport = std::move(passports->front());
  return port;
}

tl::unexpected<Error> no_port(std::string_view name) {
  return fail(MPI_ERR_PORT, "'{}' is not the name of a port (see MPI_Open_port)",
              name.substr(0, 60));
}

}  // namespace

Ports& ports_of(Instance& instance) {
  if (instance.ports == nullptr) instance.ports = std::make_unique<Ports>(instance);
  return *instance.ports;
}

/// A knock that is being received.
struct Ports::Arriving {
  explicit Arriving(MPI_Count bytes) : data(static_cast<std::size_t>(bytes)) {}
  Bytes data;
  Request request{RequestKind::receive};
};

/// The answer to one, on its way.
struct Ports::Refusal {
  CommCore core;
  Bytes data;
  Request request{RequestKind::send};
};

Ports::Ports(Instance& instance) : instance_(instance), knocks_(core_to(0, ContextIds::kKnocks)) {}

Ports::~Ports() {
  if (watching_) instance_.progress().remove(this);
}

/// This process and one other; each is rank 0 to the other one.
CommCore Ports::core_to(ProcId proc, ContextIds::Reserved slot) const {
  CommCore core;
  core.context = ContextIds::context_of(slot);
  core.local = Group::regular(static_cast<ProcId>(instance_.process->rank()), 1, 1);
  core.remote = Group::regular(proc, 1, 1);
  return core;
}

std::unique_ptr<Bridge> Ports::bridge_to(Entry& entry, ProcId proc, int there, int here) {
  return std::make_unique<Bridge>(entry, core_to(proc, ContextIds::kPorts), 0, there, here);
}

std::string Ports::open() {
  if (!std::exchange(watching_, true)) instance_.progress().add(this);
  open_[next_tag_];
  return port_text(next_tag_++, instance_.engine->links().passport());
}

bool Ports::close(std::string_view name) {
  const auto port = parse(name);
  const bool own = port && port->passport.name() == instance_.engine->links().passport().name();
  const auto found = own ? open_.find(port->tag) : open_.end();
  if (found == open_.end()) return false;
  close(found);
  return true;
}

void Ports::close_all() {
  while (!open_.empty()) close(open_.begin());
}

void Ports::close(std::map<int, std::deque<Knock>>::iterator port) {
  const std::deque<Knock> waiting = std::move(port->second);
  open_.erase(port);
  for (const Knock& knock : waiting) refuse(knock);
  instance_.others_may_care = true;  // a thread may wait in accept()
}

// --- knocks --------------------------------------------------------------------------------------

int Ports::progress() {
  int events = 0;
  ProbeResult found;
  while (MatchedMessage* message = instance_.engine->improbe(0, kKnockTag, knocks_, found)) {
    Arriving& knock = arriving_.emplace_back(found.bytes);
    instance_.engine->imrecv(knock.request, bytes_view(knock.data.data(), knock.data.size()),
                             message);
    ++events;
  }
  for (auto knock = arriving_.begin(); knock != arriving_.end();) {
    if (!knock->request.complete) {
      ++knock;
      continue;
    }
    take(*knock);
    knock = arriving_.erase(knock);
    ++events;
  }
  // Whether those who are refused are still there to hear it does not matter.
  std::erase_if(refusals_, [](const Refusal& refusal) { return refusal.request.complete; });
  return events;
}

/// Who was lost meanwhile is no matter of this process's.
void Ports::take(const Arriving& message) {
  if (message.request.status.error != MPI_SUCCESS) return;
  ByteReader reader{message.data};
  const auto port = static_cast<int>(reader.number<std::uint32_t>());
  Knock knock;
  knock.answer_tag = static_cast<int>(reader.number<std::uint32_t>());
  const auto passports = decode_passports(reader.rest);
  const bool is_knock = passports && passports->size() == 1 && knock.answer_tag > 0;
  const Expected<ProcId> proc =
      is_knock ? instance_.engine->links().introduce(passports->front())
               : fail(MPI_ERR_OTHER, "somebody has connected who did not say who it is");
  if (!proc) {
    instance_.process->log().write(LogLevel::warning, "a port: {}", proc.error().message);
    return;
  }
  knock.proc = *proc;
  const auto open = open_.find(port);
  if (open == open_.end()) return refuse(knock);
  open->second.push_back(knock);
}

void Ports::refuse(const Knock& knock) {
  Refusal& refusal = refusals_.emplace_back();
  refusal.core = core_to(knock.proc, ContextIds::kPorts);
  put(refusal.data, std::uint32_t{kRefused});
  put(refusal.data, std::uint32_t{0});
  instance_.engine->isend(refusal.request, bytes_view(refusal.data.data(), refusal.data.size()), 0,
                          knock.answer_tag, refusal.core);
}

Expected<std::unique_ptr<Bridge>> Ports::accept(Entry& entry, std::string_view name) {
  const auto port = parse(name);
  if (!port) return no_port(name);
  if (port->passport.name() != instance_.engine->links().passport().name() ||
      !open_.contains(port->tag)) {
    return fail(MPI_ERR_PORT, "the port is not open at this process, the root");
  }
  // Who is lost meanwhile is no matter of this process's: it waits for another.
  while (true) {
    const KnockWait subject(entry);
    entry.progress().wait(
        [&] {
          const auto open = open_.find(port->tag);
          return open == open_.end() || !open->second.empty();
        },
        &subject);
    const auto open = open_.find(port->tag);
    if (open == open_.end()) return fail(MPI_ERR_PORT, "the port was closed meanwhile");
    const Knock knock = open->second.front();
    open->second.pop_front();
    const int here = next_tag_++;
    auto bridge = bridge_to(entry, knock.proc, knock.answer_tag, here);
    Bytes answer;
    put(answer, std::uint32_t{kAccepted});
    put(answer, static_cast<std::uint32_t>(here));
    if (bridge->send(answer) == MPI_SUCCESS) return bridge;
  }
}

Expected<std::unique_ptr<Bridge>> Ports::connect(Entry& entry, std::string_view name) {
  const auto port = parse(name);
  if (!port) return no_port(name);
  const Expected<ProcId> proc = entry.engine().links().introduce(port->passport);
  if (!proc) return tl::unexpected(proc.error());
  const int here = next_tag_++;
  Bytes data;
  put(data, static_cast<std::uint32_t>(port->tag));
  put(data, static_cast<std::uint32_t>(here));
  const Bytes own = encode(entry.engine().links().passport());
  data.insert(data.end(), own.begin(), own.end());
  Bytes answer;
  int code = Bridge(entry, core_to(*proc, ContextIds::kKnocks), 0, kKnockTag, here).send(data);
  if (code == MPI_SUCCESS) code = bridge_to(entry, *proc, 0, here)->receive(answer);
  const std::string process =
      fmt::format("{} (host {})", entry.engine().links().words_of(*proc), port->passport.host);
  if (code != MPI_SUCCESS) {
    const std::string why = entry.engine().explain(core_to(*proc, ContextIds::kPorts), 0);
    return fail(MPI_ERR_PORT, "{}, whose port it is, cannot be reached{}{}", process,
                why.empty() ? "" : ": ", why);
  }
  ByteReader reader{answer};
  const auto verdict = reader.number<std::uint32_t>();
  const auto there = static_cast<int>(reader.number<std::uint32_t>());
  if (verdict != kAccepted || there <= 0) {
    return fail(MPI_ERR_PORT, "{} has closed the port", process);
  }
  return bridge_to(entry, *proc, there, here);
}

// --- sockets -------------------------------------------------------------------------------------

namespace {

/// Blocking transfers over a socket, during which MPI advances.
class SocketTalk {
 public:
  SocketTalk(Entry& entry, int socket) : entry_(entry), socket_(socket) {}

  [[nodiscard]] Expected<> send(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
      } else if (auto waited = wait(POLLOUT); !waited) {
        return waited;
      }
    }
    return {};
  }

  [[nodiscard]] Expected<> receive(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got == 0) return fail(MPI_ERR_OTHER, "the other end of the socket was closed");
      if (got > 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(got));
      } else if (auto waited = wait(POLLIN); !waited) {
        return waited;
      }
    }
    return {};
  }

 private:
  /// After a transfer that could not go on: because of errno.
  [[nodiscard]] Expected<> wait(short events) {
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return fail_errno(MPI_ERR_OTHER, errno, "the socket");
    }
    constexpr int kTurnMs = 5;
    Progress::YieldHook* hook = entry_.instance().yield_hook.get();
    pollfd ready{socket_, events, 0};
    if (hook != nullptr) hook->before();
    (void)::poll(&ready, 1, kTurnMs);
    if (hook != nullptr) hook->after();
    entry_.progress().poll();
    return {};
  }

  Entry& entry_;
  int socket_;
};

/// Over the socket: this, then as many bytes.
struct JoinHead {
  std::uint32_t magic = 0x4a4d4552;
  std::uint32_t tag = 0;
  std::uint32_t bytes = 0;
};

struct Joined {
  int tag = 0;
  Passport passport;
};

Expected<Joined> swap_passports(SocketTalk& talk, int tag, const Passport& own) {
  const Bytes mine = encode(own);
  const JoinHead head{.tag = static_cast<std::uint32_t>(tag),
                      .bytes = static_cast<std::uint32_t>(mine.size())};
  JoinHead other;
  auto done = talk.send(std::as_bytes(std::span(&head, 1)));
  if (done) done = talk.send(mine);
  if (done) done = talk.receive(std::as_writable_bytes(std::span(&other, 1)));
  if (!done) return tl::unexpected(done.error());
  constexpr std::uint32_t kMost = 4096;
  if (other.magic != head.magic || other.bytes > kMost || static_cast<int>(other.tag) <= 0) {
    return fail(MPI_ERR_OTHER, "at the other end of the socket is no MPI_Comm_join of this Remit");
  }
  Bytes theirs(other.bytes);
  if (done = talk.receive(theirs); !done) return tl::unexpected(done.error());
  auto passports = decode_passports(theirs);
  if (!passports) return tl::unexpected(passports.error());
  if (passports->size() != 1) return fail(MPI_ERR_OTHER, "the other end has sent no passport");
  return Joined{static_cast<int>(other.tag), std::move(passports->front())};
}

}  // namespace

Expected<std::unique_ptr<Bridge>> Ports::join(Entry& entry, int socket) {
  int type = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
    return fail_errno(MPI_ERR_ARG, errno, fmt::format("fd {}", socket));
  }
  if (type != SOCK_STREAM) return fail(MPI_ERR_ARG, "fd {} is not a stream socket", socket);
  SocketTalk talk(entry, socket);
  const int here = next_tag_++;
  const auto other = swap_passports(talk, here, entry.engine().links().passport());
  if (!other) return tl::unexpected(other.error());
  // Both must think so, or neither.
  const std::array mine{std::byte{entry.engine().links().reaches(other->passport)}};
  std::array theirs{std::byte{0}};
  auto done = talk.send(mine);
  if (done) done = talk.receive(theirs);
  if (!done) return tl::unexpected(done.error());
  if (mine[0] == std::byte{0} || theirs[0] == std::byte{0}) return std::unique_ptr<Bridge>();
  const Expected<ProcId> proc = entry.engine().links().introduce(other->passport);
  if (!proc) return tl::unexpected(proc.error());
  return bridge_to(entry, *proc, other->tag, here);
}

}  // namespace remit
