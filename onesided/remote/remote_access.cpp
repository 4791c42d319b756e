// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/remote/remote_access.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "onesided/adapter/adapter_access.hpp"
#include "onesided/adapter/buffered_moves.hpp"
#include "onesided/elements/element_code.hpp"
#include "onesided/memory/scratch.hpp"
#include "onesided/one_sided.hpp"

namespace remit {

namespace {

constexpr std::size_t kAnyLength = std::numeric_limits<std::size_t>::max();

[[nodiscard]] tl::unexpected<Error> no_code(const Datatype& element) {
  return fail(MPI_ERR_TYPE, "elements of the type {} cannot be sent to another host",
              element.name());
}

[[nodiscard]] std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

RemoteAccess::RemoteAccess(OneSided& manager, std::uint32_t window, const WindowMembers& members)
    : manager_(manager),
      window_(window),
      members_(members),
      traffic_(manager.traffic()),
      fetches_(manager.progress(), manager.traffic()),
      targets_(manager, window, members, fetches_) {
  manager_.add(window_, *this);
}

RemoteAccess::~RemoteAccess() {
  manager_.remove_access(window_);
}

Progress& RemoteAccess::progress() {
  return manager_.progress();
}

std::span<const std::byte> RemoteAccess::bytes_of(const View& view, const RunCutter::Part& part) {
  if (view.is_contiguous()) return {view.data() + part.offset, part.bytes};
  resize_scratch(packed_, part.bytes);
  view.pack(part.offset, packed_);
  return packed_;
}

bool RemoteAccess::has_buffers(const RemoteTarget& member) {
  LinkDevice& slot = *member.link->device;
  const Caps& caps = slot.device->caps();
  return caps.passive && caps.has_put && caps.has_get &&
         manager_.adapter_port().open(slot).has_value();
}

/// A notification counts as a message: a flush asks the member whether it has been taken, and hears
/// if it was refused.
void RemoteAccess::note_move(OpKind kind, RemoteTarget& member, PutNotice notice) {
  targets_.use(member);
  ++moved_;
  member.told = member.told || notice.has_value();
  member.unconfirmed = member.unconfirmed || kind == OpKind::put;
  member.got = member.got || kind == OpKind::get;
}

bool RemoteAccess::move_short(RemoteTarget& member, const AdapterPort::Move& what) {
  const Link& link = *member.link;
  if (!manager_.adapter_port().try_move({link.device, link.endpoint}, what, *member.moves)) {
    return false;
  }
  note_move(what.kind, member, what.notice);
  return true;
}

RemoteTarget* RemoteAccess::short_target(int rank, std::size_t bytes) {
  RemoteTarget* const member = targets_.at_hand(members_.proc(rank));
  const bool fine = member != nullptr && bytes < kDirectFrom &&
                    RemoteTargets::reaches_memory(*member) &&
                    manager_.adapter_port().serves(*member->link->device);
  return fine ? member : nullptr;
}

bool RemoteAccess::try_move(OpKind kind, int rank, std::uint64_t offset, void* local,
                            std::size_t bytes) {
  RemoteTarget* const member = short_target(rank, bytes);
  if (member == nullptr ||
      !move_short(*member, {kind, member->at(offset), static_cast<std::byte*>(local), bytes})) {
    return false;
  }
  targets_.count();
  return true;
}

bool RemoteAccess::try_put_notified(int rank, std::uint64_t offset, void* local, std::size_t bytes,
                                    std::uint32_t index) {
  RemoteTarget* const member = short_target(rank, bytes);
  const PutNotice notice = put_notice(window_, index);
  if (member == nullptr || !notice || !RemoteTargets::notifies(*member) ||
      !move_short(*member, {OpKind::put, member->at(offset), static_cast<std::byte*>(local), bytes,
                            nullptr, notice})) {
    return false;
  }
  targets_.count();
  return true;
}

bool RemoteAccess::move(int rank, RemoteTarget& member, Transfer& what) {
  const View& origin = what.origin;
  const View& target = what.target;
  const std::size_t bytes = target.size();
  const bool whole = target.is_contiguous() && origin.is_contiguous();
  if (member.keys_state == RemoteTarget::Keys::unknown) {
    member.keys_state = RemoteTarget::Keys::asked;
    traffic_.send(members_.proc(rank), window_head(WindowMessage::keys, window_));
  }
  if (!RemoteTargets::reaches_memory(member) || !DirectMoves::can(what.kind, *member.link)) {
    return false;
  }
  const MemberEntry& entry = members_.entry(rank);
  const Layout::Piece span = target.span(bytes);
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(span.address) - entry.base;
  if (offset > entry.bytes || span.length > entry.bytes - offset) return false;  // it will say so
  if (bytes >= kDirectFrom && whole) {
    const DirectMoves::Move direct{what.kind,         origin.data(), bytes,
                                   member.at(offset), what.done,     what.notice};
    const auto started = manager_.moves().start(*member.link, direct, *member.moves);
    if (started == DirectMoves::Started::no) return false;
    if (started == DirectMoves::Started::without_notice) what.notice.reset();
    note_move(what.kind, member, what.notice);
    return true;
  }
  if (!has_buffers(member)) return false;
  Request* const got = what.kind == OpKind::get ? what.done : nullptr;
  const AdapterPort::Move one{what.kind, member.at(offset), origin.data(), bytes, got, what.notice};
  if (!whole || !move_short(member, one)) move_buffered(rank, member, what);
  if (what.kind == OpKind::put && what.done != nullptr) complete_request(*what.done, progress());
  return true;
}

void RemoteAccess::move_buffered(int rank, RemoteTarget& member, Transfer& what) {
  const Link& link = *member.link;
  const BufferedMoves::Place place{
      {link.device, link.endpoint}, members_.entry(rank).base, member.memory, member.moves.get()};
  BufferedMoves moves(manager_.adapter_port(), progress(), place);
  if (what.kind == OpKind::get) {
    moves.get(what.origin, what.target, what.done);
  } else if (!moves.put(what.origin, what.target, what.notice)) {
    what.notice.reset();
  }
  // Not before it has waited: another thread may flush meanwhile.
  note_move(what.kind, member, what.notice);
}

Expected<> RemoteAccess::put_by_messages(int rank, RemoteTarget& member, const View& origin,
                                         const View& target) {
  const ProcId proc = members_.proc(rank);
  for (RunCutter cutter(target); !cutter.done();) {
    const std::size_t most = traffic_.most_bytes(proc);
    const auto part = cutter.next(most - sizeof(WindowHead), kAnyLength, true);
    if (Expected<> room = traffic_.await_room(proc, most); !room) return room;
    targets_.tell(member);
    WindowHead head = window_head(WindowMessage::put, window_);
    head.value = static_cast<std::uint32_t>(part.runs.size());
    traffic_.send(proc, head, part.runs, bytes_of(origin, part));
  }
  return {};
}

Expected<> RemoteAccess::put(int rank, const View& origin, const View& target, Request* done) {
  const Expected<RemoteTarget*> member = targets_.begin(rank);
  if (!member) return tl::unexpected(member.error());
  Transfer whole{OpKind::put, origin, target, done};
  if (move(rank, **member, whole)) return {};
  auto sent = put_by_messages(rank, **member, origin, target);
  if (sent && done != nullptr) complete_request(*done, progress());
  return sent;
}

Expected<bool> RemoteAccess::put_notified(int rank, const View& origin, const View& target,
                                          std::uint32_t index) {
  const Expected<RemoteTarget*> member = targets_.begin(rank);
  if (!member) return tl::unexpected(member.error());
  Transfer whole{OpKind::put, origin, target};
  if (RemoteTargets::notifies(**member)) whole.notice = put_notice(window_, index);
  if (move(rank, **member, whole)) return whole.notice.has_value();
  auto sent = put_by_messages(rank, **member, origin, target);
  if (!sent) return tl::unexpected(std::move(sent.error()));
  return false;
}

Expected<> RemoteAccess::get(int rank, const View& origin, const View& target, Request* done) {
  const Expected<RemoteTarget*> member = targets_.begin(rank);
  if (!member) return tl::unexpected(member.error());
  Transfer whole{OpKind::get, origin, target, done};
  if (move(rank, **member, whole)) return {};
  const ProcId proc = members_.proc(rank);
  const std::uint64_t token = fetches_.begin(proc, origin);
  Expected<> outcome;
  for (RunCutter cutter(target); !cutter.done();) {
    const std::size_t most = traffic_.most_bytes(proc);
    const auto part = cutter.next(most - sizeof(WindowHead), kMostAsked, false);
    outcome = traffic_.await_room(proc, most, part.bytes);
    if (!outcome || !fetches_.ask(token, part.bytes)) break;
    targets_.tell(**member);
    WindowHead head = window_head(WindowMessage::get, window_);
    head.token = token;
    head.offset = part.offset;
    head.value = static_cast<std::uint32_t>(part.runs.size());
    traffic_.send(proc, head, part.runs, {});
  }
  fetches_.all_asked(token, outcome ? done : nullptr);
  return outcome;
}

Expected<> RemoteAccess::accumulate(int rank, const Accumulation& what, const View* origin,
                                    const View& target, const View* result, Request* done) {
  const Expected<RemoteTarget*> member = targets_.begin(rank);
  if (!member) return tl::unexpected(member.error());
  const std::optional<ElementCode> code = code_of(what.element());
  if (!code) return no_code(what.element());
  const bool changes = what.kind() != Reduction::no_op;
  if (!changes && result == nullptr) {
    if (done != nullptr) complete_request(*done, progress());
    return {};
  }
  targets_.tell(**member);
  const ProcId proc = members_.proc(rank);
  WindowHead head = window_head(WindowMessage::accumulate, window_);
  head.op = static_cast<std::uint8_t>(what.kind());
  head.element = code->element;
  head.index = code->index;
  const View* const operand = changes ? origin : nullptr;
  if (result == nullptr) {
    Expected<> sent = send_accumulate(proc, head, what, operand, target);
    if (sent && done != nullptr) complete_request(*done, progress());
    return sent;
  }
  head.token = fetches_.begin(proc, *result);
  Expected<> sent = send_accumulate(proc, head, what, operand, target);
  fetches_.all_asked(head.token, sent ? done : nullptr);
  return sent;
}

Expected<> RemoteAccess::send_accumulate(ProcId proc, WindowHead head, const Accumulation& what,
                                         const View* origin, const View& target) {
  for (RunCutter cutter(target, &what.element()); !cutter.done();) {
    const std::size_t most = traffic_.most_bytes(proc);
    const auto part = cutter.next(most - sizeof(WindowHead), kMostAsked, origin != nullptr);
    const std::size_t asked = head.token != 0 ? part.bytes : 0;
    if (Expected<> room = traffic_.await_room(proc, most, asked); !room) return room;
    // What was asked for and has failed is known by now: there is no point in the rest.
    if (head.token != 0 && !fetches_.ask(head.token, asked)) return {};
    head.offset = part.offset;
    head.value = static_cast<std::uint32_t>(part.runs.size());
    traffic_.send(proc, head, part.runs,
                  origin != nullptr ? bytes_of(*origin, part) : std::span<const std::byte>{});
  }
  return {};
}

Expected<> RemoteAccess::compare_and_swap(int rank, const Datatype& element, std::uint64_t address,
                                          const void* replacement, const void* compare,
                                          void* result) {
  const Expected<RemoteTarget*> member = targets_.begin(rank);
  if (!member) return tl::unexpected(member.error());
  const std::optional<ElementCode> code = code_of(element);
  if (!code) return no_code(element);
  const ProcId proc = members_.proc(rank);
  const auto size = static_cast<std::size_t>(element.layout().size());
  // Waiting makes progress, in which the packed bytes of nobody else are made.
  if (Expected<> room = traffic_.await_room(proc, sizeof(WindowHead) + 2 * size, size); !room) {
    return room;
  }
  targets_.tell(**member);
  packed_.resize(2 * size);
  std::memcpy(packed_.data(), replacement, size);
  std::memcpy(packed_.data() + size, compare, size);
  const std::uint64_t token = fetches_.begin(proc, View{result, 1, &element.layout()});
  static_cast<void>(fetches_.ask(token, size));
  WindowHead head = window_head(WindowMessage::compare_swap, window_);
  head.element = code->element;
  head.token = token;
  head.offset = address;
  traffic_.send(proc, head, packed_);
  fetches_.all_asked(token, nullptr);
  return {};
}

/// Puts and gets that were started before are messages, too, which the member serves in their
/// order, or by a device.
Expected<> RemoteAccess::notify(int rank, std::uint32_t index) {
  const Expected<RemoteTarget*> member = targets_.begin(rank);
  if (!member) return tl::unexpected(member.error());
  if (auto ordered = targets_.order(rank); !ordered) return ordered;
  const ProcId proc = members_.proc(rank);
  if (Expected<> room = traffic_.await_room(proc, sizeof(WindowHead)); !room) return room;
  targets_.tell(**member);
  WindowHead head = window_head(WindowMessage::notify, window_);
  head.value = index;
  traffic_.send(proc, head);
  return {};
}

Expected<> RemoteAccess::lock(int rank, bool exclusive, const WaitSubject* subject) {
  const Expected<RemoteTarget*> member = targets_.begin(rank);
  if (!member) return tl::unexpected(member.error());
  const ProcId proc = members_.proc(rank);
  RemoteTarget& target = **member;
  WindowHead head = window_head(WindowMessage::lock, window_);
  head.token = ++target.lock_token;
  head.value = exclusive ? 1 : 0;
  target.lock = RemoteTarget::Lock::asked;
  traffic_.send(proc, head);
  progress().wait([&] { return target.lock != RemoteTarget::Lock::asked || traffic_.lost(proc); },
                  subject);
  if (target.lock == RemoteTarget::Lock::granted) return {};
  target.lock = RemoteTarget::Lock::none;
  if (traffic_.lost(proc)) return tl::unexpected(traffic_.words_of_loss(proc));
  return RemoteTargets::outcome_of(target);
}

void RemoteAccess::unlock(int rank, bool /*exclusive*/) {
  const ProcId proc = members_.proc(rank);
  RemoteTarget* const target = targets_.find(proc);
  if (target == nullptr || target->lock != RemoteTarget::Lock::granted) return;
  target->lock = RemoteTarget::Lock::none;
  traffic_.send(proc, window_head(WindowMessage::unlock, window_));
}

void RemoteAccess::tell_posted(int rank) {
  traffic_.send(members_.proc(rank), window_head(WindowMessage::posted, window_));
}

void RemoteAccess::tell_completed(int rank) {
  traffic_.send(members_.proc(rank), window_head(WindowMessage::completed, window_));
}

Error RemoteAccess::error_in(ProcId from, const WindowHead& head,
                             std::span<const std::byte> words) const {
  const bool is_class = head.value > MPI_SUCCESS && head.value <= MPI_ERR_LASTCODE;
  return {is_class ? static_cast<int>(head.value) : MPI_ERR_OTHER,
          fmt::format("{}: {}", manager_.links().directory().words_of(from), text_of(words))};
}

bool RemoteAccess::answer(ProcId from, const WindowHead& head, std::span<const std::byte> body) {
  if (kind_of(head) == WindowMessage::keys_are && head.token == kAdapterKeys) {
    return targets_.adapter() != nullptr && targets_.adapter()->peers().take_keys(from, body);
  }
  RemoteTarget* const found = targets_.find(from);
  if (found == nullptr) return false;
  RemoteTarget& target = *found;
  switch (kind_of(head)) {
    case WindowMessage::data:
      return fetches_.take(from, head.token, head.offset, body);
    case WindowMessage::failed:
      target.note(error_in(from, head, body));
      fetches_.fail(from, head.token, target.error->code);
      return true;
    case WindowMessage::refused:
      if (target.lock != RemoteTarget::Lock::asked || head.token != target.lock_token) return false;
      target.note(error_in(from, head, body));
      target.lock = RemoteTarget::Lock::none;
      return true;
    case WindowMessage::keys_are:
      if (target.keys_state != RemoteTarget::Keys::asked) return false;
      target.keys_state = RemoteTarget::Keys::known;
      target.keys.assign(body.begin(), body.end());
      return true;
    case WindowMessage::granted:
      if (target.lock != RemoteTarget::Lock::asked || head.token != target.lock_token) return false;
      target.lock = RemoteTarget::Lock::granted;
      lock_waits_ += head.value != 0 ? 1 : 0;
      return true;
    case WindowMessage::reached:
      if (head.token != target.reached + 1 || head.token > target.asked) return false;
      target.reached = head.token;
      return true;
    default:
      return false;
  }
}

void RemoteAccess::forget(ProcId proc) {
  targets_.forget(proc);
  fetches_.fail_all(proc, MPI_ERR_PROC_ABORTED);
}

}  // namespace remit
