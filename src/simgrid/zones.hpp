// How a network and actors are made: SimGrid 4 has other functions for that than SimGrid 3.
#pragma once

#include <simgrid/version.h>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

namespace anabranch {

using Zone = simgrid::s4u::NetZone;
using Netpoint = simgrid::kernel::routing::NetPoint;
using Coordinates = std::vector<unsigned long>;

// The gateways are those of src and dst where these are zones; SimGrid 4 wants them right there,
// not in zones within these.
inline void add_route(Zone* zone, Netpoint* src, Netpoint* dst, Netpoint* gateway_of_src,
                      Netpoint* gateway_of_dst, const std::vector<simgrid::s4u::LinkInRoute>& links,
                      bool is_symmetrical) {
  zone->get_impl()->add_route(src, dst, gateway_of_src, gateway_of_dst, links, is_symmetrical);
}

// A zone without a parent is the outermost one, and the only one.
#if SIMGRID_VERSION >= 40000

inline Zone* or_root(Zone* parent) {
  return parent != nullptr ? parent : simgrid::s4u::Engine::get_instance()->get_netzone_root();
}

inline Zone* add_star(Zone* parent, const std::string& name) {
  return or_root(parent)->add_netzone_star(name);
}

inline Zone* add_full(Zone* parent, const std::string& name) {
  return or_root(parent)->add_netzone_full(name);
}

// Whose routes are the shortest ones over those that are added.
inline Zone* add_mesh(Zone* parent, const std::string& name) {
  return or_root(parent)->add_netzone_dijkstra(name, true);
}

// leaf: adds the zone of one node to its first argument, and returns it with its gateway.
template <class Leaf>
Zone* add_torus(const std::string& name, const Coordinates& extent, double rate, Leaf leaf) {
  Zone* torus = or_root(nullptr)->add_netzone_torus(name, extent, rate, 0.0,
                                                    simgrid::s4u::Link::SharingPolicy::SPLITDUPLEX);
  torus->set_netzone_cb([leaf](Zone* zone, const Coordinates&, unsigned long index) {
    return leaf(zone, index).first;
  });
  return torus;
}

inline simgrid::s4u::Host* add_host(Zone* zone, const std::string& name, double speed) {
  return zone->add_host(name, speed);
}

inline simgrid::s4u::Link* add_link(Zone* zone, const std::string& name, double rate) {
  return zone->add_link(name, rate);
}

inline simgrid::s4u::SplitDuplexLink* add_duplex_link(Zone* zone, const std::string& name,
                                                      double rate) {
  return zone->add_split_duplex_link(name, rate);
}

inline Netpoint* add_router(Zone* zone, const std::string& name) { return zone->add_router(name); }

// Of a zone that has one.
inline void set_gateway(Zone* zone, Netpoint* gateway) { zone->set_gateway(gateway); }

template <class Code>
void add_actor(const std::string& name, simgrid::s4u::Host* host, Code code) {
  host->add_actor(name, std::move(code));
}

#else

inline Zone* put_into(Zone* parent, Zone* zone) {
  if (parent != nullptr) zone->set_parent(parent);
  return zone;
}

inline Zone* add_star(Zone* parent, const std::string& name) {
  return put_into(parent, simgrid::s4u::create_star_zone(name));
}

inline Zone* add_full(Zone* parent, const std::string& name) {
  return put_into(parent, simgrid::s4u::create_full_zone(name));
}

inline Zone* add_mesh(Zone* parent, const std::string& name) {
  return put_into(parent, simgrid::s4u::create_dijkstra_zone(name, true));
}

template <class Leaf>
Zone* add_torus(const std::string& name, const Coordinates& extent, double rate, Leaf leaf) {
  const auto point = [leaf](Zone* zone, const Coordinates&, unsigned long index) {
    const auto [node, gateway] = leaf(zone, index);
    return std::pair(node->get_netpoint(), gateway);
  };
  return simgrid::s4u::create_torus_zone(name, nullptr, extent,
                                         simgrid::s4u::ClusterCallbacks(point), rate, 0.0,
                                         simgrid::s4u::Link::SharingPolicy::SPLITDUPLEX);
}

inline simgrid::s4u::Host* add_host(Zone* zone, const std::string& name, double speed) {
  return zone->create_host(name, speed);
}

inline simgrid::s4u::Link* add_link(Zone* zone, const std::string& name, double rate) {
  return zone->create_link(name, rate);
}

inline simgrid::s4u::SplitDuplexLink* add_duplex_link(Zone* zone, const std::string& name,
                                                      double rate) {
  return zone->create_split_duplex_link(name, rate);
}

inline Netpoint* add_router(Zone* zone, const std::string& name) {
  return zone->create_router(name);
}

inline void set_gateway(Zone*, Netpoint*) {}

template <class Code>
void add_actor(const std::string& name, simgrid::s4u::Host* host, Code code) {
  simgrid::s4u::Actor::create(name, host, std::move(code));
}

#endif

}  // namespace anabranch
