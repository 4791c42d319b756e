// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Cost curves of the protocols and their lower envelope.
#include "pt2pt/protocol.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "links/message_order.hpp"
#include "pt2pt/wire.hpp"

namespace remit {

namespace {

const ParamDecl eager_limit_param{"eager_limit", std::int64_t{8192}, "bytes",
                                  "longest message that is sent before the receiver has asked for "
                                  "it; at most a device's send; where this is not set, over TCP "
                                  "all of that, in shared memory 32 KB, and 64 KB where "
                                  "shm_take_lines is on",
                                  ParamRange{0, std::int64_t{1} << 40}};
const ParamDecl rendezvous_param{"rendezvous",
                                 std::string("auto"),
                                 "",
                                 "how long messages move: read by the receiver, written by the "
                                 "sender, or in fragments",
                                 {"auto", "get", "put", "pipelined"}};
const ParamDecl fragment_param{
    "pipeline_fragment", std::int64_t{65536}, "bytes",
    "piece of a long message that is packed and sent at once; at most a device's send",
    ParamRange{256, std::int64_t{1} << 40}};

constexpr std::size_t kAnySize = std::numeric_limits<std::size_t>::max();
/// What one more copy by the processor costs; only its order of magnitude matters here.
constexpr double kCopyNsPerByte = 0.1;
constexpr double kPackNsPerByte = 0.3;
/// A list of runs instead of one.
constexpr double kListNsPerByte = 0.05;
/// Handling of one fragment at both sides.
constexpr double kFragmentNs = 150;

double ns_per_byte(const Caps& caps) {
  return caps.bandwidth > 0 ? 1e9 / caps.bandwidth : 0.1;
}

}  // namespace

std::string_view to_string(Protocol protocol) {
  switch (protocol) {
    case Protocol::inline_eager:
      return "inline";
    case Protocol::eager:
      return "eager";
    case Protocol::rendezvous_get:
      return "rendezvous get";
    case Protocol::rendezvous_put:
      return "rendezvous put";
    case Protocol::pipelined:
      return "pipelined";
  }
  return "";
}

std::string_view to_string(LayoutClass layout) {
  switch (layout) {
    case LayoutClass::contiguous:
      return "contiguous";
    case LayoutClass::long_runs:
      return "long runs";
    case LayoutClass::scattered:
      return "scattered";
  }
  return "";
}

ProtocolOptions ProtocolOptions::from(const Params& params) {
  ProtocolOptions options;
  options.eager_limit = static_cast<std::size_t>(params.integer(eager_limit_param));
  options.eager_forced = params.is_set(eager_limit_param);
  options.fragment = static_cast<std::size_t>(params.integer(fragment_param));
  const std::string& rendezvous = params.text(rendezvous_param);
  const bool automatic = rendezvous == "auto";
  options.allow_get = automatic || rendezvous == "get";
  options.allow_put = automatic || rendezvous == "put";
  options.allow_pipelined = automatic || rendezvous == "pipelined";
  return options;
}

std::size_t max_send_payload(const Caps& caps, std::size_t header_bytes) {
  const std::size_t overhead = header_bytes + message_overhead(caps);
  return caps.max_send > overhead ? caps.max_send - overhead : 0;
}

std::vector<CostCurve> cost_curves(const Caps& caps, LayoutClass layout,
                                   const ProtocolOptions& options, std::size_t long_send) {
  const bool contiguous = layout == LayoutClass::contiguous;
  const double wire = ns_per_byte(caps);
  const double pack = contiguous ? 0 : kPackNsPerByte;
  const std::size_t eager_limit =
      options.eager_forced ? options.eager_limit : std::max(options.eager_limit, caps.eager_limit);
  const std::size_t eager_max =
      std::min(eager_limit, max_send_payload(caps, sizeof(EagerSyncHeader)));
  std::vector<CostCurve> curves;

  // The longer header decides, so that synchronous sends have the same limits.
  const std::size_t header = sizeof(EagerHeader) + message_overhead(caps);
  const bool wins = options.eager_forced || long_send < caps.eager_limit;
  const double eager_slope = (wins ? 0 : wire + kCopyNsPerByte) + (options.eager_forced ? 0 : pack);
  if (contiguous && caps.max_inline > header) {
    curves.push_back({Protocol::inline_eager, caps.latency_ns, 0, 0,
                      std::min(eager_max, caps.max_inline - header)});
  }
  curves.push_back({Protocol::eager, caps.latency_ns, eager_slope, 0, eager_max});

  // Each rendezvous: a round of control messages, then the data.
  bool other = false;
  if (contiguous && options.allow_get && caps.has_get) {
    curves.push_back({Protocol::rendezvous_get, caps.latency_ns + caps.overhead_ns,
                      wire * caps.get_slowdown, 0, kAnySize});
    other = true;
  }
  const bool listed = layout == LayoutClass::long_runs && caps.max_pieces >= kMinListPieces;
  if ((contiguous || listed) && options.allow_put && caps.has_put &&
      caps.notify != NotifyMode::none) {
    curves.push_back({Protocol::rendezvous_put, 2 * caps.latency_ns + caps.overhead_ns,
                      wire + (contiguous ? 0 : kListNsPerByte), 0, kAnySize});
    other = true;
  }
  if (options.allow_pipelined || !other) {
    const double fragment =
        static_cast<double>(std::max<std::size_t>(1, std::min(options.fragment, caps.max_send)));
    curves.push_back({Protocol::pipelined, 3 * caps.latency_ns,
                      wire + kCopyNsPerByte + pack + kFragmentNs / fragment, 0, kAnySize});
  }
  return curves;
}

namespace {

const CostCurve* cheapest_at(const std::vector<CostCurve>& curves, std::size_t bytes) {
  const CostCurve* best = nullptr;
  const auto cost = [&](const CostCurve& c) {
    return c.base_ns + c.ns_per_byte * static_cast<double>(bytes);
  };
  for (const CostCurve& curve : curves) {
    if (bytes < curve.min_bytes || bytes > curve.max_bytes) continue;
    if (best == nullptr || cost(curve) < cost(*best)) best = &curve;
  }
  return best;
}

/// The first size above `from` at which `other` becomes cheaper than `current`, or kAnySize.
std::size_t crossing(const CostCurve& current, const CostCurve& other, std::size_t from) {
  if (other.ns_per_byte >= current.ns_per_byte) return kAnySize;
  const double at = (other.base_ns - current.base_ns) / (current.ns_per_byte - other.ns_per_byte);
  if (at >= 1e18) return kAnySize;
  const double first = std::floor(std::max(at, 0.0)) + 1;
  return std::max({static_cast<std::size_t>(first), other.min_bytes, from + 1});
}

}  // namespace

std::vector<ProtocolRow> lower_envelope(const std::vector<CostCurve>& curves) {
  std::vector<ProtocolRow> rows;
  std::size_t from = 0;
  for (;;) {
    const CostCurve* best = cheapest_at(curves, from);
    assert(best != nullptr && "a size that no protocol covers");
    std::size_t to = best->max_bytes;
    for (const CostCurve& other : curves) {
      if (other.max_bytes <= from) continue;
      std::size_t next = crossing(*best, other, from);
      if (other.min_bytes > from) next = std::min(next, other.min_bytes);
      if (next <= other.max_bytes && next != kAnySize) to = std::min(to, next - 1);
    }
    if (!rows.empty() && rows.back().protocol == best->protocol) {
      rows.back().to_bytes = to;
    } else {
      rows.push_back({best->protocol, from, to});
    }
    if (to == kAnySize) return rows;
    from = to + 1;
  }
}

ProtocolTable::ProtocolTable(const Caps& caps, const ProtocolOptions& options,
                             std::size_t long_send) {
  for (std::size_t i = 0; i < kLayoutClasses; ++i) {
    rows_[i] = lower_envelope(cost_curves(caps, static_cast<LayoutClass>(i), options, long_send));
    for (const ProtocolRow& row : rows_[i]) {
      const bool eager = row.protocol == Protocol::eager || row.protocol == Protocol::inline_eager;
      if (eager) eager_below_[i] = row.to_bytes + 1;
    }
  }
}

}  // namespace remit
