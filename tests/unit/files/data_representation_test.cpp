// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Representations of data: types as they lie in files, conversion in parts, users' functions.
#include "files/views/data_representation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "datatype/external32.hpp"
#include "files/views/file_view.hpp"
#include "tests/unit/files/random_types.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

using Bytes = std::vector<std::byte>;

const Datatype& kInt = predefined(MPI_INT);
const Datatype& kLong = predefined(MPI_LONG);

/// Table 14.2 of MPI-5.0, where it is not what memory has.
std::int64_t external_size(const Datatype& type) {
  if (type.handle() == MPI_LONG || type.handle() == MPI_UNSIGNED_LONG) return 4;
  if (type.handle() == MPI_WCHAR) return 2;
  if (type.handle() == MPI_LONG_DOUBLE) return 16;
  return type.size();
}

const DataRepresentation& external32() {
  static const DataRepresentations all;
  return **all.find("external32");
}

Ref<Datatype> committed(const Expected<Ref<Datatype>>& made) {
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  (*made)->commit();
  return *made;
}

void expect_same_map(const Datatype& type, const TypeMap& map) {
  const auto where = map.bytes(2);
  ASSERT_EQ(type.size(), map.size());
  ASSERT_EQ(type.extent(), map.extent());
  ASSERT_EQ(type.lb(), map.lb());
  for (std::size_t k = 0; k < where.size(); ++k) {
    ASSERT_EQ(type.layout().displacement_at(static_cast<std::int64_t>(k)), where[k]);
  }
}

TEST(TypeInFile, ScalesDisplacementsInElements) {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 500; ++round) {
    RandomTypes types(random, external_size);
    const SampleType unit = types.pick(0, 1) == 0 ? types.basic() : types.etype();
    const SampleType type = types.nested(unit, static_cast<int>(types.pick(0, 3)), 100);
    const auto made = external32().type_in_file(*type.type);
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_NO_FATAL_FAILURE(expect_same_map(**made, type.file)) << "round " << round;
    ASSERT_EQ((*made)->signature().elements, type.type->signature().elements);
  }
}

TEST(TypeInFile, KeepsDisplacementsInBytes) {
  // Written for the file: three longs of 4 bytes, 10 bytes apart.
  const auto vector = committed(make_hvector(3, 1, 10, kLong));
  const auto in_file = external32().type_in_file(*vector);
  ASSERT_TRUE(in_file);
  EXPECT_EQ((*in_file)->size(), 12);
  EXPECT_EQ((*in_file)->extent(), 24);
  const auto blocks = committed(make_hindexed(Counts{1, 2}, Counts{3, 9}, kLong));
  const auto blocks_in_file = external32().type_in_file(*blocks);
  ASSERT_TRUE(blocks_in_file);
  EXPECT_EQ((*blocks_in_file)->layout().displacement_at(4), 9);
  EXPECT_EQ((*blocks_in_file)->true_extent(), 14);
  const auto same = committed(make_hindexed_block(1, Counts{0, 5}, kLong, CountForm::large));
  EXPECT_EQ((*external32().type_in_file(*same))->layout().displacement_at(4), 5);
}

TEST(TypeInFile, OfDistributedArrays) {
  const std::vector<int> distribs = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
  const std::vector<int> dargs = {2, MPI_DISTRIBUTE_DFLT_DARG};
  const std::vector<int> grid = {2, 2};
  const Counts sizes = {7, 6};
  for (int rank = 0; rank < 4; ++rank) {
    for (const CountForm form : {CountForm::standard, CountForm::large}) {
      const DarrayShape shape{4, rank, sizes, distribs, dargs, grid, MPI_ORDER_FORTRAN};
      const auto longs = committed(make_darray(shape, kLong, form));
      const auto ints = committed(make_darray(shape, kInt, form));
      const auto in_file = external32().type_in_file(*longs);
      ASSERT_TRUE(in_file) << in_file.error().message;
      ASSERT_EQ((*in_file)->size(), ints->size());
      ASSERT_EQ((*in_file)->extent(), ints->extent());
      for (std::int64_t k = 0; k < ints->size(); ++k) {
        ASSERT_EQ((*in_file)->layout().displacement_at(k), ints->layout().displacement_at(k));
      }
    }
  }
}

