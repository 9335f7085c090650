import type { ChatFrame } from './chat.js';
import type { LabelSet } from './labels.js';
import type { Skeleton } from './profile-types.js';

/** What verifying a format against a vocabulary found. It can be written as JSON. */
export interface VerifiedProfile {
  readonly labels: LabelSet;
  /** Null if it is too long to be passed on. */
  readonly rendered: RenderedSamples | null;
}

/** What the templates make of the sample questions. */
export interface RenderedSamples {
  readonly chat: ChatFrame;
  /** The tokens that every prompt begins with. */
  readonly head: readonly number[];
  /** By the keys of their shapes. */
  readonly skeletons: ReadonlyArray<readonly [string, Skeleton]>;
}

/**
 * As JSON. The built-in formats and that of the embedded model take less than 90,000; a model file may hold a template that
 * writes any amount.
 */
export const RENDERED_CHARACTERS_MAX = 1 << 18;

/** What other threads and processes get: without `rendered` if that is longer than `RENDERED_CHARACTERS_MAX`. */
export function verifiedProfile(labels: LabelSet, rendered: RenderedSamples): VerifiedProfile {
  const fits = JSON.stringify(rendered).length <= RENDERED_CHARACTERS_MAX;
  return { labels, rendered: fits ? rendered : null };
}
