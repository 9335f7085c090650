import { type Dialect, indented, type JsonNode } from '../json/json-node.js';
import { decisionsRequest } from './decisions-request.js';
import { imageFiles } from './image-files.js';
import { inline, placeOf, pythonText, templateLiteral } from './json-text.js';
import { isKept, JAVASCRIPT_KEEPS, PYTHON_KEEPS } from './kept-json.js';
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
    lines.push(...imageFiles(request.images).map((file, at) => `-F ${partOf(at)}=@${file}`));
  }
  return `${isShort ? '' : TOO_LONG}${lines.join(' \\\n  ')}\n`;
}

/** In an object literal, this name alone would set the prototype. */
const TYPESCRIPT: Dialect = {
  literal: (source) => source,
  key: (name) => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)),
};

/** The first lines of a program: how it is run, and what it imports. */
const SETUP = '// npm pkg set type=module';
const READS_FILES = "import { readFileSync } from 'node:fs';";
const AS_TEXT = 'The request is a text: a value would change a number, or the order or number of keys.';

/** The lines that read the images. */
const dataLines = (request: BuiltRequest): string[] =>
  imageFiles(request.images).map(
    (file, at) => `const data${at + 1} = readFileSync(${JSON.stringify(file)}, 'base64');`,
  );
const dataOf = (at: number): string => `data${at + 1}`;

function typescriptOf(request: BuiltRequest, server: string): string {
  if (!isKept(request.node, JAVASCRIPT_KEEPS)) return fetchOf(request, server);
  const { images } = request;
  const install = `${SETUP} && npm install @typesafe-ai/sdk`;
  const client = [
    'const client = new TypeSafeClient({',
    '  apiKey: process.env.TOKEN,',
    `  baseURL: ${JSON.stringify(server)},`,
    '});',
  ];
  const body = indented(typedRequest(inline(request, dataOf)), '\n', TYPESCRIPT);
  if (images.length === 0) {
    return [
      install,
      "import { TypeSafeClient } from '@typesafe-ai/sdk';",
      '',
      ...client,
      `const { answers } = await client.systemOne(${body});`,
      'console.log(answers);',
      '',
    ].join('\n');
  }
  return [
    install,
    READS_FILES,
    "import { type SystemOneRequest, TypeSafeClient } from '@typesafe-ai/sdk';",
    '',
    ...dataLines(request),
    ...client,
    `const request: SystemOneRequest & { assets: object; image_budget?: number } = ${body};`,
    'const { answers } = await client.systemOne(request);',
    'console.log(answers);',
    '',
  ].join('\n');
}

/** A program without a client library, whose values JavaScript does not read. */
function fetchOf(request: BuiltRequest, server: string): string {
  const body = templateLiteral(inline(request, (at) => placeOf(dataOf(at))));
  return [
    SETUP,
    ...(request.images.length === 0 ? [] : [READS_FILES]),
    '',
    ...dataLines(request),
    `// ${AS_TEXT}`,
    `const body = ${body};`,
    `const response = await fetch(${JSON.stringify(`${server}/v1/decide`)}, {`,
    "  method: 'POST',",
    "  headers: { authorization: 'Bearer ' + process.env.TOKEN, 'content-type': 'application/json' },",
    '  body,',
    '});',
    'console.log(await response.text());',
    '',
  ].join('\n');
}

function openaiOf(request: BuiltRequest, server: string): string {
  const { images } = request;
  const urls = images.map(
    ({ format }, at) => `const url${at + 1} = \`data:image/${format};base64,\${${dataOf(at)}}\`;`,
  );
  const bodyWith = (source: (at: number) => string): JsonNode =>
    decisionsRequest(request, (at) => ({ kind: 'literal', source: source(at) }));
  const asText = !isKept(
    bodyWith(() => 'null'),
    JAVASCRIPT_KEEPS,
  );
  const body = asText
    ? templateLiteral(bodyWith((at) => placeOf(`url${at + 1}`)))
    : indented(
        bodyWith((at) => `url${at + 1}`),
        '\n',
        TYPESCRIPT,
      );
  return [
    ...(images.length === 0 ? [] : [READS_FILES]),
    "import OpenAI from 'openai';",
    '',
    ...dataLines(request),
    ...urls,
    `const client = new OpenAI({ apiKey: process.env.TOKEN, baseURL: ${JSON.stringify(`${server}/v1`)} });`,
    ...(asText
      ? [
          `// ${AS_TEXT}`,
          `const body = ${body};`,
          "const headers = { 'content-type': 'application/json' };",
          "console.log(await client.post('/decisions', { body, headers }));",
        ]
      : [`const { answers } = await client.decisions.create(${body});`, 'console.log(answers);']),
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
  const encoded = imageFiles(images).map(
    (file, at) => `${dataOf(at)} = base64.b64encode(open(${JSON.stringify(file)}, "rb").read()).decode()`,
  );
  const asText = !isKept(request.node, PYTHON_KEEPS);
  return [
    ...(images.length === 0 ? [] : ['import base64']),
    'import json',
    'import os',
    'import urllib.request',
    '',
    ...encoded,
    ...(asText
      ? [`# ${AS_TEXT}`, `request = ${pythonText(inline(request, (at) => placeOf(dataOf(at))))}`]
      : [`request = ${indented(inline(request, dataOf), '\n', PYTHON)}`]),
    'call = urllib.request.Request(',
    `    ${JSON.stringify(`${server}/v1/decide`)},`,
    `    data=${asText ? 'request' : 'json.dumps(request)'}.encode(),`,
    '    headers={"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"},',
    ')',
    'with urllib.request.urlopen(call) as response:',
    '    print(json.load(response)["answers"])',
    '',
  ].join('\n');
}
