// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// remit_profile: what the records of a job say (docs/profiling.md).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "config.h"
#include "programs/profile/advice.hpp"
#include "programs/profile/compare.hpp"
#include "programs/profile/figures.hpp"
#include "programs/profile/formats.hpp"
#include "programs/profile/otf2.hpp"
#include "programs/profile/perfetto.hpp"
#include "programs/profile/record_reader.hpp"

namespace remit::profiles {
namespace {

constexpr int kSlower = 1;
constexpr int kWrong = 2;

struct Wishes {
  std::vector<std::string> folders;
  std::string output;  // a folder for all formats
  std::string page;    // a file; with `brief`
  std::string as = "text";
  std::string perfetto;  // a file
  std::string otf2;      // a folder
  std::uint64_t ended_ns = 0;
  double threshold_percent = 10;
  bool comparison = false;
  bool brief = false;
};

Expected<> write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  return fail(MPI_ERR_OTHER, "{} cannot be written: {}", path.string(),
              std::generic_category().message(errno));
}

Expected<Profile> profile_of(const std::vector<std::string>& folders, const Wishes& wishes) {
  Expected<Records> records = read_folders(folders);
  if (!records) return tl::unexpected(records.error());
  Symbols symbols;
  std::optional<std::uint64_t> ended;
  if (wishes.ended_ns != 0) ended = wishes.ended_ns;
  return make_profile(*records, symbols, ended);
}

Expected<> write_all(const Profile& profile, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const auto& [name, text] : {std::pair{"remit-profile.html", to_page(profile)},
                                   std::pair{"remit-profile.json", to_json(profile)},
                                   std::pair{"remit-profile.csv", to_csv(profile)}}) {
    if (Expected<> done = write_file(folder / name, text); !done) return done;
  }
  for (const auto& [name, picture] :
       {std::pair{"ranks", ranks_picture(profile)}, std::pair{"strip", strip_picture(profile)}}) {
    const std::filesystem::path stem = folder / name;
    if (Expected<> done = write_file(stem.string() + ".svg", to_svg(picture)); !done) return done;
    if (!can_write_png()) continue;
    if (Expected<> done = write_png(picture, stem.string() + ".png"); !done) return done;
  }
  if (profile.traces.empty()) return {};
  return write_perfetto(profile, (folder / "remit-trace.perfetto").string());
}

// The formats of traces that were asked for.
Expected<> write_traces(const Profile& profile, const Wishes& wishes) {
  const bool is_asked = !wishes.perfetto.empty() || !wishes.otf2.empty();
  if (is_asked && profile.traces.empty()) {
    return fail(
        MPI_ERR_ARG, "{} {}: {} has no trace: run the job with mpirun --trace --profile-dir",
        wishes.perfetto.empty() ? "--otf2" : "--perfetto",
        wishes.perfetto.empty() ? wishes.otf2 : wishes.perfetto, fmt::join(wishes.folders, ", "));
  }
  if (!wishes.perfetto.empty()) {
    if (Expected<> done = write_perfetto(profile, wishes.perfetto); !done) return done;
  }
  return wishes.otf2.empty() ? Expected<>{} : write_otf2(profile, wishes.otf2);
}

Expected<int> run_comparison(const Wishes& wishes) {
  if (wishes.folders.size() != 2) {
    return fail(MPI_ERR_ARG, "two folders are compared: the one before, the one after");
  }
  const Expected<Profile> before = profile_of({wishes.folders[0]}, wishes);
  if (!before) return tl::unexpected(before.error());
  const Expected<Profile> after = profile_of({wishes.folders[1]}, wishes);
  if (!after) return tl::unexpected(after.error());
  const Comparison result = compare(*before, *after, wishes.threshold_percent / 100);
  fmt::print("{}", result.text);
  return result.is_slower ? kSlower : 0;
}

