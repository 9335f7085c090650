import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The id of the model that a benchmark server serves. */
export const MODEL = 'benchmark';

/** A models folder with one GGUF, removed when the process ends. */
export async function modelsFolder(file: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'decider-bench-models-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(file, join(folder, 'model.gguf'));
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const model = {
    id: MODEL,
    description: 'The model of a benchmark.',
    release_date: null,
    builds: [{ date: '20260101', file: 'model.gguf', sha256: hash.digest('hex') }],
    reads_images: false,
    price_class: 'decider-g-12b',
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ default: MODEL, models: [model] }));
  return folder;
}
