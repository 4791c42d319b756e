// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/section_types.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings/fortran/type_map.hpp"

namespace remit::fortran {

namespace {

/// Makes types out of others, and keeps the first error.
class TypeMaker {
 public:
  ~TypeMaker() {
    for (MPI_Datatype& type : made_) PMPI_Type_free(&type);
  }

  MPI_Datatype vector(MPI_Count count, MPI_Count length, MPI_Aint stride, MPI_Datatype of) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    return note(PMPI_Type_create_hvector_c(count, length, stride, of, &type), type);
  }
  MPI_Datatype structure(const std::vector<MPI_Count>& lengths,
                         const std::vector<MPI_Count>& displacements,
                         const std::vector<MPI_Datatype>& types) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    return note(PMPI_Type_create_struct_c(static_cast<MPI_Count>(types.size()), lengths.data(),
                                          displacements.data(), types.data(), &type),
                type);
  }
  MPI_Datatype resized(MPI_Datatype of, MPI_Count extent) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    return note(PMPI_Type_create_resized_c(of, 0, extent, &type), type);
  }
  /// Commits the type and leaves it to the caller, or fills in `problem`.
  MPI_Datatype finish(MPI_Datatype type, Problem& problem) {
    std::erase(made_, type);
    if (error_ == MPI_SUCCESS) error_ = PMPI_Type_commit(&type);
    if (error_ != MPI_SUCCESS) {
      PMPI_Error_class(error_, &problem.error_class);
      problem.words = "the datatype for this array section could not be made";
      return MPI_DATATYPE_NULL;
    }
    return type;
  }

 private:
  /// By reference, for the call that makes the type is another argument.
  MPI_Datatype note(int error, const MPI_Datatype& type) {
    if (error != MPI_SUCCESS) {
      if (error_ == MPI_SUCCESS) error_ = error;
      return MPI_BYTE;  // whatever is made of it will not be used
    }
    made_.push_back(type);
    return type;
  }

  std::vector<MPI_Datatype> made_;
  int error_ = MPI_SUCCESS;
};

/// The first `items` in what the lowest `levels` repeat: whole repetitions of the last of these,
/// then a part of the next one, down to elements that do not fill a run.
MPI_Datatype first_items(TypeMaker& maker, const Section& section,
                         const SectionTypeRequest& request, int levels, MPI_Count items) {
  if (levels == 0) return maker.vector(1, items, 0, request.base);
  MPI_Count repeated = request.items_per_run;
  for (int i = 0; i + 1 < levels; ++i) repeated *= section.level(i).count;
  const MPI_Aint stride = section.level(levels - 1).stride;
  const MPI_Count repetitions = items / repeated;
  const MPI_Count rest = items % repeated;
  const auto below = [&](MPI_Count count) {
    return first_items(maker, section, request, levels - 1, count);
  };
  if (repetitions == 0) return below(rest);
  const MPI_Datatype whole = levels == 1 ? maker.vector(repetitions, repeated, stride, request.base)
                                         : maker.vector(repetitions, 1, stride, below(repeated));
  if (rest == 0) return whole;
  return maker.structure({1, 1}, {0, repetitions * stride}, {whole, below(rest)});
}

MPI_Datatype make_type(const Section& section, const SectionTypeRequest& request,
                       Problem& problem) {
  TypeMaker maker;
  MPI_Datatype type = first_items(maker, section, request, section.levels(), request.items);
  if (request.extent != 0) type = maker.resized(type, request.extent);
  return maker.finish(type, problem);
}

/// What says that two datatypes of the cache are the same: request and levels.
using Key = std::array<std::int64_t, 10>;
constexpr int kCachedLevels = 3;

Key key_of(const Section& section, const SectionTypeRequest& request) {
  Key key = {static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(request.base)),
             request.items, request.items_per_run, request.extent};
  for (int i = 0; i < section.levels(); ++i) {
    key[4 + 2 * static_cast<std::size_t>(i)] = section.level(i).count;
    key[5 + 2 * static_cast<std::size_t>(i)] = section.level(i).stride;
  }
  return key;
}

