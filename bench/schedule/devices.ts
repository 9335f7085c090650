// The cost model: what a wave takes on a device, from constants that are named here. Those of the H100 were measured, the
// others were not; it shows how the scheduler behaves, not how fast a server is.
import type { Costs } from '../../src/tuning/index.js';

/** A model of 12B parameters with the shape of a Gemma. */
const PARAMETERS = 11.95e9;
const LAYERS = 48;
const HEADS = 16;
const HEAD_SIZE = 256;
const VOCABULARY = 262_144;
const WIDTH = 3_840;
const FLOP_PER_TOKEN = 2 * PARAMETERS;
/** Every layer scans every cell in use, also those outside its window: the cache has its full size. */
const FLOP_PER_TOKEN_AND_CELL = 4 * LAYERS * HEADS * HEAD_SIZE;
const FLOP_PER_ROW = 2 * VOCABULARY * WIDTH;

export interface Device {
  readonly title: string;
  readonly bytesPerSecond: number;
  /** Reached in large matrix products, not the data sheet's peak. */
  readonly flopPerSecond: number;
  /** The weights, which every decode reads. */
  readonly weightBytes: number;
  /** Fixed cost of a decode on the device: starting kernels, synchronizing. */
  readonly decodeMs: number;
  /** Of a row of logits, which is copied to the host. */
  readonly rowMs: number;
  /** On the host, beside the device: batches, masks, the graph. */
  readonly hostMsPerDecode: number;
  readonly hostMsPerToken: number;
  readonly waveTokens: number;
  readonly contexts: number;
}

/** The part of the peak that large matrix products reach. */
const UTILIZATION = 0.6;
/** A row of 262,144 floats over PCIe 5. */
const ROW_MS = 0.03;

export const DEVICES: Readonly<Record<string, Device>> = {
  h200: {
    title: 'H200, BF16',
    bytesPerSecond: 4.8e12,
    flopPerSecond: UTILIZATION * 989e12,
    weightBytes: 24e9,
    decodeMs: 1,
    rowMs: ROW_MS,
    hostMsPerDecode: 2,
    hostMsPerToken: 0.005,
    waveTokens: 2_048,
    contexts: 2,
  },
  /** From `bench:decodes` on an H100 (docs/performance.md): the rates include the fixed cost of a decode. */
  h100: {
    title: 'H100, BF16, measured constants',
    bytesPerSecond: 1.97e12,
    flopPerSecond: 300e12,
    weightBytes: 22e9,
    decodeMs: 0,
    rowMs: ROW_MS,
    hostMsPerDecode: 2,
    hostMsPerToken: 0.005,
    waveTokens: 2_048,
    contexts: 2,
  },
  rtx: {
    title: 'RTX 5090 class, Q8_0',
    bytesPerSecond: 1.79e12,
    flopPerSecond: UTILIZATION * 209e12,
    weightBytes: 12.7e9,
    decodeMs: 1,
    rowMs: ROW_MS,
    hostMsPerDecode: 2,
    hostMsPerToken: 0.005,
    waveTokens: 2_048,
    contexts: 2,
  },
  cpu: {
    title: 'CPU server, Q4_K',
    bytesPerSecond: 200e9,
    flopPerSecond: 2e12,
    weightBytes: 7.3e9,
    decodeMs: 0,
    rowMs: 0,
    hostMsPerDecode: 1,
    hostMsPerToken: 0.005,
    waveTokens: 512,
    contexts: 1,
  },
};

/** Tokens per second in full waves of new prompts. */
export function tokensPerSecond(device: Device): number {
  const { waveTokens: tokens, flopPerSecond, decodeMs } = device;
  const flop = tokens * (FLOP_PER_TOKEN + tokens * FLOP_PER_TOKEN_AND_CELL);
  return tokens / (flop / flopPerSecond + decodeMs / 1_000);
}

/** The constants of the cost model. A decode reads the weights or computes its tokens, whichever takes longer. */
export function costsOf(device: Device): Costs {
  const flopMs = (flop: number) => (flop / device.flopPerSecond) * 1_000;
  const weightsMs = (device.weightBytes / device.bytesPerSecond) * 1_000;
  const tokenMs = flopMs(FLOP_PER_TOKEN);
  return {
    decodeMs: device.decodeMs + weightsMs,
    ranges: [
      { upTo: weightsMs / tokenMs, tokenMs: 0 },
      { upTo: Number.POSITIVE_INFINITY, tokenMs },
    ],
    tokenCellMs: flopMs(FLOP_PER_TOKEN_AND_CELL),
    cellStep: 1,
    freeCellsPerToken: 0,
    visibleMs: 0,
    rowMs: device.rowMs + flopMs(FLOP_PER_ROW),
    hostDecodeMs: device.hostMsPerDecode,
    hostTokenMs: device.hostMsPerToken,
  };
}
