// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "heat2d_file.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstring>

namespace {

// In front of the points: one line of text, filled up with blanks.
constexpr int kHeader = 64;
constexpr const char* kFormat = "heat2d plate, %d x %d doubles, %ld steps";

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// Calls on files return their errors unless told otherwise. Those of collective calls are errors of
// all ranks or of none.
bool is_good(int code, const std::string& path, const char* what) {
  if (code == MPI_SUCCESS) return true;
  char words[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, words, &length);
  if (own_rank() == 0)
    std::fprintf(stderr, "heat2d: %s: cannot %s: %s\n", path.c_str(), what, words);
  return false;
}

// An open file, which knows where this rank's part of the plate is.
class PlateFile {
 public:
  PlateFile(const std::string& path, int mode) : path_(path) {
    open_ = is_good(MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file_), path,
                    "open it");
  }
  ~PlateFile() {
    if (open_) MPI_File_close(&file_);
  }
  PlateFile(const PlateFile&) = delete;
  PlateFile& operator=(const PlateFile&) = delete;

  [[nodiscard]] bool is_open() const { return open_; }

  // From here on offsets count points of this rank's part.
  bool see(const PlatePart& part) {
    const int sizes[2] = {part.n, part.n};
    const int parts[2] = {part.rows, part.columns};
    const int starts[2] = {part.first_row, part.first_column};
    MPI_Datatype place = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &place);
    MPI_Type_commit(&place);
    const int code = MPI_File_set_view(file_, kHeader, MPI_DOUBLE, place, "native", MPI_INFO_NULL);
    MPI_Type_free(&place);
    return is_good(code, path_, "set the view");
  }

  // The points lie in a frame, which stays out of the file: the datatype of the memory says so.
  bool move_points(const PlatePart& part, bool writes) {
    MPI_Datatype inside = MPI_DATATYPE_NULL;
    MPI_Status status;
    MPI_Type_vector(part.rows, part.columns, part.pitch, MPI_DOUBLE, &inside);
    MPI_Type_commit(&inside);
    const int code = writes ? MPI_File_write_all(file_, part.corner, 1, inside, &status)
                            : MPI_File_read_all(file_, part.corner, 1, inside, &status);
    MPI_Type_free(&inside);
    if (!is_good(code, path_, writes ? "write the points" : "read the points")) return false;
    int count = 0;
    MPI_Get_elements(&status, MPI_DOUBLE, &count);
    int whole = count == part.rows * part.columns ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &whole, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (whole == 0 && own_rank() == 0) {
      std::fprintf(stderr, "heat2d: %s: the file ends before the plate does\n", path_.c_str());
    }
    return whole != 0;
  }

  // Rank 0 writes; the others take part with nothing, so that its error is theirs, too.
  bool write_header(int n, long steps) {
    char header[kHeader + 1];
    std::snprintf(header, sizeof header, kFormat, n, n, steps);
    const auto length = std::strlen(header);
    std::memset(header + length, ' ', kHeader - length);
    header[kHeader - 1] = '\n';
    const int code = MPI_File_write_at_all(file_, 0, header, own_rank() == 0 ? kHeader : 0,
                                           MPI_CHAR, MPI_STATUS_IGNORE);
    return is_good(code, path_, "write its header");
  }

  bool read_header(PlateState& state) {
    char header[kHeader + 1] = "";
    int again = 0;
    const int code = MPI_File_read_at_all(file_, 0, header, kHeader, MPI_CHAR, MPI_STATUS_IGNORE);
    if (!is_good(code, path_, "read its header")) return false;
    const bool known = std::sscanf(header, kFormat, &state.n, &again, &state.steps) == 3 &&
                       state.n == again && state.n > 0 && state.steps >= 0;
    if (!known && own_rank() == 0) {
      std::fprintf(stderr, "heat2d: %s is no plate that --save has written\n", path_.c_str());
    }
    return known;
  }

  bool close() {
    open_ = false;
    return is_good(MPI_File_close(&file_), path_, "close it");
  }

 private:
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  bool open_ = false;
};

}  // namespace

// The header comes last: a file whose writers did not get so far is none.
bool save_plate(const std::string& path, long steps, const PlatePart& part) {
  if (own_rank() == 0) MPI_File_delete(path.c_str(), MPI_INFO_NULL);  // perhaps there is none
  MPI_Barrier(MPI_COMM_WORLD);
  {
    PlateFile points(path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    if (!points.is_open() || !points.see(part) || !points.move_points(part, true)) return false;
    if (!points.close()) return false;
  }
  PlateFile header(path, MPI_MODE_WRONLY);
  return header.is_open() && header.write_header(part.n, steps) && header.close();
}

bool read_plate_state(const std::string& path, PlateState& state) {
  PlateFile file(path, MPI_MODE_RDONLY);
  return file.is_open() && file.read_header(state);
}

bool load_plate(const std::string& path, const PlatePart& part) {
  PlateFile file(path, MPI_MODE_RDONLY);
  return file.is_open() && file.see(part) && file.move_points(part, false);
}
