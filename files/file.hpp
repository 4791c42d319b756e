// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// An open file: what its members do to it as a whole, and their pointers (MPI-5.0, chapter 14).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "files/agreement.hpp"
#include "files/file_core.hpp"
#include "files/refused_access.hpp"
#include "files/shared_pointer.hpp"
#include "files/split_access.hpp"

namespace remit {

/// What MPI_File_set_view asks for.
struct ViewWish {
  std::int64_t displacement = 0;  ///< bytes, or MPI_DISPLACEMENT_CURRENT
  const Datatype* etype = nullptr;
  const Datatype* filetype = nullptr;
  std::string representation = "native";
  HintList hints;
  Outcome refused;  ///< what is wrong with arguments that are not here, for all members to fail
};

/// What MPI_File_set_size and MPI_File_preallocate ask for.
struct SizeWish {
  std::int64_t bytes = 0;
  Outcome refused;  ///< see ViewWish
};

/// One process's part of one collective open. What it does for the program is here, but for the
/// data calls (data_access.hpp, file_operation.hpp). The caller has checked handles. All calls by
/// the thread that holds the process; those that take a CommCall are made by all members, and wait
/// for all of them, but where it is said that one may call alone. No MPI lock is held while the
/// kernel works.
class File {
 public:
  /// For opening.hpp. The context of `comm` is the file's own.
  File(FileProcess& process, AccessMode mode, std::string path, CommCore comm);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] FileCore& core() { return core_; }
  [[nodiscard]] const FileCore& core() const { return core_; }

  /// Opening: when all members have the file open.
  [[nodiscard]] Outcome make_shared_pointer(const CommCall& call);
  /// Waits for the accesses of this process that are under way, too.
  [[nodiscard]] Outcome close(const CommCall& call);

  /// Alone.
  [[nodiscard]] Expected<std::int64_t> size();
  [[nodiscard]] Outcome set_size(const CommCall& call, const SizeWish& wish);
  [[nodiscard]] Outcome preallocate(const CommCall& call, const SizeWish& wish);
  /// What was written is on storage, and what others have synchronized can be read.
  [[nodiscard]] Outcome sync(const CommCall& call);
  [[nodiscard]] Outcome set_atomicity(const CommCall& call, bool is_atomic);
  /// The first member's count, where all have to give the same. `mine`: whether this member has
  /// any.
  [[nodiscard]] Outcome set_hints(const CommCall& call, const Outcome& mine, const HintList& hints);
  /// Both pointers are at 0 then.
  [[nodiscard]] Outcome set_view(const CommCall& call, const ViewWish& wish);

  // Pointers are in etypes of the view.

  /// The individual pointer.
  [[nodiscard]] std::int64_t position() const { return position_; }
  void set_position(std::int64_t etypes) { position_ = etypes; }
  /// Where it stands; it moves behind what is asked for, whatever comes of that.
  [[nodiscard]] std::int64_t advance(std::int64_t etypes) {
    return std::exchange(position_, position_ + etypes);
  }
  /// Where MPI_File_seek and its kin lead. Alone. MPI_ERR_ARG: before the beginning of the view, or
  /// `whence` is nothing that is known.
  [[nodiscard]] Expected<std::int64_t> sought(std::int64_t offset, int whence,
                                              std::int64_t position);
  /// Each call of its own may be made alone.
  [[nodiscard]] SharedPointer& shared_pointer() { return *shared_pointer_; }
  [[nodiscard]] Outcome seek_shared(const CommCall& call, std::int64_t offset, int whence);
  /// The shared pointer moves behind what all members ask for. Where the part of this one begins,
  /// in the order of ranks.
  [[nodiscard]] Expected<std::int64_t> advance_in_order(const CommCall& call, std::int64_t etypes);

  /// The split collective access between its begin and its end; null: there is none.
  [[nodiscard]] std::unique_ptr<SplitAccess>& split() { return split_; }
  /// Begins this member's part, of which nobody will ask, in a collective access that the others
  /// begin: it moves nothing, and they hear why.
  void begin_refused(DataAccess access, const Outcome& why);

 private:
  void forget_refused();
  [[nodiscard]] bool leads() const { return core_.comm.rank == 0; }
  template <class Work>
  [[nodiscard]] Outcome do_by_first(const CommCall& call, const SizeWish& wish, Work&& work);
  [[nodiscard]] Outcome take_hints(const CommCall& call, const HintList& hints);
  [[nodiscard]] Expected<SeenFile> make_view(const CommCall& call, const ViewWish& wish);
  [[nodiscard]] Outcome prepare_staging(const CommCall& call);
  [[nodiscard]] Outcome write_back();

  FileCore core_;
  std::unique_ptr<SharedPointer> shared_pointer_;
  std::int64_t position_ = 0;
  std::unique_ptr<SplitAccess> split_;
  std::vector<std::unique_ptr<RefusedAccess>> refused_;
  bool knows_staging_ = false;  ///< whether members share memory for collective accesses
};

}  // namespace remit
