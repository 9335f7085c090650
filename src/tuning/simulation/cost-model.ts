import { type Entry, roundsOf, type Wave, type WaveBounds } from '../../engine/index.js';
import type { WaveTime } from './simulate.js';

/** What work costs on a device and on its host, in milliseconds. No constant is negative. */
export interface Costs {
  /** Of a decode, however few tokens it has: reading the weights, starting kernels. */
  readonly decodeMs: number;
  /** Of each further token of a decode, by its number in it: ascending ranges, the last of which has no end. */
  readonly ranges: readonly TokenRange[];
  /** Attention of a token to a cell in use. */
  readonly tokenCellMs: number;
  /** The cells in use count in steps of so many. */
  readonly cellStep: number;
  /** A row of logits: computing and copying it. */
  readonly rowMs: number;
  /** On the host, beside the device: batches, masks, the graph. */
  readonly hostDecodeMs: number;
  readonly hostTokenMs: number;
}

/** Tokens of a decode up to the number `upTo`. */
interface TokenRange {
  readonly upTo: number;
  readonly tokenMs: number;
}

/** A call of llama_decode. */
interface DecodeSize {
  readonly tokens: number;
  /** In use when it ends. */
  readonly cells: number;
  /** Rows of logits. */
  readonly rows: number;
}

/** What a decode takes on the device, in milliseconds. */
function decodeTime(costs: Costs, { tokens, cells, rows }: DecodeSize): number {
  return (
    costs.decodeMs +
    tokensIn(costs.ranges, tokens).reduce(
      (sum, count, range) => sum + count * (costs.ranges[range] as TokenRange).tokenMs,
      0,
    ) +
    tokens * countedCells(cells, costs.cellStep) * costs.tokenCellMs +
    rows * costs.rowMs
  );
}

/** How many of the tokens of a decode are in each range. */
function tokensIn(ranges: ReadonlyArray<Pick<TokenRange, 'upTo'>>, tokens: number): number[] {
  return ranges.map(({ upTo }, index) => {
    const from = index === 0 ? 0 : (ranges[index - 1] as TokenRange).upTo;
    return Math.max(0, Math.min(tokens, upTo) - from);
  });
}

const countedCells = (cells: number, step: number) => Math.ceil(cells / step) * step;

/** What a wave takes on a device and its host. */
export function waveTime(costs: Costs, bounds: WaveBounds, wave: Wave<Entry>): WaveTime {
  const decodes = decodesOf(wave, bounds);
  const tokens = decodes.reduce((sum, each) => sum + each.tokens, 0);
  // Tokens that stand for the encoding of images cost what those of a full decode cost.
  const encoded = wave.cost - decodes.reduce((sum, each) => sum + each.own, 0);
  const encodedMs = encoded * (costs.ranges.at(-1)?.tokenMs ?? 0);
  return {
    host: decodes.length * costs.hostDecodeMs + tokens * costs.hostTokenMs,
    device: decodes.reduce((sum, each) => sum + decodeTime(costs, { ...each, cells: wave.cells }), encodedMs),
  };
}

/** The decodes of a wave: their tokens with and without padding, and their rows of logits. */
function decodesOf({ task }: Wave<Entry>, { microBatchTokens, microBatchTokensMin }: WaveBounds) {
  return task.phases.flatMap(({ streams }) =>
    roundsOf(streams).flatMap((round) => {
      const tokens = round.streams.reduce((sum, { stream }) => sum + stream.tokens.length, 0);
      const rows = round.streams.filter(({ stream }) => stream.options !== undefined).length;
      const count = Math.ceil(tokens / microBatchTokens);
      return Array.from({ length: count }, (_, index) => {
        const own = Math.min(microBatchTokens, tokens - index * microBatchTokens);
        // Most answers are in the last ones; which one a row is in makes no difference to the sum.
        return { own, tokens: Math.max(own, microBatchTokensMin), rows: rows / count };
      });
    }),
  );
}