// Two folders with records of different jobs. The hosts of one job may have one each.
bool are_two_jobs(const std::vector<std::string>& folders) {
  if (folders.size() != 2) return false;
  const Expected<Records> one = read_folders({folders[0]});
  const Expected<Records> other = read_folders({folders[1]});
  if (!one || !other) return false;
  return std::ranges::none_of(one->all, [&](const RecordView& record) {
    return std::ranges::any_of(other->all,
                               [&](const RecordView& each) { return each->job == record->job; });
  });
}

Expected<int> run(const Wishes& wishes) {
  if (wishes.comparison || are_two_jobs(wishes.folders)) return run_comparison(wishes);
  const Expected<Profile> profile = profile_of(wishes.folders, wishes);
  if (!profile) return tl::unexpected(profile.error());
  if (Expected<> done = write_traces(*profile, wishes); !done) return tl::unexpected(done.error());
  std::string page = wishes.page;
  if (!wishes.output.empty()) {
    if (Expected<> done = write_all(*profile, wishes.output); !done) {
      return tl::unexpected(done.error());
    }
    page = (std::filesystem::path(wishes.output) / "remit-profile.html").string();
  }
  if (!wishes.page.empty()) {
    if (Expected<> done = write_file(wishes.page, to_page(*profile)); !done) {
      return tl::unexpected(done.error());
    }
  }
  if (wishes.brief) {
    fmt::print("{}{}\n", summary_of(*profile), page.empty() ? "" : "; " + page);
  } else if (wishes.as == "json") {
    fmt::print("{}", to_json(*profile));
  } else if (wishes.as == "csv") {
    fmt::print("{}", to_csv(*profile));
  } else if (wishes.as == "html") {
    fmt::print("{}", to_page(*profile));
  } else {
    fmt::print("{}", to_text(*profile));
  }
  return 0;
}

int main(int argc, char** argv) {
  CLI::App app{"Tells what the records of an MPI job say (mpirun --profile-dir).", "remit_profile"};
  Wishes wishes;
  bool version = false;
  app.add_flag("-V,--version", version, "Print the version");
  app.add_option("folders", wishes.folders,
                 "Folders with the records of one job; those of two jobs are compared")
      ->type_name("FOLDER");
  app.add_option("--as", wishes.as, "What to print: text (default), json, csv or html")
      ->check(CLI::IsMember({"text", "json", "csv", "html"}))
      ->type_name("FORMAT");
  app.add_option(
         "--output", wishes.output,
         "Write the page, JSON, CSV, pictures (SVG, and PNG where libpng is installed) and, "
         "if there are traces, a trace for Perfetto to a folder")
      ->type_name("FOLDER");
  app.add_option("--perfetto", wishes.perfetto,
                 "Write the traces to a file for ui.perfetto.dev (needs mpirun --trace)")
      ->type_name("FILE");
  app.add_option("--otf2", wishes.otf2,
                 "Write the traces as OTF2 to a new folder (needs mpirun --trace, and OTF2 3; "
                 "Debian: libopen-trace-format2-10)")
      ->type_name("FOLDER");
  app.add_option("--page", wishes.page, "Write the page to a file")->type_name("FILE");
  app.add_flag(
      "--compare", wishes.comparison,
      "Compare two folders, as is done with those of two jobs; exit status 1: the second is "
      "slower");
  app.add_option("--threshold", wishes.threshold_percent,
                 "Slower is what takes so many percent more; default 10")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("PERCENT");
  app.add_flag("--brief", wishes.brief, "Print one line");
  app.add_option("--ended", wishes.ended_ns, "When the job ended, in nanoseconds since the epoch")
      ->type_name("NS");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrong;
  }
  if (version) {
    fmt::print("remit_profile (Remit) {}\n", PACKAGE_VERSION);
    return 0;
  }
  if (wishes.folders.empty()) {
    fmt::print(stderr, "remit_profile: name a folder with records; --help tells more\n");
    return kWrong;
  }
  const Expected<int> status = run(wishes);
  if (status) return *status;
  fmt::print(stderr, "remit_profile: {}\n", status.error().message);
  return kWrong;
}

}  // namespace
}  // namespace remit::profiles

int main(int argc, char** argv) {
  try {
    return remit::profiles::main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "remit_profile: {}\n", error.what());
    return 2;
  }
}
