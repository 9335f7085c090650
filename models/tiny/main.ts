import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EMBEDDED_FILE, EMBEDDED_OPTIONS, tinyModel, writeTinyModel } from './index.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const path = join(root, EMBEDDED_FILE);
const bytes = tinyModel(EMBEDDED_OPTIONS);
const sum = sha256(bytes);

const skipped =
  process.argv.includes('--if-missing') && existsSync(path) && sha256(readFileSync(path)) === sum;
if (!skipped) {
  mkdirSync(dirname(path), { recursive: true });
  writeTinyModel(path, EMBEDDED_OPTIONS);
  console.log(`${EMBEDDED_FILE} ${bytes.length} bytes sha256 ${sum}`);
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
