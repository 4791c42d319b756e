// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/views/file_view.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "datatype/ref.hpp"
#include "files/views/data_representation.hpp"

namespace remit {
namespace {

constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max();

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// An argument of MPI_File_set_view, and what the file has of it.
struct NamedType {
  std::string_view name;
  const Datatype& given;
  const Datatype& in_file;
};

Expected<> check_usable(std::string_view name, const Datatype& type) {
  if (!type.is_alive() || !type.is_available()) {
    return fail(MPI_ERR_TYPE, "{} is no datatype, or one that was freed before", name);
  }
  if (type.is_usable()) return {};
  return fail(MPI_ERR_TYPE, "{} is not committed: call MPI_Type_commit before", name);
}

/// What etypes and filetypes have in common: where their bytes lie, and in which order.
Expected<LayoutOrder> check_order(const NamedType& type, bool writable) {
  const Layout& layout = type.in_file.layout();
  const LayoutOrder order = layout.order(type.in_file.signature().uniform_size);
  if (layout.size() == 0) return order;
  if (order.low < 0) {
    return fail(MPI_ERR_TYPE,
                "the lowest byte of {} lies at {}: its displacements must not be negative; move "
                "them up, and disp down by as much",
                type.name, order.low);
  }
  if (!order.nondecreasing) {
    return fail(MPI_ERR_TYPE,
                "the displacements of {} decrease: give its blocks in the order in which they lie "
                "in the file, and permute the memory's datatype instead",
                type.name);
  }
  if (writable && !order.ascending) {
    return fail(MPI_ERR_TYPE,
                "{} has bytes twice, which is only allowed in a file that is opened with "
                "MPI_MODE_RDONLY: take out the blocks that overlap",
                type.name);
  }
  if (layout.extent() > 0) return order;
  return fail(MPI_ERR_TYPE,
              "the extent of {} is {}, so it would lie on itself where it repeats: make it "
              "positive by MPI_Type_create_resized",
              type.name, layout.extent());
}

/// The filetype is made of etypes.
Expected<> check_units(const Layout& etype, const Layout& filetype) {
  if (filetype.size() == 0) return {};
  if (etype.size() == 0) {
    return fail(MPI_ERR_TYPE,
                "etype has no bytes, but filetype has {}: filetype must be made of etypes",
                filetype.size());
  }
  if (filetype.size() % etype.size() != 0) {
    return fail(MPI_ERR_TYPE,
                "filetype has {} bytes, etype {}: filetype must be made of whole etypes (MPI_BYTE "
                "as etype goes with any)",
                filetype.size(), etype.size());
  }
  if (const auto at = filetype.misfit(etype)) {
    return fail(MPI_ERR_TYPE,
                "no whole etype lies at byte {} of filetype, or not at a multiple of its extent, "
                "{} bytes: make filetype of etypes, with holes of multiples of their extent "
                "(MPI_BYTE as etype goes with any)",
                *at, etype.extent());
  }
  if (filetype.extent() % etype.extent() == 0) return {};
  return fail(MPI_ERR_TYPE,
              "the extent of filetype, {} bytes, is no multiple of the extent of etype, {} bytes: "
              "the hole between filetypes must be one; see MPI_Type_create_resized",
              filetype.extent(), etype.extent());
}

}  // namespace

struct FileView::Parts {
  std::int64_t displacement = 0;
  Ref<const Datatype> etype;
  Ref<const Datatype> filetype;
  std::int64_t etype_size = 1;
  Layout tile;
  LayoutOrder order;  ///< of the tile
  bool is_ordered = true;
  std::int64_t tiles = 0;  ///< those that lie below 2^63, in the file and in the view

