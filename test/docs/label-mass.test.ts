import { test } from 'tap';
import { read } from '../support/pages.js';
import { LONG } from '../support/scale.js';
import { startExampleServer } from './examples-server.js';

const skip = LONG ? false : 'only at full scale: it asks a thousand questions';

test('the label mass of the embedded model is the documented one', { skip }, async (t) => {
  const documented = /median over its ([\d,]+) hand-written questions is ([\d.]+\d)/.exec(
    read('docs/api.md'),
  );
  const server = await startExampleServer(t);
  const headers = { ...server.headers, 'service-label-mass': 'true' };
  const masses: number[] = [];
  for (const line of read('models/nano/evaluation/handwritten.jsonl').trimEnd().split('\n')) {
    const body = JSON.stringify(JSON.parse(line).request);
    const response = await fetch(`${server.url}/v1/decide`, { method: 'POST', headers, body });
    const { answers } = (await response.json()) as { answers: Record<string, { label_mass: number }> };
    masses.push(...Object.values(answers).map(({ label_mass }) => label_mass));
  }
  const median = masses.sort((a, b) => a - b)[masses.length >> 1] as number;
  t.equal(masses.length, Number(documented?.[1]?.replace(',', '')));
  t.equal(median.toPrecision(1), Number(documented?.[2]).toPrecision(1));
});
