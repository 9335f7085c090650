import { scanBody } from '../../src/decide/request/scan.js';

/** The functions used of the npm package `simdjson`, which accepts strings, not bytes. */
export interface SimdJson {
  parse(text: string): unknown;
  lazyParse(text: string): { valueForKeyPath(path: string): unknown };
  isValid(text: string): boolean;
}

/** The contestants; each starts from the bytes of a body. */
export function contestants(simdjson: SimdJson): Readonly<Record<string, (body: Buffer) => unknown>> {
  return {
    // Enforces limits and finds the top-level fields; builds no values.
    scan: (body) => scanBody(body, ['state', 'questions']),
    'JSON.parse': (body) => JSON.parse(body.toString('utf8')),
    'simdjson parse': (body) => simdjson.parse(body.toString('utf8')),
    'simdjson lazyParse': (body) =>
      simdjson.lazyParse(body.toString('utf8')).valueForKeyPath('questions.team'),
    'simdjson isValid': (body) => simdjson.isValid(body.toString('utf8')),
  };
}

/** Megabytes per second of each contestant. They take turns; in every round, each runs for at least `roundMs`. */
export function throughputs(
  body: Buffer,
  readers: ReturnType<typeof contestants>,
  rounds: Iterable<number>,
  roundMs: number,
): Map<string, number[]> {
  const found = new Map(Object.keys(readers).map((name) => [name, [] as number[]]));
  for (const round of rounds) {
    for (const [name, read] of Object.entries(readers)) {
      const start = performance.now();
      let times = 0;
      let taken = 0;
      while (taken < roundMs) {
        read(body);
        times += 1;
        taken = performance.now() - start;
      }
      // The first round warms up.
      if (round > 0) found.get(name)?.push((body.length * times) / taken / 1_000);
    }
  }
  return found;
}
