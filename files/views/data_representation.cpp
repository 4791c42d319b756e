// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/views/data_representation.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "datatype/external32.hpp"
#include "files/views/user_representation.hpp"

namespace remit {

Conversion::Conversion(const View& memory, const Datatype& datatype, Ref<const Datatype> in_file,
                       std::int64_t bytes)
    : memory_(memory), datatype_(&datatype), in_file_(std::move(in_file)), bytes_(bytes) {}

std::int64_t Conversion::elements_within(std::int64_t file_bytes) const {
  const std::int64_t size = in_file_->size();
  if (size == 0) return 0;
  const std::int64_t of_one = in_file_->signature().elements;
  const std::int64_t within = std::clamp<std::int64_t>(file_bytes, 0, bytes_);
  const std::int64_t rest = within % size;
  std::int64_t low = 0;
  std::int64_t high = of_one - 1;  // rest is less than all of them
  while (low < high) {
    const std::int64_t middle = high - (high - low) / 2;
    if (bytes_of_elements(middle, *in_file_) <= rest) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return within / size * of_one + low;
}

std::int64_t Conversion::bytes_of(std::int64_t elements) const {
  return bytes_of_elements(elements, *in_file_);
}

std::int64_t Conversion::memory_bytes(std::int64_t file_bytes) const {
  return bytes_of_elements(elements_within(file_bytes), *datatype_);
}

namespace {

/// "native" and "internal".
class MemoryConversion final : public Conversion {
 public:
  MemoryConversion(const View& memory, const Datatype& datatype)
      : Conversion(memory, datatype, Ref<const Datatype>(&datatype),
                   static_cast<std::int64_t>(memory.size())) {}

  Expected<std::size_t> to_file(std::int64_t from, std::span<std::byte> file) override {
    return memory().pack(static_cast<std::size_t>(from), file);
  }
  Expected<std::size_t> from_file(std::int64_t from, std::span<std::byte> file) override {
    return memory().unpack(static_cast<std::size_t>(from), file);
  }
};

class MemoryRepresentation final : public DataRepresentation {
 public:
  explicit MemoryRepresentation(std::string_view name) : name_(name) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] bool has_memory_bytes() const override { return true; }
  [[nodiscard]] Expected<Ref<const Datatype>> type_in_file(
      const Datatype& datatype) const override {
    return Ref<const Datatype>(&datatype);
  }
  [[nodiscard]] Expected<std::unique_ptr<Conversion>> conversion(
      const View& memory, const Datatype& datatype) const override {
    return std::make_unique<MemoryConversion>(memory, datatype);
  }

 private:
  std::string_view name_;
};

Expected<std::int64_t> size_in_external32(const Datatype& type) {
  return External32(type).size();
}

class External32Conversion final : public Conversion {
 public:
  External32Conversion(const View& memory, const Datatype& datatype, Ref<const Datatype> in_file,
                       std::int64_t bytes)
      : Conversion(memory, datatype, std::move(in_file), bytes), elements_(datatype) {}

  Expected<std::size_t> to_file(std::int64_t from, std::span<std::byte> file) override {
    return elements_.pack(memory(), from, file);
  }
  Expected<std::size_t> from_file(std::int64_t from, std::span<std::byte> file) override {
    return elements_.unpack(memory(), from, file);
  }

 private:
  External32 elements_;
};

class External32Representation final : public DataRepresentation {
 public:
  [[nodiscard]] std::string_view name() const override { return "external32"; }
  [[nodiscard]] bool has_memory_bytes() const override { return false; }
  [[nodiscard]] Expected<Ref<const Datatype>> type_in_file(
      const Datatype& datatype) const override {
    return make_type_in_file(datatype, size_in_external32).map([](const TypeInFile& made) {
      return made.type;
    });
  }
  [[nodiscard]] Expected<std::unique_ptr<Conversion>> conversion(
      const View& memory, const Datatype& datatype) const override {
    const auto bytes = external32_size(memory.count, datatype);
    if (!bytes) return tl::unexpected(bytes.error());
    auto in_file = type_in_file(datatype);
    if (!in_file) return tl::unexpected(in_file.error());
    return std::make_unique<External32Conversion>(memory, datatype, std::move(*in_file), *bytes);
  }
};

/// No exit handler destroys them: programs use MPI in theirs.
std::span<const DataRepresentation* const> known_representations() {
  static const std::array<const DataRepresentation*, 3> all = {new MemoryRepresentation("native"),
                                                               new MemoryRepresentation("internal"),
                                                               new External32Representation};
  return all;
}

const DataRepresentation* known_representation(std::string_view name) {
  for (const DataRepresentation* known : known_representations()) {
    if (known->name() == name) return known;
  }
  return nullptr;
}

}  // namespace

const DataRepresentation& native_representation() {
  return *known_representations().front();
}

DataRepresentations::DataRepresentations() = default;
DataRepresentations::~DataRepresentations() = default;

Expected<const DataRepresentation*> DataRepresentations::find(std::string_view name) const {
  if (const DataRepresentation* known = known_representation(name); known != nullptr) return known;
  const auto user = users_.find(name);
  if (user != users_.end()) return user->second.get();
  std::string names = "\"native\", \"internal\", \"external32\"";
  for (const auto& [other, representation] : users_) names += fmt::format(", \"{}\"", other);
  return fail(MPI_ERR_UNSUPPORTED_DATAREP,
              "datarep is \"{}\", must be one of {}, or be registered before with "
              "MPI_Register_datarep",
              name, names);
}

Expected<> DataRepresentations::add(std::string_view name, const UserFunctions& functions) {
  if (name.empty()) return fail(MPI_ERR_ARG, "datarep is an empty name");
  if (name.size() >= MPI_MAX_DATAREP_STRING) {
    return fail(MPI_ERR_ARG,
                "datarep is a name of {} bytes, must be shorter than {} (MPI_MAX_DATAREP_STRING)",
                name.size(), MPI_MAX_DATAREP_STRING);
  }
  if (functions.extent == nullptr) {
    return fail(MPI_ERR_ARG,
                "dtype_file_extent_fn is null: without it nobody knows where data lie in the file");
  }
  if (known_representation(name) != nullptr) {
    return fail(MPI_ERR_DUP_DATAREP, "datarep \"{}\" is one of MPI's own: choose another name",
                name);
  }
  if (users_.contains(name)) {
    return fail(MPI_ERR_DUP_DATAREP, "datarep \"{}\" is registered already", name);
  }
  users_.emplace(name, make_user_representation(std::string(name), functions));
  return {};
}

}  // namespace remit
