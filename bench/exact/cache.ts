import { random, usableCores } from '../../src/base/index.js';
import { loadAddon, type Plan } from '../../src/engine/index.js';
import { mediumModel } from '../engine/models.js';
import { CPU_BOUNDS, openInProcess } from '../in-process.js';
import { quantile, showNumber, table } from '../report.js';
import { countDifferent, openExact } from './engines.js';
import type { Measured, PartOptions } from './part.js';
import { randomPlans } from './plans.js';

const ROUNDS = 5;
/** The part of the requests that repeat an earlier one. */
const SHARES = [0, 0.5, 0.9];
const CACHE_BYTES = 64 << 20;
const SEED = 1;

/** Two engines answer the same requests in turn: one with the cache of answers, one without. */
export async function measureCache({ model, requests, pace }: PartOptions): Promise<Measured> {
  const file = model ?? mediumModel('q8_0', loadAddon('cpu').addon);
  const { head, labels, summary, close } = openInProcess(file, {}, CPU_BOUNDS);
  close();
  const layout = { contexts: Math.max(1, usableCores() - 1), threads: 1 };
  const cold = await openExact(file, layout);
  const cached = await openExact(file, layout, CACHE_BYTES);
  const cases = [];
  for (const share of SHARES) {
    const plans = repeating(randomPlans(head, labels, requests), share);
    const found = { cold: [] as number[], cached: [] as number[], shared: 0, otherBytes: 0, answered: 0 };
    for (const round of pace.rounds(`${share * 100} % repeated`, ROUNDS)) {
      const expected = await cold.answer(plans, '');
      // Every round begins without answers in the cache.
      const own = await cached.answer(plans, `${share} ${round}`);
      found.cold.push((plans.length / expected.ms) * 1_000);
      found.cached.push((plans.length / own.ms) * 1_000);
      found.shared += own.shared;
      found.otherBytes += countDifferent(expected.logits, own.logits);
      found.answered += plans.length;
    }
    const ratios = found.cached.map((rate, round) => rate / (found.cold[round] as number));
    cases.push({
      repeated: share,
      without: quantile(found.cold, 0.5),
      with: quantile(found.cached, 0.5),
      ratio: quantile(ratios, 0.5),
      shared: found.shared,
      answered: found.answered,
      other_bytes: found.otherBytes,
    });
  }
  await Promise.all([cold.close(), cached.close()]);
  return {
    title: `${summary}; exact mode, ${layout.contexts} × 1; requests/s without and with the cache of answers`,
    shown: table(
      ['repeated', 'without', 'with', 'ratio', 'not computed', 'other bytes'],
      cases.map((row) => [
        `${row.repeated * 100} %`,
        showNumber(row.without),
        showNumber(row.with),
        showNumber(row.ratio),
        `${row.shared} of ${row.answered}`,
        `${row.other_bytes} of ${row.answered}`,
      ]),
    ),
    cases,
  };
}

/** As many plans, of which a share repeats an earlier one. */
function repeating(plans: readonly Plan[], share: number): Plan[] {
  const next = random(SEED);
  const used: Plan[] = [];
  return plans.map((plan) => {
    if (used.length > 0 && next.number() < share) return used[next.integer(used.length)] as Plan;
    used.push(plan);
    return plan;
  });
}
