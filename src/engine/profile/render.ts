import { createContext, Script } from 'node:vm';

/** Longest time to parse or render a template of a model file; typical ones take less than a millisecond. */
export const RENDER_MS_MAX = 2_000;

const sandbox: { run: () => unknown } = { run: () => undefined };
const context = createContext(sandbox);
const script = new Script('run()');

/** Runs code of a model file's template, which may loop forever. Throws an Error after `RENDER_MS_MAX`. */
export function renderInTime<Result>(run: () => Result): Result {
  sandbox.run = run;
  try {
    return script.runInContext(context, { timeout: RENDER_MS_MAX }) as Result;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Error(`it takes more than ${RENDER_MS_MAX} ms`);
  } finally {
    sandbox.run = () => undefined;
  }
}
