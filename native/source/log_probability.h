#pragma once

#include <cstddef>
#include <cstdint>

namespace decider {

// The natural logarithm of the probability that a row of logits gives to `count` of its tokens together: their
// log-sum-exp less that of the row, within 1e-6. Logits of -infinity have probability 0. NaN if a logit of the row is NaN
// or +infinity, or if all are -infinity.
double log_probability(const float * row, size_t size, const int32_t * tokens, size_t count);

}  // namespace decider
