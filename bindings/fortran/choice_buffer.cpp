// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/choice_buffer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "bindings/fortran/kept.hpp"
#include "bindings/fortran/section.hpp"
#include "bindings/fortran/section_types.hpp"
#include "bindings/fortran/type_map.hpp"

namespace remit::fortran {

/// A part of a section's row that a call uses: `count` elements of a datatype from byte `at` on.
struct BufferBlock {
  MPI_Count at;
  MPI_Count count;
  MPI_Datatype type;
};

using Block = BufferBlock;

/// A copy of a section's row, for what no datatype can express. What the call writes is copied back
/// when it is done, and no other byte: those the program may use meanwhile.
class Row final : public Kept {
 public:
  /// `read` is copied at the start, `written` back at the end. All lie within the section.
  Row(const Section& section, void* base, MPI_Count bytes, const std::vector<Block>& read,
      const std::vector<Block>& written)
      : section_(section),
        base_(static_cast<std::byte*>(base)),
        row_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes))),
        read_(ranges_of(read)),
        written_(ranges_of(written)) {
    Row::on_start();
  }

  [[nodiscard]] void* address() const { return row_.get(); }
  void on_start() override {
    for (const Range& range : read_) {
      section_.gather(base_, row_.get(), range.at, range.bytes);
    }
  }
  void on_completion() override {
    for (const Range& range : written_) {
      section_.scatter(base_, row_.get(), range.at, range.bytes);
    }
  }

 private:
  struct Range {
    MPI_Count at;
    MPI_Count bytes;
  };
  static std::vector<Range> ranges_of(const std::vector<Block>& blocks);

  Section section_;
  std::byte* base_;
  std::unique_ptr<std::byte[]> row_;  // NOLINT(modernize-avoid-c-arrays): not filled with zeros
  std::vector<Range> read_;
  std::vector<Range> written_;
};

std::vector<Row::Range> Row::ranges_of(const std::vector<Block>& blocks) {
  std::vector<Range> ranges;
  const auto add = [&](MPI_Count at, MPI_Count bytes) {
    if (!ranges.empty() && ranges.back().at + ranges.back().bytes == at) {
      ranges.back().bytes += bytes;
    } else if (bytes > 0) {
      ranges.push_back({at, bytes});
    }
  };
  for (const Block& block : blocks) {
    if (block.count == 0) continue;
    const TypeRoom room(block.type);
    const auto map =
        room.true_lb == 0 && room.true_extent == room.extent && is_predefined(block.type)
            ? std::nullopt
            : type_map_of(block.type);
    if (!map) {  // without gaps, or not to be told
      add(block.at + room.true_lb, room.end(block.count) - room.true_lb);
      continue;
    }
    for (MPI_Count i = 0; i < block.count; ++i) {
      for (const TypePart& part : *map) {
        add(block.at + i * room.extent + part.offset, part.length * part.size);
      }
    }
  }
  return ranges;
}

namespace {

std::string type_name(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";  // NOLINT(modernize-avoid-c-arrays): for C
  int length = 0;
  PMPI_Type_get_name(type, name, &length);
  return length > 0 ? name : "the datatype";
}

std::string block_name(std::size_t index) {
  return "block " + std::to_string(index + 1) + ": ";
}

/// No error of this layer: C's function will find it and say it.
bool is_for_c(MPI_Count count, MPI_Datatype type) {
  return count < 0 || type == MPI_DATATYPE_NULL;
}

/// How many elements of `room` a run holds; 0 if a run does not hold whole ones.
MPI_Count items_per_run(const Section& section, const TypeRoom& room) {
  return room.is_regular() && section.run() % room.extent == 0 ? section.run() / room.extent : 0;
}

/// Whether blocks of `count` elements lie at equal distances and look alike, `blocks` of them: then
/// this is the distance. 0: they do not. Each block must be whole repetitions on some level, and
/// all of them inside one repetition of the next.
MPI_Aint block_distance(const Section& section, MPI_Count per_run, MPI_Count count,
                        MPI_Count blocks) {
  MPI_Count below = per_run;
  for (int i = 0; i < section.levels(); ++i) {
    const Section::Level& level = section.level(i);
    const MPI_Count repetitions = count / below;
    if (count % below != 0) return 0;
    if (level.stride > 0 && repetitions * blocks <= level.count) return repetitions * level.stride;
    below *= level.count;
  }
  return 0;
}

}  // namespace

