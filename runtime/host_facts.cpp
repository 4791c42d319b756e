// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The facts of a host, and their file.
#include "runtime/host_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <limits>
#include <vector>

#include "runtime/cache_file.hpp"

namespace remit {

namespace {

constexpr std::string_view kTitle = "remit host facts 2";
constexpr std::string_view kAll = "all";
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(by), text.size());
    if (end != 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

template <class Number>
bool read(std::string_view word, Number& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && number >= Number{};
}

bool read_bytes(std::string_view word, std::size_t& bytes) {
  if (word != kAll) return read(word, bytes);
  bytes = kUnlimited;
  return true;
}

std::string words_of(std::size_t bytes) {
  return bytes == kUnlimited ? std::string(kAll) : fmt::format("{}", bytes);
}

/// One line of facts; false: it makes no sense.
bool take_line(const std::vector<std::string_view>& words, HostFacts& facts) {
  if (words.size() == 2 && words[0] == "day") return read(words[1], facts.day);
  if (words.size() == 2 && words[0] == "kernel_trap") {
    facts.kernel_trap = words[1] == "yes";
    return *facts.kernel_trap || words[1] == "no";
  }
  if (words.size() == 2 && words[0] == "take_lines_to") {
    return read_bytes(words[1], facts.claim_lines_to.emplace());
  }
  if (words.size() != 3) return false;
  if (words[0] == "kernel_64k_ns") {
    KernelCopies& kernel = facts.kernel.emplace();
    kernel.quick = words[2] == "quick";
    return read(words[1], kernel.ns_of_64k) && (kernel.quick || words[2] == "slow");
  }
  if (words[0] != "loops") return false;
  CopyLoops& loops = facts.loops.emplace();
  return read(words[1], loops.vector_bytes) && read_bytes(words[2], loops.pieces_to) &&
         (loops.vector_bytes == 16 || loops.vector_bytes == 32 || loops.vector_bytes == 64);
}

}  // namespace

void HostFacts::merge(const HostFacts& other) {
  const bool knew = kernel || kernel_trap || claim_lines_to || loops;
  const bool knows_all = other.kernel && other.kernel_trap && other.claim_lines_to && other.loops;
  day = knew && !knows_all ? std::min(day, other.day) : other.day;
  if (other.kernel) kernel = other.kernel;
  if (other.kernel_trap) kernel_trap = other.kernel_trap;
  if (other.claim_lines_to) claim_lines_to = other.claim_lines_to;
  if (other.loops) loops = other.loops;
}

std::string HostFacts::text(std::string_view host) const {
  std::string out = fmt::format("{}\n{}\nday {}\n", kTitle, host, day);
  if (kernel) {
    out +=
        fmt::format("kernel_64k_ns {} {}\n", kernel->ns_of_64k, kernel->quick ? "quick" : "slow");
  }
  if (kernel_trap) out += fmt::format("kernel_trap {}\n", *kernel_trap ? "yes" : "no");
  if (claim_lines_to) out += fmt::format("take_lines_to {}\n", words_of(*claim_lines_to));
  if (loops) out += fmt::format("loops {} {}\n", loops->vector_bytes, words_of(loops->pieces_to));
  return out;
}

Expected<HostFacts> HostFacts::parse(std::string_view text, std::string_view host) {
  const std::vector<std::string_view> lines = split(text, '\n');
  if (lines.size() < 2 || lines[0] != kTitle) {
    return fail(MPI_ERR_ARG, "its first line is not '{}'", kTitle);
  }
  if (text.back() != '\n') return fail(MPI_ERR_ARG, "its last line has no end");
  HostFacts facts;
  if (lines[1] != host) return facts;
  for (std::size_t i = 2; i != lines.size(); ++i) {
    if (!take_line(split(lines[i], ' '), facts)) {
      return fail(MPI_ERR_ARG, "'{}' is no fact", lines[i]);
    }
  }
  return facts;
}

std::int64_t today() {
  constexpr std::int64_t kSecondsADay = 24 * 60 * 60;
  return static_cast<std::int64_t>(std::time(nullptr)) / kSecondsADay;
}

HostFacts load_host_facts(const std::string& path) {
  if (path.empty()) return {};
  const std::string text = read_cache_file(path);
  if (text.empty()) return {};
  Expected<HostFacts> facts = HostFacts::parse(text, measured_host());
  return facts ? *facts : HostFacts{};  // a damaged file is replaced
}

Expected<> save_host_facts(const std::string& path, HostFacts facts) {
  HostFacts all = load_host_facts(path);
  all.merge(facts);
  return replace_cache_file(path, all.text(measured_host()));
}

}  // namespace remit
