// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The compiled half of fmt. libmpi_abi must not depend on libfmt, and with FMT_HEADER_ONLY every
// file would compile all of this again, which costs seconds for each.
#include <fmt/format-inl.h>

namespace fmt::detail {

template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>,
                         locale_ref);

}  // namespace fmt::detail
