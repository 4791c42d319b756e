// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Access to the data of files (MPI-5.0, section 14.4).
#include <memory>
#include <string_view>
#include <utility>

#include "bindings/io/file_args.hpp"
#include "bindings/pt2pt/requests.hpp"
#include "bindings/weak.hpp"
#include "files/data_access.hpp"
#include "files/file_operation.hpp"
#include "files/staged/lost_touch.hpp"
#include "runtime/call_status.hpp"

namespace remit {

namespace {

/// What says where the data are.
enum class Place { offset, individual_pointer, shared_pointer };

/// The forms of data access, as the functions' names have them.
struct AccessForm {
  FileMove kind;
  Place place;
  bool together;  ///< collective

  [[nodiscard]] bool writes() const { return kind == FileMove::write; }
};
constexpr AccessForm kReadAt{FileMove::read, Place::offset, false};
constexpr AccessForm kReadAtAll{FileMove::read, Place::offset, true};
constexpr AccessForm kRead{FileMove::read, Place::individual_pointer, false};
constexpr AccessForm kReadAll{FileMove::read, Place::individual_pointer, true};
constexpr AccessForm kReadShared{FileMove::read, Place::shared_pointer, false};
constexpr AccessForm kReadOrdered{FileMove::read, Place::shared_pointer, true};
constexpr AccessForm kWriteAt{FileMove::write, Place::offset, false};
constexpr AccessForm kWriteAtAll{FileMove::write, Place::offset, true};
constexpr AccessForm kWrite{FileMove::write, Place::individual_pointer, false};
constexpr AccessForm kWriteAll{FileMove::write, Place::individual_pointer, true};
constexpr AccessForm kWriteShared{FileMove::write, Place::shared_pointer, false};
constexpr AccessForm kWriteOrdered{FileMove::write, Place::shared_pointer, true};

/// What a data call was given, beside its form.
struct GivenData {
  MPI_File handle;
  MPI_Offset offset;  ///< of Place::offset
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  bool has_result = true;  ///< false: of a nonblocking call, there is no place for the request
};

/// One data call. check() comes first.
class DataCall {
 public:
  DataCall(Entry& entry, const AccessForm& form) : entry_(entry), form_(form) {}

  /// Handles, modes, buffer; then finds the place, and moves the pointer that says it behind the
  /// data that are asked for. In a collective call the other members wait for this one, whatever is
  /// wrong with its buffer or place: so it goes on with nothing to move, and all members fail.
  [[nodiscard]] int check(const GivenData& given);

  /// Blocking, nonblocking, and the beginning of a split one.
  [[nodiscard]] int go(MPI_Status* status);
  [[nodiscard]] int go(MPI_Request* request);
  [[nodiscard]] int go(const void* buffer);

 private:
  [[nodiscard]] int find_data(const GivenData& given);
  [[nodiscard]] int check_arguments(const GivenData& given);
  [[nodiscard]] int refuse();
  void drive() const;
  [[nodiscard]] File& file() const { return *object_->file; }
  [[nodiscard]] FileCore& core() const { return object_->file->core(); }
  [[nodiscard]] int check_mode();
  [[nodiscard]] int check_buffer(const GivenData& given);
  [[nodiscard]] Expected<std::int64_t> find_position(const GivenData& given);

