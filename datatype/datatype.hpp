// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Datatypes: predefined constants, constructors, envelopes, bounds. Knows no messages or processes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datatype/handle_number.hpp"
#include "datatype/layout.hpp"
#include "datatype/ref.hpp"
#include "mpi.h"
#include "runtime/error.hpp"

namespace remit {

class Datatype;

/// What a basic element is to arithmetic and to data conversion. MPI types of one representation
/// share a kind (MPI_INT, MPI_INT32_T and MPI_INTEGER are i32).
enum class BasicKind : std::uint8_t {
  none,  ///< not one basic element: a derived type
  i8,
  i16,
  i32,
  i64,
  i128,
  u8,
  u16,
  u32,
  u64,
  f16,
  f32,
  f64,
  flong,  ///< long double
  f128,
  c16,  ///< complex of two f16, and so on
  c32,
  c64,
  clong,
  c128,
  l8,  ///< logical of 8 bits, and so on
  l16,
  l32,
  l64,
  l128,
  byte,
  character,  ///< char, CHARACTER: no arithmetic
  wide,       ///< wchar_t: no arithmetic
  packed,
  pair,  ///< value and index, see Datatype::pair()
  count  ///< how many there are
};

/// Bytes of one element of a kind; 0 for none, pair and kinds that this platform has not.
[[nodiscard]] constexpr std::int64_t basic_size(BasicKind kind) {
  using enum BasicKind;
  switch (kind) {
    case i8:
    case u8:
    case l8:
    case byte:
    case character:
    case packed:
      return 1;
    case i16:
    case u16:
    case f16:
    case l16:
      return 2;
    case i32:
    case u32:
    case f32:
    case c16:
    case l32:
      return 4;
    case i64:
    case u64:
    case f64:
    case c32:
    case l64:
      return 8;
    case i128:
    case f128:
    case c64:
    case l128:
      return 16;
    case c128:
      return 32;
    case flong:
      return sizeof(long double);
    case clong:
      return 2 * sizeof(long double);
    case wide:
      return sizeof(wchar_t);
    case none:
    case pair:
    case count:
      break;
  }
  return 0;
}

/// The rows of MPI-5.0 section 6.9.2: which operations a predefined type takes part in.
enum class TypeGroup : std::uint8_t {
  none,
  c_integer,
  fortran_integer,
  floating,
  logical,
  complex,
  byte,
  multi_language,
  pair,
};

/// Value-index pair: for MINLOC and MAXLOC. The value lies at 0.
struct PairShape {
  BasicKind value = BasicKind::none;
  BasicKind index = BasicKind::none;
  std::int64_t index_displacement = 0;  ///< bytes
};

/// Which binding made a type: decides where MPI_Type_get_contents(_c) shows its numbers.
enum class CountForm : std::uint8_t { standard, large };

/// What MPI_Type_get_envelope and MPI_Type_get_contents tell, in the standard's order
/// (MPI-5.0 section 5.1.13). `standard` form: counts in `integers`, displacements of the h-forms
/// in `addresses`. `large` form: counts and displacements in `large_counts`.
struct Contents {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> large_counts;
  std::vector<Ref<const Datatype>> datatypes;

  /// Of a type that is predefined without a constant of its own: what MPI_Type_create_f90_X and
  /// MPI_Type_get_value_index return. The process owns them; users do not free them.
  [[nodiscard]] bool of_unnamed_predefined() const {
    switch (combiner) {
      case MPI_COMBINER_F90_REAL:
      case MPI_COMBINER_F90_COMPLEX:
      case MPI_COMBINER_F90_INTEGER:
      case MPI_COMBINER_VALUE_INDEX:
        return true;
      default:
        return false;
    }
  }
};

/// Bounds of a type map (MPI-5.0 section 5.1.6): of its entries, and of explicit markers. In bytes.
struct Bounds {
  bool has_entries = false;
  std::int64_t true_lb = 0;
  std::int64_t true_ub = 0;
  std::optional<std::int64_t> lb_marker;
  std::optional<std::int64_t> ub_marker;
  std::int64_t alignment = 1;  ///< the strictest of an entry: what the extent was padded to

