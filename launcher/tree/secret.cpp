// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// HMAC by OpenSSL's libcrypto. It is opened at run time: a job on one host neither needs nor loads
// it.
#include "launcher/tree/secret.hpp"

#include <dlfcn.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/opensslv.h>
#include <sys/random.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace remit::launcher {
namespace {

#define REMIT_TEXT_OF(number) #number
#define REMIT_LIBCRYPTO(major) "libcrypto.so." REMIT_TEXT_OF(major)

struct Crypto {
  decltype(&::HMAC) hmac = nullptr;
  decltype(&::EVP_sha256) sha256 = nullptr;
};

Expected<Crypto> open_crypto() {
  void* library = ::dlopen(REMIT_LIBCRYPTO(OPENSSL_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail(MPI_ERR_OTHER,
                "jobs on several hosts need OpenSSL's libcrypto (package libssl3): {}",
                ::dlerror());
  }
  Crypto crypto;
  crypto.hmac = reinterpret_cast<decltype(crypto.hmac)>(::dlsym(library, "HMAC"));
  crypto.sha256 = reinterpret_cast<decltype(crypto.sha256)>(::dlsym(library, "EVP_sha256"));
  if (crypto.hmac == nullptr || crypto.sha256 == nullptr) {
    return fail(MPI_ERR_OTHER, "libcrypto has no HMAC: {}", ::dlerror());
  }
  return crypto;
}

}  // namespace

Expected<Proof> random_proof() {
  Proof bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return fail_errno(MPI_ERR_OTHER, errno, "getrandom");
  }
  return bytes;
}

Expected<Secret> Secret::make() {
  Expected<Proof> bytes = random_proof();
  if (!bytes) return tl::unexpected(bytes.error());
  Secret secret;
  secret.bytes_ = *bytes;
  return secret;
}

Expected<Secret> Secret::from_text(std::string_view hex) {
  Secret secret;
  bool good = hex.size() == 2 * secret.bytes_.size();
  for (std::size_t i = 0; good && i < secret.bytes_.size(); ++i) {
    unsigned value = 0;
    const char* const digits = hex.data() + 2 * i;
    const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
    good = error == std::errc{} && end == digits + 2;
    secret.bytes_[i] = static_cast<char>(value);
  }
  if (!good) return fail(MPI_ERR_OTHER, "what was sent is no secret");
  return secret;
}

std::string Secret::text() const {
  std::string hex;
  for (const char byte : bytes_) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return hex;
}

Expected<Proof> Secret::sign(std::string_view text) const {
  static const Expected<Crypto> crypto = open_crypto();
  if (!crypto) return tl::unexpected(crypto.error());
  Proof proof{};
  unsigned size = 0;
  const unsigned char* done =
      crypto->hmac(crypto->sha256(), bytes_.data(), static_cast<int>(bytes_.size()),
                   reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                   reinterpret_cast<unsigned char*>(proof.data()), &size);
  if (done == nullptr || size != proof.size()) return fail(MPI_ERR_OTHER, "libcrypto cannot sign");
  return proof;
}

bool same(const Proof& a, const Proof& b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

Expected<Proof> prove(const Secret& secret, Side side, const Call& call,
                      const Proof& parent_nonce) {
  std::string text = side == Side::parent ? "remit parent " : "remit child ";
  text.append(reinterpret_cast<const char*>(&call), sizeof call);
  text.append(parent_nonce.data(), parent_nonce.size());
  return secret.sign(text);
}

}  // namespace remit::launcher