TEST(TypeInFile, OfNamedPairsAndParametricTypes) {
  EXPECT_EQ((*external32().type_in_file(predefined(MPI_LONG_INT)))->extent(), 8);
  EXPECT_EQ((*external32().type_in_file(predefined(MPI_DOUBLE_INT)))->extent(), 12);
  EXPECT_EQ((*external32().type_in_file(predefined(MPI_SHORT_INT)))->extent(), 6);
  UnnamedTypes unnamed;
  const Datatype& pair = *unnamed.value_index(kLong, predefined(MPI_SHORT));
  EXPECT_EQ((*external32().type_in_file(pair))->extent(), 6);
  EXPECT_EQ((*external32().type_in_file(pair))->signature().elements, 2);
  EXPECT_EQ((*external32().type_in_file(**unnamed.f90_real(15, 307)))->extent(), 8);
}

// The same type many times over: each is looked at once.
TEST(TypeInFile, OfDeepTypes) {
  auto type = committed(make_resized(kLong, 0, 16));
  for (int depth = 0; depth < 40; ++depth) {
    const std::array<const Datatype*, 2> both = {type.get(), type.get()};
    type = committed(make_struct(Counts{1, 1}, Counts{0, 0}, both));
  }
  const auto in_file = external32().type_in_file(*type);
  ASSERT_TRUE(in_file) << in_file.error().message;
  EXPECT_EQ((*in_file)->size(), type->size() / 2);
}

TEST(External32, ViewsAreScaled) {
  const auto three = committed(make_contiguous(3, kLong));
  const auto tile = committed(make_resized(*three, 0, 40));
  const auto view = FileView::make(8, kLong, *tile, true, external32());
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->etype_size(), 4);
  EXPECT_EQ(view->file_offset(view->byte_of(2).value()), 16);
  EXPECT_EQ(view->file_offset(view->byte_of(3).value()), 48);
  EXPECT_EQ(view->seek_end(20), 3);
  EXPECT_EQ(&view->filetype(), tile.get());
  // In memory these longs would lie on each other; in the file they do not.
  const auto dense = committed(make_hvector(4, 1, 4, kLong));
  EXPECT_FALSE(FileView::make(0, kLong, *dense, true));
  const auto plain = FileView::make(0, kLong, *dense, true, external32());
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_TRUE(plain->is_contiguous());
}

