// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Connections and a PMIx server of one process, timed.
#include "benchmarks/start/measure.hpp"

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "launcher/plan/topology.hpp"
#include "launcher/pmix/pmix_server.hpp"
#include "launcher/tree/tree_link.hpp"

namespace remit::start {
namespace {

using asio::ip::tcp;
using launcher::Message;
using launcher::MessageKind;
using launcher::TreeLink;

double now_ns() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// A connection through the loopback interface.
std::pair<tcp::socket, tcp::socket> connected(asio::io_context& here, asio::io_context& there) {
  tcp::acceptor acceptor(here, {asio::ip::address_v4::loopback(), 0});
  tcp::socket far(there);
  far.connect(acceptor.local_endpoint());
  return {acceptor.accept(), std::move(far)};
}

Message message_of(std::size_t bytes) {
  return {MessageKind::modex, 1, 0, std::string(bytes, 'x')};
}

/// Nanoseconds of one thread for each of `count` messages that it sends and receives.
double stream(int count, std::size_t bytes) {
  asio::io_context io;
  auto [near, far] = connected(io, io);
  const auto from = std::make_shared<TreeLink>(std::move(near), 15);
  const auto to = std::make_shared<TreeLink>(std::move(far), 15);
  int received = 0;
  to->start({[&](const Message&) { ++received; }, [&](const std::string&) { io.stop(); }});
  from->start({[](const Message&) {}, [](const std::string&) {}});
  const Message message = message_of(bytes);
  const double start = now_ns();
  // One at a time, as most messages of daemons come.
  while (received < count) {
    from->send(message);
    const int before = received;
    while (received == before) {
      if (io.run_one() == 0) throw std::runtime_error("a connection has ended");
    }
  }
  const double took = now_ns() - start;
  from->close();
  to->close();
  return took / count;
}

double resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmRSS:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

/// A PMIx server that is told of a job, as a daemon's.
void measure_prepare(const Shape& shape, Measured* measured) {
  std::string directory = (std::filesystem::temp_directory_path() / "start.XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) throw std::runtime_error("no temporary folder");
  const auto topology = launcher::Topology::load();
  if (!topology) throw std::runtime_error(topology.error().message);
  asio::io_context io;
  Shape small = shape;
  small.ranks = shape.per_host;
  auto server = launcher::PmixServer::start(io, {0, "host00000", &*topology, directory},
                                            make_job(small).job, {});
  if (!server) throw std::runtime_error(server.error().message);
  launcher::DaemonJob part = make_job(shape);
  part.job.nspace += ".2";
  part.job.number = 1;
  const std::string bytes = launcher::write_job(part);
  const double memory = resident_bytes();
  const double start = now_ns();
  const auto read = launcher::read_job(bytes);
  if (!read) throw std::runtime_error("the job cannot be read");
  if (auto added = (*server)->add_job(read->job); !added) {
    throw std::runtime_error(added.error().message);
  }
  measured->costs.prepare = (now_ns() - start) / shape.ranks;
  measured->prepare_bytes = (resident_bytes() - memory) / shape.ranks;
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
}

}  // namespace

Measured measure(const Shape& shape) {
  constexpr int kMessages = 20000;
  constexpr int kLong = 200;
  constexpr std::size_t kLongBytes = std::size_t{4} << 20;
  Measured measured;
  const double both = std::min(stream(kMessages, 16), stream(kMessages, 16));
  measured.costs.message = both / 2;
  measured.costs.per_byte =
      std::max(0.0, stream(kLong, kLongBytes) - both) / 2 / static_cast<double>(kLongBytes);
  measure_prepare(shape, &measured);
  return measured;
}

}  // namespace remit::start
