// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/views/user_representation.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace remit {
namespace {

/// A function of one way, in the form in which it was given.
struct WayFunction {
  MPI_Datarep_conversion_function* function = nullptr;
  MPI_Datarep_conversion_function_c* large = nullptr;
  std::string_view argument;  ///< of MPI_Register_datarep

  [[nodiscard]] bool is_null() const { return function == nullptr && large == nullptr; }
  /// Elements that one call can take.
  [[nodiscard]] std::int64_t most() const {
    return large != nullptr ? std::numeric_limits<std::int64_t>::max()
                            : std::numeric_limits<int>::max();
  }
  int operator()(void* user, MPI_Datatype datatype, std::int64_t count, void* file,
                 std::int64_t position, void* extra_state) const {
    if (large != nullptr) return large(user, datatype, count, file, position, extra_state);
    return function(user, datatype, static_cast<int>(count), file, position, extra_state);
  }
};

/// Of a program's functions, what conversions need.
struct UserWays {
  std::string name;
  WayFunction read;
  WayFunction write;
  void* extra_state = nullptr;
};

class UserConversion final : public Conversion {
 public:
  UserConversion(const View& memory, const Datatype& datatype, TypeInFile in_file,
                 std::int64_t bytes, const UserWays& ways)
      : Conversion(memory, datatype, std::move(in_file.type), bytes),
        has_memory_sizes_(in_file.has_memory_sizes),
        ways_(ways) {}

  Expected<std::size_t> to_file(std::int64_t from, std::span<std::byte> file) override {
    if (!ways_.write.is_null()) return call(ways_.write, from, file);
    if (auto ok = check_sizes(ways_.write); !ok) return tl::unexpected(ok.error());
    return memory().pack(static_cast<std::size_t>(from), file);
  }
  Expected<std::size_t> from_file(std::int64_t from, std::span<std::byte> file) override {
    if (!ways_.read.is_null()) return call(ways_.read, from, file);
    if (auto ok = check_sizes(ways_.read); !ok) return tl::unexpected(ok.error());
    return memory().unpack(static_cast<std::size_t>(from), file);
  }

 private:
  Expected<std::size_t> call(const WayFunction& way, std::int64_t from,
                             std::span<std::byte> file) const {
    const std::int64_t position = elements_within(from);
    const std::int64_t room = bytes() - from;
    const auto within = std::min(room, static_cast<std::int64_t>(file.size()));
    const std::int64_t count = std::min(elements_within(from + within) - position, way.most());
    if (count <= 0) return 0;
    const int code =
        way(memory().base, datatype().handle(), count, file.data(), position, ways_.extra_state);
    if (code == MPI_SUCCESS) return static_cast<std::size_t>(bytes_of(position + count) - from);
    return fail(MPI_ERR_CONVERSION,
                "{} of datarep \"{}\" returned {} for {} elements from position {} on",
                way.argument, ways_.name, code, count, position);
  }

  [[nodiscard]] Expected<> check_sizes(const WayFunction& way) const {
    if (has_memory_sizes_) return {};
    return fail(MPI_ERR_CONVERSION,
                "datarep \"{}\" has no {}, but its dtype_file_extent_fn tells sizes that are not "
                "those of the memory: register both functions",
                ways_.name, way.argument);
  }

  bool has_memory_sizes_;
  const UserWays& ways_;  ///< of the representation, which stays
};

class UserRepresentation final : public DataRepresentation {
 public:
  UserRepresentation(std::string name, const UserFunctions& functions)
      : ways_{std::move(name),
              {functions.read, functions.read_large, "read_conversion_fn"},
              {functions.write, functions.write_large, "write_conversion_fn"},
              functions.extra_state},
        extent_(functions.extent) {}

  [[nodiscard]] std::string_view name() const override { return ways_.name; }
  [[nodiscard]] bool has_memory_bytes() const override {
    return ways_.read.is_null() && ways_.write.is_null();
  }
  [[nodiscard]] Expected<Ref<const Datatype>> type_in_file(
      const Datatype& datatype) const override {
    if (has_memory_bytes()) return Ref<const Datatype>(&datatype);
    return make(datatype).map([](const TypeInFile& made) { return made.type; });
  }
  [[nodiscard]] Expected<std::unique_ptr<Conversion>> conversion(
      const View& memory, const Datatype& datatype) const override {
    if (has_memory_bytes()) return native_representation().conversion(memory, datatype);
    auto in_file = make(datatype);
    if (!in_file) return tl::unexpected(in_file.error());
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(memory.count, in_file->type->size(), &bytes)) {
      return fail(MPI_ERR_COUNT, "{} elements are more than 2^63 bytes in datarep \"{}\"",
                  memory.count, name());
    }
    return std::make_unique<UserConversion>(memory, datatype, std::move(*in_file), bytes, ways_);
  }

 private:
  [[nodiscard]] Expected<TypeInFile> make(const Datatype& datatype) const {
    return make_type_in_file(datatype, [this](const Datatype& type) { return size_of(type); });
  }

  [[nodiscard]] Expected<std::int64_t> size_of(const Datatype& type) const {
    MPI_Aint bytes = 0;
    const int code = extent_(type.handle(), &bytes, ways_.extra_state);
    if (code != MPI_SUCCESS) {
      return fail(MPI_ERR_CONVERSION, "dtype_file_extent_fn of datarep \"{}\" returned {} for {}",
                  name(), code, type.name());
    }
    if (bytes > 0 && bytes <= kLongestElement) return bytes;
    return fail(
        MPI_ERR_CONVERSION,
        "dtype_file_extent_fn of datarep \"{}\" says that {} has {} bytes in the file, must "
        "be from 1 to {}",
        name(), type.name(), bytes, kLongestElement);
  }

  UserWays ways_;
  MPI_Datarep_extent_function* extent_;
};

}  // namespace

std::unique_ptr<const DataRepresentation> make_user_representation(std::string name,
                                                                   const UserFunctions& functions) {
  return std::make_unique<UserRepresentation>(std::move(name), functions);
}

}  // namespace remit