Bytes bytes_of_hex(std::string_view digits) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(
        static_cast<std::byte>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

template <class T>
void expect_external(MPI_Datatype handle, const T& value, std::string_view digits) {
  T copy = value;
  const Datatype& type = predefined(handle);
  const View memory{&copy, 1, &type.layout()};
  auto conversion = external32().conversion(memory, type);
  ASSERT_TRUE(conversion);
  const Bytes expected = bytes_of_hex(digits);
  ASSERT_EQ((*conversion)->bytes(), std::ssize(expected)) << type.name();
  Bytes file(expected.size());
  ASSERT_EQ((*conversion)->to_file(0, file).value(), file.size());
  EXPECT_EQ(file, expected) << type.name();
  copy = {};
  ASSERT_EQ((*conversion)->from_file(0, file).value(), file.size());
  EXPECT_TRUE(copy == value) << type.name();
}

TEST(External32, IsBigEndian) {
  expect_external<char>(MPI_CHAR, 'A', "41");
  expect_external<short>(MPI_SHORT, -2, "fffe");
  expect_external<int>(MPI_INT, 0x01020304, "01020304");
  expect_external<long>(MPI_LONG, -3, "fffffffd");
  expect_external<unsigned long>(MPI_UNSIGNED_LONG, 0xfffffffe, "fffffffe");
  expect_external<long long>(MPI_LONG_LONG, 0x0102030405060708, "0102030405060708");
  expect_external<float>(MPI_FLOAT, 1.5F, "3fc00000");
  expect_external<double>(MPI_DOUBLE, -2.0, "c000000000000000");
  expect_external<long double>(MPI_LONG_DOUBLE, 1.0L, "3fff0000000000000000000000000000");
  expect_external<wchar_t>(MPI_WCHAR, L'\x20ac', "20ac");
}

TEST(External32, RefusesValuesThatDoNotFit) {
  std::array<long, 3> values = {1, 1L << 40, 3};
  const View memory{values.data(), 3, &kLong.layout()};
  auto conversion = external32().conversion(memory, kLong);
  ASSERT_TRUE(conversion);
  Bytes file(12);
  EXPECT_EQ((*conversion)->to_file(0, std::span(file).first(4)).value(), 4U);
  EXPECT_EQ((*conversion)->to_file(4, std::span(file).subspan(4)).error().code, MPI_ERR_CONVERSION);
}

TEST(External32, RefusesMoreThan63Bits) {
  const auto large = committed(make_contiguous(std::int64_t{1} << 60, predefined(MPI_BYTE)));
  const View memory{nullptr, 16, &large->layout()};
  EXPECT_EQ(external32().conversion(memory, *large).error().code, MPI_ERR_COUNT);
}

/// Memory of some elements of a sample, every byte of which has a value. Numbers are small, so that
/// external32 has room for them.
struct Buffer {
  Buffer(const SampleType& sample, MPI_Count count, std::mt19937_64& random)
      : type(sample.type), elements(count) {
    const auto where = sample.memory.bytes(count);
    const std::int64_t end = where.empty() ? 0 : *std::ranges::max_element(where) + 1;
    memory.resize(static_cast<std::size_t>(end));
    for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
    const std::int64_t step = sample.memory.extent();
    for (MPI_Count i = 0; i < count; ++i) {
      for (const reference::Entry& entry : sample.memory.entries) {
        put_number(i * step + entry.displacement, entry.size, random());
      }
    }
  }

  void put_number(std::int64_t at, std::int64_t size, std::uint64_t number) {
    std::fill_n(memory.begin() + at, size, std::byte{0});
    memory[static_cast<std::size_t>(at)] = static_cast<std::byte>(number & 0x7f);
  }

  [[nodiscard]] View view() { return {memory.data(), elements, &type->layout()}; }

  Ref<const Datatype> type;
  MPI_Count elements;
  Bytes memory;
};

/// In parts of random sizes; small ones hold no element sometimes.
Bytes converted_in_parts(Conversion& conversion, std::mt19937_64& random) {
  Bytes file(static_cast<std::size_t>(conversion.bytes()));
  for (std::size_t from = 0; from < file.size();) {
    const std::size_t room = std::min<std::size_t>(1 + random() % 90, file.size() - from);
    const auto done =
        conversion.to_file(static_cast<std::int64_t>(from), std::span(file).subspan(from, room));
    if (!done) {
      ADD_FAILURE() << done.error().message;
      break;
    }
    EXPECT_LE(*done, room);
    EXPECT_TRUE(*done != 0 || room < 32);
    from += *done;
  }
  return file;
}

void read_in_parts(Conversion& conversion, Bytes file, std::mt19937_64& random) {
  for (std::size_t from = 0; from < file.size();) {
    const std::size_t room = std::min<std::size_t>(1 + random() % 90, file.size() - from);
    const auto done =
        conversion.from_file(static_cast<std::int64_t>(from), std::span(file).subspan(from, room));
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_LE(*done, room);
    ASSERT_TRUE(*done != 0 || room < 32);
    from += *done;
  }
}

/// Packed bytes of memory in front of each basic element, and those of the file.
void expect_memory_bytes(const Conversion& conversion, const SampleType& sample, MPI_Count count) {
  std::int64_t memory = 0;
  std::int64_t file = 0;
  for (MPI_Count i = 0; i < count; ++i) {
    for (std::size_t e = 0; e < sample.memory.entries.size(); ++e) {
      for (std::int64_t b = 0; b < sample.file.entries[e].size; ++b) {
        ASSERT_EQ(conversion.memory_bytes(file + b), memory);
      }
      memory += sample.memory.entries[e].size;
      file += sample.file.entries[e].size;
    }
  }
  ASSERT_EQ(conversion.bytes(), file);
  ASSERT_EQ(conversion.memory_bytes(file), memory);
  ASSERT_EQ(conversion.memory_bytes(file + 100), memory);
}

/// The whole file's bytes, number by number.
Bytes external_bytes(const Buffer& buffer, const SampleType& sample) {
  Bytes file;
  for (MPI_Count i = 0; i < buffer.elements; ++i) {
    for (std::size_t e = 0; e < sample.memory.entries.size(); ++e) {
      const std::int64_t at = i * sample.memory.extent() + sample.memory.entries[e].displacement;
      const auto size = static_cast<std::size_t>(sample.file.entries[e].size);
      for (std::size_t b = 1; b < size; ++b) file.push_back(std::byte{0});
      file.push_back(buffer.memory[static_cast<std::size_t>(at)]);
    }
  }
  return file;
}

SampleType sample_of_integers(RandomTypes& types) {
  static const std::array<MPI_Datatype, 6> kChoice = {MPI_BYTE, MPI_SHORT, MPI_INT,
                                                      MPI_LONG, MPI_WCHAR, MPI_LONG_INT};
  const auto basic = [&] {
    return types.of(
        predefined(kChoice[static_cast<std::size_t>(types.pick(0, std::ssize(kChoice) - 1))]));
  };
  const SampleType unit = types.pick(0, 1) == 0 ? types.mixed(basic(), basic()) : basic();
  return types.nested(unit, static_cast<int>(types.pick(0, 3)), 200);
}

TEST(External32, ConvertsInParts) {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 300; ++round) {
    RandomTypes types(random, external_size);
    const SampleType sample = sample_of_integers(types);
    const MPI_Count count = types.pick(0, 12);
    Buffer buffer(sample, count, random);
    auto conversion = external32().conversion(buffer.view(), *sample.type);
    ASSERT_TRUE(conversion) << conversion.error().message;
    ASSERT_NO_FATAL_FAILURE(expect_memory_bytes(**conversion, sample, count)) << "round " << round;
    const Bytes file = converted_in_parts(**conversion, random);
    ASSERT_EQ(file, external_bytes(buffer, sample)) << "round " << round;
    // Back into a buffer of other numbers: then all bytes are those of the first one again.
    const Bytes before = buffer.memory;
    for (const std::int64_t at : sample.memory.bytes(count)) {
      buffer.memory[static_cast<std::size_t>(at)] = static_cast<std::byte>(random());
    }
    ASSERT_NO_FATAL_FAILURE(read_in_parts(**conversion, file, random));
    ASSERT_EQ(buffer.memory, before) << "round " << round;
  }
}

