import { TabSecret } from '../ui/tab-secret.js';

/** The form of every token (contract 5 rule 10). */
const TOKEN = /^dk_[A-Za-z0-9]{40}$/;

export const looksLikeKey = (text: string): boolean => TOKEN.test(text);

/** The key of this tab. */
export const keptKey = new TabSecret('decider.key');