BufferState& ChoiceBuffer::state() {
  if (state_ == nullptr) state_ = new BufferState;
  return *state_;
}

bool ChoiceBuffer::failed() const {
  return state_->problem.error_class != MPI_SUCCESS;
}

void ChoiceBuffer::fail(int error_class, std::string words) {
  state().problem = {error_class, std::move(words)};
}

int ChoiceBuffer::raise(const Subject& subject, const char* function, const char* argument) const {
  const Problem& problem = state_->problem;
  return fortran::raise(subject, problem.error_class, function,
                        "argument " + std::string(argument) + ": " + problem.words);
}

void ChoiceBuffer::release() {
  if (state_->row != nullptr) state_->row->on_completion();
  if (state_->cached) {
    --state_->pins;
    return;
  }
  if (state_->type != MPI_DATATYPE_NULL) PMPI_Type_free(&state_->type);
  delete state_;
}

void ChoiceBuffer::keep_state(MPI_Request request, bool persistent) {
  if (state_->row != nullptr) keep(request, persistent, std::move(state_->row));
}

/// Where the section is too small there is no place to read or write: an error of the program.
bool ChoiceBuffer::reaches_outside(const Section& section, const Block& block, const TypeRoom& room,
                                   const std::string& which) {
  const MPI_Count begin = block.at + std::min<MPI_Count>(room.true_lb, 0);
  if (block.count == 0 || (begin >= 0 && block.at + room.end(block.count) <= section.bytes())) {
    return false;
  }
  fail(MPI_ERR_COUNT, which + std::to_string(block.count) + " elements of " +
                          type_name(block.type) +
                          (block.at != 0 ? " from byte " + std::to_string(block.at) + " on" : "") +
                          " are not all inside the array section, which has " +
                          std::to_string(section.bytes()) + " bytes");
  return true;
}

void ChoiceBuffer::take_type(const Section& section, MPI_Count per_run, MPI_Aint extent) {
  Problem problem{MPI_SUCCESS, {}};
  state_ = section_type(section, {type_, count_, per_run, extent}, problem);
  if (state_ == nullptr) return fail(problem.error_class, std::move(problem.words));
  type_ = state_->type;
  count_ = 1;
}

void ChoiceBuffer::take_row(const Section& section, MPI_Count bytes, const std::vector<Block>& read,
                            const std::vector<Block>& written) {
  auto row = std::make_unique<Row>(section, address_, bytes, read, written);
  address_ = row->address();
  state().row = std::move(row);
}

void ChoiceBuffer::lay(const Descriptor& buf, const BufferUse& use) try {
  std::visit([&](const auto& as) { lay_as(buf, as); }, use);
} catch (const std::bad_alloc&) {
  fail(MPI_ERR_NO_MEM, "no memory for what an array section needs");
}

void ChoiceBuffer::lay_as(const Descriptor& buf, Elements /*use*/) {
  if (is_for_c(count_, type_)) return;
  const TypeRoom room(type_);
  const Section section(buf, room.extent, room.end(count_));
  if (reaches_outside(section, {0, count_, type_}, room, "")) return;
  if (room.end(count_) <= section.run()) return;
  const MPI_Count per_run = items_per_run(section, room);
  if (per_run > 0) return take_type(section, per_run, 0);
  Problem problem{MPI_SUCCESS, {}};
  const MPI_Datatype type = mapped_type(section, type_, count_, problem);
  if (type == MPI_DATATYPE_NULL) return fail(problem.error_class, std::move(problem.words));
  state().type = type;
  type_ = type;
  count_ = 1;
}

