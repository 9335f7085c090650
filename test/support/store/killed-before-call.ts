// Loaded before a program: kills it before its call number KILL_BEFORE of the file system, counted from the first that
// names KILL_IN.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const CALLS = [
  'mkdirSync',
  'openSync',
  'closeSync',
  'writeFileSync',
  'linkSync',
  'renameSync',
  'rmSync',
  'rmdirSync',
  'fsyncSync',
] as const;

let left = Number(process.env.KILL_BEFORE);
let counting = false;

const all = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
for (const name of CALLS) {
  const call = all[name] as (...args: unknown[]) => unknown;
  all[name] = (...args) => {
    counting ||= String(args[0]).includes(process.env.KILL_IN as string);
    if (counting && left-- === 0) process.kill(process.pid, 'SIGKILL');
    return call(...args);
  };
}
syncBuiltinESMExports();
