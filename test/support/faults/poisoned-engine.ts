// Preloaded into every thread of a server: two texts make the engine abort, or never end, when they are computed.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { addonFile } from '#native/platform.mjs';
import type {
  Addon,
  ContextOptions,
  DecodeBatch,
  ModelHandle,
} from '../../../src/engine/addon/addon-types.js';

/** The number of equal tokens in a row that is recognized. */
const RUN = 4;
/** The length of a text of one letter that has its own token. If waves split the text, one part still has a whole run. */
const LENGTH = 10 * RUN;
export const ABORTING = 'q'.repeat(LENGTH);
export const HANGING = 'j'.repeat(LENGTH);
/** What the record says of an abort. */
export const REASON = 'poisoned';

/**
 * Timers of this length are shortened once the file HURRY exists: those with which the server finds a wave that does not
 * end. On a busy machine others may take longer than the shortened time.
 */
const LONG_MS = { min: 31_000, max: 45_000, factor: 1_000 };

const require = createRequire(import.meta.url);
process.env.GGML_NO_BACKTRACE ??= '1';
const addon = require(addonFile('cpu')) as { -readonly [Key in keyof Addon]: Addon[Key] };
const { createContext } = addon;

addon.createContext = (model: ModelHandle, options: ContextOptions) => {
  const context = createContext(model, options);
  const tokenOf = (text: string) => addon.tokenize(model, text.charAt(0), false)[0] as number;
  const [aborting, hanging] = [tokenOf(ABORTING), tokenOf(HANGING)];
  return {
    decode(batch: DecodeBatch, cancel: Int32Array) {
      if (hasRun(batch, aborting)) addon.abort(REASON);
      while (hasRun(batch, hanging));
      return context.decode(batch, cancel);
    },
    copySequence: (from: number, to: number) => context.copySequence(from, to),
    removeSequence: (sequence: number) => context.removeSequence(sequence),
    clear: () => context.clear(),
    erase: () => context.erase(),
    memory: () => context.memory(),
    close: () => context.close(),
  };
};

function hasRun({ tokens }: DecodeBatch, token: number): boolean {
  let run = 0;
  return tokens.some((each) => {
    run = each === token ? run + 1 : 0;
    return run === RUN;
  });
}

const { HURRY } = process.env;
const isShortened = (ms: number) =>
  ms >= LONG_MS.min && ms <= LONG_MS.max && HURRY !== undefined && existsSync(HURRY);
const { setTimeout: later } = globalThis;
Object.assign(globalThis, {
  setTimeout: (callback: () => void, ms: number) =>
    later(callback, isShortened(ms) ? ms / LONG_MS.factor : ms),
});
