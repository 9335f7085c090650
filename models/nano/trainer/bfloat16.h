/* The upper half of a float, which PyTorch calls bfloat16. */
#include <stdint.h>
#include <string.h>

typedef uint16_t bfloat16;

static float widened(bfloat16 x) {
  uint32_t bits = (uint32_t)x << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

/* Rounds to the nearest, ties to even. */
static bfloat16 narrowed(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