  /// The lower bound; the upper one lies the type's extent above it.
  [[nodiscard]] std::int64_t lb() const { return lb_marker.value_or(true_lb); }
};

/// Which basic elements a type consists of, in the order of its type map, wherever they lie: what
/// must agree between both ends of a message, and what arithmetic looks at.
struct TypeSignature {
  BasicKind kind = BasicKind::none;  ///< none for derived types, except duplicates of basic ones
  TypeGroup group = TypeGroup::none;
  PairShape pair;                 ///< meaningful where `kind` is BasicKind::pair
  MPI_Count elements = 0;         ///< basic ones in one element of the type; a pair counts as two
  std::int64_t uniform_size = 0;  ///< bytes of each basic element, or 0 if mixed
  /// For each i `copies[i]` times the i-th type of the contents; empty for predefined types.
  std::vector<MPI_Count> copies;
  /// The predefined type, with or without a constant, that all elements are of; the type itself if
  /// it is one. Null: there are several. Of a type without elements what they would be, if it says.
  const Datatype* element = nullptr;
};

/// A datatype. Everything but name and committed flag is fixed at construction, so that those who
/// hold a reference may read without a lock. References are counted without atomics: retain() and
/// release() belong to the thread that holds the MPI process. Predefined types are constants,
/// always committed, and never counted.
class Datatype {
 public:
  /// Everything that a constructor finds out.
  struct Parts {
    Layout layout;
    Bounds bounds;
    TypeSignature signature;
    Contents contents;
  };
  /// One row of the table of predefined types; for predefined.cpp.
  struct Named {
    std::uintptr_t handle = 0;
    std::string_view name;
    std::int64_t size = 0;
    std::int64_t extent = 0;
    std::int64_t true_extent = 0;
    std::int64_t alignment = 1;
    BasicKind kind = BasicKind::none;
    TypeGroup group = TypeGroup::none;
    PairShape pair;
    const LayoutNode* node = nullptr;  ///< null: one block
    bool is_block = true;
  };

  explicit Datatype(Parts parts);
  constexpr explicit Datatype(const Named& named)
      : layout_(named.node, named.is_block, named.size, named.extent),
        bounds_{named.size > 0, 0, named.true_extent, std::nullopt, std::nullopt, named.alignment},
        available_(named.size > 0),
        committed_(true),
        signature_{named.kind,
                   named.group,
                   named.pair,
                   named.kind == BasicKind::pair ? 2 : 1,
                   named.kind != BasicKind::pair ? named.size
                   : basic_size(named.pair.value) == basic_size(named.pair.index)
                       ? basic_size(named.pair.value)
                       : 0,
                   {},
                   this},
        handle_(named.handle),
        predefined_name_(named.name) {}
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  ~Datatype() { *const_cast<volatile std::uint32_t*>(&alive_) = 0; }

  /// False for memory that is no type, a freed one mostly: a cheap guess for argument checks.
  [[nodiscard]] bool is_alive() const { return alive_ == kAlive; }

  /// May be used for communication.
  [[nodiscard]] bool is_usable() const { return is_alive() && available_ && committed_; }

  void retain() const {
    if (!is_predefined()) ++references_;
  }
  void release() const;

  [[nodiscard]] const Layout& layout() const { return layout_; }
  /// Bytes of data; MPI_UNDEFINED for a predefined type that this platform has not.
  [[nodiscard]] MPI_Count size() const {
    return available_ ? layout_.size() : MPI_Count{MPI_UNDEFINED};
  }
  [[nodiscard]] MPI_Count lb() const { return bounds_.lb(); }
  [[nodiscard]] MPI_Count extent() const { return layout_.extent(); }
  [[nodiscard]] MPI_Count true_lb() const { return bounds_.true_lb; }
  [[nodiscard]] MPI_Count true_extent() const { return bounds_.true_ub - bounds_.true_lb; }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }
  /// False for DATATYPE_NULL and predefined types that this platform has not: MPI_ERR_TYPE to use.
  [[nodiscard]] bool is_available() const { return available_; }

