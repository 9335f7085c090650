import { join } from 'node:path';
import { buildId, type Manifest, type ManifestModel } from './manifest.js';

/** One GGUF of the manifest. */
export interface CatalogBuild {
  /** The name in responses. */
  readonly id: string;
  readonly path: string;
  readonly sha256: string;
  /** Turns images into embeddings; null: the build does not read images. */
  readonly projector: CatalogProjector | null;
  readonly model: ManifestModel;
}

/** A projector's GGUF. */
export interface CatalogProjector {
  readonly path: string;
  readonly sha256: string;
}

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
    this.builds = manifest.models.flatMap((model) =>
      model.builds.map((build) => ({
        id: buildId(model, build),
        path: join(folder, build.file),
        sha256: build.sha256,
        projector:
          build.projector === undefined
            ? null
            : { path: join(folder, build.projector.file), sha256: build.projector.sha256 },
        model,
      })),
    );
    for (const build of this.builds) {
      this.names.set(build.id, build);
      // The moving ids of a model mean its last build.
      for (const name of [build.model.id, ...(build.model.answers_for ?? [])]) this.names.set(name, build);
    }
    this.default = this.names.get(manifest.default) as CatalogBuild;
  }

  /** The build a request's `model` means; the default for null; undefined for an unknown name. */
  find(name: string | null): CatalogBuild | undefined {
    return name === null ? this.default : this.names.get(name);
  }

  /** The moving id, if there is exactly one. */
  get only(): string | null {
    const [first, ...others] = this.list();
    return first !== undefined && others.length === 0 ? first.id : null;
  }

  /** The moving id of a name: itself, or that of the build it names. */
  movingId(name: string): string | undefined {
    const build = this.names.get(name);
    return build?.id === name ? build.model.id : build && name;
  }

  /** The moving ids in the manifest's order; the ids that a model answers for follow it. */
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
