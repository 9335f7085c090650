import { IMAGE_BUDGETS, LIMITS } from '../../api/index.js';
import type { Addon, ModelDescription, ProjectorFile } from '../addon/addon-types.js';
import type { ImageMarkers } from '../profile/image-tokens.js';
import { requireEmbedding } from '../wave/usable-numbers.js';
import type { CatalogBuild, CatalogFile } from './catalog.js';
import { ModelError, reason } from './manifest.js';

/** The tokens that llama.cpp places around an image, by kind of projector. */
const MARKERS = {
  gemma4v: { begin: '<|image>', end: '<image|>' },
  gemma4uv: { begin: '<|image>', end: '<image|>' },
} as const;

/** Patches per embedding that go through the projector's transformer, by kind; the rest of it is one linear layer. */
const PATCHES_PER_TOKEN: Readonly<Record<keyof typeof MARKERS, (merge: number) => number>> = {
  gemma4v: (merge) => merge ** 2,
  gemma4uv: () => 1,
};

/** The longest possible side in tokens: that of the flattest image at the largest budget. */
export const SIDE_TOKENS_MAX = Math.floor(
  Math.sqrt((Math.max(...IMAGE_BUDGETS) * LIMITS.imageSidePixelsMax) / LIMITS.imageSidePixelsMin),
);

/** How a model reads images: facts of its projector, and the tokens around an image. */
export interface ImageReading extends ImageMarkers {
  /** The name in its file. */
  readonly kind: string;
  /** Pixels on each side of the square that is a token. */
  readonly side: number;
  /** Numbers of an embedding. */
  readonly width: number;
  /** Cost of encoding, per token of an image, in tokens of a decode: estimated from the weights that are read. */
  readonly encodeTokensPerToken: number;
}

/**
 * How a build reads images; null if it does not. Reads only the projector's header. Throws ModelError: one line with the
 * file and the reason.
 */
export function readProjector(
  addon: Addon,
  { projector }: CatalogBuild,
  model: ModelDescription,
): ImageReading | null {
  if (projector === null) return null;
  const fault = (reason: string) => new ModelError(`${projector.path}: ${reason}`);
  let file: ProjectorFile;
  try {
    file = addon.readProjectorFile(projector.path);
  } catch (error) {
    throw fault((error as Error).message);
  }
  const { kind, patchSize, merge, width, positions, sizeBytes } = file;
  if (!isKnown(kind)) {
    throw fault(
      `its kind of projector, ${kind || 'none'}, is not supported; supported are ${Object.keys(MARKERS).join(', ')}`,
    );
  }
  if (width !== model.embeddingLength) {
    throw fault(`its embeddings have ${width} numbers and those of the model ${model.embeddingLength}`);
  }
  const patches = kind === 'gemma4v' ? SIDE_TOKENS_MAX * merge : SIDE_TOKENS_MAX;
  if (patchSize < 1 || merge < 1 || positions < patches) {
    throw fault(`it has places for ${positions} patches of a side; an image can have ${patches}`);
  }
  const marker = (text: string) => {
    const found = model.controlTokens.find((token) => token.text === text);
    if (found === undefined) throw fault(`the model has no token ${text}`);
    return found.id;
  };
  return {
    kind,
    side: patchSize * merge,
    begin: marker(MARKERS[kind].begin),
    end: marker(MARKERS[kind].end),
    width,
    // Both read each of their weights once per patch or token.
    encodeTokensPerToken: (PATCHES_PER_TOKEN[kind](merge) * sizeBytes) / model.sizeBytes,
  };
}

const isKnown = (kind: string): kind is keyof typeof MARKERS => Object.hasOwn(MARKERS, kind);

/** A loaded projector. */
interface OpenProjector {
  /** Whether the tokens of an image attend to later ones. */
  readonly nonCausal: boolean;
  /** Numbers of an embedding. */
  readonly width: number;
  /** Writes an image's embeddings to `out`, which has their length. Blocks. Throws an Error if they are unusable. */
  encode(image: { width: number; height: number; rgb: Uint8Array }, out: Float32Array): void;
  close(): void;
}

/** Loads a projector, or shares the one that another thread has loaded. Throws ModelError. */
export function openProjector(
  addon: Addon,
  { handle, images }: { handle: Parameters<Addon['openProjector']>[0]; images: ImageReading | null },
  { path }: CatalogFile,
  device: string,
  threads: number,
): OpenProjector {
  if (images === null) throw new ModelError(`${path}: the model reads no images`);
  try {
    const projector = addon.openProjector(handle, { path, device, threads });
    const { begin, end, nonCausal } = addon.describeProjector(projector, images.side);
    if (begin.join() !== String(images.begin) || end.join() !== String(images.end)) {
      addon.closeProjector(projector);
      throw new Error('llama.cpp uses different tokens around its images');
    }
    return {
      nonCausal,
      width: images.width,
      encode(image, out) {
        addon.encodeImage(projector, image, out);
        requireEmbedding(out);
      },
      close: () => addon.closeProjector(projector),
    };
  } catch (error) {
    throw new ModelError(`${path}: ${reason((error as Error).message)}`);
  }
}