TEST(Native, HasTheBytesOfTheMemory) {
  const DataRepresentations all;
  for (const char* name : {"native", "internal"}) {
    const auto found = all.find(name);
    ASSERT_TRUE(found);
    EXPECT_EQ((*found)->name(), name);
    EXPECT_TRUE((*found)->has_memory_bytes());
    const auto vector = committed(make_vector(4, 1, 2, kLong));
    EXPECT_EQ((*found)->type_in_file(*vector)->get(), vector.get());
    std::vector<long> memory = {1, 2, 3, 4, 5, 6, 7};
    auto conversion = (*found)->conversion({memory.data(), 1, &vector->layout()}, *vector);
    ASSERT_TRUE(conversion);
    EXPECT_EQ((*conversion)->bytes(), 32);
    EXPECT_EQ((*conversion)->memory_bytes(20), 16);
    std::array<long, 2> file = {};
    EXPECT_EQ((*conversion)->to_file(16, std::as_writable_bytes(std::span(file))).value(), 16U);
    EXPECT_EQ(file, (std::array<long, 2>{5, 7}));
  }
  EXPECT_EQ(&native_representation(), all.find("native").value());
}

/// What a program's functions know, and see.
struct Program {
  const SampleType* sample = nullptr;
  std::int64_t next = 0;  ///< position of the next call
  int calls = 0;
  int answer = MPI_SUCCESS;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
};

/// Elements of n bytes are n + 3 in the file: reversed, behind the bytes 0xee.
constexpr std::int64_t kMore = 3;
std::int64_t program_size(const Datatype& type) {
  return type.size() + kMore;
}
int program_extent(MPI_Datatype datatype, MPI_Aint* extent, void* state) {
  EXPECT_NE(state, nullptr);
  EXPECT_EQ(datatype_of(datatype)->contents().combiner, MPI_COMBINER_NAMED);
  *extent = program_size(*datatype_of(datatype));
  return MPI_SUCCESS;
}

