// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Groups as messages to processes that number processes in another way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "communicators/creation.hpp"

namespace remit {

/// A group as numbers: its size, then the stride and the first process of a regular one, or 0 and
/// the processes, by their names (ProcessDirectory::name_of()). Empty for a group of nobody.
using GroupWords = std::vector<std::int64_t>;
[[nodiscard]] GroupWords encode_group(const Engine& engine, const Group& group);
/// The group of a description that another process made. Its processes are known here from then on.
[[nodiscard]] GroupPtr decode_group(Engine& engine, const GroupWords& words);

[[nodiscard]] Bytes bytes_of_words(const GroupWords& words);
/// What bytes_of_words() was given; a rest that is no whole word is dropped.
[[nodiscard]] GroupWords words_of_bytes(std::span<const std::byte> bytes);

/// Whether rank 0 of `a` comes before that of `b`; the same at all processes. Neither is empty.
[[nodiscard]] bool comes_first(const Engine& engine, const Group& a, const Group& b);

}  // namespace remit
