// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Ports and connection requests.
#include "communicators/ports.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "collectives/algorithms/buffers.hpp"
#include "communicators/socket_exchange.hpp"
#include "communicators/waits.hpp"
#include "links/bytes.hpp"
#include "pt2pt/engine_report.hpp"

namespace remit {

namespace {

constexpr std::string_view kPortPrefix = "remit:";

/// Of all requests: which port is meant is inside of them, so that one look finds them all.
constexpr int kRequestTag = 1;

/// Of the answer to a request, before the tag of the bridge.
enum ConnectAnswer : std::uint32_t { kAccepted = 1, kRefused = 2 };

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

std::optional<PortName> parse_port(std::string_view text) {
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

/// A connection request that is being received.
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

Ports::Ports(CommProcess& comms)
    : comms_(comms),
      progress_(comms.process().progress()),
      request_core_(core_to(ProcId{}, ContextIds::kConnectRequests)) {}

Ports::~Ports() {
  if (watching_) progress_.sources().remove(this);
}

/// This process and one other; each is rank 0 to the other one.
CommCore Ports::core_to(ProcId proc, ContextIds::Reserved slot) const {
  CommCore core;
  core.context = ContextIds::context_of(slot);
  core.local = Group::regular(static_cast<ProcId>(comms_.process().rank()), 1, 1);
  core.remote = Group::regular(proc, 1, 1);
  return core;
}

std::unique_ptr<Bridge> Ports::bridge_to(const CommCall& call, ProcId proc, int there, int here) {
  return std::make_unique<Bridge>(call, core_to(proc, ContextIds::kPorts), 0, there, here);
}

std::string Ports::open() {
  if (!std::exchange(watching_, true)) progress_.sources().add(this);
  open_[next_tag_];
  return port_text(next_tag_++, comms_.engine().links().passport());
}

bool Ports::close(std::string_view name) {
  const auto port = parse_port(name);
  const bool own = port && port->passport.name() == comms_.engine().links().passport().name();
  const auto found = own ? open_.find(port->tag) : open_.end();
  if (found == open_.end()) return false;
  close(found);
  return true;
}

void Ports::close_all() {
  while (!open_.empty()) close(open_.begin());
}

void Ports::close(std::map<int, std::deque<ConnectRequest>>::iterator port) {
  const std::deque<ConnectRequest> waiting = std::move(port->second);
  open_.erase(port);
  for (const ConnectRequest& request : waiting) refuse(request);
  comms_.threads().note_change();  // a thread may wait in accept()
}

// --- connection requests -------------------------------------------------------------------------

int Ports::progress() {
  int events = 0;
  ProbeResult found;
  Engine& engine = comms_.engine();
  while (MatchedMessage* message = engine.improbe(0, kRequestTag, request_core_, found)) {
    Arriving& arrival = arriving_.emplace_back(found.bytes);
    engine.imrecv(arrival.request, bytes_view(arrival.data.data(), arrival.data.size()), message);
    ++events;
  }
  for (auto arrival = arriving_.begin(); arrival != arriving_.end();) {
    if (!arrival->request.complete) {
      ++arrival;
      continue;
    }
    take(*arrival);
    arrival = arriving_.erase(arrival);
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
  ConnectRequest request;
  request.answer_tag = static_cast<int>(reader.number<std::uint32_t>());
  const auto passports = decode_passports(reader.rest);
  const bool is_request = passports && passports->size() == 1 && request.answer_tag > 0;
  const Expected<ProcId> proc =
      is_request ? comms_.engine().links().directory().introduce(passports->front())
                 : fail(MPI_ERR_OTHER, "somebody has connected who did not say who it is");
  if (!proc) {
    comms_.process().log().write(LogLevel::warning, "a port: {}", proc.error().message);
    return;
  }
  request.proc = *proc;
  const auto open = open_.find(port);
  if (open == open_.end()) return refuse(request);
  open->second.push_back(request);
}

void Ports::refuse(const ConnectRequest& request) {
  Refusal& refusal = refusals_.emplace_back();
  refusal.core = core_to(request.proc, ContextIds::kPorts);
  put(refusal.data, std::uint32_t{kRefused});
  put(refusal.data, std::uint32_t{0});
  comms_.engine().isend(refusal.request, bytes_view(refusal.data.data(), refusal.data.size()), 0,
                        request.answer_tag, refusal.core);
}

Expected<std::unique_ptr<Bridge>> Ports::accept(const CommCall& call, std::string_view name) {
  const auto port = parse_port(name);
  if (!port) return no_port(name);
  if (port->passport.name() != call.engine().links().passport().name() ||
      !open_.contains(port->tag)) {
    return fail(MPI_ERR_PORT, "the port is not open at this process, the root");
  }
  // Who is lost meanwhile is no matter of this process's: it waits for another.
  while (true) {
    const ProcessWait subject(call, "connection", kAnyProc);
    call.progress().wait(
        [&] {
          const auto open = open_.find(port->tag);
          return open == open_.end() || !open->second.empty();
        },
        &subject);
    const auto open = open_.find(port->tag);
    if (open == open_.end()) return fail(MPI_ERR_PORT, "the port was closed meanwhile");
    const ConnectRequest request = open->second.front();
    open->second.pop_front();
    const int here = next_tag_++;
    auto bridge = bridge_to(call, request.proc, request.answer_tag, here);
    Bytes answer;
    put(answer, std::uint32_t{kAccepted});
    put(answer, static_cast<std::uint32_t>(here));
    if (bridge->send(answer)) return bridge;
  }
}

Expected<std::unique_ptr<Bridge>> Ports::connect(const CommCall& call, std::string_view name) {
  const auto port = parse_port(name);
  if (!port) return no_port(name);
  const Expected<ProcId> proc = call.engine().links().directory().introduce(port->passport);
  if (!proc) return tl::unexpected(proc.error());
  const int here = next_tag_++;
  Bytes data;
  put(data, static_cast<std::uint32_t>(port->tag));
  put(data, static_cast<std::uint32_t>(here));
  const Bytes own = encode(call.engine().links().passport());
  data.insert(data.end(), own.begin(), own.end());
  Bridge request(call, core_to(*proc, ContextIds::kConnectRequests), 0, kRequestTag, here);
  const auto sent = request.send(data);
  const auto answer = sent ? bridge_to(call, *proc, 0, here)->receive()
                           : Expected<Bytes>(tl::unexpected(sent.error()));
  const std::string process = fmt::format(
      "{} (host {})", call.engine().links().directory().words_of(*proc), port->passport.host);
  if (!answer) {
    const std::string why = failure_words(call.engine(), core_to(*proc, ContextIds::kPorts), 0);
    return fail(MPI_ERR_PORT, "{}, whose port it is, cannot be reached{}{}", process,
                why.empty() ? "" : ": ", why);
  }
  ByteReader reader{*answer};
  const auto verdict = reader.number<std::uint32_t>();
  const auto there = static_cast<int>(reader.number<std::uint32_t>());
  if (verdict != kAccepted || there <= 0) {
    return fail(MPI_ERR_PORT, "{} has closed the port", process);
  }
  return bridge_to(call, *proc, there, here);
}

Expected<std::unique_ptr<Bridge>> Ports::join(const CommCall& call, int socket) {
  if (auto checked = check_stream_socket(socket); !checked) {
    return tl::unexpected(checked.error());
  }
  SocketExchange exchange(call.progress(), socket);
  const int here = next_tag_++;
  const auto other = exchange.passports(here, call.engine().links().passport());
  if (!other) return tl::unexpected(other.error());
  // Both must think so, or neither.
  const std::array mine{std::byte{call.engine().links().devices().reach(other->passport.address)}};
  std::array theirs{std::byte{0}};
  auto done = exchange.send(mine);
  if (done) done = exchange.receive(theirs);
  if (!done) return tl::unexpected(done.error());
  if (mine[0] == std::byte{0} || theirs[0] == std::byte{0}) return std::unique_ptr<Bridge>();
  const Expected<ProcId> proc = call.engine().links().directory().introduce(other->passport);
  if (!proc) return tl::unexpected(proc.error());
  return bridge_to(call, *proc, other->tag, here);
}

}  // namespace remit
