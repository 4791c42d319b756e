// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The secret of a job, by which its daemons know each other, and the greeting that proves it
// without saying it. Both sides choose a nonce and sign both; what each signs differs, so that
// neither can send the other's proof back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/error.hpp"

namespace remit::launcher {

inline constexpr std::size_t kProofBytes = 32;  ///< of HMAC-SHA256, and of a nonce
using Proof = std::array<char, kProofBytes>;

/// Random bytes from the system.
[[nodiscard]] Expected<Proof> random_proof();

class Secret {
 public:
  /// A new one.
  [[nodiscard]] static Expected<Secret> make();
  [[nodiscard]] static Expected<Secret> from_text(std::string_view hex);

  /// For the standard input of ssh, and nothing else: no file, no argument, no variable.
  [[nodiscard]] std::string text() const;
  /// HMAC-SHA256 by libcrypto, which is opened when it is first needed.
  [[nodiscard]] Expected<Proof> sign(std::string_view text) const;

 private:
  Proof bytes_{};
};

/// In a time that says nothing of where they differ.
[[nodiscard]] bool same(const Proof& a, const Proof& b);

/// The greeting: the child calls; the parent answers and proves itself; the child proves itself.
struct Call {
  static constexpr std::uint64_t kMagic = 0x31304e4f4d454144;  // "DAEMON01" in the right byte order
  std::uint64_t magic = kMagic;
  std::int64_t node = 0;  ///< of the child
  Proof nonce{};
};
struct Answer {
  Proof nonce{};
  Proof proof{};
};
static_assert(sizeof(Call) == 48 && sizeof(Answer) == 64);

enum class Side { parent, child };
/// What one side sends to prove that it knows the secret.
[[nodiscard]] Expected<Proof> prove(const Secret& secret, Side side, const Call& call,
                                    const Proof& parent_nonce);

}  // namespace remit::launcher
