// One server of the benchmark in its own process, started by server.ts with its kind and transport. Its log goes to
// standard error.
import { listenBare } from './bare.js';
import type { Kind, Listening, Preparing, Spent, TransportName } from './kinds.js';
import { listenOurs } from './ours.js';

const [kind, transport, answer, other] = process.argv.slice(2) as [Kind, TransportName, string, string];
const preparing: Preparing | null = JSON.parse(other);
let knownTexts = 0;
const listening: Listening =
  kind === 'bare'
    ? { port: await listenBare(transport, answer), token: '' }
    : await listenOurs(transport, kind, preparing ?? undefined, (texts) => {
        knownTexts += texts;
      });
process.send?.(listening);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1_000, knownTexts } satisfies Spent);
});
process.on('disconnect', () => process.exit());
