#include "simgrid/network.hpp"

#include <string>
#include <utility>

namespace anabranch {
namespace {

namespace s4u = simgrid::s4u;
using Netpoint = simgrid::kernel::routing::NetPoint;
using Links = std::vector<s4u::LinkInRoute>;

constexpr double speed = 1e9;  // of hosts, which compute nothing

std::string name(const std::string& what, std::int32_t number) {
  return what + std::to_string(number);
}

s4u::SplitDuplexLink* duplex(s4u::NetZone* zone, const std::string& called, double rate) {
  s4u::SplitDuplexLink* link = zone->create_split_duplex_link(called, rate);
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
        add_nodes(s4u::create_star_zone("cluster"), cluster_.nodes())->seal();
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
  s4u::Host* add_host(s4u::NetZone* zone) {
    hosts_.push_back(zone->create_host(name("n", static_cast<std::int32_t>(hosts_.size())), speed));
    return hosts_.back();
  }

  void add_memory(s4u::NetZone* zone, const s4u::Host* host) {
    s4u::Link* memory = zone->create_link(host->get_name() + ".memory", cluster_.memory_rate);
    memory->set_latency(0)->seal();
    zone->add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr,
                    Links{s4u::LinkInRoute(memory)}, false);
  }

  // Into a star, each with its port.
  s4u::NetZone* add_nodes(s4u::NetZone* star, std::int32_t count) {
    for (std::int32_t i = 0; i < count; ++i) {
      const s4u::Host* host = add_host(star);
      const auto* port = duplex(star, host->get_name() + ".port", cluster_.port_rate);
      star->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, up(port), true);
      add_memory(star, host);
    }
    return star;
  }

  // A switch with its nodes, in another zone; returns it with its gateway.
  std::pair<s4u::NetZone*, Netpoint*> add_switch(s4u::NetZone* outer, const std::string& called,
                                                 std::int32_t nodes) {
    s4u::NetZone* inner = s4u::create_star_zone(called);
    inner->set_parent(outer);
    Netpoint* gateway = inner->create_router(called + ".gateway");
    add_nodes(inner, nodes)->seal();
    return {inner, gateway};
  }

  void add_tree() {
    s4u::NetZone* tree = s4u::create_star_zone("cluster");
    const std::int32_t leaves = cluster_.extent[0];
    for (std::int32_t leaf = 0; leaf < leaves; ++leaf) {
      const auto [zone, gateway] = add_switch(tree, name("leaf", leaf), cluster_.extent[1]);
      const auto* link = duplex(tree, name("uplink", leaf), cluster_.global_rate);
      tree->add_route(zone->get_netpoint(), nullptr, gateway, nullptr, up(link), true);
    }
    tree->seal();
  }

  void add_groups() {
    s4u::NetZone* dragonfly = s4u::create_full_zone("cluster");
    const std::int32_t groups = cluster_.extent[0], switches = cluster_.extent[1];
    std::vector<s4u::NetZone*> zones;
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
        dragonfly->add_route(zones[at(a)]->get_netpoint(), zones[at(b)]->get_netpoint(),
                             gateways[at(a)][at(b % switches)], gateways[at(b)][at(a % switches)],
                             up(link), true);
      }
    }
    dragonfly->seal();
  }

  std::pair<s4u::NetZone*, std::vector<Netpoint*>> add_group(s4u::NetZone* outer,
                                                             std::int32_t group) {
    const std::string called = name("group", group);
    s4u::NetZone* zone = s4u::create_full_zone(called);
    zone->set_parent(outer);
    std::vector<s4u::NetZone*> switches;
    std::vector<Netpoint*> gateways;
    for (std::int32_t i = 0; i < cluster_.extent[1]; ++i) {
      const auto [inner, gateway] =
          add_switch(zone, name(called + ".switch", i), cluster_.extent[2]);
      switches.push_back(inner);
      gateways.push_back(gateway);
    }
    for (std::size_t a = 0; a < switches.size(); ++a) {
      for (std::size_t b = a + 1; b < switches.size(); ++b) {
        const auto* link =
            duplex(zone, switches[a]->get_name() + "-" + std::to_string(b), cluster_.local_rate);
        zone->add_route(switches[a]->get_netpoint(), switches[b]->get_netpoint(), gateways[a],
                        gateways[b], up(link), true);
      }
    }
    zone->seal();
    return {zone, gateways};
  }

  // SimGrid counts the first dimension fastest, we the last.
  void add_torus() {
    std::vector<unsigned long> dimensions(cluster_.extent.rbegin(), cluster_.extent.rend());
    // Each node is a zone of its own, so that its port has two directions.
    const auto point = [this](s4u::NetZone* zone, const std::vector<unsigned long>&,
                              unsigned long id) -> std::pair<Netpoint*, Netpoint*> {
      const auto [inner, gateway] =
          add_switch(zone, name("node", static_cast<std::int32_t>(id)), 1);
      return {inner->get_netpoint(), gateway};
    };
    s4u::create_torus_zone("cluster", nullptr, dimensions, s4u::ClusterCallbacks(point),
                           cluster_.local_rate, 0.0, s4u::Link::SharingPolicy::SPLITDUPLEX)
        ->seal();
  }

  void add_routes() {
    s4u::NetZone* zone = s4u::create_full_zone("cluster");
    for (std::int32_t node = 0; node < cluster_.nodes(); ++node) add_memory(zone, add_host(zone));
    const Links out = add_links(zone, "out", cluster_.out_rates);
    const Links in = add_links(zone, "in", cluster_.in_rates);
    const Links links = add_links(zone, "link", cluster_.link_rates);
    for (const Cluster::Route& route : cluster_.routes) {
      Links way{out[at(route.src)]};
      for (const std::size_t link : route.links) way.push_back(links[link]);
      way.push_back(in[at(route.dst)]);
      zone->add_route(hosts_[at(route.src)]->get_netpoint(), hosts_[at(route.dst)]->get_netpoint(),
                      nullptr, nullptr, way, false);
    }
    zone->seal();
  }

  static Links add_links(s4u::NetZone* zone, const std::string& called,
                         const std::vector<double>& rates) {
    Links links;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      s4u::Link* link = zone->create_link(called + std::to_string(i), rates[i]);
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

void configure() {
#if SIMGRID_VERSION >= 33500
  constexpr const char* precision = "precision/timing:1e-12";
#else
  constexpr const char* precision = "surf/precision:1e-12";
#endif
  for (const char* setting :
       {"network/latency-factor:1", "network/bandwidth-factor:1", "network/TCP-gamma:0",
        "network/crosstraffic:0", "network/weight-S:0", "network/optim:Lazy",
        "contexts/stack-size:256", "contexts/guard-size:0", precision}) {
    s4u::Engine::set_config(setting);
  }
}

}  // namespace anabranch
