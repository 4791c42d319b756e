// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/peers/home_segment.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace remit::shm {

Expected<> HomeSegment::open() {
  Expected<Fd> memory = make_memory("remit-home", kHomeSegmentBytes);
  if (!memory) return tl::unexpected<Error>(std::move(memory.error()));
  memory_ = std::move(*memory);
  Expected<Mapping> mapping = map_memory(memory_.get(), kHomeSegmentBytes);
  if (!mapping) return tl::unexpected<Error>(std::move(mapping.error()));
  mapping_ = std::move(*mapping);
  home().magic = kHomeMagic;
  std::array<std::uint8_t, sizeof home().token> token;
  if (Expected<> got = random_bytes(token); !got) return got;
  std::memcpy(&home().token, token.data(), token.size());
  return {};
}

}  // namespace remit::shm
