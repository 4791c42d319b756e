// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Parameters: one declaration beside the use makes the environment variable REMIT_<NAME>,
// `mpirun --param <name>=<value>` and a line in remit_info.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/error.hpp"

namespace remit {

using ParamValue = std::variant<bool, std::int64_t, std::string>;

/// What an integer parameter may be set to, in its unit; both ends belong to it.
struct ParamRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  bool power_of_two = false;
};

/// Declaration of one parameter: immutable data, made at namespace scope beside its use
/// (`inline const ParamDecl eager_limit_param{"eager_limit", std::int64_t{4096}, "bytes",
/// "..."};`). Declaring links it into the list that all_params() returns; values live in Params.
class ParamDecl {
 public:
  ParamDecl(const char* name, ParamValue default_value, const char* unit, const char* reason,
            std::vector<std::string> choices = {});
  /// An integer that may not have every value: Params refuses what is outside `range`.
  ParamDecl(const char* name, std::int64_t default_value, const char* unit, const char* reason,
            ParamRange range);
  ParamDecl(const ParamDecl&) = delete;
  ParamDecl& operator=(const ParamDecl&) = delete;

  const char* name;          ///< lower case, words joined by '_'
  ParamValue default_value;  ///< its alternative is the parameter's type
  const char* unit;    ///< "bytes", "ms", "" ...; a byte value accepts k, M, G, T (powers of 1024)
  const char* reason;  ///< one line: what it is for
  std::vector<std::string> choices;  ///< allowed words of a string parameter; empty: any
  ParamRange range;                  ///< of an integer parameter

 private:
  friend std::vector<const ParamDecl*> all_params();
  const ParamDecl* next_;
};

/// Every declaration linked into this program, sorted by name.
[[nodiscard]] std::vector<const ParamDecl*> all_params();

/// The environment variable of a parameter: "eager_limit" is "REMIT_EAGER_LIMIT".
[[nodiscard]] std::string environment_name(const ParamDecl& decl);

/// What to do with a REMIT_<NAME> that no declaration in this program knows.
enum class UnknownNames {
  error,   ///< the MPI library: a mistyped name must not be ignored silently
  ignore,  ///< the launcher: a layer that is only linked into the library may know it
};

/// The values of one process. Immutable after it was made.
class Params {
 public:
  /// All defaults.
  Params() = default;

  /// Reads every REMIT_<NAME> of `environment` ("NAME=value" strings, as environ; names that start
  /// with REMIT_TEST_ belong to tests and are skipped). An unknown name, a malformed value or one
  /// out of range is an error that lists near names or the allowed values.
  [[nodiscard]] static Expected<Params> from_environment(
      char** environment, UnknownNames unknown = UnknownNames::error);

  /// Sets one by name from text, as the environment would.
  [[nodiscard]] Expected<> set(std::string_view name, std::string_view text);

  /// The value; the accessor must match the type of the declaration.
  [[nodiscard]] std::int64_t integer(const ParamDecl& decl) const;
  [[nodiscard]] bool flag(const ParamDecl& decl) const;
  [[nodiscard]] const std::string& text(const ParamDecl& decl) const;
  /// True if it was set explicitly.
  [[nodiscard]] bool is_set(const ParamDecl& decl) const { return values_.contains(&decl); }

 private:
  std::map<const ParamDecl*, ParamValue> values_;
};

}  // namespace remit
