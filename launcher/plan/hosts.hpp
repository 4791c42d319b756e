// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which hosts the user named: the words of --host and the lines of --hostfile. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/error.hpp"

namespace remit::launcher {

/// One host, and how many ranks it is meant to have.
struct HostSpec {
  static constexpr int kAllCores = -1;

  std::string name;   ///< as ssh is told it, with a user in front of '@' if one was given
  int slots = 0;      ///< kAllCores: as many as cores
  bool said = false;  ///< the user gave the number of slots
  int max_slots = 0;  ///< not more ranks than this; 0: any number

  bool operator==(const HostSpec&) const = default;
};

/// One word of --host: a host, or hosts of the hostfile by their place in it.
struct HostWord {
  enum class Kind {
    name,   ///< a, a:4, a:*
    nth,    ///< +n2: the third host of the hostfile
    empty,  ///< +e, +e:2: (two) hosts that no other word names
  };
  Kind kind = Kind::name;
  HostSpec host;    ///< of a name; its slots are 1 where none were said
  int number = -1;  ///< which one (nth), or how many (empty; -1: all)
};

/// Reads "a,b:4,+n1".
[[nodiscard]] Expected<std::vector<HostWord>> read_host_words(const std::string& text);

/// Reads a hostfile: "name", "name:4", "name slots=4 max_slots=8", one a line; # begins a comment.
/// A name that stands on several lines has their slots together, where a line without slots counts
/// one; on one line alone without slots it has as many as cores. `path` is for messages.
[[nodiscard]] Expected<std::vector<HostSpec>> read_hostfile(const std::string& path,
                                                            const std::string& text);

/// Names by which the user may mean the host that mpirun runs on.
struct OwnNames {
  std::string name;                    ///< gethostname()
  std::vector<std::string> addresses;  ///< of its interfaces, as text; and other names

  [[nodiscard]] bool contains(const std::string& host) const;
};

/// The hosts of one program: those that `words` name, in their order; all of `file` without words.
/// With a hostfile words choose among its hosts, whose slots count where a word says none. Names of
/// this host become its one name. A host that is named several times has all of these slots.
[[nodiscard]] Expected<std::vector<HostSpec>> resolve_hosts(std::span<const HostWord> words,
                                                            std::span<const HostSpec> file,
                                                            const OwnNames& own);

/// Adds the hosts of another program to those of a job: one that is there already has the larger
/// number of slots.
void join_hosts(std::span<const HostSpec> more, std::vector<HostSpec>* hosts);

}  // namespace remit::launcher
