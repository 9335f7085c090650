// Imported before a program (`node --import`): appends the URL of every module it loads to the file MODULES_FILE.
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';

type Load = (url: string, context: unknown) => unknown;

/** A module hook; runs on the hooks' own thread. */
export function load(url: string, context: unknown, next: Load): unknown {
  appendFileSync(process.env.MODULES_FILE as string, `${url}\n`);
  return next(url, context);
}

if (process.env.MODULES_FILE !== undefined) register(import.meta.url);
