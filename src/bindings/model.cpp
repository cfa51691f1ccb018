#include "bindings/model.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "model/lower_bound.hpp"
#include "model/simulation.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace anabranch {
namespace {

void bind_machine(nb::module_& module) {
  nb::enum_<Delivery>(module, "Delivery")
      .value("synchronous", Delivery::synchronous)
      .value("buffered", Delivery::buffered);
  nb::class_<Link>(module, "Link", "Latency (s) and time per byte (s/B) between two ranks.")
      .def(
          "__init__",
          [](Link* self, double latency_s, double time_per_byte_s) {
            new (self) Link{latency_s, time_per_byte_s};
          },
          "latency_s"_a, "time_per_byte_s"_a)
      .def_ro("latency_s", &Link::latency_s)
      .def_ro("time_per_byte_s", &Link::time_per_byte_s)
      .def("duration_s", &Link::duration_s, "size_bytes"_a);
  nb::class_<Machine>(module, "Machine",
                      "The network that a collective is priced on; see machine.hpp.")
      .def(
          "__init__",
          [](Machine* self, const Link& link, std::vector<Link> links, std::int32_t ports,
             Delivery delivery, std::vector<std::int64_t> node_of_rank,
             const Link& link_within_nodes, std::int32_t memory_messages, double overhead_s,
             bool occupies_for_latency, std::int64_t eager_bytes) {
            new (self) Machine{link,
                               std::move(links),
                               ports,
                               delivery,
                               eager_bytes,
                               std::move(node_of_rank),
                               link_within_nodes,
                               memory_messages,
                               overhead_s,
                               occupies_for_latency};
          },
          "link"_a, "links"_a = std::vector<Link>{}, "ports"_a = 1,
          "delivery"_a = Delivery::synchronous, "node_of_rank"_a = std::vector<std::int64_t>{},
          "link_within_nodes"_a = Link{}, "memory_messages"_a = 0, "overhead_s"_a = 0.0,
          "occupies_for_latency"_a = true, "eager_bytes"_a = 0,
          "links: none, or one per ordered pair at src * ranks + dst; ports: of each node and "
          "direction; node_of_rank: none (each rank has a node), or by rank relative to the root "
          "numbers that tell nodes apart; memory_messages: within a node at once, 0 for any "
          "number; overhead_s: that either rank is busy with a message; occupies_for_latency: "
          "a message occupies ports for its latency, too, not for its bytes alone; eager_bytes: "
          "messages up to here are buffered whatever the delivery.")
      .def_ro("link", &Machine::link)
      .def_ro("links", &Machine::links)
      .def_ro("ports", &Machine::ports)
      .def_ro("delivery", &Machine::delivery)
      .def_ro("eager_bytes", &Machine::eager_bytes)
      .def_ro("node_of_rank", &Machine::node_of_rank)
      .def_ro("link_within_nodes", &Machine::link_within_nodes)
      .def_ro("memory_messages", &Machine::memory_messages)
      .def_ro("overhead_s", &Machine::overhead_s)
      .def_ro("occupies_for_latency", &Machine::occupies_for_latency)
      .def("between", &Machine::between, nb::rv_policy::copy, "src"_a, "dst"_a, "ranks"_a,
           "The link of two ranks.");
  module.def("machine_of", nb::overload_cast<const Network&>(&machine_of), "network"_a,
             "One port, the network's link everywhere.");
  module.def("machine_of", nb::overload_cast<const Problem&, const Places&>(&machine_of),
             "problem"_a, "places"_a,
             "One port a node, the problem's networks between and within nodes.");
}

void bind_outcome(nb::module_& module) {
  nb::class_<Transfer>(module, "Transfer", "One message; ranks relative to the root.")
      .def_ro("src", &Transfer::src)
      .def_ro("dst", &Transfer::dst)
      .def_ro("round", &Transfer::round)
      .def_ro("operation", &Transfer::operation)
      .def_ro("iteration", &Transfer::iteration)
      .def_ro("size_bytes", &Transfer::size_bytes)
      .def_ro("start_s", &Transfer::start_s)
      .def_ro("end_s", &Transfer::end_s);
  nb::class_<Traffic>(module, "Traffic", "Of one rank.")
      .def_ro("bytes_sent", &Traffic::bytes_sent)
      .def_ro("bytes_received", &Traffic::bytes_received)
      .def_ro("messages_sent", &Traffic::messages_sent)
      .def_ro("messages_received", &Traffic::messages_received);
  nb::class_<Outcome>(module, "Outcome", "What a collective costs on a machine.")
      .def_ro("exit_s", &Outcome::exit_s)
      .def_ro("traffic", &Outcome::traffic)
      .def_ro("completion_s", &Outcome::completion_s, "Last exit - last arrival.")
      .def_ro("total_s", &Outcome::total_s, "Sum over the ranks of exit - arrival.")
      .def_ro("transfers", &Outcome::transfers, "By start; only with trace.");
}

Circumstances circumstances_of(std::vector<double> arrival_s, std::int32_t receive_window,
                               std::int32_t send_window, bool trace, std::int32_t synchronous_every,
                               std::shared_ptr<const Places> places = nullptr) {
  return {std::move(arrival_s),
          {receive_window, send_window, synchronous_every},
          trace,
          std::move(places)};
}

}  // namespace

void bind_model(nb::module_& module) {
  bind_machine(module);
  bind_outcome(module);
  module.def("lower_bound_s", &lower_bound_s, "collective"_a, "problem"_a,
             "What no algorithm can be faster than in the one-port model, s; see lower_bound.hpp.");
  module.def(
      "simulate",
      [](const std::vector<const Schedule*>& schedules, const Layouts& layouts,
         const Machine& machine, std::vector<double> arrival_s, std::int32_t receive_window,
         std::int32_t send_window, bool trace, std::int32_t synchronous_every) {
        return simulate(schedules, layouts, machine,
                        circumstances_of(std::move(arrival_s), receive_window, send_window, trace,
                                         synchronous_every));
      },
      "schedules"_a, "layouts"_a, "machine"_a, "arrival_s"_a = std::vector<double>{},
      "receive_window"_a = Window{}.receives, "send_window"_a = Window{}.sends, "trace"_a = false,
      "synchronous_every"_a = Window{}.synchronous_every,
      "Runs one schedule per rank in simulated time, with the layouts of input, output and "
      "scratch; arrivals are those of relative ranks, s; every so many sends to a peer one is "
      "complete when the peer has received it, 0: none.");
  module.def(
      "simulate_choice",
      [](const Choice& choice, const Problem& problem, const Machine& machine,
         std::vector<double> arrival_s, std::int32_t receive_window, std::int32_t send_window,
         bool trace, std::int32_t synchronous_every, std::shared_ptr<const Places> places) {
        return simulate(choice, problem, machine,
                        circumstances_of(std::move(arrival_s), receive_window, send_window, trace,
                                         synchronous_every, std::move(places)));
      },
      "choice"_a, "problem"_a, "machine"_a, "arrival_s"_a = std::vector<double>{},
      "receive_window"_a = Window{}.receives, "send_window"_a = Window{}.sends, "trace"_a = false,
      "synchronous_every"_a = Window{}.synchronous_every, "places"_a = nb::none(),
      "The same for a choice: what it does, its blocks.");
}

}  // namespace anabranch
