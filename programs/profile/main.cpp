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
#include <set>
#include <string>
#include <utility>
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
/// Calls, waits and ends of messages that are written for Perfetto though nobody asked for it:
/// about a hundred megabytes.
constexpr std::uint64_t kMostUnasked = 500'000;

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

// What is left out is said, on standard error.
Expected<> write_unasked_trace(const Profile& profile, const Wishes& wishes) {
  if (profile.traces.empty()) return {};
  const std::string path = (std::filesystem::path(wishes.output) / "remit-trace.perfetto").string();
  const TraceDigest& timeline = profile.timeline;
  const std::uint64_t events = timeline.calls + timeline.waits + timeline.sent + timeline.received;
  std::error_code error;
  if (events > kMostUnasked) {
    std::filesystem::remove(path, error);  // that of another job
    fmt::print(
        stderr,
        "There are {} events, too many to write {} unasked: remit_profile --perfetto {} {}\n",
        events, path, path, fmt::join(wishes.folders, " "));
    return {};
  }
  Expected<> done = write_perfetto(profile, path);
  if (!done) std::filesystem::remove(path, error);  // half of it would fill the disk for nobody
  return done;
}

// All formats but the page. Each is written though another cannot be; the error is the first one.
Expected<> write_others(const Profile& profile, const Wishes& wishes) {
  const std::filesystem::path folder = wishes.output;
  Expected<> all;
  const auto note = [&all](Expected<> done) {
    if (all && !done) all = std::move(done);
  };
  note(write_file(folder / "remit-profile.json", to_json(profile)));
  note(write_file(folder / "remit-profile.csv", to_csv(profile)));
  for (const auto& [name, picture] :
       {std::pair{"ranks", ranks_picture(profile)}, std::pair{"strip", strip_picture(profile)}}) {
    const std::filesystem::path stem = folder / name;
    note(write_file(stem.string() + ".svg", to_svg(picture)));
    if (can_write_png()) note(write_png(picture, stem.string() + ".png"));
  }
  note(write_unasked_trace(profile, wishes));
  return all;
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
  for (const auto& [option, value] :
       {std::pair{"--perfetto", wishes.perfetto}, std::pair{"--otf2", wishes.otf2},
        std::pair{"--output", wishes.output}, std::pair{"--page", wishes.page}}) {
    if (value.empty()) continue;
    return fail(MPI_ERR_ARG, "{} {}: is of one job, and {} are of two, which are compared", option,
                value, fmt::join(wishes.folders, " and "));
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

// Where the page goes; empty: nowhere.
std::string page_of(const Wishes& wishes) {
  if (wishes.output.empty()) return wishes.page;
  return (std::filesystem::path(wishes.output) / "remit-profile.html").string();
}

// The page, and that of --output, which may be wanted besides.
Expected<> write_pages(const Profile& profile, const Wishes& wishes) {
  std::error_code error;
  if (!wishes.output.empty()) std::filesystem::create_directories(wishes.output, error);
  for (const std::string& path : std::set{page_of(wishes), wishes.page}) {
    if (path.empty()) continue;
    if (Expected<> done = write_file(path, to_page(profile)); !done) return done;
  }
  return {};
}

void print_report(const Profile& profile, const Wishes& wishes, const std::string& page) {
  if (wishes.brief) {
    fmt::print("{}{}\n", summary_of(profile), page.empty() ? "" : "; " + page);
  } else if (wishes.as == "json") {
    fmt::print("{}", to_json(profile));
  } else if (wishes.as == "csv") {
    fmt::print("{}", to_csv(profile));
  } else if (wishes.as == "html") {
    fmt::print("{}", to_page(profile));
  } else {
    fmt::print("{}", to_text(profile));
  }
  std::fflush(stdout);
}

Expected<int> run(const Wishes& wishes) {
  if (wishes.comparison || are_two_jobs(wishes.folders)) return run_comparison(wishes);
  const Expected<Profile> profile = profile_of(wishes.folders, wishes);
  if (!profile) return tl::unexpected(profile.error());
  // What it comes to is told first: a full disk must not keep it from anybody.
  const Expected<> paged = write_pages(*profile, wishes);
  print_report(*profile, wishes, paged ? page_of(wishes) : "");
  if (!paged) return tl::unexpected(paged.error());
  if (Expected<> done = write_traces(*profile, wishes); !done) return tl::unexpected(done.error());
  if (wishes.output.empty()) return 0;
  if (Expected<> done = write_others(*profile, wishes); !done) return tl::unexpected(done.error());
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
         "if there are traces, not too long ones, a trace for Perfetto to a folder")
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
