import { DEFAULT_IMAGE_BUDGET, IMAGE_BUDGETS } from '../../api/index.js';
import { indented } from '../json/json-node.js';
import { readJson } from '../json/read-json.js';
import { type Draft, question } from './ask-draft.js';
import { questionsNode, questionsOf } from './ask-questions.js';

/** Longer links are cut by chat programs and refused by some browsers. */
export const LINK_CHARACTERS_MAX = 32_000;
/** What a link may hold when it is unpacked. */
const UNPACKED_BYTES_MAX = 4 * 1024 * 1024;

/** A link cannot be made or read; the message says why. */
class LinkError extends Error {
  override readonly name = 'LinkError';
}

/** What a link holds: a draft without its images, which would not fit, and never a key. */
interface Linked {
  readonly kind: Draft['stateKind'];
  readonly state: string;
  readonly questions: string;
  readonly form: boolean;
  readonly model: string;
  readonly budget: number;
}

/** A draft as text for the fragment of an address, which browsers do not send to servers. Throws LinkError. */
export async function packDraft(draft: Draft): Promise<string> {
  const form = draft.questionsKind === 'form';
  const linked: Linked = {
    kind: draft.stateKind,
    state: draft.state,
    questions: form ? indented(questionsNode(draft.questions)) : draft.questionsJson,
    form,
    model: draft.model,
    budget: draft.imageBudget,
  };
  const source = new Blob([JSON.stringify(linked)]).stream();
  const packed = source.pipeThrough(new CompressionStream('deflate-raw'));
  const text = toBase64Url(new Uint8Array(await new Response(packed).arrayBuffer()));
  if (text.length <= LINK_CHARACTERS_MAX) return text;
  throw new LinkError('The request is too long for a link.');
}

/** The draft of a link, which may come from anywhere. Throws LinkError. */
export async function unpackDraft(packed: string): Promise<Draft> {
  try {
    const bytes = fromBase64Url(packed);
    const source = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return draftOf(JSON.parse(await readText(source)) as Partial<Linked>);
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError('The link is damaged: it does not hold a request.');
  }
}

function draftOf({ kind, state, questions, form, model, budget }: Partial<Linked>): Draft {
  if (typeof state !== 'string' || typeof questions !== 'string')
    throw new LinkError('The link holds no request.');
  const draft: Draft = {
    stateKind: kind === 'json' ? 'json' : 'text',
    state,
    images: [],
    questionsKind: 'json',
    questions: [question('question', 'noul', '')],
    questionsJson: questions,
    model: typeof model === 'string' ? model : '',
    imageBudget: IMAGE_BUDGETS.find((each) => each === budget) ?? DEFAULT_IMAGE_BUDGET,
  };
  if (form !== true) return draft;
  return { ...draft, questionsKind: 'form', questions: questionsOf(readJson(questions)) };
}

async function readText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > UNPACKED_BYTES_MAX) throw new LinkError('The link holds more than a request may.');
    text += decoder.decode(value, { stream: true });
  }
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