bool ChoiceBuffer::lay_equal(const Descriptor& buf, MPI_Count blocks, const Access* fallback) {
  if (is_for_c(count_, type_) || blocks <= 0) return true;
  const TypeRoom room(type_);
  const Block all{0, count_ * blocks, type_};
  const Section section(buf, room.extent, room.end(all.count));
  if (reaches_outside(section, all, room, std::to_string(blocks) + " blocks, together ")) {
    return true;
  }
  if (room.end(all.count) <= section.run()) return true;
  const MPI_Count per_run = items_per_run(section, room);
  const MPI_Aint distance =
      per_run > 0 && count_ > 0 ? block_distance(section, per_run, count_, blocks) : 0;
  if (distance != 0) {
    take_type(section, per_run, distance);
    return true;
  }
  if (fallback == nullptr) return false;
  const std::vector<Block> read = {all};
  take_row(section, room.end(all.count), read,
           *fallback == Access::write ? read : std::vector<Block>{});
  return true;
}

void ChoiceBuffer::lay_as(const Descriptor& buf, Blocks use) {
  lay_equal(buf, use.peers.count(), &use.access);
}

void ChoiceBuffer::lay_as(const Descriptor& buf, Partitions use) {
  if (lay_equal(buf, use.partitions, nullptr)) return;
  fail(MPI_ERR_BUFFER,
       "the partitions do not lie at equal distances in this array section, which is not "
       "contiguous: let each be a whole number of its rows, or copy the section to an array of "
       "its own, and pass that");
}

void ChoiceBuffer::stage(const Descriptor& buf, MPI_Count read, MPI_Count written, Access access) {
  if (is_for_c(std::min(read, written), type_)) return;
  const TypeRoom room(type_);
  const Block input{0, read, type_};
  const Section section(buf, room.extent, room.end(read));
  if (reaches_outside(section, input, room, "") || room.end(read) <= section.run()) return;
  std::vector<Block> output;
  if (access == Access::write) output = {{0, written, type_}};
  take_row(section, room.end(read), {input}, output);
}

void ChoiceBuffer::lay_as(const Descriptor& buf, Operand use) {
  stage(buf, count_, count_, use.access);
}

void ChoiceBuffer::lay_as(const Descriptor& buf, const ScatteredOperand& use) {
  if (use.comm == MPI_COMM_NULL) return;
  int members = 0;
  PMPI_Comm_size(use.comm, &members);
  const auto part = [&](int i) {
    return use.counts.are_given() ? use.counts[static_cast<std::size_t>(i)] : count_;
  };
  MPI_Count all = 0;
  for (int i = 0; i < members; ++i) {
    if (part(i) < 0) return;
    all += part(i);
  }
  const MPI_Count own = part(rank_in(use.comm));
  stage(buf, use.whole ? all : own, own, use.access);
}

void ChoiceBuffer::lay_as(const Descriptor& buf, const VaryingBlocks& use) {
  if (is_for_c(0, type_)) return;
  const bool one_type = use.types == nullptr;
  std::vector<Block> blocks(static_cast<std::size_t>(use.peers.count()));
  MPI_Count end = 0;
  MPI_Count item = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const MPI_Datatype type = one_type ? type_ : use.types[i];
    if (use.counts[i] == 0) continue;
    if (is_for_c(use.counts[i], type)) return;
    const TypeRoom room(type);
    blocks[i] = {use.displs[i] * (one_type ? room.extent : 1), use.counts[i], type};
    if (item == 0) item = room.extent;
    end = std::max(end, blocks[i].at + room.end(blocks[i].count));
  }
  const Section section(buf, item, end);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].count > 0 &&
        reaches_outside(section, blocks[i], TypeRoom(blocks[i].type), block_name(i))) {
      return;
    }
  }
  if (end <= section.run()) return;
  // Elements that are runs of their own, and blocks on the first level: any of them lies where the
  // datatype says whose extent is the distance of two elements.
  if (one_type && TypeRoom(type_).is_regular() && item == section.run() &&
      section.level(0).stride > 0 && end <= item * section.level(0).count) {
    count_ = 1;
    return take_type(section, 1, section.level(0).stride);
  }
  take_row(section, end, blocks, use.access == Access::write ? blocks : std::vector<Block>{});
}

void ChoiceBuffer::lay_as(const Descriptor& buf, Memory /*use*/) {
  const Section section(buf, std::abs(buf.dim[0].sm), 0);
  if (section.levels() == 0 || section.bytes() == 0) return;
  fail(MPI_ERR_BUFFER,
       "it is an array section that is not contiguous, and MPI keeps this memory: pass a whole "
       "array, or a section whose elements lie one behind the other");
}

}  // namespace remit::fortran
