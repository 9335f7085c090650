import type { Random } from '../../src/base/index.js';
import type { Plan } from '../../src/engine/index.js';
import type { EmbeddingSizes } from '../../src/engine/scheduler/embeddings.js';
import { arrivalGap } from '../../src/load/index.js';
import type { Arrival } from '../../src/tuning/index.js';

/**
 * Images of 256 tokens. Encoding one takes 3.7 TFLOP on a projector of 0.57B parameters, which is 0.55 tokens of a model
 * of 12B for each of its own.
 */
export const IMAGES: EmbeddingSizes = { side: 48, width: 1, encodeTokensPerToken: 0.55 };
const IMAGE_SIDE = 768;
const IMAGE_TOKENS = 256;

/** Requests and the batch lines beside them. */
export interface Workload {
  readonly title: string;
  /** Live requests, as a part of what the device computes at full waves. */
  readonly load: number;
  /** Tokens of a request without what it shares with others, on average. */
  readonly tokens: number;
  /** @param perSecond requests at the load */
  arrivals(perSecond: number, requests: number, make: PlanMaker, random: Random): Arrival[];
  /** Lines of a batch without an end. */
  batch?(make: PlanMaker): Iterator<Plan>;
}

/** Makes plans. Suffixes are all different; prefixes are if their states are. */
export class PlanMaker {
  private made = 0;

  /** A new state. */
  state(): number {
    this.made += 1;
    return this.made;
  }

  plan(state: number, prefix: number, questions: number, suffix: number, image = false): Plan {
    const text = Int32Array.from({ length: prefix }, (_, i) => (i === 0 ? state : i));
    const tokens = image ? Int32Array.of(...text, ...new Int32Array(IMAGE_TOKENS).fill(-1)) : text;
    const rgb = new Uint8Array(0);
    return {
      prefix: tokens,
      prefixKey: `${state} ${prefix}`,
      images: image ? [{ key: `${state}`, width: IMAGE_SIDE, height: IMAGE_SIDE, rgb }] : [],
      suffixes: Array.from({ length: questions }, () => {
        const own = this.state();
        return {
          tokens: Int32Array.from({ length: suffix }, (_, i) => (i === 0 ? own : i)),
          options: Int32Array.of(1, 2),
        };
      }),
    };
  }
}

/** Requests at random times, `perSecond` on average. */
function poisson(perSecond: number, requests: number, random: Random, plan: (at: number) => Plan): Arrival[] {
  let at = 0;
  return Array.from({ length: requests }, (_, number) => {
    at += arrivalGap(1_000 / perSecond, random);
    return { at, plan: plan(number), urgency: 'live' };
  });
}

const short = (make: PlanMaker) => make.plan(make.state(), 40, 1, 180);
const BURST = 50;
const BURST_STATE_TOKENS = 1_500;

export const WORKLOADS: Readonly<Record<string, Workload>> = {
  short: {
    title: 'short: 40 + 180 tokens, one question; Poisson',
    load: 0.7,
    tokens: 220,
    arrivals: (perSecond, requests, make, random) => poisson(perSecond, requests, random, () => short(make)),
  },
  mixed: {
    title:
      'mixed: states of 40 to 1,500 tokens, 1 to 4 questions of 60; half of the long states repeat; Poisson',
    load: 0.7,
    tokens: 400,
    arrivals(perSecond, requests, make, random) {
      const recent = [make.state()];
      return poisson(perSecond, requests, random, () => {
        const kind = random.integer(10);
        if (kind < 6) return make.plan(make.state(), 40, 1, 180);
        if (kind < 9) return make.plan(make.state(), 300, 3, 60);
        if (random.integer(2) === 0) recent[random.integer(4)] = make.state();
        return make.plan(random.pick(recent.filter(Boolean)), 1_500, 4, 60);
      });
    },
  },
  bursts: {
    title: `bursts: ${BURST} short requests at once`,
    load: 0.5,
    tokens: 220,
    arrivals(perSecond, requests, make, random) {
      const bursts = poisson(perSecond / BURST, Math.ceil(requests / BURST), random, () => short(make));
      return bursts.flatMap(({ at }) =>
        Array.from({ length: BURST }, (): Arrival => ({ at, plan: short(make), urgency: 'live' })),
      );
    },
  },
  one_state: {
    title:
      'one state: 300 questions of 60 tokens on 1,500 in 19 requests at once, beside short requests at 30 %',
    load: 0.5,
    tokens: 220,
    arrivals(perSecond, requests, make, random) {
      const beside = poisson(perSecond * 0.6, Math.ceil(requests * 0.6), random, () => short(make));
      const end = beside.at(-1)?.at ?? 0;
      // As many tokens as the short requests of the other two fifths.
      const groups = Math.ceil((requests * 0.4 * 220) / (BURST_STATE_TOKENS + 300 * 60));
      const asked = Array.from({ length: groups }, (_, group) => {
        const at = (end * (group + 0.5)) / groups;
        const state = make.state();
        return Array.from({ length: 19 }, (__, request): Arrival => {
          const questions = request < 18 ? 16 : 12;
          return { at, plan: make.plan(state, BURST_STATE_TOKENS, questions, 60), urgency: 'live' };
        });
      });
      return [...beside, ...asked.flat()].sort((a, b) => a.at - b.at);
    },
  },
  batch: {
    title: 'batch: lines of 300 + 2 × 60 tokens without an end, beside short requests at 40 %',
    load: 0.4,
    tokens: 220,
    arrivals: (perSecond, requests, make, random) => poisson(perSecond, requests, random, () => short(make)),
    *batch(make) {
      for (;;) yield make.plan(make.state(), 300, 2, 60);
    },
  },
  images: {
    title: 'images: one of 256 tokens, 60 + 2 × 60 tokens of text; Poisson',
    load: 0.6,
    tokens: 256 * (1 + IMAGES.encodeTokensPerToken) + 180,
    arrivals: (perSecond, requests, make, random) =>
      poisson(perSecond, requests, random, () => make.plan(make.state(), 60, 2, 60, true)),
  },
};
