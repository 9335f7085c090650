import {
  type CatalogBuild,
  type Engine,
  type EngineThread,
  filesOf,
  type ImageReading,
  type VerifiedProfile,
} from '../../engine/index.js';

interface Parts {
  readonly build: CatalogBuild;
  readonly engine: Engine;
  /** How the build reads images; null: it does not. */
  readonly images: ImageReading | null;
  /** The tokens that a prompt may have, unless `context_length` of the manifest is less. */
  readonly contextTokensMax: number;
  readonly verified: VerifiedProfile;
  /** See `spaceJoiners`. */
  readonly joiners: string | null;
  readonly threads: readonly EngineThread[];
  /** Release the weights that this thread holds. */
  readonly releases: ReadonlyArray<() => void>;
}

/** A build in memory: its engine, the engine threads with their contexts, and the weights. */
export class LoadedBuild {
  readonly engine: Engine;
  readonly images: ImageReading | null;
  readonly contextTokensMax: number;
  readonly verified: VerifiedProfile;
  readonly joiners: string | null;
  private closing: Promise<void> | undefined;

  constructor(private readonly parts: Parts) {
    this.engine = parts.engine;
    this.images = parts.images;
    this.contextTokensMax = parts.contextTokensMax;
    this.verified = parts.verified;
    this.joiners = parts.joiners;
  }

  get id(): string {
    return this.parts.build.id;
  }

  get threads(): readonly EngineThread[] {
    return this.parts.threads;
  }

  /** Whether the engine of this build computes what an entry of another manifest describes. */
  serves(entry: CatalogBuild): boolean {
    return loadingText(this.parts.build) === loadingText(entry);
  }

  /** The SHA-256 of each file of this build, by path. */
  get checksums(): ReadonlyMap<string, string> {
    return new Map(filesOf(this.parts.build).map(({ path, sha256 }) => [path, sha256]));
  }

  /** Frees the threads, their contexts and, unless another build has the same files, the weights. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    const { engine, threads, releases } = this.parts;
    engine.close();
    await Promise.all(threads.map((thread) => thread.close()));
    for (const release of releases) release();
  }
}

/**
 * What loading a build depends on, as text. The rest of its entry, such as temperatures and other ids, is read by the
 * preparing threads, which every model set has for itself.
 */
const loadingText = (build: CatalogBuild): string =>
  JSON.stringify([
    build.id,
    filesOf(build).map(({ path, sha256 }) => [path, sha256]),
    build.projector === null,
    build.model.engine ?? null,
    build.model.profile ?? null,
  ]);