int program_converts(bool writes, void* user, MPI_Datatype datatype, MPI_Count count, void* file,
                     MPI_Offset position, void* state) {
  auto& program = *static_cast<Program*>(state);
  const TypeMap& map = program.sample->memory;
  EXPECT_EQ(position, program.next);
  EXPECT_EQ(datatype, program.datatype);
  EXPECT_GT(count, 0);
  program.next = position + count;
  ++program.calls;
  auto* at = static_cast<std::byte*>(file);
  const auto n = std::ssize(map.entries);
  for (MPI_Count i = position; i < position + count; ++i) {
    const reference::Entry& entry = map.entries[static_cast<std::size_t>(i % n)];
    auto* const element = static_cast<std::byte*>(user) + i / n * map.extent() + entry.displacement;
    if (writes) {
      std::fill_n(at, kMore, std::byte{0xee});
      std::reverse_copy(element, element + entry.size, at + kMore);
    } else {
      EXPECT_EQ(*at, std::byte{0xee});
      std::reverse_copy(at + kMore, at + kMore + entry.size, element);
    }
    at += kMore + entry.size;
  }
  return program.answer;
}
int program_reads(void* user, MPI_Datatype datatype, int count, void* file, MPI_Offset position,
                  void* state) {
  return program_converts(false, user, datatype, count, file, position, state);
}
int program_writes(void* user, MPI_Datatype datatype, int count, void* file, MPI_Offset position,
                   void* state) {
  return program_converts(true, user, datatype, count, file, position, state);
}
int program_reads_large(void* user, MPI_Datatype datatype, MPI_Count count, void* file,
                        MPI_Offset position, void* state) {
  return program_converts(false, user, datatype, count, file, position, state);
}
int program_writes_large(void* user, MPI_Datatype datatype, MPI_Count count, void* file,
                         MPI_Offset position, void* state) {
  return program_converts(true, user, datatype, count, file, position, state);
}

void convert_by_program(const DataRepresentation& representation, Program& program,
                        std::mt19937_64& random) {
  RandomTypes types(random, program_size);
  const SampleType sample = sample_of_integers(types);
  const MPI_Count count = types.pick(0, 9);
  Buffer buffer(sample, count, random);
  program = {};
  program.sample = &sample;
  program.datatype = sample.type->handle();
  const auto in_file = representation.type_in_file(*sample.type);
  ASSERT_TRUE(in_file) << in_file.error().message;
  ASSERT_NO_FATAL_FAILURE(expect_same_map(**in_file, sample.file));
  auto conversion = representation.conversion(buffer.view(), *sample.type);
  ASSERT_TRUE(conversion) << conversion.error().message;
  ASSERT_NO_FATAL_FAILURE(expect_memory_bytes(**conversion, sample, count));
  const Bytes file = converted_in_parts(**conversion, random);
  ASSERT_EQ(program.next, count * std::ssize(sample.memory.entries));
  const Bytes before = buffer.memory;
  for (const std::int64_t at : sample.memory.bytes(count)) {
    buffer.memory[static_cast<std::size_t>(at)] = static_cast<std::byte>(random());
  }
  program.next = 0;
  ASSERT_NO_FATAL_FAILURE(read_in_parts(**conversion, file, random));
  ASSERT_EQ(buffer.memory, before);
}

TEST(UserRepresentation, ConvertsInParts) {
  std::mt19937_64 random(test_seed());
  DataRepresentations all;
  Program program;
  UserFunctions functions;
  functions.read = program_reads;
  functions.write = program_writes;
  functions.extent = program_extent;
  functions.extra_state = &program;
  ASSERT_TRUE(all.add("small", functions));
  functions.read = nullptr;
  functions.write = nullptr;
  functions.read_large = program_reads_large;
  functions.write_large = program_writes_large;
  ASSERT_TRUE(all.add("large", functions));
  for (int round = 0; round < 200; ++round) {
    const auto found = all.find(round % 2 == 0 ? "small" : "large");
    ASSERT_TRUE(found);
    ASSERT_FALSE((*found)->has_memory_bytes());
    ASSERT_NO_FATAL_FAILURE(convert_by_program(**found, program, random)) << "round " << round;
  }
}

TEST(UserRepresentation, TellsWhatAFunctionReturned) {
  DataRepresentations all;
  Program program;
  std::mt19937_64 random(test_seed());
  RandomTypes types(random, program_size);
  const SampleType sample = types.of(kInt);
  program.sample = &sample;
  program.datatype = MPI_INT;
  program.answer = 77;
  UserFunctions functions;
  functions.read = program_reads;
  functions.write = program_writes;
  functions.extent = program_extent;
  functions.extra_state = &program;
  ASSERT_TRUE(all.add("wrong", functions));
  std::array<int, 2> memory = {1, 2};
  auto conversion = (*all.find("wrong"))->conversion({memory.data(), 2, &kInt.layout()}, kInt);
  ASSERT_TRUE(conversion);
  Bytes file(14);
  const auto done = (*conversion)->to_file(0, file);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, MPI_ERR_CONVERSION);
  EXPECT_NE(done.error().message.find("write_conversion_fn of datarep \"wrong\" returned 77"),
            std::string::npos)
      << done.error().message;
}

