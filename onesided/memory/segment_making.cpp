// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/memory/segment_making.hpp"

#include <cstring>
#include <new>

#include "communicators/waits.hpp"
#include "onesided/memory/control.hpp"

namespace remit {

std::shared_ptr<void> allocate_segment(Links& links, std::size_t bytes, std::size_t zeroed) {
  DeviceSet& devices = links.devices();
  void* const memory = devices.allocate(bytes);
  if (memory == nullptr) return nullptr;
  std::memset(memory, 0, zeroed);
  return {memory, [&devices](void* old) { (void)devices.release(old); }};
}

std::shared_ptr<void> allocate_private_segment(std::size_t bytes) {
  void* const memory = ::operator new (bytes, std::align_val_t{kControlLine});
  std::memset(memory, 0, bytes);
  return {memory, [](void* old) { ::operator delete (old, std::align_val_t{kControlLine}); }};
}

std::byte* map_segment(const CommCall& call, Links& links, ProcId owner,
                       const SegmentPlace& place) {
  if (place.address == 0) return nullptr;
  Link& link = links.get(owner);
  links.connect(link);
  const ProcessWait subject(call, "memory of a window", link.id);
  call.progress().wait([&] { return link.device != nullptr || link.failed; }, &subject);
  const Links::HostPath path = links.host_path(link.id);
  if (path.memory == nullptr) return nullptr;
  std::byte* begin = nullptr;
  const auto settled = [&] {
    begin = path.memory->map_memory(path.endpoint, place.address, place.bytes);
    return begin != nullptr || link.failed || !path.memory->may_map_later(path.endpoint);
  };
  call.progress().wait(settled, &subject);
  return begin;
}

}  // namespace remit
