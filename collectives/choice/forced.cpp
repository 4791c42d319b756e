// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Algorithms that the user wants, whatever they cost.
#include "collectives/choice/forced.hpp"

#include <fmt/format.h>

#include <string>

#include "collectives/algorithms.hpp"

namespace remit {

namespace {

/// One parameter holds every override, so that a new operation needs none of its own.
inline const ParamDecl algorithms_param{
    "coll_algorithms", std::string(), "",
    "force algorithms, as operation=algorithm pairs with commas (allreduce=ring,bcast=binomial)"};

}  // namespace

std::string_view forced_algorithm(const Params& params, std::string_view operation) {
  std::string_view rest = params.text(algorithms_param);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    rest.remove_prefix(pair.size() < rest.size() ? pair.size() + 1 : rest.size());
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == operation) {
      return pair.substr(equals + 1);
    }
  }
  return {};
}

Expected<> check_forced_algorithms(const Params& params) {
  std::string_view rest = params.text(algorithms_param);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    rest.remove_prefix(pair.size() < rest.size() ? pair.size() + 1 : rest.size());
    bool known = false;
    std::string choices;
    for (const Algorithm& row : all_algorithms()) {
      const std::string name = fmt::format("{}={}", collective_name(row.kind), row.name);
      known = known || name == pair;
      choices += " " + name;
    }
    if (!known) {
      return fail(MPI_ERR_ARG, "REMIT_COLL_ALGORITHMS: '{}' is none of{}", pair, choices);
    }
  }
  return {};
}

}  // namespace remit