  Entry& entry_;
  const AccessForm& form_;
  Ref<FileObject> object_;  ///< another thread may close it meanwhile
  DataAccess access_;
  std::int64_t etypes_ = 0;
  const Datatype* type_ = nullptr;  ///< of the memory
  Outcome refused_;                 ///< of a collective call: what is wrong with the arguments
};

int DataCall::check_mode() {
  const AccessMode& mode = core().mode;
  if (mode.is_sequential() && form_.place != Place::shared_pointer) {
    return entry_.fail(MPI_ERR_UNSUPPORTED_OPERATION,
                       "{}: the file is open with MPI_MODE_SEQUENTIAL; only data calls with the "
                       "shared pointer are allowed",
                       core().path);
  }
  if (form_.writes() && !mode.writes()) return writable_file(entry_, *object_);
  if (!form_.writes() && !mode.reads()) {
    return entry_.fail(MPI_ERR_ACCESS, "{}: the file is open with MPI_MODE_WRONLY", core().path);
  }
  return MPI_SUCCESS;
}

int DataCall::check_arguments(const GivenData& given) {
  if (form_.together && file().split() != nullptr) {
    return entry_.fail(MPI_ERR_IO, "what {} began has not been ended", file().split()->begun_by);
  }
  if (!given.has_result) return entry_.not_null(nullptr, "request");
  return check_buffer(given);
}

int DataCall::check_buffer(const GivenData& given) {
  if (int err = entry_.buffer(given.buffer, given.count, given.type, access_.memory)) return err;
  type_ = entry_.buffer_type();
  const DataRepresentation& representation = *access_.seen->representation;
  if (!representation.has_memory_bytes()) {
    auto conversion = representation.conversion(access_.memory, *type_);
    if (!conversion) return entry_.fail(conversion.error());
    access_.conversion = std::move(*conversion);
  }
  const std::int64_t bytes = access_.bytes();
  const std::int64_t etype = core().etype_size();
  etypes_ = bytes / etype;
  if (bytes % etype == 0) return MPI_SUCCESS;
  return entry_.fail(MPI_ERR_TYPE, "{} bytes are no whole etypes, of {} bytes, of the view", bytes,
                     etype);
}

/// In etypes.
Expected<std::int64_t> DataCall::find_position(const GivenData& given) {
  switch (form_.place) {
    case Place::offset:
      return given.offset;
    case Place::individual_pointer:
      return file().advance(etypes_);
    case Place::shared_pointer:
      break;
  }
  const CommCall call = call_of(entry_);
  if (form_.together) return file().advance_in_order(call, etypes_);
  return file().shared_pointer().advance(call, etypes_);
}

int DataCall::check(const GivenData& given) {
  FileObject* object = nullptr;
  if (int err = entry_.file(given.handle, object)) return err;
  object_ = Ref<FileObject>(object);
  access_.seen = core().seen;
  access_.kind = form_.kind;
  access_.is_atomic = core().is_atomic;
  if (int err = check_mode()) return err;
  if (!form_.together) return find_data(given);
  refused_ = check_for_members(entry_, core(), [&] { return find_data(given); });
  if (refused_) return MPI_SUCCESS;
  access_.from = 0;
  access_.memory = bytes_view(nullptr, 0);
  access_.conversion.reset();
  return MPI_SUCCESS;
}

/// Members move a shared pointer together, so all of them come to that.
int DataCall::find_data(const GivenData& given) {
  const int wrong = check_arguments(given);
  if (wrong != MPI_SUCCESS) {
    if (!form_.together || form_.place != Place::shared_pointer) return wrong;
    etypes_ = 0;
  }
  const auto position = find_position(given);
  if (wrong != MPI_SUCCESS) return wrong;
  if (!position) return entry_.fail(with_lost_members(core(), position.error()));
  const FileView& view = access_.seen->view;
  const std::int64_t bytes = access_.bytes();
  const auto from = view.byte_of(*position);
  // Nothing may be asked for anywhere.
  if (!from) return bytes == 0 && *position >= 0 ? MPI_SUCCESS : entry_.fail(from.error());
  access_.from = *from;
  if (auto there = view.require(*from, bytes); !there) return entry_.fail(there.error());
  if (form_.writes() && bytes != 0) core().is_written = true;
  return MPI_SUCCESS;
}

int DataCall::go(MPI_Status* status) {
  const std::shared_ptr<File> kept = object_->file;
  const TransferClock clock(kept->core());
  const AccessResult result =
      form_.together ? access_together(call_of(entry_), kept->core(), access_, refused_)
                     : access_alone(kept->core(), access_);
  clock.tell(access_, result);
  OpStatus moved;
  moved.bytes = result.bytes;
  set_status(status, moved);
  return finish(entry_, result.outcome);
}

/// What the others have begun goes on here without the program, which is told at once.
int DataCall::refuse() {
  file().begin_refused(std::move(access_), refused_);
  drive();
  return entry_.fail(refused_.error());
}

/// Members wait for each other while their programs compute.
void DataCall::drive() const {
  if (files_of(entry_.instance()).goes_on()) entry_.instance().background.want_for_now();
}

int DataCall::go(MPI_Request* request) {
  if (!refused_) return refuse();
  Instance& instance = entry_.instance();
  RequestObject* made = make_request(instance, RequestForm::file_access, {});
  made->file = Ref<FileObject>(object_).detach();
  made->datatype = Ref<const Datatype>(type_);
  try {
    made->access = std::make_shared<FileOperation>(object_->file, std::move(access_),
                                                   form_.together, made->core);
  } catch (...) {
    destroy_request(instance, made);
    throw;
  }
  *request = handle_of(made);
  if (form_.together) drive();
  return MPI_SUCCESS;
}

int DataCall::go(const void* buffer) {
  if (!refused_) return refuse();
  file().split() = std::make_unique<SplitAccess>(entry_.function(), buffer, *type_, object_->file,
                                                 std::move(access_));
  drive();
  return MPI_SUCCESS;
}

template <class Result>
int move_data(const char* function, const AccessForm& form, const GivenData& given, Result result) {
  Entry entry(function);
  DataCall call(entry, form);
  if (int err = call.check(given)) return err;
  return call.go(result);
}

int transfer_at(const char* function, const AccessForm& form, MPI_File fh, MPI_Offset offset,
                const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
  return move_data(function, form, {fh, offset, buffer, count, type}, status);
}
int transfer_next(const char* function, const AccessForm& form, MPI_File fh, const void* buffer,
                  MPI_Count count, MPI_Datatype type, MPI_Status* status) {
  return transfer_at(function, form, fh, 0, buffer, count, type, status);
}

int start_at(const char* function, const AccessForm& form, MPI_File fh, MPI_Offset offset,
             const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
  const bool has_result = request != nullptr;
  return move_data(function, form, {fh, offset, buffer, count, type, has_result}, request);
}
int start_next(const char* function, const AccessForm& form, MPI_File fh, const void* buffer,
               MPI_Count count, MPI_Datatype type, MPI_Request* request) {
  return start_at(function, form, fh, 0, buffer, count, type, request);
}

int begin_at(const char* function, const AccessForm& form, MPI_File fh, MPI_Offset offset,
             const void* buffer, MPI_Count count, MPI_Datatype type) {
  return move_data(function, form, {fh, offset, buffer, count, type}, buffer);
}
int begin_next(const char* function, const AccessForm& form, MPI_File fh, const void* buffer,
               MPI_Count count, MPI_Datatype type) {
  return begin_at(function, form, fh, 0, buffer, count, type);
}

/// What the end of a split collective waits for.
class SplitWait final : public WaitSubject {
 public:
  SplitWait(const char* function, const FileCore& file) : function_(function), file_(file) {}
  void describe(CallRecord& record) const override {
    set_text(record.function, function_);
    set_text(record.operation, "access to a file");
    set_text(record.comm, file_.path);
  }

