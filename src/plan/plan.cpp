#include "plan/plan.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "plan/rounds.hpp"
#include "schedule/in_quotes.hpp"

namespace anabranch {
namespace {

using Json = nlohmann::ordered_json;  // the order of children is that of the file
constexpr std::string_view schema = "anabranch/plan/1";

constexpr std::size_t max_plan_nodes = 4096;
constexpr std::size_t max_depth = 16;

class Wrong : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Numbers as they are: the library would cut them down to the type that is asked for.
std::int64_t whole(const Json& value, std::int64_t most) {
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)) {
    return value.get<std::int64_t>();
  }
  throw Wrong(in_quotes(value.dump()) + " is no whole number from 0 to " + std::to_string(most));
}

std::int32_t index(const Json& value) {
  return static_cast<std::int32_t>(whole(value, std::numeric_limits<std::int32_t>::max()));
}

const Json& array(const Json& value) {
  if (!value.is_array()) throw Wrong(in_quotes(value.dump()) + " is no list");
  return value;
}

class Reading {
 public:
  Plan read(const Json& document) {
    if (!document.is_object() || !document.contains("schema") ||
        document["schema"] != std::string(schema)) {
      throw Wrong("its schema is not " + std::string(schema));
    }
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

Json parsed(std::string_view text) {
  // The objects of this library look for a key among all others.
  std::vector<std::size_t> keys(max_depth + 2, 0);  // so far, by depth
  const auto within_limits = [&keys](int depth, Json::parse_event_t event, const Json&) {
    const auto level = static_cast<std::size_t>(depth);
    if (level > max_depth) throw Wrong("it is nested too deeply");
    if (event == Json::parse_event_t::object_start) keys[level + 1] = 0;
    if (event == Json::parse_event_t::key && ++keys[level] > max_plan_nodes) {
      throw Wrong("it has more than " + std::to_string(max_plan_nodes) + " nodes");
    }
    return true;
  };
  return Json::parse(text, within_limits);
}

}  // namespace

std::int32_t Plan::node_of(std::string_view name) const {
  const auto found = std::ranges::find(nodes, name);
  return found == nodes.end() ? no_node : static_cast<std::int32_t>(found - nodes.begin());
}

Plan parse_plan(std::string_view text, std::string_view name) {
  const std::string prefix = in_quotes(name) + " is not a plan: ";
  try {
    return Reading().read(parsed(text));
  } catch (const Wrong& wrong) {
    throw std::invalid_argument(prefix + wrong.what());
  } catch (const Json::parse_error& error) {
    throw std::invalid_argument(prefix + "not JSON at byte " + std::to_string(error.byte));
  } catch (const Json::exception& error) {
    const std::string what = error.what();  // "[json.exception.out_of_range.403] key 'x' not found"
    throw std::invalid_argument(prefix + printable(what.substr(what.find("] ") + 2)));
  }
}

}  // namespace anabranch