  [[nodiscard]] bool is_predefined() const { return handle_ != 0; }
  [[nodiscard]] bool is_committed() const { return committed_; }
  /// Idempotent. The layout is normalized already when the type is made.
  void commit() { committed_ = true; }

  [[nodiscard]] const TypeSignature& signature() const { return signature_; }
  [[nodiscard]] const Contents& contents() const { return contents_; }

  /// A predefined type's is its MPI name; who renames one (MPI allows it) keeps that in the
  /// process, for the constants belong to nobody.
  [[nodiscard]] std::string_view name() const {
    return name_ ? std::string_view(*name_) : predefined_name_;
  }
  /// Derived types only.
  void set_name(std::string name) { name_ = std::move(name); }

  /// The C handle: the ABI's constant, or the object's address.
  [[nodiscard]] MPI_Datatype handle() const {
    return reinterpret_cast<MPI_Datatype>(is_predefined() ? handle_
                                                          : reinterpret_cast<std::uintptr_t>(this));
  }
  /// For languages without pointers.
  [[nodiscard]] const HandleNumber& number() const { return number_; }

 private:
  static constexpr std::uint32_t kAlive = 0x65707974;

  std::uint32_t alive_ = kAlive;
  Layout layout_;
  Bounds bounds_;
  bool available_ = true;
  bool committed_ = false;
  TypeSignature signature_;
  Contents contents_;
  std::uintptr_t handle_ = 0;
  std::string_view predefined_name_;
  std::optional<std::string> name_;
  mutable std::uint32_t references_ = 1;
  HandleNumber number_;
};

/// Handles of predefined datatypes lie in [kFirstDatatype, kFirstDatatype + kDatatypeSlots).
inline constexpr std::uintptr_t kFirstDatatype = 0x200;
inline constexpr std::size_t kDatatypeSlots = 256;

/// Handle minus kFirstDatatype to type; null where the ABI defines none. MPI_DATATYPE_NULL has an
/// entry that is not available.
extern const std::array<const Datatype*, kDatatypeSlots> kPredefinedDatatypes;

/// The predefined type of an ABI handle value, or null.
[[nodiscard]] inline const Datatype* predefined(std::uintptr_t handle) {
  const std::uintptr_t slot = handle - kFirstDatatype;
  return slot < kDatatypeSlots ? kPredefinedDatatypes[slot] : nullptr;
}

/// The same by MPI name; the handle must be one of the ABI's datatype constants.
[[nodiscard]] inline const Datatype& predefined(MPI_Datatype handle) {
  return *kPredefinedDatatypes[reinterpret_cast<std::uintptr_t>(handle) - kFirstDatatype];
}

/// Plain bytes, such as the packed ones of elements. Who is to read them only does not write to
/// them.
[[nodiscard]] inline View bytes_view(const void* memory, std::size_t bytes) {
  return {const_cast<void*>(memory), static_cast<MPI_Count>(bytes), &predefined(MPI_BYTE).layout()};
}

/// The object behind a C handle: a predefined type or null for reserved values (below 4096), else
/// the handle's object, unchecked.
[[nodiscard]] inline const Datatype* datatype_of(MPI_Datatype handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value < 4096 ? predefined(value) : reinterpret_cast<const Datatype*>(handle);
}

/// Constructors (MPI-5.0 section 5.1.2 and on). Counts and displacements as in the standard's C
/// binding; every argument is checked. Errors: MPI_ERR_COUNT, MPI_ERR_ARG, MPI_ERR_TYPE (not
/// available). Old types are held by reference. The result is not committed.
[[nodiscard]] Expected<Ref<Datatype>> make_contiguous(MPI_Count count, const Datatype& old,
                                                      CountForm form = CountForm::standard);
/// `stride` in extents of `old`.
[[nodiscard]] Expected<Ref<Datatype>> make_vector(MPI_Count count, MPI_Count blocklength,
                                                  MPI_Count stride, const Datatype& old,
                                                  CountForm form = CountForm::standard);
