// What exact mode costs and returns, in parts:
//
// differences  how far the probabilities of normal mode, in which concurrent requests share computation, differ from those
//              of exact mode, in which each request runs alone: |Δp| over all options of all questions, by precision of
//              the weights
// contexts     the throughput with one and with several contexts on the CPU, which take turns within one run, and whether
//              all contexts return the same bytes; a ratio above 1 is faster than one context of one thread
// cache        the throughput with and without the cache of answers at 0, 50 and 90 % of repeated requests, in turn within
//              one run, and whether the bytes are equal
// questions    400 questions about one state as one request and as 25 of 16: tokens computed, as the engine counts them, and
//              time, in exact mode and in normal mode
//
// The generated weights are random, so measure your own model.
//
//   npm run bench:exact                       all parts, with generated models
//   npm run bench:exact -- --part contexts    one part
//   npm run bench:exact -- --model FILE       a GGUF of your own
//   npm run bench:exact -- --requests N       requests of a round; default: 64
//   npm run bench:exact -- --minutes N        leaves out what does not begin in this time
//   npm run bench:exact -- --json FILE        also write {machine, differences: […], contexts: […], cache: […], questions: […]}
import { measureCache } from './exact/cache.js';
import { measureContexts } from './exact/contexts.js';
import { measureDifferences, PRECISIONS } from './exact/differences.js';
import { measureQuestions } from './exact/questions.js';
import { benchOptions } from './options.js';
import { machine, Pace, writeJson } from './report.js';

const PARTS = {
  differences: { cases: PRECISIONS.length, measure: measureDifferences },
  contexts: { cases: 1, measure: measureContexts },
  cache: { cases: 3, measure: measureCache },
  questions: { cases: 2, measure: measureQuestions },
};
type Part = keyof typeof PARTS;

const values = benchOptions({
  part: { type: 'string' },
  model: { type: 'string' },
  requests: { type: 'string', default: '64' },
});
const isPart = (name: string): name is Part => Object.hasOwn(PARTS, name);
if (values.part !== undefined && !isPart(values.part))
  throw new Error(`--part: ${values.part} is none of ${Object.keys(PARTS).join(', ')}`);
const parts = values.part === undefined ? (Object.keys(PARTS) as Part[]) : [values.part];
const pace = new Pace({
  cases: parts.reduce((sum, part) => sum + PARTS[part].cases, 0),
  minutes: values.minutes,
});
const results: Partial<Record<Part, unknown>> = {};
for (const part of parts) {
  const { title, shown, cases } = await PARTS[part].measure({
    model: values.model,
    requests: Number(values.requests),
    pace,
  });
  console.log(`${machine()}; ${title}\n${shown}\n`);
  results[part] = cases;
}
writeJson(values.json, { machine: machine(), ...results });
