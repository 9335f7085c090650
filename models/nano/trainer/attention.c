/*
 * Attention over packed states and questions, forward and backward.
 *
 * A token sees a range of its state and a range of its own question, both ending before it or at it. Computing only those
 * pairs takes a quarter of the time of a masked product over whole rows.
 *
 * qkv: tokens x 3 x heads x head, before rotation; angles: tokens x head / 2 x {cos, sin}; ranges: tokens x {begin and end
 * in the state, begin in the question}, as places in the row. A token itself is always the last of its ranges.
 */
#include <math.h>
#include <string.h>

/* STRIDE is no power of two, because rows at such distances share cache lines. */
enum { HEAD = 32, LONGEST = 2048, STRIDE = LONGEST + 16 };

typedef struct {
  float q[LONGEST][HEAD], k[LONGEST][HEAD], v[LONGEST][HEAD];
  float kt[HEAD][STRIDE], vt[HEAD][STRIDE];
  float dq[LONGEST][HEAD], dk[LONGEST][HEAD], dv[LONGEST][HEAD];
  float p[LONGEST], dp[LONGEST];
} Work;

static _Thread_local Work work;

static void rotate(float *out, const float *in, const float *angles, float sign, float scale) {
  for (int d = 0; d < HEAD / 2; d++) {
    float c = angles[2 * d], s = sign * angles[2 * d + 1];
    float x = in[2 * d], y = in[2 * d + 1];
    out[2 * d] = (x * c - y * s) * scale;
    out[2 * d + 1] = (x * s + y * c) * scale;
  }
}

static void load(Work *w, const float *qkv, const float *angles, int length, int heads, int head) {
  const float scale = 1.0f / sqrtf(HEAD);
  for (int i = 0; i < length; i++) {
    const float *token = qkv + (size_t)i * 3 * heads * HEAD + head * HEAD;
    rotate(w->q[i], token, angles + i * HEAD, 1, scale);
    rotate(w->k[i], token + heads * HEAD, angles + i * HEAD, 1, 1);
    memcpy(w->v[i], token + 2 * heads * HEAD, sizeof w->v[i]);
    for (int d = 0; d < HEAD; d++) w->kt[d][i] = w->k[i][d];
  }
}

/* out[j] = a . rows[.][j] for j in [from, to). */
static void products(float *restrict out, const float *restrict a, float (*restrict rows)[STRIDE], int from, int to) {
  for (int j = from; j < to; j++) out[j] = 0;
  for (int d = 0; d < HEAD; d++) {
    const float x = a[d];
    const float *restrict row = rows[d];
    for (int j = from; j < to; j++) out[j] += x * row[j];
  }
}

/* The weights of token i into p, over its two ranges. */
static void weigh(Work *w, int i, const int *range) {
  const int from[2] = {range[0], range[2]}, to[2] = {range[1], i + 1};
  float most = -1e30f, sum = 0;
  for (int part = 0; part < 2; part++) {
    products(w->p, w->q[i], w->kt, from[part], to[part]);
    for (int j = from[part]; j < to[part]; j++) most = w->p[j] > most ? w->p[j] : most;
  }
  for (int part = 0; part < 2; part++)
    for (int j = from[part]; j < to[part]; j++) sum += w->p[j] = expf(w->p[j] - most);
  const float share = 1 / sum;
  for (int part = 0; part < 2; part++)
    for (int j = from[part]; j < to[part]; j++) w->p[j] *= share;
}

void attend(float *out, const float *qkv, const float *angles, const int *ranges, int rows, int length, int heads) {
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (int row = 0; row < rows; row++)
    for (int head = 0; head < heads; head++) {
      Work *w = &work;
      const size_t first = (size_t)row * length;
      load(w, qkv + first * 3 * heads * HEAD, angles + first * HEAD, length, heads, head);
      for (int i = 0; i < length; i++) {
        const int *range = ranges + (first + i) * 3;
        weigh(w, i, range);
        float sum[HEAD] = {0};
        const int from[2] = {range[0], range[2]}, to[2] = {range[1], i + 1};
        for (int part = 0; part < 2; part++)
          for (int j = from[part]; j < to[part]; j++)
            for (int d = 0; d < HEAD; d++) sum[d] += w->p[j] * w->v[j][d];
        memcpy(out + ((first + i) * heads + head) * HEAD, sum, sizeof sum);
      }
    }
}

void attend_backward(float *dqkv, const float *dout, const float *qkv, const float *angles, const int *ranges, int rows,
                     int length, int heads) {
  const float scale = 1.0f / sqrtf(HEAD);
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (int row = 0; row < rows; row++)
    for (int head = 0; head < heads; head++) {
      Work *w = &work;
      const size_t first = (size_t)row * length;
      load(w, qkv + first * 3 * heads * HEAD, angles + first * HEAD, length, heads, head);
      for (int i = 0; i < length; i++)
        for (int d = 0; d < HEAD; d++) w->vt[d][i] = w->v[i][d];
      memset(w->dk, 0, length * sizeof w->dk[0]);
      memset(w->dv, 0, length * sizeof w->dv[0]);
      for (int i = 0; i < length; i++) {
        const int *range = ranges + (first + i) * 3;
        const float *given = dout + ((first + i) * heads + head) * HEAD;
        const int from[2] = {range[0], range[2]}, to[2] = {range[1], i + 1};
        weigh(w, i, range);
        float mean = 0;
        for (int part = 0; part < 2; part++) {
          products(w->dp, given, w->vt, from[part], to[part]);
          for (int j = from[part]; j < to[part]; j++) mean += w->p[j] * w->dp[j];
        }
        float dq[HEAD] = {0};
        for (int part = 0; part < 2; part++)
          for (int j = from[part]; j < to[part]; j++) {
            const float p = w->p[j], ds = p * (w->dp[j] - mean);
            for (int d = 0; d < HEAD; d++) {
              dq[d] += ds * w->k[j][d];
              w->dk[j][d] += ds * w->q[i][d];
              w->dv[j][d] += p * given[d];
            }
          }
        memcpy(w->dq[i], dq, sizeof dq);
      }
      for (int i = 0; i < length; i++) {
        float *token = dqkv + (first + i) * 3 * heads * HEAD + head * HEAD;
        const float *angle = angles + (first + i) * HEAD;
        rotate(token, w->dq[i], angle, -1, scale);
        rotate(token + heads * HEAD, w->dk[i], angle, -1, 1);
        memcpy(token + 2 * heads * HEAD, w->dv[i], sizeof w->dv[i]);
      }
    }
}
