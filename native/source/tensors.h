#pragma once

#include <cstddef>
#include <string>

namespace decider {

// Reads the numbers of a model file's metadata, and its weights on `threads` threads. Throws std::runtime_error, which
// names the key or the tensor, if one is NaN or infinite.
// llama.cpp computes with such a number: a function that is bounded, such as the tanh of a soft cap or a sigmoid, makes a
// finite one of it, and the answer then looks like any other.
//
// Not for projectors: some hold the bounds of clamps, which may be infinite.
void require_finite(const std::string & path, size_t threads);

}  // namespace decider
