// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Moving bytes between a program's memory and what it sees of a file, by this process alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datatype/layout.hpp"
#include "files/storage/counters.hpp"
#include "files/storage/transferred.hpp"

namespace remit {

class FileView;
class Storage;

/// How the independent transfers of a file go. Plain values.
struct TransferHints {
  bool sieve = true;                                  ///< strided reads read what lies between, too
  bool read_modify_write = false;                     ///< romio_ds_write=enable: the same of writes
  bool map = true;                                    ///< small pieces may go through a mapping
  std::size_t read_buffer = std::size_t{256} << 10;   ///< bytes that are sieved at a time
  std::size_t write_buffer = std::size_t{512} << 10;  ///< bytes written back at a time
  FileCounters* counters = nullptr;                   ///< may be null; outlives the transfer
};

/// Writes all of `memory`, packed, to bytes [from, from + memory.size()) of the view. No other byte
/// of the file changes, unless `hints.read_modify_write` asks to write back what lies between; all
/// writers of a file must then have that hint, for each locks the range that it writes. Errors stop
/// it; `bytes` is then what was surely written, from the beginning on. Memory that is missing is an
/// error like others (ENOMEM). The view must have these bytes (FileView::require()). Any thread;
/// the memory, view and storage must stay until it returns.
[[nodiscard]] Transferred write_view(Storage& storage, const FileView& view, std::int64_t from,
                                     const View& memory, const TransferHints& hints);
/// Some bytes of a transfer, from its beginning on.
struct TransferPart {
  std::int64_t at = 0;
  std::int64_t bytes = 0;
};
/// As write_view() of the same arguments, but only this part of it, from which on it counts.
[[nodiscard]] Transferred write_view_part(Storage& storage, const FileView& view, std::int64_t from,
                                          const View& memory, const TransferPart& part,
                                          const TransferHints& hints);
/// The reverse of write_view(). Stops at the first byte of the view that lies behind the end of the
/// file; memory for what was not read stays as it was.
[[nodiscard]] Transferred read_view(Storage& storage, const FileView& view, std::int64_t from,
                                    const View& memory, const TransferHints& hints);

/// Whether the pieces of a view are so short, and a file such, that about so many of them go
/// through a mapping of it: as quickly as through any other memory. Any thread.
[[nodiscard]] bool goes_through_mapping(const Storage& storage, const FileView& view, FileMove kind,
                                        std::int64_t runs, const TransferHints& hints);

}  // namespace remit
