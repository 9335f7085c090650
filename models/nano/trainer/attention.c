/*
 * Attention over packed states and questions, forward and backward.
 *
 * A token sees a range of its state and a range of its own question, both ending before it or at it. Only those pairs are
 * computed, for 16 successive tokens with the same ranges at a time: a vector holds one number of each of them. The first
 * range of a token of the state is empty, and its second begins with the state.
 *
 * qkv: tokens x 3 x heads x HEAD, before rotation; angles: tokens x HEAD / 2 x {cos, sin}; ranges: tokens x
 * {begin and end in the state, begin in the question}, as places in the row. A token itself is always the last of its ranges.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "bfloat16.h"

enum { HEAD = 32, LANES = 16, LONGEST = 2048 };

typedef float vector __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t whole __attribute__((vector_size(LANES * sizeof(int32_t))));

typedef struct {
  vector k[LONGEST][HEAD / LANES], v[LONGEST][HEAD / LANES];
  vector dk[LONGEST][HEAD / LANES], dv[LONGEST][HEAD / LANES];
  vector p[LONGEST + 4], dp[LONGEST + 4];
} Work;

static _Thread_local Work work;

/* Successive tokens that see the same part of the state, and the places that they see: those of the state, then their own. */
typedef struct {
  int first, count, state, state_end, own, keys;
} Tile;

static void turn(float *out, const bfloat16 *in, const float *angles, float scale) {
  for (int d = 0; d < HEAD / 2; d++) {
    const float c = angles[2 * d] * scale, s = angles[2 * d + 1] * scale, x = widened(in[2 * d]), y = widened(in[2 * d + 1]);
    out[2 * d] = x * c - y * s;
    out[2 * d + 1] = x * s + y * c;
  }
}

static void turn_back(bfloat16 *out, const float *in, const float *angles, float scale) {
  for (int d = 0; d < HEAD / 2; d++) {
    const float c = angles[2 * d] * scale, s = angles[2 * d + 1] * scale, x = in[2 * d], y = in[2 * d + 1];
    out[2 * d] = narrowed(x * c + y * s);
    out[2 * d + 1] = narrowed(y * c - x * s);
  }
}

static Tile tile_at(const int *ranges, int first, int length) {
  const int *range = ranges + 3 * first;
  int count = 1;
  while (count < LANES && first + count < length && memcmp(range, range + 3 * count, 3 * sizeof *range) == 0) count++;
  return (Tile){first, count, range[0], range[1], range[2], range[1] - range[0] + first + count - range[2]};
}

static int place(const Tile *t, int key) {
  const int states = t->state_end - t->state;
  return key < states ? t->state + key : t->own + key - states;
}

/* out[key] = a . rows[place of key], for each lane; a: HEAD vectors with one number of each lane. */
static void products(vector *restrict out, const vector a[HEAD], vector (*rows)[HEAD / LANES], const Tile *t) {
  for (int half = 0; half < HEAD; half += LANES)
    for (int key = 0; key < t->keys; key += 4) {
      const float *row[4];
      vector sum[4];
#pragma GCC unroll 4
      for (int n = 0; n < 4; n++) {
        const int one = key + n < t->keys ? key + n : key;
        row[n] = (const float *)rows[place(t, one)] + half;
        sum[n] = half ? out[key + n] : (vector){0};
      }
#pragma GCC unroll 16
      for (int d = 0; d < LANES; d++)
#pragma GCC unroll 4
        for (int n = 0; n < 4; n++) sum[n] += a[half + d] * row[n][d];
#pragma GCC unroll 4
      for (int n = 0; n < 4; n++) out[key + n] = sum[n];
    }
}

/* sum[d] = the sum over keys of weights[key] x rows[place of key][d], for each lane. */
static void gather(vector sum[HEAD], const vector *restrict weights, vector (*rows)[HEAD / LANES], const Tile *t) {
  for (int half = 0; half < HEAD; half += LANES) {
    vector part[LANES];
#pragma GCC unroll 16
    for (int d = 0; d < LANES; d++) part[d] = (vector){0};
    for (int key = 0; key < t->keys; key++) {
      const vector weight = weights[key];
      const float *row = (const float *)rows[place(t, key)] + half;
#pragma GCC unroll 16
      for (int d = 0; d < LANES; d++) part[d] += weight * row[d];
    }
#pragma GCC unroll 16
    for (int d = 0; d < LANES; d++) sum[half + d] = part[d];
  }
}

