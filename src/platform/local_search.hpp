// A tree made better by hanging nodes elsewhere, one after the other.
#pragma once

#include "platform/slice_platform.hpp"

namespace anabranch::platform {

// As long as it can, takes a link off the busiest resource by hanging the node that receives over
// it (and all below) on another link, where no resource becomes as busy; where one does, that one
// is relieved in the same way first, up to five times deep. The period never rises. Deterministic.
// Throws std::invalid_argument where the tree is none.
Tree improve_tree(const SlicePlatform& platform, const Tree& tree);

}  // namespace anabranch::platform
