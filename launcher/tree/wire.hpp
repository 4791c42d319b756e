// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Values to bytes and back, for messages between the processes of one launcher, on one host or on
// several of one byte order. A reader that runs out of bytes turns bad and returns empty values.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace remit::launcher {

class WireWriter {
 public:
  void number(std::int64_t value) { bytes_.append(reinterpret_cast<char*>(&value), sizeof value); }
  void text(std::string_view value) {
    number(static_cast<std::int64_t>(value.size()));
    bytes_.append(value);
  }
  void texts(const std::vector<std::string>& values) {
    number(static_cast<std::int64_t>(values.size()));
    for (const std::string& value : values) text(value);
  }
  void numbers(const std::vector<int>& values) {
    number(static_cast<std::int64_t>(values.size()));
    for (const int value : values) number(value);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// The bytes of some numbers, and of nothing else.
template <class... Numbers>
[[nodiscard]] std::string numbers(Numbers... values) {
  WireWriter writer;
  (writer.number(static_cast<std::int64_t>(values)), ...);
  return writer.bytes();
}

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  std::int64_t number() {
    std::int64_t value = 0;
    if (rest_.size() < sizeof value) {
      bad_ = true;
      return 0;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  /// One that is written as an int: any other is bad.
  int integer() {
    const std::int64_t value = number();
    if (value == static_cast<int>(value)) return static_cast<int>(value);
    bad_ = true;
    return 0;
  }
  std::string text() {
    const std::size_t size = count(1);
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values(count(sizeof(std::int64_t)));
    for (std::string& value : values) value = text();
    return values;
  }
  std::vector<int> numbers() {
    std::vector<int> values(count(sizeof(std::int64_t)));
    for (int& value : values) value = integer();
    return values;
  }
  /// Nothing is missing so far.
  [[nodiscard]] bool good() const { return !bad_; }
  /// Nothing is missing and nothing is left.
  [[nodiscard]] bool complete() const { return !bad_ && rest_.empty(); }

 private:
  // A count of things of at least `least` bytes each that can still be there.
  std::size_t count(std::size_t least) {
    const std::int64_t value = number();
    if (value < 0 || static_cast<std::size_t>(value) > rest_.size() / least) {
      bad_ = true;
      return 0;
    }
    return static_cast<std::size_t>(value);
  }

  std::string_view rest_;
  bool bad_ = false;
};

}  // namespace remit::launcher
