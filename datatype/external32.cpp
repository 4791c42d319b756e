// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Conversion to and from external32: big-endian numbers without gaps. A type's signature
// becomes a small tree of runs of one conversion; the native side is packed and unpacked in pieces
// by the type's layout, whose order is that of the signature.
#include "datatype/external32.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "datatype/numbers.hpp"
#include "runtime/copy.hpp"

namespace remit {

/// How one basic element is converted. The functions convert `n` elements; pack says false if a
/// value does not fit.
struct NumberConversion {
  std::size_t native = 0;    ///< bytes
  std::size_t external = 0;  ///< bytes
  bool (*pack)(const std::byte* native, std::byte* external, std::size_t n) = nullptr;
  void (*unpack)(const std::byte* external, std::byte* native, std::size_t n) = nullptr;

  friend bool operator==(const NumberConversion&, const NumberConversion&) = default;
};

namespace {

template <std::size_t kBytes>
[[gnu::always_inline]] inline void copy_big_endian(const std::byte* from, std::byte* to) {
  if constexpr (std::endian::native == std::endian::big || kBytes == 1) {
    std::memcpy(to, from, kBytes);
  } else if constexpr (kBytes == 16) {
    std::array<std::byte, 8> low;
    copy_big_endian<8>(from, low.data());
    copy_big_endian<8>(from + 8, to);
    std::memcpy(to + 8, low.data(), 8);
  } else {
    using Word = std::conditional_t<kBytes == 2, std::uint16_t,
                                    std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>;
    static_assert(sizeof(Word) == kBytes);
    Word word;
    std::memcpy(&word, from, kBytes);
    if constexpr (kBytes == 2) word = __builtin_bswap16(word);
    if constexpr (kBytes == 4) word = __builtin_bswap32(word);
    if constexpr (kBytes == 8) word = __builtin_bswap64(word);
    std::memcpy(to, &word, kBytes);
  }
}

/// Numbers of one size on both sides.
template <std::size_t kBytes>
void swap_all(const std::byte* from, std::byte* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) copy_big_endian<kBytes>(from + i * kBytes, to + i * kBytes);
}
template <>
void swap_all<1>(const std::byte* from, std::byte* to, std::size_t n) {
  copy_bytes(to, from, n);
}
template <std::size_t kBytes>
bool pack_same(const std::byte* native, std::byte* external, std::size_t n) {
  swap_all<kBytes>(native, external, n);
  return true;
}
template <std::size_t kBytes>
constexpr NumberConversion kSame{kBytes, kBytes, pack_same<kBytes>, swap_all<kBytes>};

/// Integers that are wider here.
template <class Native, class External>
bool pack_narrower(const std::byte* native, std::byte* external, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    Native value;
    std::memcpy(&value, native + i * sizeof value, sizeof value);
    const auto narrow = static_cast<External>(value);
    if (static_cast<Native>(narrow) != value) return false;
    copy_big_endian<sizeof narrow>(reinterpret_cast<const std::byte*>(&narrow),
                                   external + i * sizeof narrow);
  }
  return true;
}
template <class Native, class External>
void unpack_wider(const std::byte* external, std::byte* native, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    External narrow;
    copy_big_endian<sizeof narrow>(external + i * sizeof narrow,
                                   reinterpret_cast<std::byte*>(&narrow));
    const auto value = static_cast<Native>(narrow);
    std::memcpy(native + i * sizeof value, &value, sizeof value);
  }
}
template <class Native, class External>
constexpr NumberConversion integer() {
  if constexpr (sizeof(Native) == sizeof(External)) {
    return kSame<sizeof(External)>;
  } else {
    return {sizeof(Native), sizeof(External), pack_narrower<Native, External>,
            unpack_wider<Native, External>};
  }
}

