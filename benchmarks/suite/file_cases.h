/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The patterns by which processes share one file, as programs have them: where each process's bytes
 * lie, and which bytes belong there. With MPI (file_patterns) and without (raw_files). */
#ifndef REMIT_BENCHMARKS_SUITE_FILE_CASES_H
#define REMIT_BENCHMARKS_SUITE_FILE_CASES_H

#include <stdbool.h>
#include <stddef.h>

enum file_shape {
  FILE_RUN,      /**< each process has one part of the file */
  FILE_SEGMENTS, /**< a call for each block; blocks are dealt to the processes in turn */
  FILE_DEALT,    /**< one call; blocks dealt in turn, by a small filetype that repeats */
  FILE_ONE_TYPE, /**< the same by one filetype that has all of them */
  FILE_TILES,    /**< one call; a square cut into tiles */
  FILE_HEADERS,  /**< many data sets, whose few headers one process writes by itself */
  FILE_SHARED,   /**< many calls by the shared pointer */
  FILE_OPEN,     /**< opening and closing a file that is there */
  FILE_VIEW,     /**< setting a view of 16 million blocks */
  FILE_OVERLAP /**< computing behind a nonblocking write: of one run, or of blocks as FILE_DEALT */
};

struct file_case {
  const char* name;
  enum file_shape shape;
  long block; /**< bytes */
  const char* meaning;
};

/** All of them; `*count` says how many. */
const struct file_case* file_cases(int* count);
/** That one, or null; which there are is said on stderr then. */
const struct file_case* file_case_named(const char* name);

/** Who a process is, and what each of them has in the file. */
struct file_place {
  int rank;
  int ranks;
  long bytes; /**< of each process */
};

/** As many of `bytes` as the pattern has room for in whole blocks. */
long file_bytes(const struct file_case* pattern, long bytes);

struct file_piece {
  long offset;
  long length;
};
/** A process's pieces of the file, in the order of its memory. Of the shapes up to FILE_HEADERS. */
long file_pieces(const struct file_case* pattern, const struct file_place* place);
struct file_piece file_piece(const struct file_case* pattern, const struct file_place* place,
                             long index);

/** The square of FILE_TILES, whose rows have kTileRow bytes: rows of ranks, and columns. */
enum { kTileRow = 16384 };
void file_tile_grid(int ranks, int grid[2]);

/** The headers in front of each data set of FILE_HEADERS: together kHeaderRoom bytes. */
enum { kHeaderRoom = 2048, kHeaders = 3 };
struct file_piece file_header(const struct file_case* pattern, const struct file_place* place,
                              long set, int header);

/** How long is computed behind a write of FILE_OVERLAP, for each MiB of it. */
enum { kOverlapMicroseconds = 6000 };

/** Calls of a timed batch, and bytes of each, of FILE_SHARED. */
enum { kSharedCalls = 200 };

/** The byte that belongs at that place of a file. */
unsigned char file_byte(long offset);
/** Those of a piece. */
void file_fill(struct file_piece piece, unsigned char* data);
/** How many are others. */
long file_wrong(struct file_piece piece, const unsigned char* data);
/** The same for all pieces of a process. */
void file_fill_all(const struct file_case* pattern, const struct file_place* place,
                   unsigned char* data);
long file_wrong_in_all(const struct file_case* pattern, const struct file_place* place,
                       const unsigned char* data);

/** What a program of these patterns is asked for. */
struct file_options {
  const char* path;
  const char* patterns; /**< names behind commas, or null: all */
  const char* calls;    /**< "collective", "independent", or null: both */
  long mib;             /**< of each process */
  int rounds;           /**< at most so many writes, and reads, behind the first write */
  double seconds;       /**< no other one of a pattern begins behind so many */
  int ranks;            /**< of raw_files, which has no launcher */
};
/** False: a mistake, of which `speaks` says whether this process has to tell. */
bool file_parse(struct file_options* options, int argc, char** argv, bool speaks);
/** Whether `name` is in a list of names behind commas; null has all. */
bool file_asked(const char* list, const char* name);

#endif
