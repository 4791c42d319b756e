// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How the elements of datatypes are represented in files (MPI-5.0, section 14.5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "datatype/datatype.hpp"
#include "datatype/ref.hpp"
#include "files/views/type_in_file.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Bytes of a basic element in a file, at most: who converts with as much room gets on.
inline constexpr std::int64_t kLongestElement = std::int64_t{64} << 10;

/// A buffer of a program and the bytes that a file has of its elements: one behind the other, in
/// the order of the type map. They are converted in parts, so that long buffers need little memory.
/// Lives as long as the transfer of the buffer; belongs to one thread at a time. It is made in the
/// thread that holds the MPI process and ends there.
class Conversion {
 public:
  virtual ~Conversion() = default;
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  /// Bytes in the file of all elements.
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// Packed bytes in memory of the elements that lie wholly within the first `file_bytes`: what a
  /// status counts after a read that met the end of the file.
  [[nodiscard]] std::int64_t memory_bytes(std::int64_t file_bytes) const;

  /// Converts elements from byte `from` of the file's bytes on, where one begins: as many as fit
  /// `file`. Returns their bytes: 0 if there is none left, or the next one does not fit, which may
  /// be if `file` is shorter than kLongestElement. MPI_ERR_CONVERSION, after which the contents of
  /// `file` are undefined.
  [[nodiscard]] virtual Expected<std::size_t> to_file(std::int64_t from,
                                                      std::span<std::byte> file) = 0;
  /// The inverse: as many elements as lie wholly in `file`, which users' functions may write to.
  [[nodiscard]] virtual Expected<std::size_t> from_file(std::int64_t from,
                                                        std::span<std::byte> file) = 0;

 protected:
  /// `bytes` are those of all elements of `memory`.
  Conversion(const View& memory, const Datatype& datatype, Ref<const Datatype> in_file,
             std::int64_t bytes);

  [[nodiscard]] const View& memory() const { return memory_; }
  [[nodiscard]] const Datatype& datatype() const { return *datatype_; }
  /// Basic elements that lie wholly within the first bytes.
  [[nodiscard]] std::int64_t elements_within(std::int64_t file_bytes) const;
  /// The inverse.
  [[nodiscard]] std::int64_t bytes_of(std::int64_t elements) const;

 private:
  View memory_;
  Ref<const Datatype> datatype_;
  Ref<const Datatype> in_file_;
  std::int64_t bytes_;
};

/// One way to represent data. Immutable; its functions are for the thread that holds the MPI
/// process.
class DataRepresentation {
 public:
  virtual ~DataRepresentation() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// True if the file has the bytes of the memory: who transfers needs no conversion.
  [[nodiscard]] virtual bool has_memory_bytes() const = 0;
  /// The datatype as it lies in the file: its layout is what views are made of, its extent what
  /// MPI_File_get_type_extent says.
  [[nodiscard]] virtual Expected<Ref<const Datatype>> type_in_file(
      const Datatype& datatype) const = 0;
  /// For the elements of `memory`, which are of `datatype`. MPI_ERR_COUNT if the file's bytes are
  /// more than 63 bits can say. The conversion must not outlive the representation.
  [[nodiscard]] virtual Expected<std::unique_ptr<Conversion>> conversion(
      const View& memory, const Datatype& datatype) const = 0;
};

/// The bytes of the memory. A constant.
[[nodiscard]] const DataRepresentation& native_representation();

/// What MPI_Register_datarep(_c) was given. Of reading and writing each has one form; none of both
/// (MPI_CONVERSION_FN_NULL): the file has the bytes of the memory.
struct UserFunctions {
  MPI_Datarep_conversion_function* read = nullptr;
  MPI_Datarep_conversion_function* write = nullptr;
  MPI_Datarep_conversion_function_c* read_large = nullptr;
  MPI_Datarep_conversion_function_c* write_large = nullptr;
  MPI_Datarep_extent_function* extent = nullptr;
  void* extra_state = nullptr;
};

/// The representations that an MPI process knows by name: "native"; "internal", which has the bytes
/// of the memory, for all processes of a job represent data alike; "external32"; those of the
/// program, which stay until the end (MPI cannot unregister them). The thread that holds the MPI
/// process.
class DataRepresentations {
 public:
  DataRepresentations();
  ~DataRepresentations();

  /// MPI_ERR_UNSUPPORTED_DATAREP if there is none of this name; the words list those there are.
  [[nodiscard]] Expected<const DataRepresentation*> find(std::string_view name) const;
  /// MPI_ERR_DUP_DATAREP if the name is taken, MPI_ERR_ARG if it is too long or empty or there is
  /// no extent function.
  [[nodiscard]] Expected<> add(std::string_view name, const UserFunctions& functions);

 private:
  std::map<std::string, std::unique_ptr<const DataRepresentation>, std::less<>> users_;
};

}  // namespace remit
