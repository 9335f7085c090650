import { type Dialect, indented, type JsonNode, object, text } from '../json/json-node.js';
import { decisionsRequest } from './decisions-request.js';
import { type BuiltRequest, partOf } from './request.js';
import { typedRequest } from './typed-request.js';

/** Linux refuses an argument of 128 KiB. */
export const ARGUMENT_BYTES_MAX = 100_000;

/** The languages in which a request is shown. */
export const LANGUAGES = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['openai', 'OpenAI'],
  ['python', 'Python'],
] as const;
export type Language = (typeof LANGUAGES)[number][0];

/**
 * A program that sends a request to a server. The key is read from the environment variable `TOKEN`. Throws NotInOpenAi.
 */
export function codeOf(language: Language, request: BuiltRequest, server: string): string {
  return WRITERS[language](request, server.replace(/\/$/, ''));
}

const WRITERS: Record<Language, (request: BuiltRequest, server: string) => string> = {
  curl: curlOf,
  typescript: typescriptOf,
  openai: openaiOf,
  python: pythonOf,
};

/** The file of an image, as the programs name it. */
const fileOf = ({ images }: BuiltRequest, at: number): string =>
  images[at]?.source.replace(/[^\w.-]/g, '_') || `${partOf(at)}.${images[at]?.format ?? 'png'}`;

const shellQuoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;

const TOO_LONG = '# The request is too long for a command line: save it as request.json.\n';

function curlOf(request: BuiltRequest, server: string): string {
  const json = indented(request.node);
  const isShort = new TextEncoder().encode(json).length <= ARGUMENT_BYTES_MAX;
  const lines = [`curl ${server}/v1/decide`, '-H "Authorization: Bearer $TOKEN"'];
  if (request.images.length === 0) {
    lines.push(
      "-H 'Content-Type: application/json'",
      isShort ? `-d ${shellQuoted(json)}` : '-d @request.json',
    );
  } else {
    // `-F` would end the text at its first semicolon.
    lines.push(isShort ? `--form-string request=${shellQuoted(json)}` : "-F 'request=<request.json'");
    lines.push(...request.images.map((_, at) => `-F ${partOf(at)}=@${fileOf(request, at)}`));
  }
  return `${isShort ? '' : TOO_LONG}${lines.join(' \\\n  ')}\n`;
}

/** In an object literal, this name alone would set the prototype. */
const TYPESCRIPT: Dialect = {
  literal: (source) => source,
  key: (name) => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)),
};

const INSTALL = '// npm pkg set type=module && npm install @typesafe-ai/sdk';

function typescriptOf(request: BuiltRequest, server: string): string {
  const { images } = request;
  const client = [
    'const client = new TypeSafeClient({',
    '  apiKey: process.env.TOKEN,',
    `  baseURL: ${JSON.stringify(server)},`,
    '});',
  ];
  if (images.length === 0) {
    return [
      INSTALL,
      "import { TypeSafeClient } from '@typesafe-ai/sdk';",
      '',
      ...client,
      `const { answers } = await client.systemOne(${indented(typedRequest(request.node), '\n', TYPESCRIPT)});`,
      'console.log(answers);',
      '',
    ].join('\n');
  }
  const body = indented(typedRequest(inline(request, (at) => `data${at + 1}`)), '\n', TYPESCRIPT);
  return [
    INSTALL,
    "import { readFileSync } from 'node:fs';",
    "import { type SystemOneRequest, TypeSafeClient } from '@typesafe-ai/sdk';",
    '',
    ...images.map(
      (_, at) => `const data${at + 1} = readFileSync(${JSON.stringify(fileOf(request, at))}, 'base64');`,
    ),
    ...client,
    `const request: SystemOneRequest & { assets: object; image_budget?: number } = ${body};`,
    'const { answers } = await client.systemOne(request);',
    'console.log(answers);',
    '',
  ].join('\n');
}

function openaiOf(request: BuiltRequest, server: string): string {
  const { images } = request;
  const body = decisionsRequest(request, (at) => ({ kind: 'literal', source: `url${at + 1}` }));
  const urls = images.flatMap(({ format }, at) => [
    `const data${at + 1} = readFileSync(${JSON.stringify(fileOf(request, at))}, 'base64');`,
    `const url${at + 1} = \`data:image/${format};base64,\${data${at + 1}}\`;`,
  ]);
  return [
    ...(images.length === 0 ? [] : ["import { readFileSync } from 'node:fs';"]),
    "import OpenAI from 'openai';",
    '',
    ...urls,
    `const client = new OpenAI({ apiKey: process.env.TOKEN, baseURL: ${JSON.stringify(`${server}/v1`)} });`,
    `const { answers } = await client.decisions.create(${indented(body, '\n', TYPESCRIPT)});`,
    'console.log(answers);',
    '',
  ].join('\n');
}

const PYTHON_LITERALS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
const PYTHON: Dialect = {
  literal: (source) => PYTHON_LITERALS[source] ?? source,
  key: (name) => JSON.stringify(name),
};

function pythonOf(request: BuiltRequest, server: string): string {
  const { images } = request;
  const encoded = images.map(
    (_, at) =>
      `data${at + 1} = base64.b64encode(open(${JSON.stringify(fileOf(request, at))}, "rb").read()).decode()`,
  );
  return [
    ...(images.length === 0 ? [] : ['import base64']),
    'import json',
    'import os',
    'import urllib.request',
    '',
    ...encoded,
    `request = ${indented(
      inline(request, (at) => `data${at + 1}`),
      '\n',
      PYTHON,
    )}`,
    'call = urllib.request.Request(',
    `    ${JSON.stringify(`${server}/v1/decide`)},`,
    '    data=json.dumps(request).encode(),',
    '    headers={"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"},',
    ')',
    'with urllib.request.urlopen(call) as response:',
    '    print(json.load(response)["answers"])',
    '',
  ].join('\n');
}

/** The request with the data of its images in variables, instead of in file parts. */
function inline({ node, images }: BuiltRequest, variable: (at: number) => string): JsonNode {
  if (node.kind !== 'object' || images.length === 0) return node;
  const assets = object(
    images.map(({ name, format }, at) => [
      name,
      object([
        ['format', text(format)],
        ['data_base64', { kind: 'literal', source: variable(at) }],
      ]),
    ]),
  );
  return object(node.entries.map(([name, value]) => [name, name === 'assets' ? assets : value]));
}
