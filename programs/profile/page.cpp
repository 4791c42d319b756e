// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The page is a template with the JSON of the profile in it (page.html).
#include <string>
#include <string_view>

#include "programs/profile/formats.hpp"

namespace remit::profiles {
namespace {

constexpr std::string_view kTemplate =
#include "programs/generated/page.inc"
    ;
constexpr std::string_view kPlace = "@PROFILE@";

}  // namespace

std::string to_page(const Profile& profile) {
  std::string page(kTemplate);
  // Nothing in the figures, which hold names of files, may end the element that holds them.
  std::string data;
  for (const char letter : to_json(profile)) {
    if (letter == '<') {
      data += "\\u003c";
    } else {
      data += letter;
    }
  }
  page.replace(page.find(kPlace), kPlace.size(), data);
  return page;
}

}  // namespace remit::profiles
