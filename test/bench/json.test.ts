import { test } from 'tap';
import { decideBody } from '../../bench/json/bodies.js';
import { contestants, throughputs } from '../../bench/json/contestants.js';

/** Stands in for the package, which only the benchmark installs. */
const simdjson = {
  parse: (text: string) => JSON.parse(text),
  lazyParse: (text: string) => ({ valueForKeyPath: () => JSON.parse(text) }),
  isValid: () => true,
};

test('bodies have about the size asked for and are decide requests', async (t) => {
  for (const bytes of [1_000, 100_000]) {
    const body = decideBody(bytes);
    t.ok(Math.abs(body.length - bytes) < bytes / 10, `${body.length} bytes`);
    t.strictSame(Object.keys(JSON.parse(body.toString())), ['state', 'questions']);
  }
});

test('every reader has a rate in every round', async (t) => {
  const readers = contestants(simdjson);
  const rates = throughputs(decideBody(1_000), readers, [0, 1, 2], 1);
  t.strictSame([...rates.keys()], Object.keys(readers));
  for (const [name, list] of rates) t.ok(list.length === 2 && list.every((rate) => rate > 0), name);
});