/* rows[place of key] += the sum over lanes of weights[key] x a[lane]; a: lanes x HEAD numbers. */
static void scatter(vector (*rows)[HEAD / LANES], const vector *restrict weights, vector a[LANES][HEAD / LANES], const Tile *t) {
  for (int key = 0; key < t->keys; key += 2) {
    const int last = key + 1 < t->keys;
    vector *one = rows[place(t, key)], *other = rows[place(t, key + last)];
    vector sum[2][HEAD / LANES] = {{one[0], one[1]}, {{0}}};
#pragma GCC unroll 16
    for (int lane = 0; lane < LANES; lane++)
#pragma GCC unroll 2
      for (int d = 0; d < HEAD / LANES; d++) {
        sum[0][d] += weights[key][lane] * a[lane][d];
        sum[1][d] += weights[key + 1][lane] * a[lane][d];
      }
#pragma GCC unroll 2
    for (int d = 0; d < HEAD / LANES; d++) one[d] = sum[0][d];
    if (last)
#pragma GCC unroll 2
      for (int d = 0; d < HEAD / LANES; d++) other[d] += sum[1][d];
  }
}

static vector larger(vector a, vector b) {
  const whole chosen = a > b;
  return (vector)((chosen & (whole)a) | (~chosen & (whole)b));
}

/*
 * e to the power of x, which is at most 0: 2 to a whole power times a polynomial. The relative error is 6e-6, that of
 * bfloat16 4e-3. The lowest power has the bits of 0, so that masked keys get exactly 0.
 */
static vector exponential(vector x) {
  const vector lowest = (vector){0} - 127, y = larger(x * 1.44269504f, lowest);
  const whole power = __builtin_convertvector(y - 0.5f, whole);
  const vector f = y - __builtin_convertvector(power, vector);
  const vector rest = 1 + f * (0.69314718f + f * (0.24022651f + f * (0.05550343f + f * (0.00961813f + f * 0.00133988f))));
  return rest * (vector)((power + 127) << 23);
}

/* The weights of the keys into p, 0 for those that a lane does not see and for lanes beyond the last token. */
static void weigh(vector *p, const vector q[HEAD], vector (*k)[HEAD / LANES], const Tile *t) {
  products(p, q, k, t);
  const int certain = t->keys - t->count;
  for (int key = certain; key < t->keys; key++)
    for (int lane = 0; lane < key - certain; lane++) p[key][lane] = -1e30f;
  vector most = p[0], sum = {0};
  for (int key = 1; key < t->keys; key++) most = larger(most, p[key]);
  for (int key = 0; key < t->keys; key++) {
    p[key] = exponential(p[key] - most);
    sum += p[key];
  }
  vector share = 1 / sum;
  for (int lane = t->count; lane < LANES; lane++) share[lane] = 0;
  for (int key = 0; key < t->keys; key++) p[key] *= share;
}

static void transposed(vector out[HEAD], vector rows[LANES][HEAD / LANES]) {
  for (int d = 0; d < HEAD; d++)
    for (int lane = 0; lane < LANES; lane++) ((float *)&out[d])[lane] = ((const float *)rows[lane])[d];
}

static void load_keys(Work *w, const bfloat16 *qkv, const float *angles, int length, int heads, int head) {
  for (int i = 0; i < length; i++) {
    const bfloat16 *token = qkv + ((size_t)i * 3 * heads + head) * HEAD;
    turn((float *)w->k[i], token + heads * HEAD, angles + i * HEAD, 1);
    for (int d = 0; d < HEAD; d++) ((float *)w->v[i])[d] = widened(token[2 * heads * HEAD + d]);
  }
}

