import { type Entry, roundsOf, type Wave, type WaveBounds } from '../../engine/index.js';
import type { WaveTime } from './simulate.js';

/** What work costs on a device and on its host, in milliseconds. No constant is negative. */
export interface Costs {
  /** Of a decode, however few tokens it has: reading the weights, starting kernels. */
  readonly decodeMs: number;
  /** Of each further token of a decode, by its number in it: ascending ranges, the last of which has no end. */
  readonly ranges: readonly TokenRange[];
  /** Attention, of a token for each cell in use: some backends scan all of them. */
  readonly tokenCellMs: number;
  /** The cells in use count in steps of so many. */
  readonly cellStep: number;
  /**
   * Cells that are free again count until they are used anew: in a wave, so many times the tokens of the decode more than
   * those in use.
   */
  readonly freeCellsPerToken: number;
  /** Attention, of a token for each cell of its own prompt up to it: some backends skip the others. */
  readonly visibleMs: number;
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
export interface DecodeSize {
  readonly tokens: number;
  /** In use when it ends. */
  readonly cells: number;
  /** Pairs of a token and a cell of its own prompt up to it. */
  readonly visible: number;
  /** Rows of logits. */
  readonly rows: number;
}

/** What a decode takes on the device, in milliseconds. */
export function decodeTime(costs: Costs, { tokens, cells, visible, rows }: DecodeSize): number {
  return (
    costs.decodeMs +
    tokensIn(costs.ranges, tokens).reduce(
      (sum, count, range) => sum + count * (costs.ranges[range] as TokenRange).tokenMs,
      0,
    ) +
    tokens * countedCells(cells, costs.cellStep) * costs.tokenCellMs +
    visible * costs.visibleMs +
    rows * costs.rowMs
  );
}

/** How many of the tokens of a decode are in each range. */
export function tokensIn(ranges: ReadonlyArray<Pick<TokenRange, 'upTo'>>, tokens: number): number[] {
  return ranges.map(({ upTo }, index) => {
    const from = index === 0 ? 0 : (ranges[index - 1] as TokenRange).upTo;
    return Math.max(0, Math.min(tokens, upTo) - from);
  });
}

export const countedCells = (cells: number, step: number) => Math.ceil(cells / step) * step;

/** What a wave takes on a device and its host. */
export function waveTime(costs: Costs, bounds: WaveBounds, wave: Wave<Entry>): WaveTime {
  const decodes = decodesOf(wave, bounds);
  const tokens = decodes.reduce((sum, each) => sum + each.tokens, 0);
  // Tokens that stand for the encoding of images cost what those of a full decode cost.
  const encoded = wave.cost - decodes.reduce((sum, each) => sum + each.own, 0);
  const encodedMs = encoded * (costs.ranges.at(-1)?.tokenMs ?? 0);
  return {
    host: decodes.length * costs.hostDecodeMs + tokens * costs.hostTokenMs,
    device: decodes.reduce((sum, each) => {
      const cells = Math.min(bounds.cells, wave.cells + each.tokens * costs.freeCellsPerToken);
      return sum + decodeTime(costs, { ...each, cells });
    }, encodedMs),
  };
}

/** The decodes of a wave: their tokens with and without padding, and their rows of logits. */
function decodesOf({ task }: Wave<Entry>, { microBatchTokens, microBatchTokensMin }: WaveBounds) {
  return task.phases.flatMap(({ streams }) =>
    roundsOf(streams).flatMap((round) => {
      const tokens = round.streams.reduce((sum, { stream }) => sum + stream.tokens.length, 0);
      const rows = round.streams.filter(({ stream }) => stream.options !== undefined).length;
      const visible = round.streams.reduce(
        (sum, { stream }) => sum + pairsFrom(stream.position, stream.tokens.length),
        0,
      );
      const count = Math.ceil(tokens / microBatchTokens);
      return Array.from({ length: count }, (_, index) => {
        const own = Math.min(microBatchTokens, tokens - index * microBatchTokens);
        // Costs are linear in both, so it makes no difference which decode they are in.
        const part = { rows: rows / count, visible: visible / count };
        return { own, tokens: Math.max(own, microBatchTokensMin), ...part };
      });
    }),
  );
}

/** Pairs of a token and a cell up to it, of `tokens` tokens from a position on. */
export const pairsFrom = (position: number, tokens: number) =>
  tokens * position + (tokens * (tokens + 1)) / 2;
