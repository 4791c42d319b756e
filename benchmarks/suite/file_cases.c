/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "file_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct file_case kCases[] = {
    {"run", FILE_RUN, 8, "one run of the file a rank"},
    {"segments_1m", FILE_SEGMENTS, 1 << 20, "IOR: blocks of 1 MiB in turn, a call each"},
    {"segments_47008", FILE_SEGMENTS, 47008,
     "IOR, hard: blocks of 47008 bytes in turn, a call each"},
    {"tiles", FILE_TILES, kTileRow, "a square in tiles with rows of 16 KiB"},
    {"blocks_16k", FILE_DEALT, 16384, "blocks of 16 KiB in turn, one call"},
    {"blocks_1k", FILE_DEALT, 1024, "blocks of 1 KiB in turn, one call"},
    {"blocks_64", FILE_DEALT, 64, "blocks of 64 bytes in turn, one call"},
    {"blocks_64_one_type", FILE_ONE_TYPE, 64, "the same by one filetype with all blocks"},
    {"headers", FILE_HEADERS, 1 << 20,
     "HDF5: sets of 1 MiB a rank behind small headers, which rank 0 writes by itself"},
    {"shared_pointer", FILE_SHARED, 64,
     "64 bytes by the shared pointer, all ranks at once (collective: ordered)"},
    {"open", FILE_OPEN, 1, "opening and closing a file"},
    {"set_view", FILE_VIEW, 64, "setting a view of 16 million blocks"},
    {"overlap_run", FILE_OVERLAP, 8,
     "nonblocking writes of one run a rank, behind which each computes"},
    {"overlap_blocks", FILE_OVERLAP, 4096, "the same of blocks of 4 KiB in turn"},
};

const struct file_case* file_cases(int* count) {
  *count = (int)(sizeof kCases / sizeof kCases[0]);
  return kCases;
}

const struct file_case* file_case_named(const char* name) {
  int count = 0;
  const struct file_case* all = file_cases(&count);
  for (int i = 0; i < count; ++i)
    if (strcmp(all[i].name, name) == 0) return &all[i];
  fprintf(stderr, "no pattern has the name '%s'; there are:\n", name);
  for (int i = 0; i < count; ++i) fprintf(stderr, "  %-20s %s\n", all[i].name, all[i].meaning);
  return NULL;
}

long file_bytes(const struct file_case* pattern, long bytes) {
  const long whole = bytes / pattern->block * pattern->block;
  return whole == 0 ? pattern->block : whole;
}

long file_pieces(const struct file_case* pattern, const struct file_place* place) {
  return pattern->shape == FILE_RUN ? 1 : place->bytes / pattern->block;
}

void file_tile_grid(int ranks, int grid[2]) {
  grid[0] = 1;
  for (int rows = 1; rows * rows <= ranks; ++rows)
    if (ranks % rows == 0) grid[0] = rows;
  grid[1] = ranks / grid[0];
}

/* Where a data set of FILE_HEADERS begins, with its headers. */
static long set_begin(const struct file_case* pattern, const struct file_place* place, long set) {
  return set * (kHeaderRoom + pattern->block * place->ranks);
}

struct file_piece file_piece(const struct file_case* pattern, const struct file_place* place,
                             long index) {
  struct file_piece piece = {0, pattern->block};
  int grid[2];
  switch (pattern->shape) {
    case FILE_RUN:
      piece.offset = place->rank * place->bytes;
      piece.length = place->bytes;
      break;
    case FILE_TILES:
      file_tile_grid(place->ranks, grid);
      piece.offset = (place->rank / grid[1] * file_pieces(pattern, place) + index) * grid[1] +
                     place->rank % grid[1];
      piece.offset *= pattern->block;
      break;
    case FILE_HEADERS:
      piece.offset = set_begin(pattern, place, index) + kHeaderRoom + place->rank * pattern->block;
      break;
    default:
      piece.offset = (index * place->ranks + place->rank) * pattern->block;
  }
  return piece;
}