static void load_queries(vector q[LANES][HEAD / LANES], const bfloat16 *qkv, const float *angles, const Tile *t, int heads, int head) {
  memset(q, 0, sizeof(vector[LANES][HEAD / LANES]));
  for (int lane = 0; lane < t->count; lane++) {
    const int i = t->first + lane;
    turn((float *)q[lane], qkv + ((size_t)i * 3 * heads + head) * HEAD, angles + i * HEAD, 1 / sqrtf(HEAD));
  }
}

/* out: tokens x heads x HEAD. */
void attend(bfloat16 *out, const bfloat16 *qkv, const float *angles, const int *ranges, int rows, int length, int heads) {
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (int row = 0; row < rows; row++)
    for (int head = 0; head < heads; head++) {
      Work *w = &work;
      const size_t start = (size_t)row * length;
      const bfloat16 *tokens = qkv + start * 3 * heads * HEAD;
      load_keys(w, tokens, angles + start * HEAD, length, heads, head);
      for (int first = 0; first < length;) {
        const Tile t = tile_at(ranges + start * 3, first, length);
        vector q[LANES][HEAD / LANES], qt[HEAD], sum[HEAD];
        load_queries(q, tokens, angles + start * HEAD, &t, heads, head);
        transposed(qt, q);
        weigh(w->p, qt, w->k, &t);
        gather(sum, w->p, w->v, &t);
        for (int lane = 0; lane < t.count; lane++)
          for (int d = 0; d < HEAD; d++) out[((start + first + lane) * heads + head) * HEAD + d] = narrowed(sum[d][lane]);
        first += t.count;
      }
    }
}

void attend_backward(bfloat16 *dqkv, const bfloat16 *dout, const bfloat16 *qkv, const float *angles, const int *ranges, int rows,
                     int length, int heads) {
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (int row = 0; row < rows; row++)
    for (int head = 0; head < heads; head++) {
      Work *w = &work;
      const size_t start = (size_t)row * length;
      const bfloat16 *tokens = qkv + start * 3 * heads * HEAD;
      load_keys(w, tokens, angles + start * HEAD, length, heads, head);
      memset(w->dk, 0, length * sizeof w->dk[0]);
      memset(w->dv, 0, length * sizeof w->dv[0]);
      for (int first = 0; first < length;) {
        const Tile t = tile_at(ranges + start * 3, first, length);
        vector q[LANES][HEAD / LANES], given[LANES][HEAD / LANES] = {{{0}}}, qt[HEAD], given_t[HEAD], dq[HEAD], mean = {0};
        load_queries(q, tokens, angles + start * HEAD, &t, heads, head);
        for (int lane = 0; lane < t.count; lane++)
          for (int d = 0; d < HEAD; d++) ((float *)given[lane])[d] = widened(dout[((start + first + lane) * heads + head) * HEAD + d]);
        transposed(qt, q);
        transposed(given_t, given);
        weigh(w->p, qt, w->k, &t);
        products(w->dp, given_t, w->v, &t);
        for (int key = 0; key < t.keys; key++) mean += w->p[key] * w->dp[key];
        scatter(w->dv, w->p, given, &t);
        for (int key = 0; key < t.keys; key++) w->p[key] *= w->dp[key] - mean;
        scatter(w->dk, w->p, q, &t);
        gather(dq, w->p, w->k, &t);
        for (int lane = 0; lane < t.count; lane++) {
          float turned[HEAD];
          for (int d = 0; d < HEAD; d++) turned[d] = dq[d][lane];
          const size_t i = start + first + lane;
          turn_back(dqkv + (i * 3 * heads + head) * HEAD, turned, angles + i * HEAD, 1 / sqrtf(HEAD));
        }
        first += t.count;
      }
      for (int i = 0; i < length; i++) {
        bfloat16 *token = dqkv + ((start + i) * 3 * heads + head) * HEAD;
        turn_back(token + heads * HEAD, (const float *)w->dk[i], angles + (start + i) * HEAD, 1);
        for (int d = 0; d < HEAD; d++) token[2 * heads * HEAD + d] = narrowed(((const float *)w->dv[i])[d]);
      }
    }
}