/// `stride` in bytes.
[[nodiscard]] Expected<Ref<Datatype>> make_hvector(MPI_Count count, MPI_Count blocklength,
                                                   MPI_Count stride, const Datatype& old,
                                                   CountForm form = CountForm::standard);
/// Displacements in extents of `old`; spans of equal length.
[[nodiscard]] Expected<Ref<Datatype>> make_indexed(std::span<const MPI_Count> blocklengths,
                                                   std::span<const MPI_Count> displacements,
                                                   const Datatype& old,
                                                   CountForm form = CountForm::standard);
/// Displacements in bytes.
[[nodiscard]] Expected<Ref<Datatype>> make_hindexed(std::span<const MPI_Count> blocklengths,
                                                    std::span<const MPI_Count> displacements,
                                                    const Datatype& old,
                                                    CountForm form = CountForm::standard);
[[nodiscard]] Expected<Ref<Datatype>> make_indexed_block(MPI_Count blocklength,
                                                         std::span<const MPI_Count> displacements,
                                                         const Datatype& old,
                                                         CountForm form = CountForm::standard);
[[nodiscard]] Expected<Ref<Datatype>> make_hindexed_block(MPI_Count blocklength,
                                                          std::span<const MPI_Count> displacements,
                                                          const Datatype& old,
                                                          CountForm form = CountForm::standard);
/// Displacements in bytes; three spans of equal length.
[[nodiscard]] Expected<Ref<Datatype>> make_struct(std::span<const MPI_Count> blocklengths,
                                                  std::span<const MPI_Count> displacements,
                                                  std::span<const Datatype* const> types,
                                                  CountForm form = CountForm::standard);
[[nodiscard]] Expected<Ref<Datatype>> make_resized(const Datatype& old, MPI_Count lb,
                                                   MPI_Count extent,
                                                   CountForm form = CountForm::standard);
/// Copies everything but name and attributes; committed if `old` is.
[[nodiscard]] Expected<Ref<Datatype>> make_dup(const Datatype& old);
/// `order`: MPI_ORDER_C or MPI_ORDER_FORTRAN; three spans of one length, at least 1.
[[nodiscard]] Expected<Ref<Datatype>> make_subarray(std::span<const MPI_Count> sizes,
                                                    std::span<const MPI_Count> subsizes,
                                                    std::span<const MPI_Count> starts, int order,
                                                    const Datatype& old,
                                                    CountForm form = CountForm::standard);

/// Arguments of MPI_Type_create_darray; four spans of one length, at least 1.
struct DarrayShape {
  int size = 0;
  int rank = 0;
  std::span<const MPI_Count> gsizes;
  std::span<const int> distribs;
  std::span<const int> dargs;
  std::span<const int> psizes;
  int order = MPI_ORDER_C;
};
/// The share of process `rank` in an array distributed over a grid of processes.
[[nodiscard]] Expected<Ref<Datatype>> make_darray(const DarrayShape& shape, const Datatype& old,
                                                  CountForm form = CountForm::standard);
/// Another object with everything but name and attributes of `old`, its envelope too: what
/// MPI_Type_get_contents hands out for a derived type.
[[nodiscard]] Ref<Datatype> make_twin(const Datatype& old);

/// What MPI_Get_count says of `bytes` received bytes: whole elements, or MPI_UNDEFINED if there is
/// a rest. A type of size 0: 0 if no byte came, else MPI_UNDEFINED.
[[nodiscard]] MPI_Count get_count(MPI_Count bytes, const Datatype& datatype);

/// What MPI_Get_elements says: basic elements in `bytes` received bytes, or MPI_UNDEFINED if they
/// end inside one.
[[nodiscard]] MPI_Count get_elements(MPI_Count bytes, const Datatype& datatype);

/// The inverse of get_elements(): the bytes of the first `elements` basic elements. MPI_UNDEFINED
/// if they are more than 63 bits can say, or the type has none.
[[nodiscard]] MPI_Count bytes_of_elements(MPI_Count elements, const Datatype& datatype);

}  // namespace remit
