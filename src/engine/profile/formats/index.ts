import type { Format } from '../types.js';
import { letters } from './letters.js';
import { mapika } from './mapika.js';
import { winnow } from './winnow.js';

/** The formats a manifest can name. */
export const FORMATS: Readonly<Record<string, Format>> = { letters, mapika, winnow };