 private:
  const char* function_;
  const FileCore& file_;
};

/// Whether `ended` is the function that ends what `begun` began: their names agree up to there.
bool belong_together(std::string_view begun, std::string_view ended) {
  return begun.substr(0, begun.find("_begin")) == ended.substr(0, ended.find("_end"));
}

/// The buffer is the one that its begin was given, or a copy of it as Fortran makes them.
int end_data(const char* function, MPI_File fh, const void* /*buffer*/, MPI_Status* status) {
  Entry entry(function);
  FileObject* object = nullptr;
  if (int err = entry.file(fh, object)) return err;
  const Ref<FileObject> kept(object);
  const std::shared_ptr<File> file = object->file;
  SplitAccess* const split = file->split().get();
  if (split == nullptr || !belong_together(split->begun_by, function)) {
    return entry.fail(MPI_ERR_IO, "{}: {}", file->core().path,
                      split == nullptr ? "no split collective access has begun"
                                       : fmt::format("what has begun is {}", split->begun_by));
  }
  const SplitWait subject(function, file->core());
  entry.progress().wait([split] { return split->done.complete; }, &subject);
  entry.engine().links().settle(&subject);
  const std::unique_ptr<SplitAccess> ended = std::move(file->split());
  set_status(status, ended->done.status);
  return finish(entry, ended->operation.outcome());
}

}  // namespace

}  // namespace remit

using namespace remit;

#include "bindings/generated/io/data.inc"
