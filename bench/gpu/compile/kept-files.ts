import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file in a folder of compiled files that says what they were made from. */
const STAMP = 'made-from.json';

/**
 * Prepares a folder whose files are kept between two runs: it and `others` are removed if they were made from something
 * else, such as another release of llama.cpp, other flags or another compiler.
 */
export function keepFiles(folder: string, madeFrom: readonly string[], others: readonly string[] = []): void {
  const stamp = join(folder, STAMP);
  const text = JSON.stringify(madeFrom);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === text) return;
  for (const path of [folder, ...others]) rmSync(path, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(stamp, text);
}
