import { FIRST_DRAFT } from './examples.js';

/** What outlives a view that is replaced by the form for a key: the draft, and the link that was last opened. */
export const kept = { draft: FIRST_DRAFT, shared: null as string | null };
