// What a choice costs on the nodes and ports of a problem, under the model.
#pragma once

#include <optional>

#include "algorithms/candidates.hpp"

namespace anabranch {

// As the algorithm sees it, which knows nothing of nodes: where several ranks share a node, its
// port carries the messages of all of them, at once unless they use it in turn; on one node, all
// goes through memory. An upper bound, as some messages stay within nodes.
Problem blind_to_nodes(const Algorithm& algorithm, const Problem& problem);

// With handshakes, and for algorithms that are blind to nodes on such a network. The choice must
// have a cost. A protocol costs no less than the cheapest schedule, as which it begins.
double price_s(const Choice& choice, const Problem& problem);

// What native is taken to cost: what the policy of the MPI beneath picks. Where that is not known,
// the least of what the published ones pick, also where they run between nodes alone, as MPIs do.
// Nothing where nobody published any.
std::optional<double> native_price_s(Collective collective, const Problem& problem);

// All schedules of the collective and native, at their prices.
std::vector<Candidate> priced_candidates(Collective collective, const Problem& problem);

}  // namespace anabranch
