// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Opening an adapter.
#include "rdma_btl/verbs/adapter/opened_adapter.hpp"

#include <unistd.h>

#include <cerrno>
#include <climits>

#include "rdma_btl/registration/registrar.hpp"
#include "rdma_btl/verbs/adapter/registered_memory.hpp"
#include "rdma_btl/verbs/endpoint.hpp"

namespace remit::verbs {

Expected<> OpenedAdapter::open(VerbsConfig& config) {
  // libibverbs would say so in its own words, to nobody in particular.
  const std::size_t own = (config.receive_slots + config.send_slots + 1) * config.message_bytes;
  if (any_rdma_device() && lockable_bytes() < own) {
    return registration_error(ENOMEM, own, "the queues of a rank");
  }
  char host[HOST_NAME_MAX + 1] = {};
  if (::gethostname(host, sizeof host - 1) == 0) host_ = host;
  Expected<Api> api = load_api();
  if (!api) return tl::unexpected<Error>(std::move(api.error()));
  api_ = *api;
  // Newer kernels copy pinned pages at fork(); others need the library to keep them from children.
  if (api_.ibv.is_fork_initialized() == IBV_FORK_DISABLED) api_.ibv.fork_init();
  Expected<std::vector<Adapter>> adapters = find_adapters(api_);
  if (!adapters) return tl::unexpected<Error>(std::move(adapters.error()));
  Expected<Adapter> chosen = choose_adapter(api_, *adapters, config.device);
  if (!chosen) return tl::unexpected<Error>(std::move(chosen.error()));
  chosen_ = *chosen;
  description_ = describe(chosen_, *adapters, config.device);
  refusals_at_open_ = port_refusals(chosen_).value_or(0);
  if (Expected<> done = listener_.open(api_.cm, chosen_); !done) return about(done);
  for (const auto step :
       {&OpenedAdapter::query_limits, &OpenedAdapter::make_queues, &OpenedAdapter::probe_inline}) {
    if (Expected<> done = (this->*step)(config); !done) return about(done);
  }
  return about(wakeup_.watch({listener_.channel()->fd, context()->async_fd}));
}

Expected<> OpenedAdapter::about(Expected<> done) const {
  if (!done) {
    done.error().message =
        fmt::format("RDMA adapter {} ({}): {}", chosen_.device, chosen_.text, done.error().message);
  }
  return done;
}

Expected<> OpenedAdapter::query_limits(VerbsConfig& config) {
  ibv_device_attr device = {};
  if (const int error = ibv().query_device(context(), &device); error != 0) {
    return fail_errno(MPI_ERR_OTHER, error, "asking for its limits");
  }
  ibv_port_attr port = {};
  if (const int error = ibv().query_port(context(), chosen_.port,
                                         reinterpret_cast<_compat_ibv_port_attr*>(&port));
      error != 0) {
    return fail_errno(MPI_ERR_OTHER, error, "asking for the state of its port");
  }
  limits_ = limits_of(device, chosen_.iwarp, config);
  limits_.paging = query_paging(context());
  caps_ = caps_under(limits_, config, device, port, chosen_.bandwidth);
  return {};
}

Expected<> OpenedAdapter::make_queues(VerbsConfig& config) {
  if (Expected<> made = wakeup_.make(ibv(), context()); !made) return made;
  return queues_.make(ibv(), context(), wakeup_.channel(), limits_.max_slots, config);
}

/// How much fits into a descriptor is known only from a queue pair: ask for less and less.
Expected<> OpenedAdapter::probe_inline(VerbsConfig& config) {
  for (std::uint32_t wanted = config.mask.inline_data ? 0 : kMostInline;; wanted /= 2) {
    if (wanted < sizeof(Header)) wanted = 0;
    ibv_qp_init_attr attributes = queues_.queue_pair(config, limits_.max_sge, wanted);
    ibv_qp* const made = ibv().create_qp(queues_.domain(), &attributes);
    if (made != nullptr) {
      limits_.max_inline = wanted;
      ibv().destroy_qp(made);
      break;
    }
    if (wanted == 0) return fail_errno(MPI_ERR_OTHER, errno, "creating a queue pair");
  }
  caps_.max_inline = limits_.max_inline == 0 ? 0 : limits_.max_inline - sizeof(Header);
  return {};
}

std::string OpenedAdapter::way_to(const Endpoint& endpoint) const {
  return fmt::format("process {}{}{} at {} over RDMA adapter {} port {} ({}){}{}",
                     rank_of_name(endpoint.peer), endpoint.host.empty() ? "" : " on host ",
                     endpoint.host, endpoint.where.empty() ? "an unknown address" : endpoint.where,
                     chosen_.device, chosen_.port, chosen_.text, trouble_.empty() ? "" : ", ",
                     trouble_);
}

std::optional<std::uint64_t> OpenedAdapter::refusals() const {
  const auto refusals = port_refusals(chosen_);
  if (!refusals) return std::nullopt;
  return *refusals - refusals_at_open_;
}

}  // namespace remit::verbs
