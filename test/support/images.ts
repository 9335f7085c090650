import { type ProjectorKind, writeTinyProjector } from '../../models/tiny/index.js';
import {
  type ImageReading,
  imageTokens,
  type OpenModel,
  openProjector,
  type Plan,
  type PlanImage,
} from '../../src/engine/index.js';
import type { ImageEncoder } from '../../src/engine/wave/run-wave.js';
import { addon, device, openTiny, planOf } from './engine.js';
import { random } from './random.js';

/** Pixels that nothing else has. */
export function noise(seed: number, width: number, height: number): PlanImage {
  const next = random(seed);
  const rgb = new Uint8Array(new SharedArrayBuffer(width * 48 * height * 48 * 3));
  for (let i = 0; i < rgb.length; i++) rgb[i] = next.integer(256);
  return { width: width * 48, height: height * 48, rgb, key: `${seed} ${width} ${height}` };
}

/** A model that reads images, and what makes embeddings for it. */
export interface Opened {
  readonly model: OpenModel;
  readonly reads: ImageReading;
  readonly encoder: ImageEncoder;
}

/** Writes a tiny model with a projector into a folder and opens both. */
export function openReader(folder: string, kind: ProjectorKind): Opened {
  const path = `${folder}/${kind}.gguf`;
  writeTinyProjector(path, { kind });
  const projector = { path, sha256: '' };
  const model = openTiny(folder, {}, { reads_images: true }, projector);
  return {
    model,
    reads: model.images as ImageReading,
    encoder: openProjector(addon, model, projector, device, 1),
  };
}

/** Text, and images by their place in a list. */
export type Parts = ReadonlyArray<string | number>;

function tokensOf(
  { model, reads }: Opened,
  parts: ReadonlyArray<string | number>,
  images: readonly PlanImage[],
) {
  const counts = images.map(({ width, height }) => (width / 48) * (height / 48));
  const write = imageTokens(reads, counts);
  return Int32Array.from(
    parts.flatMap((part) => [...(typeof part === 'string' ? model.tokenizer.plain(part) : write(part))]),
  );
}

/** A plan whose texts show images. */
export function planWith(
  opened: Opened,
  images: readonly PlanImage[],
  prefix: Parts,
  ...suffixes: Parts[]
): Plan {
  const options = opened.model.profile.labels.slice(0, 4);
  return planOf(
    tokensOf(opened, prefix, images),
    suffixes.map((parts) => ({ tokens: tokensOf(opened, parts, images), options })),
    images,
  );
}
