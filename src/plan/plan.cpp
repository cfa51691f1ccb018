#include "plan/plan.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "plan/rounds.hpp"
#include "schedule/in_quotes.hpp"
#include "schedule/json_file.hpp"

namespace anabranch {
namespace {

using json_file::array;
using json_file::Json;
using json_file::Wrong;

constexpr std::string_view schema = "anabranch/plan/1";
constexpr std::size_t max_plan_nodes = 4096;

std::int64_t whole(const Json& value, std::int64_t most) {
  return json_file::whole(value, 0, most);
}

std::int32_t index(const Json& value) {
  return static_cast<std::int32_t>(whole(value, std::numeric_limits<std::int32_t>::max()));
}

class Reading {
 public:
  Plan read(const Json& document) {
    json_file::check_schema(document, schema);
    plan_.model = document.at("model").get<std::string>();
    plan_.slice_bytes = whole(document.at("slice_bytes"), std::numeric_limits<std::int64_t>::max());
    plan_.serial = document.at("serial").get<Json::boolean_t>();
    plan_.period_s = document.at("period_s").get<Json::number_float_t>();
    if (plan_.slice_bytes < 1) throw Wrong("its slices have no bytes");
    if (!(plan_.period_s > 0)) throw Wrong("its period is not above 0");
    read_nodes(document);
    for (const Json& tree : array(document.at("trees"))) read_tree(tree.at("parents"));
    read_order(document);
    if (document.contains("rounds")) read_rounds(document.at("rounds"));
    return std::move(plan_);
  }

 private:
  void read_nodes(const Json& document) {
    for (const Json& name : array(document.at("nodes"))) {
      plan_.nodes.push_back(name.get<std::string>());
    }
    for (std::size_t node = 0; node < plan_.nodes.size(); ++node) {
      if (!node_of_.emplace(plan_.nodes[node], static_cast<std::int32_t>(node)).second) {
        throw Wrong(in_quotes(plan_.nodes[node]) + " is there twice");
      }
    }
    plan_.root = node_named(document.at("root").get<std::string>());
  }

  std::int32_t node_named(const std::string& name) const {
    const auto found = node_of_.find(name);
    if (found == node_of_.end()) throw Wrong("'" + printable(name) + "' is not among its nodes");
    return found->second;
  }

  void read_tree(const Json& parents) {
    if (!parents.is_object()) throw Wrong("the parents of a tree are no object");
    Plan::Tree tree;
    tree.parent.assign(plan_.nodes.size(), no_node);
    tree.position.assign(plan_.nodes.size(), 0);
    std::int32_t position = 0;
    for (const auto& [child, parent] : parents.items()) {
      const auto node = static_cast<std::size_t>(node_named(child));
      tree.parent[node] = node_named(parent.get<std::string>());
      tree.position[node] = ++position;
    }
    tree.parent[static_cast<std::size_t>(plan_.root)] = no_node;
    check_reaches_all(tree);
    plan_.trees.push_back(std::move(tree));
  }

  void check_reaches_all(const Plan::Tree& tree) const {
    std::vector<bool> is_reached(plan_.nodes.size(), false);
    is_reached[static_cast<std::size_t>(plan_.root)] = true;
    for (std::size_t start = 0; start < plan_.nodes.size(); ++start) {
      std::vector<std::size_t> path;
      for (std::size_t node = start; !is_reached[node]; path.push_back(node)) {
        const std::int32_t parent = tree.parent[node];
        if (parent == no_node || path.size() == plan_.nodes.size()) {
          throw Wrong("a tree does not lead from the root to '" + printable(plan_.nodes[start]) +
                      "'");
        }
        node = static_cast<std::size_t>(parent);
      }
      for (const std::size_t node : path) is_reached[node] = true;
    }
  }

  void read_order(const Json& document) {
    for (const Json& tree : array(document.at("order"))) plan_.order.push_back(index(tree));
    const auto count = static_cast<std::int32_t>(plan_.trees.size());
    const auto is_tree = [count](std::int32_t tree) { return tree < count; };
    if (plan_.order.empty() || !std::ranges::all_of(plan_.order, is_tree)) {
      throw Wrong("its order is not one of its trees");
    }
  }

  void read_rounds(const Json& rounds) {
    for (const Json& round : array(rounds)) {
      plan_.rounds.emplace_back();
      for (const Json& transfer : array(round)) {
        if (!transfer.is_array() || transfer.size() != 3) {
          throw Wrong("a transfer has a place, a node and a number of periods");
        }
        plan_.rounds.back().push_back({place_of(transfer[0]),
                                       node_named(transfer[1].get<std::string>()),
                                       place_of(transfer[2])});
      }
    }
    if (const std::string fault = fault_of_rounds(plan_); !fault.empty()) throw Wrong(fault);
  }

  // -1 where it is none.
  static std::int32_t place_of(const Json& value) {
    return value.is_number_unsigned() && value <= std::numeric_limits<std::int32_t>::max()
               ? value.get<std::int32_t>()
               : -1;
  }

  Plan plan_;
  std::unordered_map<std::string, std::int32_t> node_of_;
};

}  // namespace

std::int32_t Plan::node_of(std::string_view name) const {
  const auto found = std::ranges::find(nodes, name);
  return found == nodes.end() ? no_node : static_cast<std::int32_t>(found - nodes.begin());
}

Plan parse_plan(std::string_view text, std::string_view name) {
  try {
    return Reading().read(json_file::parsed(text, max_plan_nodes, "nodes"));
  } catch (...) {
    json_file::tell(in_quotes(name) + " is not a plan: ");
  }
}

}  // namespace anabranch
