import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A repository of the stub. */
interface StubRepository {
  readonly files: Readonly<Record<string, Buffer>>;
  readonly commit?: string;
  /** As the hub writes the name. */
  readonly id?: string;
  /** Entries of one page of the list of files; 2 if absent. */
  readonly pageSize?: number;
  /** Pages without entries before the last one; 0 if absent. */
  readonly emptyPages?: number;
  readonly lastModified?: string;
  /** Files need this token; the list of a gated repository is public. */
  readonly token?: string;
  /** Answers requests without access as the hub does. */
  readonly refusal?: { readonly status: number; readonly code: string };
}

/** What happens to one response with a file's bytes, which start at `offset`. */
export interface Delivery {
  /** The connection breaks after this many bytes. */
  readonly cutAfter?: number;
  /** Sent after as many bytes, nothing more until the connection ends. */
  readonly stallAfter?: number;
  readonly status?: number;
  /** Ignores the range. */
  readonly whole?: boolean;
  /** Sends the range that starts as many bytes later than requested. */
  readonly shift?: number;
  /** Bytes that follow those of the file. */
  readonly extra?: number;
  /** Claims to be a web page. */
  readonly page?: boolean;
  /** Other bytes of the same length. */
  readonly corrupt?: boolean;
}

/** A request that the stub received. */
interface Received {
  readonly host: 'hub' | 'storage';
  readonly url: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
}

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/**
 * The hub on loopback: its model, tree and resolve endpoints, and the storage that it redirects to on another port.
 * `deliver` decides what happens to each response of the storage.
 */
export class HubStub {
  readonly received: Received[] = [];
  deliver: (path: string, offset: number) => Delivery = () => ({});
  /** Statuses of the next requests to the hub itself, or the bodies of responses with status 200. */
  readonly failures: (number | string)[] = [];
  url = '';
  private storageUrl = '';

  private constructor(private readonly repositories: Readonly<Record<string, StubRepository>>) {}

  static async start(t: Test, repositories: Readonly<Record<string, StubRepository>>): Promise<HubStub> {
    const stub = new HubStub(repositories);
    stub.url = await listen(t, (request, response) => stub.asHub(request, response));
    stub.storageUrl = await listen(t, (request, response) => stub.asStorage(request, response));
    return stub;
  }

  /** For a command that is to use the stub. */
  get environment(): Record<string, string> {
    return { HF_ENDPOINT: this.url, HF_TOKEN: '', NO_PROXY: '127.0.0.1', HF_HOME: '/nonexistent' };
  }

  /** Bytes that the storage was asked for, by file: the offsets of the requests. */
  offsets(path: string): number[] {
    return this.received
      .filter(({ host, url }) => host === 'storage' && url.includes(encodeURIComponent(path)))
      .map(({ range }) => Number(/\d+/.exec(range ?? '')?.[0] ?? 0));
  }

  private note(host: Received['host'], { url = '', headers }: IncomingMessage): void {
    this.received.push({ host, url, authorization: headers.authorization, range: headers.range });
  }

  private asHub(request: IncomingMessage, response: ServerResponse): void {
    this.note('hub', request);
    const failure = this.failures.shift();
    if (typeof failure === 'string') return void response.end(failure);
    if (failure !== undefined) return void end(response, failure, { 'retry-after': '0' });
    const url = new URL(request.url ?? '', this.url);
    const parts = url.pathname.split('/').slice(1).map(decodeURIComponent);
    const [owner, name, kind, revision = '', ...path] = parts[0] === 'api' ? parts.slice(2) : parts;
    const repository = this.repositories[`${owner}/${name}`];
    if (repository === undefined) return void end(response, 401, { 'x-error-code': 'RepoNotFound' });
    const { commit = COMMIT } = repository;
    if (!['main', 'v1', commit].includes(revision))
      return void end(response, 404, { 'x-error-code': 'RevisionNotFound' });
    if (kind === 'revision') return void this.describe(response, `${owner}/${name}`, repository);
    if (kind === 'tree') return void this.list(response, url, repository);
    this.resolve(request, response, repository, path.join('/'));
  }

