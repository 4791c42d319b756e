// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/one_sided.hpp"

#include <cstring>
#include <string>

#include "onesided/remote/remote_access.hpp"

namespace remit {

OneSided::OneSided(Process& process, Links& links)
    : process_(process),
      links_(links),
      traffic_(process, links),
      moves_(process.progress(), links),
      adapter_port_(process.progress(), links),
      served_(process.progress()) {
  links_.users().set(LinkUserId::windows, this);
}

OneSided::~OneSided() {
  links_.users().set(LinkUserId::windows, nullptr);
}

void OneSided::nudge(ProcId proc) {
  if (const Links::HostPath path = links_.host_path(proc); path.memory != nullptr) {
    return path.memory->nudge(path.endpoint);
  }
  traffic_.send(proc, window_head(WindowMessage::nudge, 0));
}

void OneSided::connected(Link& link) {
  traffic_.connected(link);
}

void OneSided::introduced(Link& /*link*/, std::uint32_t /*word*/) {}

void OneSided::completed(std::uint64_t value, int status) {
  if ((value & AdapterPort::kCookie) != 0) return adapter_port_.completed(value, status);
  moves_.completed(value, status);
}

void OneSided::notified(Link& link, std::uint32_t value) {
  if (link.failed || take(link.id, head_of_notice(value), {})) return;
  links_.users().note_malformed();
  links_.lost_links().add(link, "it has notified a window of which it is no member");
}

void OneSided::arrived(LinkDevice& /*device*/, std::span<const Completion> /*completions*/) {}

/// What makes no sense ends the link: whoever waits for an answer to it would wait for ever.
void OneSided::message(Link& link, std::span<const std::byte> data) {
  if (link.failed) return;
  WindowHead head;
  if (data.size() >= sizeof head) {
    std::memcpy(&head, data.data(), sizeof head);
    if (take(link.id, head, data.subspan(sizeof head))) {
      if (is_counted(kind_of(head))) traffic_.taken(link.id, data.size());
      return;
    }
  }
  links_.users().note_malformed();
  links_.lost_links().add(link, "it has sent a message about a window that makes no sense");
}

bool OneSided::take(ProcId from, const WindowHead& head, std::span<const std::byte> body) {
  const WindowMessage kind = kind_of(head);
  switch (kind) {
    case WindowMessage::count:
      return false;
    case WindowMessage::nudge:
      return true;
    case WindowMessage::acknowledge:
      return traffic_.acknowledged(from, head.offset);
    default:
      break;
  }
  if (is_answer(kind)) {
    const auto access = accesses_.find(head.window);
    // The window may have been freed here, without a flush if an error came before.
    return access == accesses_.end() || access->second->answer(from, head, body);
  }
  ServedWindow* const window = find(head.window);
  if (window == nullptr) {
    answer_for_none(from, head);
    return true;
  }
  if (kind == WindowMessage::lock) served_.look_at_locks();
  return window->serve(from, head, body);
}

void OneSided::answer_for_none(ProcId from, const WindowHead& head) {
  WindowHead answer = head;
  const auto send = [&](WindowMessage kind, const std::string& words) {
    answer.kind = window_head(kind, 0).kind;
    answer.value = MPI_ERR_WIN;
    traffic_.send(from, answer, std::as_bytes(std::span(words)));
  };
  const std::string words = served_.words_of_absent(head.window);
  switch (kind_of(head)) {
    case WindowMessage::put:
    case WindowMessage::get:
    case WindowMessage::accumulate:
    case WindowMessage::compare_swap:
    case WindowMessage::notify:
      return send(WindowMessage::failed, words);
    case WindowMessage::lock:
      return send(WindowMessage::refused, words);
    case WindowMessage::marker:
      return send(WindowMessage::reached, "");
    case WindowMessage::keys:
      return send(WindowMessage::keys_are, "");
    default:  // nobody waits for an answer to these
      return;
  }
}

void OneSided::lost(Link& link, bool /*left_in_order*/) {
  traffic_.forget(link.id);
  for (const auto& [number, access] : accesses_) access->forget(link.id);
  served_.forget(link.id);
}

}  // namespace remit
