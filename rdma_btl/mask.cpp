// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reading the words of a mask.
#include "rdma_btl/mask.hpp"

#include <algorithm>
#include <string>

namespace remit {

Expected<> set_mask(std::string_view variable, std::string_view list,
                    std::initializer_list<MaskWord> known) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view word = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    const auto* const found = std::ranges::find(known, word, &MaskWord::word);
    if (found != known.end()) {
      found->flag = true;
    } else if (!word.empty()) {
      std::string all;
      for (const MaskWord& one : known)
        all += fmt::format("{}{}", all.empty() ? "" : ", ", one.word);
      return fail(MPI_ERR_ARG, "{}: '{}' is none of {}", variable, word, all);
    }
  }
  return {};
}

}  // namespace remit