bool pack_long_double(const std::byte* native, std::byte* external, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    long double value;
    std::memcpy(&value, native + i * sizeof value, sizeof value);
    const Float128 quad = value;
    copy_big_endian<16>(reinterpret_cast<const std::byte*>(&quad), external + i * 16);
  }
  return true;
}
void unpack_long_double(const std::byte* external, std::byte* native, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    Float128 quad;
    copy_big_endian<16>(external + i * 16, reinterpret_cast<std::byte*>(&quad));
    // Bytes that the number does not use are written too, always alike.
    std::array<std::byte, sizeof(long double)> bytes{};
    const auto value = static_cast<long double>(quad);
    std::memcpy(bytes.data(), &value, std::numeric_limits<long double>::digits == 64 ? 10 : 16);
    std::memcpy(native + i * bytes.size(), bytes.data(), bytes.size());
  }
}
constexpr NumberConversion kLongDouble{sizeof(long double), 16, pack_long_double,
                                       unpack_long_double};

/// `elements` times one conversion.
struct Run {
  NumberConversion how;
  MPI_Count elements = 1;
};

Run run_of(BasicKind kind) {
  using enum BasicKind;
  switch (kind) {
    case i16:
    case u16:
    case f16:
    case l16:
      return {kSame<2>};
    case i32:
    case u32:
    case f32:
    case l32:
      return {kSame<4>};
    case i64:
    case u64:
    case f64:
    case l64:
      return {kSame<8>};
    case i128:
    case f128:
    case l128:
      return {kSame<16>};
    case flong:
      return {kLongDouble};
    case clong:
      return {kLongDouble, 2};
    case c16:
      return {kSame<2>, 2};
    case c32:
      return {kSame<4>, 2};
    case c64:
      return {kSame<8>, 2};
    case c128:
      return {kSame<16>, 2};
    default:
      return {kSame<1>};
  }
}

/// One element of a predefined type that is no pair. Table 14.2 goes by type, not by
/// representation.
Run run_of(const Datatype& type) {
  if (type.handle() == MPI_LONG) return {integer<long, std::int32_t>()};
  if (type.handle() == MPI_UNSIGNED_LONG) return {integer<unsigned long, std::uint32_t>()};
  // By the unsigned type, so that no value is taken for another one's sign.
  if (type.handle() == MPI_WCHAR) return {integer<std::make_unsigned_t<wchar_t>, std::uint16_t>()};
  return run_of(type.signature().kind);
}

}  // namespace

/// `count` times: one conversion, or the parts one after the other.
struct External32Part {
  MPI_Count count = 1;
  NumberConversion how;
  std::vector<std::shared_ptr<const External32Part>> parts;  ///< none: `how`
  MPI_Count external = 0;                                    ///< bytes of all; -1: over 63 bits
  MPI_Count native = 0;                                      ///< packed bytes of all
};

