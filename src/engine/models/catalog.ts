import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildId, newestOf } from './manifest.js';
import type { Manifest, ManifestModel } from './manifest-schema.js';

/** A file of a build. */
export interface CatalogFile {
  readonly path: string;
  readonly sha256: string;
}

/** One build of the manifest: `path` is its GGUF, or the first file of a split one. */
export interface CatalogBuild extends CatalogFile {
  /** The name in responses. */
  readonly id: string;
  /** The other files of a split GGUF. */
  readonly parts: readonly CatalogFile[];
  /** Turns images into embeddings; null: the build does not read images. */
  readonly projector: CatalogFile | null;
  readonly model: ManifestModel;
  /** Fitted for this build; empty if none are. */
  readonly temperatures: Readonly<Record<string, number>>;
  /**
   * A digest of what the manifest says that decides the probabilities: files, profile and temperatures. Probabilities of the
   * same build with different digests are not comparable.
   */
  readonly calibration: string;
}

/** Characters of a calibration, which is hexadecimal: 64 bits. */
const CALIBRATION_CHARACTERS = 16;

/** The files of a build. */
export type BuildFiles = Pick<CatalogBuild, 'path' | 'sha256' | 'parts' | 'projector'>;

export function filesOf(build: BuildFiles): CatalogFile[] {
  const { parts, projector } = build;
  return projector === null ? [build, ...parts] : [build, ...parts, projector];
}

/** Size of all files of a build together. A file that cannot be found counts as empty: reading it gives the reason. */
export function bytesOf(build: BuildFiles): number {
  return filesOf(build).reduce((sum, { path }) => sum + sizeOf(path), 0);
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

function calibrationOf(build: Omit<CatalogBuild, 'calibration'>): string {
  const { model, temperatures } = build;
  const decides = [
    filesOf(build).map(({ sha256 }) => sha256),
    model.profile ?? null,
    ...[model.temperatures ?? {}, temperatures].map(sorted),
  ];
  return createHash('sha256').update(JSON.stringify(decides)).digest('hex').slice(0, CALIBRATION_CHARACTERS);
}

/** The entries of temperatures: their order in the manifest does not matter. */
const sorted = (temperatures: Readonly<Record<string, number>>) =>
  Object.entries(temperatures).sort(([one], [other]) => (one < other ? -1 : 1));

/** One entry of the model list (contract 2.8). */
interface CatalogModel {
  readonly id: string;
  readonly description: string;
  readonly releaseDate: string | null;
}

/** Maps model names to builds. */
export class Catalog {
  readonly builds: readonly CatalogBuild[];
  readonly default: CatalogBuild;
  private readonly names = new Map<string, CatalogBuild>();

  constructor(
    private readonly manifest: Manifest,
    folder: string,
  ) {
    const fileOf = ({ file, sha256 }: { file: string; sha256: string }) => ({
      path: resolve(folder, file),
      sha256,
    });
    this.builds = manifest.models.flatMap((model) =>
      model.builds.map((build) => {
        const described = {
          ...fileOf(build),
          id: buildId(model, build),
          parts: (build.parts ?? []).map(fileOf),
          projector: build.projector === undefined ? null : fileOf(build.projector),
          model,
          temperatures: build.temperatures ?? {},
        };
        return { ...described, calibration: calibrationOf(described) };
      }),
    );
    for (const build of this.builds) this.names.set(build.id, build);
    for (const model of manifest.models) {
      const newest = this.names.get(buildId(model, newestOf(model))) as CatalogBuild;
      for (const name of [model.id, ...(model.answers_for ?? [])]) this.names.set(name, newest);
    }
    this.default = this.names.get(manifest.default) as CatalogBuild;
  }

  /** The build a request's `model` means; the default for null; undefined for an unknown name. */
  find(name: string | null): CatalogBuild | undefined {
    return name === null ? this.default : this.names.get(name);
  }

  /** The listed id, if there is exactly one. */
  get only(): string | null {
    const [first, ...others] = this.list();
    return first !== undefined && others.length === 0 ? first.id : null;
  }

  /** The id under which a model is listed: an id or an alias itself, or for a build the id of its model. */
  listedId(name: string): string | undefined {
    const build = this.names.get(name);
    return build?.id === name ? build.model.id : build && name;
  }

  /** The models in the order of the manifest, each followed by its aliases. */
  list(): CatalogModel[] {
    return this.manifest.models.flatMap((model) => [
      { id: model.id, description: model.description, releaseDate: model.release_date },
      ...(model.answers_for ?? []).map((id) => ({
        id,
        description: `Answered by ${model.id}: ${model.description}`,
        releaseDate: null,
      })),
    ]);
  }
}
