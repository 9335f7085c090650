import type { JsonNode } from '../decide-types.js';
import { field } from '../request/json-fields.js';
import { type Part, type PartType, readParts } from './parts.js';
import { type ObjectNode, objectAt, refusedAt, stringAt } from './place.js';
import type { SentImages } from './sent-images.js';

/** The roles of messages, and the parts that each may have. */
const ROLES = {
  user: ['input_text', 'input_image', 'input_json'],
  developer: ['input_text'],
  system: ['input_text'],
  assistant: ['output_text', 'refusal'],
} as const satisfies Readonly<Record<string, readonly PartType[]>>;
type Role = keyof typeof ROLES;

/** The types of tool calls: how the model reads them, and which field has what is sent to the tool. */
const CALLS = {
  function_call: { title: 'function call', content: 'arguments' },
  custom_tool_call: { title: 'custom tool call', content: 'input' },
} as const;
type CallType = keyof typeof CALLS;

/** A tool call, as its outputs name it. */
export interface Call {
  /** `function call` or `custom tool call`. */
  readonly title: string;
  /** Its number among all calls of the list, from 1. */
  readonly number: number;
  /** Null: none. */
  readonly namespace: string | null;
  readonly name: string;
}

/** An item of `input`. */
export type Item =
  | { readonly kind: 'message'; readonly role: Role; readonly parts: readonly Part[] }
  | { readonly kind: 'call'; readonly call: Call; readonly parts: readonly Part[] }
  | { readonly kind: 'output'; readonly call: Call; readonly parts: readonly Part[] };

const ERROR = 'invalid_input';

/**
 * Reads the items of `input`. Fields that have no effect on an answer (`id`, `status`, `phase` and unknown ones) are
 * ignored.
 *
 * @throws ApiError with the place of the first invalid value: `invalid_input`, also for an output whose `call_id` no
 *   earlier call has, or an error of an image
 */
export function readItems(nodes: readonly JsonNode[], images: SentImages): Item[] {
  const calls = new Map<string, Call>();
  let count = 0;
  return nodes.map((node, index): Item => {
    const place = `input[${index}]`;
    const item = objectAt(node, place, ERROR);
    const type = field(item, 'type');
    if (type === undefined || isText(type, 'message')) return readMessage(item, place, images);
    for (const each of Object.keys(CALLS) as CallType[]) {
      if (isText(type, each)) {
        count += 1;
        const call = readCall(item, place, each, count);
        calls.set(textOf(item, place, 'call_id'), call);
        return {
          kind: 'call',
          call,
          parts: [{ kind: 'text', text: textOf(item, place, CALLS[each].content) }],
        };
      }
      if (isText(type, `${each}_output`)) return readOutput(item, place, calls, images);
    }
    throw refusedAt(
      `${place}.type`,
      'must be `message`, `function_call`, `function_call_output`, `custom_tool_call` or `custom_tool_call_output`',
      ERROR,
    );
  });
}

function readMessage(item: ObjectNode, place: string, images: SentImages): Item {
  const sent = field(item, 'role');
  const role = (Object.keys(ROLES) as Role[]).find((each) => sent !== undefined && isText(sent, each));
  if (role === undefined) {
    throw refusedAt(`${place}.role`, 'must be `user`, `developer`, `system` or `assistant`', ERROR);
  }
  const parts = readParts(field(item, 'content'), `${place}.content`, ROLES[role], images, ERROR);
  return { kind: 'message', role, parts };
}

function readCall(item: ObjectNode, place: string, type: CallType, number: number): Call {
  const namespace = field(item, 'namespace');
  return {
    title: CALLS[type].title,
    number,
    namespace: namespace === undefined ? null : stringAt(namespace, `${place}.namespace`, ERROR),
    name: textOf(item, place, 'name'),
  };
}

function readOutput(
  item: ObjectNode,
  place: string,
  calls: ReadonlyMap<string, Call>,
  images: SentImages,
): Item {
  const call = calls.get(textOf(item, place, 'call_id'));
  if (call === undefined)
    throw refusedAt(`${place}.call_id`, 'must be that of an earlier call of the list', ERROR);
  const types = ['input_text', 'input_image'] as const;
  const parts = readParts(field(item, 'output'), `${place}.output`, types, images, ERROR);
  return { kind: 'output', call, parts };
}

const isText = (node: JsonNode, text: string) => node.kind === 'text' && node.value === text;

const textOf = (item: ObjectNode, place: string, name: string) =>
  stringAt(field(item, name), `${place}.${name}`, ERROR);
