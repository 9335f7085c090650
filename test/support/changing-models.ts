import { createHash } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TinyModelOptions } from '../../models/tiny/index.js';
import { smallModelFile } from './tiny.js';

/** A file of a models folder, as the manifest names it. */
export interface ModelFile {
  readonly file: string;
  readonly sha256: string;
}

/** A build as the manifest has it. */
interface BuildEntry extends ModelFile {
  readonly date: string;
  readonly temperatures?: Readonly<Record<string, number>>;
}

/** A models folder whose manifest a test rewrites while a server runs. */
export class ChangingModels {
  readonly path: string;

  constructor(folder: string) {
    this.path = join(folder, 'models');
    mkdirSync(this.path);
  }

  /** Writes a small model whose weights differ with the seed. */
  model(seed: number, shape: TinyModelOptions = {}): ModelFile {
    return this.file(`tiny-${seed}.gguf`, smallModelFile({ ...shape, seed }));
  }

  file(file: string, bytes: Buffer): ModelFile {
    writeFileSync(join(this.path, file), bytes);
    return { file, sha256: createHash('sha256').update(bytes).digest('hex') };
  }

  bytesOf(file: string): number {
    return statSync(join(this.path, file)).size;
  }

  /** Writes a manifest with one model, `tiny`. `own`: other fields of the model. */
  serve(builds: readonly BuildEntry[], own: object = {}): void {
    this.write({ default: 'tiny', models: [modelEntry('tiny', builds, own)] });
  }

  /** Writes a manifest, or what stands in its place. */
  write(manifest: object | string): void {
    const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
    writeFileSync(join(this.path, 'manifest.json'), text);
  }
}

/** A model as the manifest has it. */
export const modelEntry = (id: string, builds: readonly BuildEntry[], own: object = {}) => ({
  id,
  description: 'A tiny model.',
  release_date: null,
  builds,
  reads_images: false,
  price_class: 'decider-g-12b',
  ...own,
});