  /// The rest follows from displacement, tile and order. Words if there is no room for a tile.
  Expected<> count_tiles();
  [[nodiscard]] bool is_empty() const { return tile.size() == 0; }
  [[nodiscard]] std::int64_t bytes() const { return tiles * tile.size(); }
  [[nodiscard]] std::int64_t begin_of(std::int64_t number) const {
    return displacement + number * tile.extent();
  }
};

Expected<> FileView::Parts::count_tiles() {
  if (is_empty()) return {};
  is_ordered = order.ascending && tile.extent() >= order.high - order.low;
  if (displacement > kFarthest - order.high) {
    return fail(MPI_ERR_ARG,
                "disp is {} and filetype ends {} bytes behind it: files end at 2^63 - 1 bytes",
                displacement, order.high);
  }
  const std::int64_t room = kFarthest - displacement - order.high;
  // The last tile but one leaves room for the extent of the last, so that sums stay in 63 bits.
  const std::int64_t in_file = room / tile.extent();
  tiles = std::min(std::max<std::int64_t>(in_file, 1), kFarthest / tile.size());
  return {};
}

FileView::FileView() {
  auto parts = std::make_shared<Parts>();
  const Datatype& byte = predefined(MPI_BYTE);
  parts->etype = Ref<const Datatype>(&byte);
  parts->filetype = parts->etype;
  parts->tile = byte.layout();
  parts->order = byte.layout().order(1);
  static_cast<void>(parts->count_tiles());
  parts_ = std::move(parts);
}

Expected<FileView> FileView::make(std::int64_t displacement, const Datatype& etype,
                                  const Datatype& filetype, bool writable) {
  return make(displacement, etype, filetype, writable, native_representation());
}

Expected<FileView> FileView::make(std::int64_t displacement, const Datatype& etype,
                                  const Datatype& filetype, bool writable,
                                  const DataRepresentation& representation) {
  if (displacement < 0) {
    return fail(MPI_ERR_ARG, "disp is {}, must not be negative", displacement);
  }
  if (auto ok = check_usable("etype", etype); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_usable("filetype", filetype); !ok) return tl::unexpected(ok.error());
  const auto unit = representation.type_in_file(etype);
  if (!unit) return tl::unexpected(unit.error());
  const auto tile = representation.type_in_file(filetype);
  if (!tile) return tl::unexpected(tile.error());
  auto parts = std::make_shared<Parts>();
  const auto unit_order = check_order({"etype", etype, **unit}, writable);
  if (!unit_order) return tl::unexpected(unit_order.error());
  const auto order = check_order({"filetype", filetype, **tile}, writable);
  if (!order) return tl::unexpected(order.error());
  parts->displacement = displacement;
  parts->etype = Ref<const Datatype>(&etype);
  parts->filetype = Ref<const Datatype>(&filetype);
  parts->etype_size = std::max<std::int64_t>((*unit)->layout().size(), 1);
  parts->tile = (*tile)->layout();
  parts->order = *order;
  if (auto ok = check_units((*unit)->layout(), parts->tile); !ok) {
    return tl::unexpected(ok.error());
  }
  if (auto ok = parts->count_tiles(); !ok) return tl::unexpected(ok.error());
  return FileView(std::move(parts));
}

std::int64_t FileView::displacement() const {
  return parts_->displacement;
}
const Datatype& FileView::etype() const {
  return *parts_->etype;
}
const Datatype& FileView::filetype() const {
  return *parts_->filetype;
}
std::int64_t FileView::etype_size() const {
  return parts_->etype_size;
}

bool FileView::is_empty() const {
  return parts_->is_empty();
}
bool FileView::is_contiguous() const {
  return !is_empty() && parts_->tile.is_contiguous();
}
bool FileView::is_ordered() const {
  return parts_->is_ordered;
}
std::int64_t FileView::mean_run() const {
  return static_cast<std::int64_t>(parts_->tile.mean_run());
}
std::int64_t FileView::bytes() const {
  return parts_->bytes();
}

Expected<std::int64_t> FileView::byte_of(std::int64_t etypes) const {
  if (etypes < 0) return fail(MPI_ERR_ARG, "offset is {}, must not be negative", etypes);
  if (etypes == 0) return 0;
  if (is_empty()) {
    return fail(MPI_ERR_ARG,
                "offset is {}, but the view has no bytes (filetype is of size 0), so it must be 0",
                etypes);
  }
  const std::int64_t size = etype_size();
  if (etypes < divide_up(bytes(), size)) return etypes * size;
  return fail(MPI_ERR_ARG,
              "offset is {} etypes of {} bytes, which lies behind byte 2^63 - 1 of the file",
              etypes, size);
}

Expected<> FileView::require(std::int64_t from, std::int64_t bytes) const {
  if (bytes == 0) return {};
  if (is_empty()) {
    return fail(MPI_ERR_ARG,
                "the view has no bytes (filetype is of size 0): nothing but 0 elements can be read "
                "or written; see MPI_File_set_view");
  }
  if (from >= 0 && bytes > 0 && from <= this->bytes() - bytes) return {};
  return fail(MPI_ERR_ARG,
              "{} bytes from byte {} of the view on lie behind byte 2^63 - 1 of the file", bytes,
              from);
}

std::int64_t FileView::file_offset(std::int64_t view_byte) const {
  if (is_empty()) return parts_->displacement;
  if (view_byte >= bytes()) return kFarthest;
  return parts_->displacement + parts_->tile.displacement_at(view_byte);
}

std::int64_t FileView::bytes_below(std::int64_t file_offset) const {
  if (file_offset <= parts_->displacement) return 0;
  return parts_->tile.packed_at(file_offset - parts_->displacement, parts_->tiles);
}

std::int64_t FileView::seek_end(std::int64_t file_size) const {
  if (is_empty()) return 0;
  const Parts& p = *parts_;
  const std::int64_t size = p.etype_size;
  // The etypes of a tile are in order, tiles need not be: the first tile whose last etype begins
  // behind the end, and there the first one that does.
  const std::int64_t in_tile = p.tile.size() / size;
  const auto begin = [&](std::int64_t etype) { return p.tile.displacement_at(etype * size); };
  const std::int64_t end = std::max<std::int64_t>(file_size - p.displacement, 0);
  const std::int64_t beyond = end - begin(in_tile - 1);
  const std::int64_t tile = beyond > 0 ? divide_up(beyond, p.tile.extent()) : 0;
  if (tile >= p.tiles) return p.bytes() / size;
  const std::int64_t end_in_tile = end - tile * p.tile.extent();
  std::int64_t low = 0;
  std::int64_t high = in_tile - 1;  // begins at or behind the end
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (begin(middle) >= end_in_tile) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return tile * in_tile + low;
}

std::size_t FileView::runs(std::int64_t from, std::int64_t bytes, std::span<FileRun> out,
                           std::int64_t* taken) const {
  const View file = in_memory(0);
  std::array<Layout::Piece, 64> pieces;
  std::size_t runs = 0;
  std::int64_t done = 0;
  while (done < bytes && runs < out.size()) {
    const std::size_t room = std::min(pieces.size(), out.size() - runs);
    // Runs are merged as far as can be, so the next ones are not neighbours of the last one.
    const Layout::Gathered got =
        file.pieces(static_cast<std::size_t>(from + done), static_cast<std::size_t>(bytes - done),
                    std::span(pieces).first(room));
    if (got.pieces == 0) break;
    for (std::size_t i = 0; i < got.pieces; ++i) {
      out[runs++] = {static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(pieces[i].address)),
                     static_cast<std::int64_t>(pieces[i].length)};
    }
    done += static_cast<std::int64_t>(got.bytes);
  }
  *taken = done;
  return runs;
}

FileRun FileView::span(std::int64_t from, std::int64_t bytes) const {
  const Parts& p = *parts_;
  if (bytes <= 0 || is_empty()) return {file_offset(from), 0};
  const std::int64_t last = from + bytes - 1;
  const std::int64_t first_tile = from / p.tile.size();
  const std::int64_t last_tile = last / p.tile.size();
  std::int64_t low = file_offset(from);
  std::int64_t high =
      p.order.ascending ? file_offset(last) + 1 : p.begin_of(last_tile) + p.order.high;
  if (first_tile != last_tile) {
    // Tiles may interleave: the second one begins below all others, the last but one ends above
    // them.
    low = std::min(low, p.begin_of(first_tile + 1) + p.order.low);
    high = std::max(high, p.begin_of(last_tile - 1) + p.order.high);
  }
  return {low, high - low};
}

View FileView::in_memory(std::uintptr_t file_begin) const {
  const auto displacement = static_cast<std::uintptr_t>(parts_->displacement);
  return {reinterpret_cast<void*>(file_begin + displacement), parts_->tiles, &parts_->tile};
}

}  // namespace remit