namespace {

using Part = std::shared_ptr<const External32Part>;  ///< null: nothing

MPI_Count multiply(MPI_Count a, MPI_Count b) {
  MPI_Count product = 0;
  return b < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

Part make_run(const Run& run) {
  auto made = std::make_shared<External32Part>();
  made->count = run.elements;
  made->how = run.how;
  made->external = multiply(run.elements, static_cast<MPI_Count>(run.how.external));
  made->native = run.elements * static_cast<MPI_Count>(run.how.native);
  return made;
}

Part repeat(MPI_Count count, const Part& part) {
  if (count == 0 || !part) return nullptr;
  if (count == 1) return part;
  auto made = std::make_shared<External32Part>(*part);
  made->external = multiply(count, part->external);
  // Packed bytes of a type, or of a buffer, are counted in 63 bits.
  made->native = count * part->native;
  if (part->parts.empty() || part->count == 1) {
    // So are elements.
    made->count = part->count * count;
  } else {
    made->count = count;
    made->parts.assign(1, part);
  }
  return made;
}

/// Neighbours of one conversion become one run.
Part sequence(const std::vector<Part>& parts) {
  auto made = std::make_shared<External32Part>();
  for (const Part& part : parts) {
    if (!part) continue;
    const External32Part* last = made->parts.empty() ? nullptr : made->parts.back().get();
    if (last != nullptr && last->parts.empty() && part->parts.empty() && last->how == part->how) {
      made->parts.back() = make_run({part->how, last->count + part->count});
    } else {
      made->parts.push_back(part);
    }
  }
  if (made->parts.size() <= 1) return made->parts.empty() ? nullptr : made->parts.front();
  for (const Part& part : made->parts) made->native += part->native;
  for (const Part& part : made->parts) {
    if (part->external < 0 ||
        __builtin_add_overflow(made->external, part->external, &made->external)) {
      made->external = -1;
      break;
    }
  }
  return made;
}

/// Of one element of a type. Types that occur more than once are looked at once.
class PartBuilder {
 public:
  Part build(const Datatype& type) {
    const auto known = known_.find(&type);
    if (known != known_.end()) return known->second;
    return known_[&type] = make(type);
  }

 private:
  Part make(const Datatype& type) {
    if (type.is_predefined() && type.signature().kind == BasicKind::pair) {
      const bool of_long = type.handle() == MPI_LONG_INT;
      return sequence(
          {make_run(of_long ? run_of(predefined(MPI_LONG)) : run_of(type.signature().pair.value)),
           make_run(run_of(type.signature().pair.index))});
    }
    const auto& children = type.contents().datatypes;
    // Fortran's parametric types have none either.
    if (children.empty() && type.signature().kind != BasicKind::none) return make_run(run_of(type));
    std::vector<Part> parts;
    for (std::size_t i = 0; i < children.size(); ++i) {
      parts.push_back(repeat(type.signature().copies[i], build(*children[i])));
    }
    return sequence(parts);
  }

  std::map<const Datatype*, Part> known_;
};

/// A window on the packed native bytes of a view: its memory itself where that is contiguous, else
/// a piece at a time.
class NativeSide {
 public:
  /// From a packed offset on.
  NativeSide(const View& view, std::size_t offset)
      : view_(view), direct_(view.is_contiguous()), offset_(offset) {
    if (direct_) {
      at_ = view.data() + offset;
      filled_ = view.size() - offset;
    }
  }

  /// Packed bytes from where the last take() ended on, at most `wanted`, whole elements of `size`
  /// bytes.
  std::span<const std::byte> take(std::size_t wanted, std::size_t size) {
    if (filled_ < size) refill();
    const std::size_t bytes = std::min(wanted, filled_ - filled_ % size);
    const std::span<const std::byte> taken(at_, bytes);
    at_ += bytes;
    filled_ -= bytes;
    return taken;
  }

  /// Room for elements that follow those of the last room().
  std::span<std::byte> room(std::size_t wanted, std::size_t size) {
    if (direct_) return std::span(std::exchange(at_, at_ + wanted), wanted);
    if (kBytes - filled_ < size) flush();
    const std::size_t free = kBytes - filled_;
    const std::size_t bytes = std::min(wanted, free - free % size);
    const std::span<std::byte> room(piece_.data() + filled_, bytes);
    filled_ += bytes;
    return room;
  }

  /// After the last room(): everything is in its place.
  void flush() {
    if (direct_) return;
    offset_ += view_.unpack(offset_, {piece_.data(), filled_});
    filled_ = 0;
  }

 private:
  static constexpr std::size_t kBytes = 8192;

  void refill() {
    std::memmove(piece_.data(), at_, filled_);
    const std::size_t more = view_.pack(offset_, std::span(piece_).subspan(filled_));
    offset_ += more;
    filled_ += more;
    at_ = piece_.data();
  }

  const View& view_;
  bool direct_;
  std::size_t offset_;      ///< packed; how far the view has been packed or unpacked
  std::size_t filled_ = 0;  ///< bytes at `at_` (take) or in `piece_` (room)
  std::array<std::byte, kBytes> piece_;
  std::byte* at_ = piece_.data();
};

/// Packed native bytes before external byte `external`, with which a number begins.
MPI_Count native_before(const External32Part& all, MPI_Count external) {
  MPI_Count native = 0;
  for (const External32Part* part = &all; external != 0;) {
    if (external >= part->external) return native + part->native;
    if (part->parts.empty()) {
      const MPI_Count numbers = external / static_cast<MPI_Count>(part->how.external);
      return native + numbers * static_cast<MPI_Count>(part->how.native);
    }
    const MPI_Count rounds = external / (part->external / part->count);
    native += rounds * (part->native / part->count);
    external -= rounds * (part->external / part->count);
    auto child = part->parts.begin();
    for (; external >= (*child)->external; ++child) {
      native += (*child)->native;
      external -= (*child)->external;
    }
    part = child->get();
  }
  return native;
}

/// Calls step(how, elements) for each run behind the first `skip` external bytes, which it makes 0
/// meanwhile. Step says how many elements it did, 0 to stop.
template <class Step>
bool walk(const External32Part& part, MPI_Count& skip, Step& step) {
  if (!part.parts.empty()) {
    // Only where there is anything to skip, for the sum of all may be over 63 bits.
    const MPI_Count one = skip == 0 ? 0 : part.external / part.count;
    const MPI_Count first = skip == 0 ? 0 : skip / one;
    skip -= first * one;
    for (MPI_Count i = first; i < part.count; ++i) {
      for (const Part& child : part.parts) {
        if (skip != 0 && skip >= child->external) {
          skip -= child->external;
        } else if (!walk(*child, skip, step)) {
          return false;
        }
      }
    }
    return true;
  }
  const MPI_Count first = skip == 0 ? 0 : skip / static_cast<MPI_Count>(part.how.external);
  skip = 0;
  for (MPI_Count left = part.count - first; left > 0;) {
    const std::size_t done = step(part.how, static_cast<std::size_t>(left));
    if (done == 0) return false;
    left -= static_cast<MPI_Count>(done);
  }
  return true;
}

}  // namespace

External32::External32(const Datatype& datatype) : one_(PartBuilder().build(datatype)) {}

MPI_Count External32::size() const {
  return one_ ? one_->external : 0;
}

Expected<std::size_t> External32::pack(const View& view, MPI_Count from,
                                       std::span<std::byte> out) const {
  const Part all = repeat(view.count, one_);
  if (!all || (from != 0 && from >= all->external)) return 0;
  NativeSide native(view, static_cast<std::size_t>(native_before(*all, from)));
  std::span<std::byte> room = out;
  std::size_t too_short = 0;
  auto step = [&](const NumberConversion& how, std::size_t elements) {
    const std::size_t most = std::min(elements, room.size() / how.external);
    if (most == 0) return most;
    const auto taken = native.take(most * how.native, how.native);
    const std::size_t done = taken.size() / how.native;
    if (!how.pack(taken.data(), room.data(), done)) {
      too_short = how.external;
      return std::size_t{0};
    }
    room = room.subspan(done * how.external);
    return done;
  };
  static_cast<void>(walk(*all, from, step));
  if (too_short == 0) return out.size() - room.size();
  return fail(MPI_ERR_CONVERSION,
              "a value does not fit the {} bytes that external32 has for its type", too_short);
}

std::size_t External32::unpack(const View& view, MPI_Count from,
                               std::span<const std::byte> in) const {
  const Part all = repeat(view.count, one_);
  if (!all || (from != 0 && from >= all->external)) return 0;
  NativeSide native(view, static_cast<std::size_t>(native_before(*all, from)));
  std::span<const std::byte> rest = in;
  auto step = [&](const NumberConversion& how, std::size_t elements) {
    const std::size_t most = std::min(elements, rest.size() / how.external);
    if (most == 0) return most;
    const auto to = native.room(most * how.native, how.native);
    const std::size_t done = to.size() / how.native;
    how.unpack(rest.data(), to.data(), done);
    rest = rest.subspan(done * how.external);
    return done;
  };
  static_cast<void>(walk(*all, from, step));
  native.flush();
  return in.size() - rest.size();
}

Expected<MPI_Count> external32_size(MPI_Count count, const Datatype& datatype) {
  const MPI_Count one = External32(datatype).size();
  if (one == 0 || count == 0) return 0;
  const MPI_Count bytes = multiply(count, one);
  if (bytes >= 0) return bytes;
  return fail(MPI_ERR_COUNT, "{} elements are more than 2^63 bytes in external32", count);
}

Expected<> pack_external32(const View& view, const Datatype& datatype, std::span<std::byte> out) {
  return External32(datatype).pack(view, 0, out).map([](std::size_t) {});
}

void unpack_external32(const View& view, const Datatype& datatype, std::span<const std::byte> in) {
  External32(datatype).unpack(view, 0, in);
}

}  // namespace remit
