#include "simgrid/network.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "simgrid/zones.hpp"

namespace anabranch {
namespace {

namespace s4u = simgrid::s4u;
using Links = std::vector<s4u::LinkInRoute>;

constexpr double speed = 1e9;       // of hosts, which compute nothing
constexpr double finest_s = 1e-12;  // that SimGrid tells apart

std::string name(const std::string& what, std::int32_t number) {
  return what + std::to_string(number);
}

s4u::SplitDuplexLink* duplex(Zone* zone, const std::string& called, double rate) {
  s4u::SplitDuplexLink* link = add_duplex_link(zone, called, rate);
  link->set_latency(0)->seal();
  return link;
}

Links up(const s4u::SplitDuplexLink* link) { return {{link, s4u::LinkInRoute::Direction::UP}}; }

class Builder {
 public:
  explicit Builder(const Cluster& cluster) : cluster_(cluster) {}

  std::vector<s4u::Host*> build() {
    switch (cluster_.shape) {
      case Cluster::Shape::crossbar:
        add_nodes(add_star(nullptr, "cluster"), cluster_.nodes())->seal();
        break;
      case Cluster::Shape::fat_tree:
        add_tree();
        break;
      case Cluster::Shape::dragonfly:
        add_groups();
        break;
      case Cluster::Shape::torus:
        add_torus();
        break;
      case Cluster::Shape::routes:
        add_routes();
        break;
    }
    return std::move(hosts_);
  }

 private:
  s4u::Host* add_host(Zone* zone) {
    hosts_.push_back(
        anabranch::add_host(zone, name("n", static_cast<std::int32_t>(hosts_.size())), speed));
    return hosts_.back();
  }

  void add_memory(Zone* zone, const s4u::Host* host) {
    s4u::Link* memory = add_link(zone, host->get_name() + ".memory", cluster_.memory_rate);
    memory->set_latency(0)->seal();
    add_route(zone, host->get_netpoint(), host->get_netpoint(), nullptr, nullptr,
              Links{s4u::LinkInRoute(memory)}, false);
  }

  // Each with its port, to a switch; nullptr for the middle of a star.
  Zone* add_nodes(Zone* zone, std::int32_t count, Netpoint* to = nullptr) {
    for (std::int32_t i = 0; i < count; ++i) {
      const s4u::Host* host = add_host(zone);
      const auto* port = duplex(zone, host->get_name() + ".port", cluster_.port_rate);
      add_route(zone, host->get_netpoint(), to, nullptr, nullptr, up(port), true);
      add_memory(zone, host);
    }
    return zone;
  }

  // A switch with its nodes, in another zone; returns it with its gateway.
  std::pair<Zone*, Netpoint*> add_switch(Zone* outer, const std::string& called,
                                         std::int32_t nodes) {
    Zone* inner = add_star(outer, called);
    Netpoint* gateway = add_router(inner, called + ".gateway");
    set_gateway(inner, gateway);
    add_nodes(inner, nodes)->seal();
    return {inner, gateway};
  }

  void add_tree() {
    Zone* tree = add_star(nullptr, "cluster");
    const std::int32_t leaves = cluster_.extent[0];
    for (std::int32_t leaf = 0; leaf < leaves; ++leaf) {
      const auto [zone, gateway] = add_switch(tree, name("leaf", leaf), cluster_.extent[1]);
      const auto* link = duplex(tree, name("uplink", leaf), cluster_.global_rate);
      add_route(tree, zone->get_netpoint(), nullptr, gateway, nullptr, up(link), true);
    }
    tree->seal();
  }

  void add_groups() {
    Zone* dragonfly = add_full(nullptr, "cluster");
    const std::int32_t groups = cluster_.extent[0], switches = cluster_.extent[1];
    std::vector<Zone*> zones;
    std::vector<std::vector<Netpoint*>> gateways;
    for (std::int32_t group = 0; group < groups; ++group) {
      auto [zone, points] = add_group(dragonfly, group);
      zones.push_back(zone);
      gateways.push_back(std::move(points));
    }
    for (std::int32_t a = 0; a < groups; ++a) {
      for (std::int32_t b = a + 1; b < groups; ++b) {
        const auto* link =
            duplex(dragonfly, name(name("global", a) + "-", b), cluster_.global_rate);
        add_route(dragonfly, zones[at(a)]->get_netpoint(), zones[at(b)]->get_netpoint(),
                  gateways[at(a)][at(b % switches)], gateways[at(b)][at(a % switches)], up(link),
                  true);
      }
    }
    dragonfly->seal();
  }

  // With its switches, any of which is a gateway.
  std::pair<Zone*, std::vector<Netpoint*>> add_group(Zone* outer, std::int32_t group) {
    const std::string called = name("group", group);
    Zone* zone = add_mesh(outer, called);
    std::vector<Netpoint*> switches;
    for (std::int32_t b = 0; b < cluster_.extent[1]; ++b) {
      switches.push_back(add_router(zone, name(called + ".switch", b)));
      add_nodes(zone, cluster_.extent[2], switches.back());
      for (std::int32_t a = 0; a < b; ++a) {
        const auto* link =
            duplex(zone, name(name(called + ".link", a) + "-", b), cluster_.local_rate);
        add_route(zone, switches[at(a)], switches[at(b)], nullptr, nullptr, up(link), true);
      }
    }
    zone->seal();
    return {zone, switches};
  }

  // SimGrid counts the first dimension fastest, we the last.
  void add_torus() {
    const Coordinates dimensions(cluster_.extent.rbegin(), cluster_.extent.rend());
    const auto leaf = [this](Zone* torus, unsigned long index) {
      return add_switch(torus, "point" + std::to_string(index), 1);
    };
    anabranch::add_torus("cluster", dimensions, cluster_.local_rate, leaf)->seal();
  }

  void add_routes() {
    Zone* zone = add_full(nullptr, "cluster");
    for (std::int32_t node = 0; node < cluster_.nodes(); ++node) add_memory(zone, add_host(zone));
    const Links links = add_links(zone);
    for (const Cluster::Route& route : cluster_.routes) {
      Links way;
      for (const std::size_t link : route.links) way.push_back(links[link]);
      add_route(zone, hosts_[at(route.src)]->get_netpoint(), hosts_[at(route.dst)]->get_netpoint(),
                nullptr, nullptr, way, false);
    }
    zone->seal();
  }

  Links add_links(Zone* zone) {
    Links links;
    for (const double rate : cluster_.link_rates) {
      s4u::Link* link = add_link(zone, "link" + std::to_string(links.size()), rate);
      links.emplace_back(link->set_latency(0)->seal());
    }
    return links;
  }

  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

  const Cluster& cluster_;
  std::vector<s4u::Host*> hosts_;
};

}  // namespace

std::vector<simgrid::s4u::Host*> build(const Cluster& cluster) { return Builder(cluster).build(); }

void configure(double resolution_s) {
#if SIMGRID_VERSION >= 33500
  constexpr const char* precision = "precision/timing:";
#else
  constexpr const char* precision = "surf/precision:";
#endif
  for (const char* setting :
       {"network/latency-factor:1", "network/bandwidth-factor:1", "network/TCP-gamma:0",
        "network/crosstraffic:0", "network/weight-S:0", "network/optim:Lazy",
        "contexts/stack-size:4096", "contexts/guard-size:0"}) {
    s4u::Engine::set_config(setting);
  }
  std::ostringstream text;
  text << precision << std::max(resolution_s, finest_s);
  s4u::Engine::set_config(text.str());
}

}  // namespace anabranch
