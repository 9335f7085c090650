import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  RANDOM_MODEL_FILE,
  RANDOM_MODEL_OPTIONS,
  RANDOM_PROJECTOR_FILE,
  RANDOM_PROJECTOR_OPTIONS,
  tinyModel,
  tinyProjector,
  writeFileWhole,
} from './index.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

provide(RANDOM_MODEL_FILE, tinyModel(RANDOM_MODEL_OPTIONS));
provide(RANDOM_PROJECTOR_FILE, tinyProjector(RANDOM_PROJECTOR_OPTIONS));

function provide(file: string, bytes: Buffer): void {
  const path = join(root, file);
  const sum = sha256(bytes);
  if (process.argv.includes('--if-missing') && existsSync(path) && sha256(readFileSync(path)) === sum) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileWhole(path, [bytes]);
  console.log(`${file} ${bytes.length} bytes sha256 ${sum}`);
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
