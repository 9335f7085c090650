// Sends generated requests to real servers and checks the responses (`npm run fuzz`; see CONTRIBUTING.md).
import { parseArgs } from 'node:util';
import { loadUws } from '../../src/http/transport/uws-transport.js';
import { runCampaign } from './campaign.js';
import { describe, memoryFaults } from './report.js';

const MINUTES = 1;
const PROGRESS_CASES = 20_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string' },
    cases: { type: 'string' },
    /** The number of the case to begin with. */
    first: { type: 'string' },
    /** The number of one case to send again. */
    case: { type: 'string' },
    transport: { type: 'string' },
  },
});
const whole = (name: 'seed' | 'cases' | 'first' | 'case'): number | undefined => {
  const text = values[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new Error(`--${name} must be a whole number`);
  return Number(text);
};
const uws = await loadUws().then(
  () => true,
  () => false,
);
const transports = (['node', 'uws'] as const).filter(
  (name) => (values.transport ?? name) === name && (uws || name === 'node'),
);
const seed = whole('seed') ?? Math.floor(Math.random() * 2 ** 31);
const one = whole('case');
const cases = one === undefined ? (whole('cases') ?? Number.MAX_SAFE_INTEGER) : 1;
const minutes = Number(
  values.minutes ?? (cases === Number.MAX_SAFE_INTEGER ? MINUTES : Number.POSITIVE_INFINITY),
);
console.log(`seed ${seed}, transports ${transports.join(' and ')}`);
const result = await runCampaign({
  seed,
  first: one ?? whole('first') ?? 0,
  cases,
  ms: minutes * 60_000,
  transports,
  onProgress: (done, ms) => {
    if (done % PROGRESS_CASES === 0)
      console.log(
        `${done} cases in ${(ms / 1_000).toFixed(0)} s, ${(done / (ms / 1_000)).toFixed(0)} cases/s`,
      );
  },
});
for (const line of describe(result)) console.log(line);
process.exitCode = result.findings.length + memoryFaults(result).length > 0 ? 1 : 0;
