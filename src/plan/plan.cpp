#include "plan/plan.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "plan/rounds.hpp"

namespace anabranch {
namespace {

using Json = nlohmann::ordered_json;  // the order of children is that of the file
constexpr std::string_view schema = "anabranch/plan/1";

class Wrong : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::int32_t node_named(const Plan& plan, const Json& value) {
  const auto name = value.get<std::string>();
  const std::int32_t node = plan.node_of(name);
  if (node == no_node) throw Wrong("'" + name + "' is not among its nodes");
  return node;
}

void check_reaches_all(const Plan& plan, const Plan::Tree& tree) {
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    auto node = static_cast<std::int32_t>(i);
    for (std::size_t steps = 0; node != plan.root; ++steps) {
      if (node == no_node || steps == plan.nodes.size()) {
        throw Wrong("a tree does not lead from the root to '" + plan.nodes[i] + "'");
      }
      node = tree.parent[static_cast<std::size_t>(node)];
    }
  }
}

Plan::Tree read_tree(const Plan& plan, const Json& parents) {
  Plan::Tree tree;
  tree.parent.assign(plan.nodes.size(), no_node);
  tree.position.assign(plan.nodes.size(), 0);
  std::int32_t position = 0;
  for (const auto& [child, parent] : parents.items()) {
    const auto node = static_cast<std::size_t>(node_named(plan, child));
    tree.parent[node] = node_named(plan, parent);
    tree.position[node] = ++position;
  }
  tree.parent[static_cast<std::size_t>(plan.root)] = no_node;
  check_reaches_all(plan, tree);
  return tree;
}

std::vector<std::vector<Plan::Transfer>> read_rounds(const Plan& plan, const Json& rounds) {
  std::vector<std::vector<Plan::Transfer>> found;
  for (const Json& round : rounds) {
    found.emplace_back();
    for (const Json& transfer : round) {
      found.back().push_back({transfer.at(0).get<std::int32_t>(), node_named(plan, transfer.at(1)),
                              transfer.at(2).get<std::int32_t>()});
    }
  }
  return found;
}

Plan read(const Json& document) {
  if (!document.is_object() || document.value("schema", "") != schema) {
    throw Wrong("its schema is not " + std::string(schema));
  }
  Plan plan;
  plan.model = document.at("model").get<std::string>();
  plan.slice_bytes = document.at("slice_bytes").get<std::int64_t>();
  plan.serial = document.at("serial").get<bool>();
  plan.period_s = document.at("period_s").get<double>();
  plan.nodes = document.at("nodes").get<std::vector<std::string>>();
  plan.root = node_named(plan, document.at("root"));
  for (const Json& tree : document.at("trees")) {
    plan.trees.push_back(read_tree(plan, tree.at("parents")));
  }
  plan.order = document.at("order").get<std::vector<std::int32_t>>();
  const auto count = static_cast<std::int32_t>(plan.trees.size());
  const auto is_tree = [count](std::int32_t tree) { return 0 <= tree && tree < count; };
  if (plan.order.empty() || !std::ranges::all_of(plan.order, is_tree)) {
    throw Wrong("its order is not one of its trees");
  }
  if (plan.slice_bytes < 1) throw Wrong("its slices have no bytes");
  if (!(plan.period_s > 0)) throw Wrong("its period is not above 0");
  if (document.contains("rounds")) {
    plan.rounds = read_rounds(plan, document.at("rounds"));
    if (const std::string fault = fault_of_rounds(plan); !fault.empty()) throw Wrong(fault);
  }
  return plan;
}

}  // namespace

std::int32_t Plan::node_of(std::string_view name) const {
  const auto found = std::ranges::find(nodes, name);
  return found == nodes.end() ? no_node : static_cast<std::int32_t>(found - nodes.begin());
}

Plan parse_plan(std::string_view text, std::string_view name) {
  std::string prefix = "\"";
  prefix.append(name).append("\" is not a plan: ");
  try {
    return read(Json::parse(text));
  } catch (const Wrong& wrong) {
    throw std::invalid_argument(prefix + wrong.what());
  } catch (const Json::parse_error& error) {
    throw std::invalid_argument(prefix + "not JSON at byte " + std::to_string(error.byte));
  } catch (const Json::exception& error) {
    const std::string what = error.what();  // "[json.exception.out_of_range.403] key 'x' not found"
    throw std::invalid_argument(prefix + what.substr(what.find("] ") + 2));
  }
}

}  // namespace anabranch
