// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Why and how a job ends, for the user and for the process that started mpirun.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace remit::launcher {

/// How a job ended, for the process that started it.
struct JobResult {
  int status = 0;        ///< exit status of mpirun
  int raise_signal = 0;  ///< if not 0: die by this signal, so that a shell's loop stops too
};

/// Something for which a job is ended.
struct EndCause {
  int status = 1;      ///< of mpirun
  std::string words;   ///< what happened, without a full stop
  int culprit = -1;    ///< the number of the process that is the cause; -1: none is
  double delay_s = 0;  ///< so long the others may end by themselves
  std::string advice;  ///< what to do about it; empty: nothing is known
};

/// The end of a job: the first cause counts, what fails afterwards is its consequence. Pure.
class JobEnd {
 public:
  [[nodiscard]] bool is_decided() const { return !cause_.empty(); }
  /// `others`: how many processes this ends besides the one that is the cause. Once.
  void decide(EndCause cause, int others);
  /// One more, which was being started when that was decided.
  void count_another() { ++others_; }

  /// A cause that is none if another one comes soon: a process that misses another one is not the
  /// cause. False: there is a better one, or one like it.
  bool suspect(EndCause cause);
  [[nodiscard]] const std::optional<EndCause>& suspected() const { return suspected_; }

  /// mpirun was asked to end, and dies of this signal; 0: it does not.
  void raise(int signal) { result_.raise_signal = signal; }
  /// Where nothing else has ended the job: nobody reads mpirun's standard output (`stream` 1), so
  /// that what ranks have written is lost, or its standard error.
  void lose_reader(int stream);

  [[nodiscard]] const JobResult& result() const { return result_; }
  /// For standard error; empty if nothing ends the job: all ranks have ended well.
  [[nodiscard]] std::string words() const;
  /// The same, as mpirun's last words: they are said once.
  [[nodiscard]] std::string final_message();
  [[nodiscard]] bool has_spoken() const { return has_spoken_; }

 private:
  std::string cause_;
  std::string advice_;
  bool by_rank_ = false;  // a process is the cause
  int others_ = 0;
  std::optional<EndCause> suspected_;
  JobResult result_;
  bool has_spoken_ = false;
};

}  // namespace remit::launcher
