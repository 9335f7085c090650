#include "log_probability.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace decider {
namespace {

// Vectors of the compiler, which every processor that decider runs on has instructions for: a row of a large vocabulary
// has 262,144 logits, and with a call of std::exp for each of them it would take more than twice as long.
constexpr ptrdiff_t LANES = 4;
typedef float Floats __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t Ints __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef double Doubles __attribute__((vector_size(LANES * sizeof(double))));

constexpr float LOWEST = -std::numeric_limits<float>::infinity();

inline Floats load(const float * values) {
  Floats result;
  std::memcpy(&result, values, sizeof(result));
  return result;
}

// NaN is no logit here.
float largest_of(const float * row, size_t size) {
  const float * end = row + size;
  Floats largest = Floats{} + LOWEST;
  for (; end - row >= LANES; row += LANES) {
    const Floats values = load(row);
    largest = values > largest ? values : largest;
  }
  float result = LOWEST;
  for (; row < end; row++) result = *row > result ? *row : result;
  for (ptrdiff_t lane = 0; lane < LANES; lane++) result = largest[lane] > result ? largest[lane] : result;
  return result;
}

// e^x of numbers up to 0, with a relative error below 2e-7; below -87 it is e^-87, which changes no sum. NaN stays NaN.
// x = n·ln 2 + r; e^r is the polynomial of Cephes' expf, and 2^n is written into the exponent.
inline Floats exp_of(Floats x) {
  const Floats least = Floats{} - 87.0f;
  x = x < least ? least : x;
  // Adding 1.5·2^23 rounds to an integer.
  const Floats rounded = (x * 1.44269504f + 12582912.0f) - 12582912.0f;
  const Floats rest = (x - rounded * 0.693359375f) + rounded * 2.12194440e-4f;
  Floats y = rest * 1.9875691500e-4f + 1.3981999507e-3f;
  y = y * rest + 8.3334519073e-3f;
  y = y * rest + 4.1665795894e-2f;
  y = y * rest + 1.6666665459e-1f;
  y = y * rest + 5.0000001201e-1f;
  y = y * rest * rest + rest + 1.0f;
  const Ints bits = (__builtin_convertvector(rounded, Ints) + 127) << 23;
  Floats power;
  std::memcpy(&power, &bits, sizeof(power));
  return y * power;
}

// Σ exp(x - largest) over the row.
double sum_of_exp(const float * row, size_t size, float largest) {
  const float * end = row + size;
  Doubles sums{};
  for (; end - row >= LANES; row += LANES) {
    sums += __builtin_convertvector(exp_of(load(row) - largest), Doubles);
  }
  double sum = 0;
  for (; row < end; row++) sum += std::exp(static_cast<double>(*row) - largest);
  for (ptrdiff_t lane = 0; lane < LANES; lane++) sum += sums[lane];
  return sum;
}

}  // namespace

double log_probability(const float * row, size_t size, const int32_t * tokens, size_t count) {
  const float largest = largest_of(row, size);
  if (!std::isfinite(largest)) return std::numeric_limits<double>::quiet_NaN();
  const double all = sum_of_exp(row, size, largest);
  double highest = LOWEST;
  for (size_t i = 0; i < count; i++) highest = row[tokens[i]] > highest ? row[tokens[i]] : highest;
  // -infinity less -infinity would be NaN.
  if (highest == LOWEST && !std::isnan(all)) return highest;
  double some = 0;
  for (size_t i = 0; i < count; i++) some += std::exp(row[tokens[i]] - highest);
  const double result = highest - largest + std::log(some / all);
  // Rounding may lead to a probability above 1.
  return result > 0 ? 0 : result;
}

}  // namespace decider
