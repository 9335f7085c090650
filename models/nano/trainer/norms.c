/* Norms and gates, forward and backward, each in one pass over its numbers. */
#include <math.h>
#include <stddef.h>

#include "bfloat16.h"

/* out = x / rms(x) * weight, and 1 / rms(x) in scales; x: tokens x width. */
void norm(bfloat16 *out, float *scales, const float *x, const float *weight, float epsilon, int tokens, int width) {
#pragma omp parallel for
  for (int i = 0; i < tokens; i++) {
    const float *from = x + (size_t)i * width;
    bfloat16 *to = out + (size_t)i * width;
    float squares = 0;
    for (int d = 0; d < width; d++) squares += from[d] * from[d];
    const float scale = scales[i] = 1 / sqrtf(squares / width + epsilon);
    for (int d = 0; d < width; d++) to[d] = narrowed(from[d] * scale * weight[d]);
  }
}

/* dweight must be 0 before. */
void norm_backward(float *dx, float *dweight, const bfloat16 *dout, const float *scales, const float *x, const float *weight,
                   int tokens, int width) {
#pragma omp parallel for reduction(+ : dweight[:width])
  for (int i = 0; i < tokens; i++) {
    const float *from = x + (size_t)i * width, scale = scales[i];
    const bfloat16 *given = dout + (size_t)i * width;
    float *to = dx + (size_t)i * width, along = 0;
    for (int d = 0; d < width; d++) {
      const float g = widened(given[d]);
      dweight[d] += g * from[d] * scale;
      to[d] = g * weight[d];
      along += to[d] * from[d];
    }
    along *= scale * scale / width;
    for (int d = 0; d < width; d++) to[d] = (to[d] - along * from[d]) * scale;
  }
}

/* out = silu(gate) * up; both: tokens x {gate, up} x width. */
void gated(bfloat16 *out, const bfloat16 *both, int tokens, int width) {
#pragma omp parallel for
  for (int i = 0; i < tokens; i++) {
    const bfloat16 *gate = both + (size_t)i * 2 * width, *up = gate + width;
    bfloat16 *to = out + (size_t)i * width;
    for (int d = 0; d < width; d++) {
      const float g = widened(gate[d]);
      to[d] = narrowed(g / (1 + expf(-g)) * widened(up[d]));
    }
  }
}

void gated_backward(bfloat16 *dboth, const bfloat16 *dout, const bfloat16 *both, int tokens, int width) {
#pragma omp parallel for
  for (int i = 0; i < tokens; i++) {
    /* Without restrict, the compiler does not vectorize the loop: it takes twice the time. */
    const bfloat16 *restrict gate = both + (size_t)i * 2 * width, *restrict up = gate + width, *restrict given = dout + (size_t)i * width;
    bfloat16 *restrict dgate = dboth + (size_t)i * 2 * width, *restrict dup = dgate + width;
    for (int d = 0; d < width; d++) {
      const float g = widened(gate[d]), share = 1 / (1 + expf(-g)), by = widened(given[d]);
      dgate[d] = narrowed(by * widened(up[d]) * share * (1 + g * (1 - share)));
      dup[d] = narrowed(by * g * share);
    }
  }
}