struct WrongExtent {
  MPI_Aint bytes = 0;
  int answer = MPI_SUCCESS;
};
int wrong_extent(MPI_Datatype, MPI_Aint* extent, void* state) {
  const auto& wrong = *static_cast<const WrongExtent*>(state);
  *extent = wrong.bytes;
  return wrong.answer;
}

TEST(UserRepresentation, TellsOfAWrongExtent) {
  DataRepresentations all;
  WrongExtent extent;
  UserFunctions functions;
  functions.read = program_reads;
  functions.extent = wrong_extent;
  functions.extra_state = &extent;
  ASSERT_TRUE(all.add("wrong", functions));
  const DataRepresentation& wrong = **all.find("wrong");
  for (const MPI_Aint bytes : {MPI_Aint{0}, MPI_Aint{-1}, MPI_Aint{kLongestElement + 1}}) {
    extent.bytes = bytes;
    EXPECT_EQ(wrong.type_in_file(kInt).error().code, MPI_ERR_CONVERSION);
    EXPECT_EQ(FileView::make(0, kInt, kInt, true, wrong).error().code, MPI_ERR_CONVERSION);
  }
  extent.bytes = kLongestElement;
  EXPECT_TRUE(wrong.type_in_file(kInt));
  extent.answer = 5;
  EXPECT_NE(wrong.type_in_file(kInt).error().message.find("returned 5"), std::string::npos);
}

int same_extent(MPI_Datatype datatype, MPI_Aint* extent, void*) {
  *extent = datatype_of(datatype)->size();
  return MPI_SUCCESS;
}

// MPI_CONVERSION_FN_NULL: the file has what memory has.
TEST(UserRepresentation, WithoutAFunctionHasTheBytesOfTheMemory) {
  DataRepresentations all;
  Program program;
  UserFunctions functions;
  functions.extent = same_extent;
  ASSERT_TRUE(all.add("neither", functions));
  EXPECT_TRUE((*all.find("neither"))->has_memory_bytes());
  functions.read = program_reads;
  ASSERT_TRUE(all.add("only reads", functions));
  functions.extent = program_extent;
  functions.extra_state = &program;
  ASSERT_TRUE(all.add("other sizes", functions));
  std::array<int, 2> memory = {1, 2};
  const View view{memory.data(), 2, &kInt.layout()};
  Bytes file(14);
  auto same = (*all.find("only reads"))->conversion(view, kInt);
  ASSERT_TRUE(same);
  EXPECT_EQ((*same)->to_file(0, file).value(), 8U);
  EXPECT_EQ(std::memcmp(file.data(), memory.data(), 8), 0);
  auto other = (*all.find("other sizes"))->conversion(view, kInt);
  ASSERT_TRUE(other);
  EXPECT_EQ((*other)->to_file(0, file).error().code, MPI_ERR_CONVERSION);
}

TEST(DataRepresentations, RefusesNames) {
  DataRepresentations all;
  UserFunctions functions;
  EXPECT_EQ(all.add("mine", functions).error().code, MPI_ERR_ARG);
  functions.extent = same_extent;
  EXPECT_TRUE(all.add("mine", functions));
  EXPECT_EQ(all.add("mine", functions).error().code, MPI_ERR_DUP_DATAREP);
  for (const char* name : {"native", "internal", "external32"}) {
    EXPECT_EQ(all.add(name, functions).error().code, MPI_ERR_DUP_DATAREP);
  }
  EXPECT_EQ(all.add("", functions).error().code, MPI_ERR_ARG);
  EXPECT_TRUE(all.add(std::string(MPI_MAX_DATAREP_STRING - 1, 'x'), functions));
  EXPECT_EQ(all.add(std::string(MPI_MAX_DATAREP_STRING, 'x'), functions).error().code, MPI_ERR_ARG);
  const auto none = all.find("nativ");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, MPI_ERR_UNSUPPORTED_DATAREP);
  EXPECT_NE(none.error().message.find("\"mine\""), std::string::npos) << none.error().message;
}

}  // namespace
}  // namespace remit::testing
