// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The words of other mpiruns.
#include "launcher/cli/dialects.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace remit::launcher {
namespace {

struct Translation {
  std::string_view name;
  std::string_view first;
  std::string_view second = {};
  std::string_view third = {};
};

constexpr std::array<Translation, 17> kTranslations{{
    {"pernode", "-N", "1"},
    {"bind-to-core", "--bind-to", "core"},
    {"bind-to-socket", "--bind-to", "socket"},
    {"bind-to-none", "--bind-to", "none"},
    {"bycore", "--map-by", "core"},
    {"byslot", "--map-by", "slot"},
    {"bysocket", "--map-by", "socket"},
    {"bynode", "--map-by", "node"},
    {"maxtime", "--timeout", "%"},
    {"s", "--stdin", "%"},
    {"print-rank-map", "--display-map"},
    {"display-devel-map", "--display-map"},
    {"info", "--version"},
    {"omca", "--mca", "%", "%"},
    {"gomca", "--mca", "%", "%"},
    {"output-directory", "--output-filename", "%"},
    {"stdin-target", "--stdin", "%"},
}};

struct Refusal {
  std::string_view name;
  std::string_view instead;
};

constexpr std::string_view kDebugger =
    "attach it to a rank by its pid, or start it as the program (mpirun -n 2 xterm -e gdb ./a.out)";
constexpr std::string_view kTaskset = "restrict mpirun itself: taskset -c LIST mpirun ...";
constexpr std::array<Refusal, 7> kRefusals{{
    {"cpu-set", kTaskset},
    {"cpu-list", kTaskset},
    {"gdb", kDebugger},
    {"tv", kDebugger},
    {"debug", kDebugger},
    {"debugger", kDebugger},
    {"xterm", "use --output-filename DIR, which keeps the output of each rank apart"},
}};

}  // namespace

std::vector<std::string_view> translate(std::string_view name) {
  const auto found = std::ranges::find(kTranslations, name, &Translation::name);
  if (found == kTranslations.end()) return {};
  std::vector<std::string_view> words{found->first};
  for (const std::string_view word : {found->second, found->third}) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::optional<std::string_view> instead_of(std::string_view name) {
  const auto found = std::ranges::find(kRefusals, name, &Refusal::name);
  if (found == kRefusals.end()) return std::nullopt;
  return found->instead;
}

}  // namespace remit::launcher
