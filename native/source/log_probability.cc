#include "log_probability.h"

#include <cmath>
#include <limits>

namespace decider {
namespace {

// Σ exp(x) of numbers added one by one. The sum is relative to the largest so far, so that nothing overflows.
struct ExpSum {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;

  void add(double x) {
    // Without this, -infinity less -infinity would be NaN.
    if (x == -std::numeric_limits<double>::infinity()) return;
    if (x > largest) {
      sum = sum * std::exp(largest - x) + 1;
      largest = x;
    } else {
      // Also NaN, which then stays in the sum.
      sum += std::exp(x - largest);
    }
  }
};

}  // namespace

double log_probability(const float * row, size_t size, const int32_t * tokens, size_t count) {
  ExpSum all;
  for (size_t i = 0; i < size; i++) all.add(row[i]);
  if (!std::isfinite(all.largest)) return std::numeric_limits<double>::quiet_NaN();
  ExpSum some;
  for (size_t i = 0; i < count; i++) some.add(row[tokens[i]]);
  const double result = some.largest - all.largest + std::log(some.sum / all.sum);
  // Rounding may lead to a probability above 1.
  return result > 0 ? 0 : result;
}

}  // namespace decider
