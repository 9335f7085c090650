// The cases of bench:engine on llama.cpp's own server, as its users ask for the probabilities of options: the full prompt
// of every question, as tokens, for one token with its most probable alternatives. The server keeps the prompts of its
// slots, so that a shared beginning need not be computed again. Writes {cases: [{case, ms, prompts}]} after each case.
import { parseArgs } from 'node:util';
import { type Case, casesNamed } from '../../engine/cases.js';
import { planOf } from '../../engine/ours.js';
import { textsOf } from '../../engine/texts.js';
import { fullPrompts } from '../../engine/unique.js';
import { type Times, timesOf, writeJson } from '../../report.js';
import { openVocabulary } from './vocabulary.js';

/** Prompts in flight: more than the server has slots, so that none of them waits for this client. */
const AT_ONCE = 64;
/** As many as the largest questions have options. */
const ALTERNATIVES = 16;

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    model: { type: 'string', default: '' },
    cases: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'string' },
  },
});
const { model, close } = openVocabulary(values.model);
const cases: { case: string; ms: Times; prompts: number }[] = [];
for (const one of casesNamed(values.cases)) {
  const times: number[] = [];
  let prompts = 0;
  // The first round is not measured: it allocates.
  for (let round = 0; round <= Number(values.rounds); round++) {
    const groups = promptsOf(one, round);
    const start = performance.now();
    for (const group of groups) await askAll(group);
    if (round > 0) times.push(performance.now() - start);
    prompts = groups.flat().length;
  }
  cases.push({ case: one.name, ms: timesOf(times), prompts });
  writeJson(values.json, { cases });
}
close();

/** The prompts of a round, in groups that follow each other. */
function promptsOf(one: Case, round: number): Int32Array[][] {
  const plans = textsOf(one, `round ${round}`).map((asked) => planOf(asked, model));
  if (one.arrival === 'together') return [fullPrompts(plans)];
  return plans.map((plan) => fullPrompts([plan]));
}

async function askAll(prompts: readonly Int32Array[]): Promise<void> {
  const waiting = [...prompts];
  const caller = async () => {
    for (let prompt = waiting.shift(); prompt !== undefined; prompt = waiting.shift()) await ask(prompt);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, prompts.length) }, caller));
}

async function ask(prompt: Int32Array): Promise<void> {
  const body = {
    prompt: [...prompt],
    n_predict: 1,
    n_probs: ALTERNATIVES,
    temperature: 0,
    cache_prompt: true,
  };
  const response = await fetch(`${values.url}/completion`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 200)}`);
}
