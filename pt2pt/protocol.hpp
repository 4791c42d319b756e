// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which protocol carries a message: rows of a table computed once per device from what the device
// says of itself. Pure: no device is touched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "datatype/layout.hpp"
#include "rdma_btl/device.hpp"
#include "rdma_btl/eager_path.hpp"
#include "runtime/params.hpp"

namespace remit {

enum class Protocol : std::uint8_t {
  inline_eager,    ///< eager, and the device carries the data in the descriptor
  eager,           ///< data travels with the envelope into leased receive memory
  rendezvous_get,  ///< the receiver reads the sender's memory
  rendezvous_put,  ///< the sender writes into the receiver's memory and notifies
  pipelined,       ///< after the match, fragments as sends; possible on every device
};
[[nodiscard]] std::string_view to_string(Protocol protocol);

/// How the sender's data lies in memory.
enum class LayoutClass : std::uint8_t {
  contiguous,
  long_runs,  ///< of Caps::min_piece or more: a device takes it from its places, by lists
  scattered,  ///< packed into fragments on the way
};
inline constexpr std::size_t kLayoutClasses = 3;
/// Devices that take less pieces in one operation get no lists.
inline constexpr std::size_t kMinListPieces = 4;
[[nodiscard]] std::string_view to_string(LayoutClass layout);

/// How a message's memory looks to a device.
[[nodiscard]] inline LayoutClass layout_of(const View& view, const Caps& caps) {
  if (view.is_contiguous()) return LayoutClass::contiguous;
  const bool long_runs = view.layout->mean_run() >= caps.min_piece;
  return long_runs ? LayoutClass::long_runs : LayoutClass::scattered;
}

/// Time to deliver n bytes: base_ns + n * ns_per_byte, for min_bytes <= n <= max_bytes.
struct CostCurve {
  Protocol protocol = Protocol::pipelined;
  double base_ns = 0;
  double ns_per_byte = 0;
  std::size_t min_bytes = 0;
  std::size_t max_bytes = ~std::size_t{0};
};

/// The choices a user has made.
struct ProtocolOptions {
  std::size_t eager_limit = 0;  ///< bytes of the longest eager message
  bool eager_forced = false;    ///< use eager up to the limit even where it costs more
  std::size_t fragment = 0;     ///< bytes of a pipelined fragment, header included
  bool allow_get = true;
  bool allow_put = true;
  bool allow_pipelined = true;  ///< false: only where nothing else can
  static ProtocolOptions from(const Params& params);
};

/// One row: from `from_bytes` to `to_bytes` (both included).
struct ProtocolRow {
  Protocol protocol = Protocol::pipelined;
  std::size_t from_bytes = 0;
  std::size_t to_bytes = 0;
};

/// The cost curves that a device offers for a layout; `long_send`: EagerPath::long_send().
[[nodiscard]] std::vector<CostCurve> cost_curves(const Caps& caps, LayoutClass layout,
                                                 const ProtocolOptions& options,
                                                 std::size_t long_send = EagerPath::kNeverLong);

/// The lower envelope of the curves, ascending, without gaps, to the largest size. One curve at
/// least must cover each size.
[[nodiscard]] std::vector<ProtocolRow> lower_envelope(const std::vector<CostCurve>& curves);

/// The rows of one device.
class ProtocolTable {
 public:
  ProtocolTable() = default;
  ProtocolTable(const Caps& caps, const ProtocolOptions& options,
                std::size_t long_send = EagerPath::kNeverLong);

  [[nodiscard]] Protocol choose(LayoutClass layout, std::size_t bytes) const {
    for (const ProtocolRow& row : rows(layout)) {
      if (bytes <= row.to_bytes) return row.protocol;
    }
    return Protocol::pipelined;
  }
  [[nodiscard]] const std::vector<ProtocolRow>& rows(LayoutClass layout) const {
    return rows_[static_cast<std::size_t>(layout)];
  }
  /// Messages of less bytes than this are eager.
  [[nodiscard]] std::size_t eager_below(LayoutClass layout) const {
    return eager_below_[static_cast<std::size_t>(layout)];
  }

 private:
  std::array<std::vector<ProtocolRow>, kLayoutClasses> rows_;
  std::array<std::size_t, kLayoutClasses> eager_below_{};
};

/// Bytes that a device's sends may carry besides the headers of this layer.
[[nodiscard]] std::size_t max_send_payload(const Caps& caps, std::size_t header_bytes);

}  // namespace remit