/// The datatypes of recurring sections. Who finds it in use by another thread goes without it:
/// nobody waits.
class TypeCache {
 public:
  /// The datatype of `key`, pinned; null: it is not here.
  BufferState* find(const Key& key) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return nullptr;
    for (Entry& entry : set_of(key)) {
      if (entry.key == key && entry.state.type != MPI_DATATYPE_NULL) return pinned(entry);
    }
    return nullptr;
  }
  /// Takes a datatype that was made for `key`, and returns it pinned. Null: there is no place for
  /// it, for all are in use (a callback may call MPI), or none before MPI_Init, after MPI_Finalize
  /// has begun, and with sessions alone. `made` is what has to be freed then, or instead.
  BufferState* put(const Key& key, MPI_Datatype& made) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || closed_ || !is_running()) return nullptr;
    const auto set = set_of(key);
    for (int i = 0; i < kWays; ++i) {
      Entry& entry = set[next_++ % kWays];
      if (entry.state.pins > 0) continue;
      entry.key = key;
      entry.state.cached = true;
      made = std::exchange(entry.state.type, made);
      return pinned(entry);
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t kSets = 128;
  static constexpr int kWays = 4;
  struct Entry {
    Key key{};
    BufferState state;
  };

  std::span<Entry, kWays> set_of(const Key& key) {
    std::uint64_t hash = 0;
    for (const std::int64_t word : key) {
      hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15U;
    }
    return sets_[(hash >> 40) % kSets];
  }
  static BufferState* pinned(Entry& entry) {
    ++entry.state.pins;
    return &entry.state;
  }
  bool is_running() {
    if (watches_end_) return true;
    int yes = 0;
    int over = 0;
    if (PMPI_Initialized(&yes) != MPI_SUCCESS || PMPI_Finalized(&over) != MPI_SUCCESS) return false;
    if (yes == 0 || over != 0) return false;
    int keyval = MPI_KEYVAL_INVALID;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close, &keyval, this) != MPI_SUCCESS) {
      return false;
    }
    watches_end_ = PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, this) == MPI_SUCCESS;
    PMPI_Comm_free_keyval(&keyval);
    return watches_end_;
  }
  /// MPI_Finalize deletes the attributes of MPI_COMM_SELF first (MPI-5.0, section 11.2.4).
  static int close(MPI_Comm /*self*/, int /*keyval*/, void* /*value*/, void* cache) {
    auto& self = *static_cast<TypeCache*>(cache);
    const std::lock_guard lock(self.mutex_);
    self.closed_ = true;
    for (auto& set : self.sets_) {
      for (Entry& entry : set) {
        if (entry.state.type != MPI_DATATYPE_NULL) PMPI_Type_free(&entry.state.type);
      }
    }
    return MPI_SUCCESS;
  }

  std::mutex mutex_;
  bool closed_ = false;
  bool watches_end_ = false;
  unsigned next_ = 0;
  std::array<std::array<Entry, kWays>, kSets> sets_;
};

TypeCache& cache() {
  static auto* const all = new TypeCache;  // threads may outlive static objects
  return *all;
}

}  // namespace

BufferState* section_type(const Section& section, const SectionTypeRequest& request,
                          Problem& problem) {
  const bool recurs = is_predefined(request.base) && section.levels() <= kCachedLevels;
  const Key key = recurs ? key_of(section, request) : Key{};
  BufferState* state = recurs ? cache().find(key) : nullptr;
  if (state != nullptr) return state;
  MPI_Datatype type = make_type(section, request, problem);
  if (type == MPI_DATATYPE_NULL) return nullptr;
  if (recurs) state = cache().put(key, type);
  if (state == nullptr) {
    state = new BufferState;
    state->type = type;
  } else if (type != MPI_DATATYPE_NULL) {  // whose place it took
    PMPI_Type_free(&type);
  }
  return state;
}

MPI_Datatype mapped_type(const Section& section, MPI_Datatype type, MPI_Count count,
                         Problem& problem) {
  constexpr std::size_t kMostBlocks = 1 << 20;
  const auto map = type_map_of(type);
  const char* why = map ? nullptr : "MPI_Type_create_darray made it, or it has too many parts";
  std::vector<MPI_Count> lengths;
  std::vector<MPI_Count> displacements;
  std::vector<MPI_Datatype> types;
  const MPI_Count extent = TypeRoom(type).extent;
  for (MPI_Count i = 0; why == nullptr && i < count; ++i) {
    for (const TypePart& part : *map) {
      MPI_Count left = part.length;
      while (left > 0 && why == nullptr) {
        const MPI_Count at = i * extent + part.offset + (part.length - left) * part.size;
        const MPI_Count fits = (section.run() - at % section.run()) / part.size;
        const MPI_Count length = std::min(left, fits);
        if (length == 0) why = "one of its basic elements would lie across a gap of the section";
        if (lengths.size() == kMostBlocks) why = "it would have too many parts";
        lengths.push_back(length);
        displacements.push_back(section.offset_of(at));
        types.push_back(part.type);
        left -= length;
      }
    }
  }
  if (why != nullptr) {
    problem = {MPI_ERR_TYPE,
               "the array section is not contiguous, and this datatype cannot be laid "
               "over it: " +
                   std::string(why) + ". Copy the section to an array of its own, and pass that"};
    return MPI_DATATYPE_NULL;
  }
  TypeMaker maker;
  return maker.finish(maker.structure(lengths, displacements, types), problem);
}

}  // namespace remit::fortran
