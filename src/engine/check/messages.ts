import type { Backend } from '#native/platform.mjs';
import type { QuestionType } from '../../api/index.js';
import type { CatalogBuild } from '../models/catalog.js';
import type { OpenModel } from '../models/model.js';
import type { ImageReading } from '../models/projector.js';

/** What passes between a process and the one that checks a model for it. */

/** Given once, as JSON on standard input. */
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
  readonly images: ImageReading | null;
  /** Of a noul question, a choice of three and a score of three. */
  readonly temperatures: Readonly<Record<QuestionType, number>>;
  /** The letters' tokens, from A on. */
  readonly labels: readonly number[];
  /** Of the options of `FIRST_QUESTION`. */
  readonly logits: readonly number[];
}

/** One line of JSON on file descriptor 3: the file that is read from now on, or the end. */
export type CheckReport =
  | { readonly at: string }
  | { readonly error: string }
  | { readonly facts: ModelFacts };
