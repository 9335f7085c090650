import type { Backend } from '#native/platform.mjs';
import type { CatalogBuild } from '../models/catalog.js';
import type { OpenModel } from '../models/model.js';
import type { ImageReading } from '../models/projector.js';
import type { Temperatures } from '../profile/profile-types.js';
import type { VerifiedProfile } from '../profile/verified-profile.js';

// Messages between a process and its child that checks a model.

/** The input: JSON on standard input. */
export interface CheckTask {
  readonly backend: Backend;
  /** The device that computes; '' for the CPU. */
  readonly device: string;
  readonly build: CatalogBuild;
  /** CPU threads. */
  readonly threads: number;
}

/** What the check of a build found. */
export interface ModelFacts {
  readonly summary: string;
  /** The name of its format. */
  readonly profile: string;
  readonly source: OpenModel['source'];
  readonly contextLength: number;
  /** The same without `context_length` of the manifest. */
  readonly trainedContextLength: number;
  readonly images: ImageReading | null;
  /** By `<type>` and `<type>.<bucket>`. */
  readonly temperatures: Temperatures['values'];
  readonly verified: VerifiedProfile;
  /** See `spaceJoiners`. */
  readonly joiners: string | null;
  /** For the options of `FIRST_QUESTION`. */
  readonly logits: readonly number[];
}

/** The output: lines of JSON on file descriptor 3, each the file being read next, or the result. */
export type CheckReport =
  | { readonly at: string }
  | { readonly error: string }
  | { readonly facts: ModelFacts };
