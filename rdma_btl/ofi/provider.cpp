// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Choosing a provider and an interface.
#include "rdma_btl/ofi/provider.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

namespace remit::ofi {

namespace {

constexpr std::uint32_t kApiVersion = FI_VERSION(1, 17);

/// Over TCP: "net" is the name that libfabric 1.17 had for what is "tcp" from 1.18 on; before,
/// "tcp" had no reliable datagrams of its own, and ofi_rxm makes them.
constexpr std::array<std::string_view, 3> kOverTcp = {"tcp", "net", "tcp;ofi_rxm"};

bool is_over_tcp(std::string_view provider) {
  return std::ranges::find(kOverTcp, provider) != kOverTcp.end();
}

bool exists(const char* path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// An RDMA device whose name begins so.
bool any_device(std::string_view prefix) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/infiniband", error)) {
    if (entry.path().filename().string().starts_with(prefix)) return true;
  }
  return false;
}

/// Of networks whose adapter is there: to ask some providers without takes long.
std::vector<std::string> providers_of_adapters() {
  std::vector<std::string> names;
  if (exists("/dev/cxi0")) names.emplace_back("cxi");
  if (any_device("hfi1")) names.insert(names.end(), {"opx", "psm2"});
  if (any_device("efa")) names.emplace_back("efa");
  return names;
}

/// Those to try, the best first.
std::vector<std::string> providers(const OfiConfig& config) {
  if (!config.provider.empty()) return {config.provider};
  std::vector<std::string> names = providers_of_adapters();
  names.insert(names.end(), kOverTcp.begin(), kOverTcp.end());
  return names;
}

Info hints_for(const Api& api, const std::string& provider, int family) {
  Info hints(api.dupinfo(nullptr), {api.freeinfo});
  if (!hints) return hints;
  hints->ep_attr->type = FI_EP_RDM;
  hints->caps = FI_MSG;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  hints->fabric_attr->prov_name = ::strdup(provider.c_str());
  if (is_over_tcp(provider)) {
    hints->addr_format = family == AF_INET ? FI_SOCKADDR_IN : FI_SOCKADDR_IN6;
  }
  return hints;
}

/// The provider's own description of exactly this provider at this address; null: there is none.
Info describe(const Api& api, const std::string& provider, const net::Interface& interface,
              bool rma, long& error) {
  const Info hints = hints_for(api, provider, interface.address.ss_family);
  Info found(nullptr, {api.freeinfo});
  if (!hints) return found;
  if (rma) hints->caps |= FI_RMA;
  const bool tcp = is_over_tcp(provider);
  fi_info* list = nullptr;
  const int result = api.getinfo(kApiVersion, tcp ? interface.text.c_str() : nullptr, nullptr,
                                 tcp ? FI_SOURCE | FI_NUMERICHOST : 0, hints.get(), &list);
  if (result != 0) {
    error = result;
    return found;
  }
  const Info all(list, {api.freeinfo});
  for (const fi_info* info = list; info != nullptr; info = info->next) {
    const std::string_view name = info->fabric_attr->prov_name;
    if (name != provider && (tcp || !name.starts_with(provider + ";"))) continue;
    found.reset(api.dupinfo(info));
    break;
  }
  return found;
}

}  // namespace

std::string Plan::words() const {
  return fmt::format("provider {} on {} {} ({})", info->fabric_attr->prov_name,
                     choice.interface.name, choice.interface.text, choice.why);
}

bool Plan::over_tcp() const {
  return is_over_tcp(info->fabric_attr->prov_name);
}

bool Plan::keeps_order() const {
  return over_tcp() && info->fabric_attr->prov_name != std::string_view("tcp;ofi_rxm");
}

Expected<Plan> make_plan(const Api& api, const OfiConfig& config) {
  Expected<std::vector<net::Interface>> interfaces = net::list_interfaces();
  if (!interfaces) return tl::unexpected(interfaces.error());
  Expected<net::Choice> choice = net::choose_interface(*interfaces, config.interface);
  if (!choice) return tl::unexpected(choice.error());
  std::string tried;
  for (const std::string& name : providers(config)) {
    for (const bool rma : {true, false}) {
      if (rma && config.mask.rma) continue;
      long error = -FI_ENODATA;
      Info info = describe(api, name, choice->interface, rma, error);
      if (info) return Plan{std::move(info), std::move(*choice), rma};
      if (rma) continue;
      tried += fmt::format("{}{} ({})", tried.empty() ? "" : ", ", name,
                           api.strerror(static_cast<int>(-error)));
    }
  }
  return fail(MPI_ERR_OTHER,
              "libfabric has no provider for {} {} with reliable datagrams; tried {}. 'fi_info' "
              "of the package libfabric-bin lists what there is",
              choice->interface.name, choice->interface.text, tried);
}

bool any_adapter() {
  return !providers_of_adapters().empty();
}

}  // namespace remit::ofi