  private describe(
    response: ServerResponse,
    id: string,
    { commit = COMMIT, lastModified, id: own }: StubRepository,
  ): void {
    json(response, {
      _id: 'id',
      id: own ?? id,
      sha: commit,
      lastModified: lastModified ?? '2026-11-01T10:00:00.000Z',
      private: false,
      gated: false,
      downloads: 1,
      likes: 1,
    });
  }

  private list(
    response: ServerResponse,
    url: URL,
    { files, pageSize = 2, emptyPages = 0 }: StubRepository,
  ): void {
    const empty = Number(url.searchParams.get('empty') ?? 0);
    if (empty < emptyPages) {
      url.searchParams.set('empty', String(empty + 1));
      response.setHeader('link', `<${url.href}>; rel="next"`);
      return void json(response, []);
    }
    const entries = Object.entries(files).map(([path, bytes]) => ({
      type: 'file',
      path,
      size: bytes.length,
      oid: 'a'.repeat(40),
      ...(path.endsWith('.gguf')
        ? { lfs: { oid: sha256(bytes), size: bytes.length, pointerSize: 130 } }
        : {}),
    }));
    const from = Number(url.searchParams.get('cursor') ?? 0);
    url.searchParams.set('cursor', String(from + pageSize));
    if (from + pageSize < entries.length) response.setHeader('link', `<${url.href}>; rel="next"`);
    json(response, entries.slice(from, from + pageSize));
  }

  private resolve(
    request: IncomingMessage,
    response: ServerResponse,
    repository: StubRepository,
    path: string,
  ): void {
    const { token, refusal, files } = repository;
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      const { status, code } = refusal ?? { status: 401, code: 'GatedRepo' };
      return void end(response, status, { 'x-error-code': code });
    }
    const bytes = files[path];
    if (bytes === undefined) return void end(response, 404, { 'x-error-code': 'EntryNotFound' });
    const location = `${this.storageUrl}/${encodeURIComponent(path)}?signature=secret`;
    response.writeHead(302, { location, 'x-linked-etag': `"${sha256(bytes)}"` });
    response.end();
  }

  private asStorage(request: IncomingMessage, response: ServerResponse): void {
    this.note('storage', request);
    const path = decodeURIComponent(new URL(request.url ?? '', this.url).pathname.slice(1));
    const repository = Object.values(this.repositories).find(({ files }) => path in files) as StubRepository;
    const file = repository.files[path] as Buffer;
    const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
    const delivery = this.deliver(path, Number(from ?? 0));
    if (delivery.status !== undefined) return void end(response, delivery.status, {});
    const whole = from === undefined || delivery.whole;
    const start = whole ? 0 : Number(from) + (delivery.shift ?? 0);
    const body = delivery.corrupt ? Buffer.alloc(file.length, 7) : file;
    const bytes = Buffer.concat([body.subarray(start), Buffer.alloc(delivery.extra ?? 0)]);
    const headers = {
      etag: `"${sha256(file)}"`,
      'content-length': bytes.length,
      ...(delivery.page ? { 'content-type': 'text/html; charset=utf-8' } : {}),
    };
    if (whole) response.writeHead(200, headers);
    else
      response.writeHead(206, {
        ...headers,
        'content-range': `bytes ${start}-${file.length - 1}/${file.length}`,
      });
    const { cutAfter, stallAfter } = delivery;
    if (cutAfter !== undefined && cutAfter < bytes.length) {
      response.flushHeaders();
      response.write(bytes.subarray(0, cutAfter), () => response.destroy());
    } else if (stallAfter !== undefined && stallAfter < bytes.length)
      response.write(bytes.subarray(0, stallAfter));
    else response.end(bytes);
  }
}

function json(response: ServerResponse, value: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
}

function end(response: ServerResponse, status: number, headers: Record<string, string>): void {
  response.writeHead(status, headers);
  response.end('refused');
}

async function listen(
  t: Test,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server: Server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
