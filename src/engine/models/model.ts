import type { Addon, ModelDescription, ModelHandle } from '../addon/addon-types.js';
import { BUILT_IN_FORMATS } from '../profile/formats.js';
import { readDecisionMetadata } from '../profile/metadata.js';
import { Profile } from '../profile/profile.js';
import { type Format, ProfileError, type Temperatures } from '../profile/profile-types.js';
import { readTemperatures } from '../profile/temperatures.js';
import { Tokenizer } from '../profile/tokenizer.js';
import type { VerifiedProfile } from '../profile/verified-profile.js';
import type { CatalogBuild } from './catalog.js';
import { ModelError, reason } from './manifest.js';
import { type ImageReading, readProjector } from './projector.js';

/** A model that is loaded and whose profile is verified. */
export interface OpenModel {
  readonly build: CatalogBuild;
  readonly handle: ModelHandle;
  readonly description: ModelDescription;
  readonly tokenizer: Tokenizer;
  readonly profile: Profile;
  /** The source of the profile. */
  readonly source: 'gguf' | 'manifest' | 'default';
  /** The most tokens one prompt may have. */
  readonly contextLength: number;
  /** How the model reads images; null: it does not. */
  readonly images: ImageReading | null;
}

/** Options of `openModel`. */
interface Opening {
  /** Called with the fraction of the weights that is loaded, 0 to 1; returns whether to continue. */
  readonly onProgress?: (fraction: number) => boolean;
  /** Maps the file instead of copying its weights: faster, but safe only while the file is not written to. */
  readonly mapped?: boolean;
  /** Reads no weights: for the description, the vocabulary and the profile. Nothing can be computed. */
  readonly sizesOnly?: boolean;
  /** How the build reads images, if already known: the projector's file is then not read. */
  readonly images?: ImageReading | null | undefined;
  /** What another profile of the build found, if already known: it is then not verified again. */
  readonly verified?: VerifiedProfile | undefined;
}

/**
 * Loads a build, or shares the weights that another thread has loaded; reads and verifies its profile.
 * Throws ModelError: one line with the file and the reason.
 */
export function openModel(
  addon: Addon,
  device: string,
  build: CatalogBuild,
  { onProgress = () => true, mapped = false, sizesOnly = false, ...known }: Opening = {},
): OpenModel {
  let handle: ModelHandle;
  try {
    handle = addon.openModel({ path: build.path, device, mapped, sizesOnly }, onProgress);
  } catch (error) {
    throw new ModelError(`${build.path}: ${reason((error as Error).message)}`);
  }
  try {
    return describe(addon, handle, build, known);
  } catch (error) {
    addon.closeModel(handle);
    if (error instanceof ProfileError) throw new ModelError(`${build.path}: ${error.message}`);
    throw error;
  }
}

function describe(
  addon: Addon,
  handle: ModelHandle,
  build: CatalogBuild,
  known: Pick<Opening, 'images' | 'verified'>,
): OpenModel {
  const description = describeFile(addon, handle, build);
  const declared = readDecisionMetadata(description);
  const { format, source } = chooseFormat(declared.format, build);
  const temperatures = chooseTemperatures(declared.temperatures, build);
  const chatTemplate = description.metadata['tokenizer.chat_template'] ?? '';
  const tokenizer = new Tokenizer(addon, handle, description, [format.template, chatTemplate]);
  const profile = new Profile(format, temperatures, tokenizer, description, known.verified);
  const contextLength = Math.min(
    description.contextLength,
    build.model.context_length ?? description.contextLength,
  );
  const images = known.images === undefined ? readProjector(addon, build, description) : known.images;
  return { build, handle, description, tokenizer, profile, source, images, contextLength };
}

function describeFile(addon: Addon, handle: ModelHandle, { path }: CatalogBuild): ModelDescription {
  try {
    return addon.describeModel(handle);
  } catch (error) {
    throw new ModelError(`${path}: ${reason((error as Error).message)}`);
  }
}

function chooseFormat(
  declared: Format | null,
  build: CatalogBuild,
): { format: Format; source: OpenModel['source'] } {
  if (declared !== null) return { format: declared, source: 'gguf' };
  const name = build.model.profile;
  if (name === undefined) return { format: BUILT_IN_FORMATS.letters as Format, source: 'default' };
  const format = Object.hasOwn(BUILT_IN_FORMATS, name) ? BUILT_IN_FORMATS[name] : undefined;
  if (format === undefined) {
    throw new ProfileError(
      `the manifest names the profile ${name}; known are ${Object.keys(BUILT_IN_FORMATS).join(', ')}`,
    );
  }
  return { format, source: 'manifest' };
}

function chooseTemperatures(
  declared: Readonly<Record<string, number>>,
  { id, model, temperatures }: CatalogBuild,
): Temperatures {
  // A fault that is found from here on is one of the manifest.
  readTemperatures(declared);
  try {
    const isDeclared = Object.keys(declared).length > 0;
    return readTemperatures(isDeclared ? declared : (model.temperatures ?? {}), temperatures);
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    throw new ProfileError(`the manifest entry of ${id} cannot be used: ${error.message}`);
  }
}
