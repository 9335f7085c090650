import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { PROGRAM_FOLDER, readJsonFile } from '../base/index.js';
import type { ConsoleFile, ConsoleFiles, ConsoleSite } from '../http/index.js';
import type { Settings } from '../settings/index.js';

/** What `tools/build-console.mjs` writes. */
const BUNDLE = join(PROGRAM_FOLDER, 'dist/console.json');

/** A file of the bundle, its bytes in base64. */
interface BundledFile {
  readonly name: string;
  readonly type: string;
  readonly identity: string;
  readonly br: string;
  readonly gzip: string;
}

/** The consoles in the bundle: for people with a key, and for the operator. */
type ConsoleName = 'user' | 'operator';

/** The console for people with a key as the settings want it; null if it is off, or was not built. */
export function consoleSite({ enabled, hosts }: Settings['console']): ConsoleSite | null {
  const files = enabled ? readConsole('user') : null;
  return files === null ? null : { files, hosts };
}

/** The files of a console, in memory; null if it was not built. */
export function readConsole(name: ConsoleName): ConsoleFiles | null {
  try {
    const consoles = readJsonFile(BUNDLE) as Record<ConsoleName, readonly BundledFile[]>;
    return new Map(consoles[name].map((file) => [file.name, fileOf(file)]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function fileOf({ name, type, identity, br, gzip }: BundledFile): ConsoleFile {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
  const bodies = { identity: bytes(identity), br: bytes(br), gzip: bytes(gzip) };
  const tag = createHash('sha256').update(bodies.identity).digest('base64url').slice(0, 22);
  const text = type.startsWith('text/html') ? Buffer.from(bodies.identity).toString() : '';
  const inline = { script: inlineSources(text, 'script'), style: inlineSources(text, 'style') };
  return { type, tag, immutable: name !== 'index.html', bodies, inline };
}

/** The sources, for a Content-Security-Policy, of the elements of a page that have their content in it. */
const inlineSources = (page: string, element: string): string[] =>
  [...page.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(
    ([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`,
  );
