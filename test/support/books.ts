import { join } from 'node:path';
import type { Test } from 'tap';
import { openStore } from '../../src/storage/folder/index.js';
import { run as runCommand } from './cli.js';

/** A data folder of its own, held open by this process, and the command line on it. */
export function books(t: Test, environment: Record<string, string> = {}, folder: string = t.testdir()) {
  const data = join(folder, 'data');
  const store = openStore(data);
  t.teardown(() => store.close());
  const run = (...args: string[]) => runCommand(t, args, { DECIDER_DATA: data, ...environment });
  /** What a command prints as JSON; it must end with 0. */
  // biome-ignore lint/suspicious/noExplicitAny: what it prints is what the test is about
  const json = async (...args: string[]): Promise<any> => {
    const { code, stdout, stderr } = await run(...args, '--json');
    t.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  /** A mistake: status 1, nothing printed, one line that fits. */
  const mistake = async (pattern: RegExp, ...args: string[]) => {
    const { code, stdout, stderr } = await run(...args);
    t.equal(code, 1, args.join(' '));
    t.equal(stdout, '');
    t.match(stderr, pattern);
    t.equal(stderr.trim().split('\n').length, 1, stderr);
  };
  return { data, store, run, json, mistake };
}
