// The license texts of everything in a bundle that others wrote, as one file.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../src/base/index.js';
import type { Package } from './packages.js';

/** Something in a bundle with a license of its own. */
export interface Licensed {
  readonly name: string;
  readonly version: string;
  /** SPDX. */
  readonly license: string;
  readonly texts: readonly string[];
}

const TEXT_FILE = /^(licen[cs]e|copying|notice|copyright|unlicense)(?![a-z])/i;
/** A README that has the whole text. */
const WHOLE_TEXT = /permission is hereby granted/i;

/**
 * Packages whose authors name a license without its text, or whose binaries have the licenses of others, with the texts in
 * `texts/` that apply.
 */
const SUPPLEMENTS: Readonly<Record<string, { readonly because: string; readonly texts: readonly string[] }>> =
  {
    '@img/sharp-libvips-linux-x64': {
      because: 'The libraries inside and their licenses are listed below; LGPL-3.0 and GPL-3.0 follow.',
      texts: ['README', 'LGPL-3.0', 'GPL-3.0'],
    },
    'gearhash-jit': { because: 'The package names the license MIT without its text.', texts: ['MIT'] },
    'weak-lru-cache': {
      because: 'By Kris Zyp. The package names the license MIT without its text.',
      texts: ['MIT'],
    },
    'uws-pack': {
      because: 'The binary is that of uWebSockets.js by Alex Hultman, under the Apache License.',
      texts: ['Apache-2.0'],
    },
  };

/** One of the texts in `texts/`, by its SPDX name. */
export const standardText = (root: string, name: string): string =>
  readFileSync(join(root, 'bundle/texts', `${name}.txt`), 'utf8');

/** The texts of packages. Throws OperatorError with the name of a package that has none. */
export function packageLicenses(root: string, packages: readonly Package[]): Licensed[] {
  const known = new Map<string, Licensed>();
  for (const each of packages) {
    const { name, version, license } = each;
    const texts = textsOf(root, each, packages);
    if (texts.length === 0)
      throw new OperatorError(
        `${each.folder} (${name} ${version}, ${license || 'no license stated'}) has no license text. Add one to SUPPLEMENTS in bundle/licenses.ts.`,
      );
    known.set(`${name} ${version}`, { name, version, license, texts });
  }
  return [...known.values()];
}

function textsOf(root: string, own: Package, packages: readonly Package[]): string[] {
  const texts = [...textsIn(join(root, own.folder)), ...supplement(root, own)];
  if (texts.length > 0) return texts;
  // A package for one platform has the license of the package that it belongs to.
  const owner = packages.find(({ uses, license }) => uses.includes(own.folder) && license === own.license);
  return own.name.startsWith('@') && owner !== undefined ? textsIn(join(root, owner.folder)) : [];
}

function supplement(root: string, { name, folder }: Package): string[] {
  const found = SUPPLEMENTS[name];
  if (found === undefined) return [];
  const { because, texts } = found;
  const read = (text: string) =>
    text === 'README' ? readFileSync(join(root, folder, 'README.md'), 'utf8') : standardText(root, text);
  return [because, ...texts.map(read)];
}

/** The license files in the folder of a package, or its README if the text is there. */
function textsIn(folder: string): string[] {
  const names = readdirSync(folder).sort();
  const files = names.filter((name) => TEXT_FILE.test(name));
  if (files.length > 0) return files.map((name) => readFileSync(join(folder, name), 'utf8'));
  const pages = names
    .filter((name) => /^readme/i.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  return pages.filter((page) => WHOLE_TEXT.test(page));
}

/** The file of all texts, in the order of the names. */
export function licenseFile(all: readonly Licensed[]): string {
  const sorted = [...all].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const head =
    'Licenses of the software in this bundle that others wrote. LICENSE is the one of decider itself.';
  const list = sorted.map(
    ({ name, version, license }) => `- ${name} ${version}: ${license || 'see its text'}`,
  );
  const sections = sorted.map(
    (each) => `${'='.repeat(80)}\n${keyOf(each)}\n\n${each.texts.map(trimmed).join('\n\n')}`,
  );
  return `${head}\n\n${list.join('\n')}\n\n${sections.join('\n\n')}\n`;
}

const keyOf = ({ name, version }: Licensed) => `${name} ${version}`;
const trimmed = (text: string) => text.replaceAll('\r\n', '\n').replace(/^\n+|\s+$/g, '');