struct file_piece file_header(const struct file_case* pattern, const struct file_place* place,
                              long set, int header) {
  static const long lengths[kHeaders] = {96, 512, kHeaderRoom - 96 - 512};
  struct file_piece piece = {set_begin(pattern, place, set), lengths[header]};
  for (int i = 0; i < header; ++i) piece.offset += lengths[i];
  return piece;
}

unsigned char file_byte(long offset) {
  return (unsigned char)(offset * 7 + offset / 251 + (offset >> 20) * 3);
}

void file_fill(struct file_piece piece, unsigned char* data) {
  for (long i = 0; i < piece.length; ++i) data[i] = file_byte(piece.offset + i);
}

long file_wrong(struct file_piece piece, const unsigned char* data) {
  long wrong = 0;
  for (long i = 0; i < piece.length; ++i) wrong += data[i] != file_byte(piece.offset + i);
  return wrong;
}

void file_fill_all(const struct file_case* pattern, const struct file_place* place,
                   unsigned char* data) {
  const long pieces = file_pieces(pattern, place);
  for (long i = 0; i < pieces; ++i) {
    const struct file_piece piece = file_piece(pattern, place, i);
    file_fill(piece, data);
    data += piece.length;
  }
}

long file_wrong_in_all(const struct file_case* pattern, const struct file_place* place,
                       const unsigned char* data) {
  const long pieces = file_pieces(pattern, place);
  long wrong = 0;
  for (long i = 0; i < pieces; ++i) {
    const struct file_piece piece = file_piece(pattern, place, i);
    wrong += file_wrong(piece, data);
    data += piece.length;
  }
  return wrong;
}

bool file_asked(const char* list, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = list; at != NULL;) {
    const char* comma = strchr(at, ',');
    const size_t word = comma == NULL ? strlen(at) : (size_t)(comma - at);
    if (word == length && strncmp(at, name, length) == 0) return true;
    at = comma == NULL ? NULL : comma + 1;
  }
  return list == NULL;
}

/* Whether each name of the list is known; says so otherwise. */
static bool are_known(const char* list) {
  char words[512];
  if (list == NULL) return true;
  snprintf(words, sizeof words, "%s", list);
  for (char *rest = NULL, *word = strtok_r(words, ",", &rest); word != NULL;
       word = strtok_r(NULL, ",", &rest))
    if (file_case_named(word) == NULL) return false;
  return true;
}

static bool are_right(const struct file_options* options) {
  const bool calls = options->calls == NULL || strcmp(options->calls, "collective") == 0 ||
                     strcmp(options->calls, "independent") == 0;
  return options->path != NULL && options->mib > 0 && options->mib <= 1024 && options->rounds > 0 &&
         options->seconds > 0 && options->ranks > 0 && calls;
}

bool file_parse(struct file_options* options, int argc, char** argv, bool speaks) {
  *options = (struct file_options){NULL, NULL, NULL, 32, 5, 10, 2};
  bool right = true;
  opterr = 0;
  for (int letter = 0; (letter = getopt(argc, argv, "p:c:m:r:s:n:")) != -1;) {
    switch (letter) {
      case 'p':
        options->patterns = optarg;
        break;
      case 'c':
        options->calls = optarg;
        break;
      case 'm':
        options->mib = atol(optarg);
        break;
      case 'r':
        options->rounds = atoi(optarg);
        break;
      case 's':
        options->seconds = atof(optarg);
        break;
      case 'n':
        options->ranks = atoi(optarg);
        break;
      default:
        right = false;
    }
  }
  options->path = optind == argc - 1 ? argv[optind] : NULL;
  if (right && are_right(options)) return !speaks ? true : are_known(options->patterns);
  if (speaks)
    fprintf(stderr,
            "usage: %s [-p PATTERN,...] [-c collective|independent] [-m MIB] [-r ROUNDS] "
            "[-s SECONDS] FILE\n",
            argv[0]);
  return false;
}
