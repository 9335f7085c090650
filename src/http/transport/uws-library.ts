import { STATUS_CODES } from 'node:http';
import type { Reply } from './transport-types.js';
/**
 * The parts of uWebSockets.js in use. Declared here because the package is optional: if it is not installed, its types
 * are missing too, and the project must still compile.
 */
export interface UwsLibrary {
  App(): UwsApp;
  /** Throws if the files cannot be read or do not fit. */
  SSLApp(options: { readonly cert_file_name: string; readonly key_file_name: string }): UwsApp;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  us_listen_socket_close(socket: UwsListenSocket): void;
  us_socket_local_port(socket: UwsListenSocket): number;
}

export type UwsListenSocket = object;

export interface UwsApp {
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  listen(
    host: string,
    port: number,
    options: number,
    listening: (socket: UwsListenSocket | false) => void,
  ): UwsApp;
  close(): UwsApp;
  getDescriptor(): UwsDescriptor;
  /** Connections that this application accepts are served by those that were added, in turns. */
  addChildAppDescriptor(descriptor: UwsDescriptor): UwsApp;
  removeChildAppDescriptor(descriptor: UwsDescriptor): UwsApp;
}

type UwsDescriptor = number | object;

/** Invalid once the handler returns. */
export interface UwsRequest {
  getUrl(): string;
  getQuery(): string | undefined;
  getCaseSensitiveMethod(): string;
  forEach(visit: (name: string, value: string) => void): void;
}

/** Invalid once answered or aborted; a later call throws or crashes. */
export interface UwsResponse {
  /** Empty if the connection is gone. */
  getRemoteAddressAsText(): ArrayBuffer;
  onAborted(handler: () => void): UwsResponse;
  onData(handler: (chunk: ArrayBuffer, last: boolean) => void): UwsResponse;
  onWritable(handler: (offset: number) => boolean): UwsResponse;
  cork(write: () => void): UwsResponse;
  writeStatus(status: string): UwsResponse;
  writeHeader(name: string, value: string): UwsResponse;
  end(body: string | Uint8Array, close: boolean): UwsResponse;
  endWithoutBody(length?: number, close?: boolean): UwsResponse;
  write(piece: Uint8Array): boolean;
  tryEnd(rest: Uint8Array, total: number): [ok: boolean, done: boolean];
  pause(): void;
  resume(): void;
  close(): UwsResponse;
}

const PACKAGE = 'uWebSockets.js';
const HEADER_BYTES_VARIABLE = 'UWS_HTTP_MAX_HEADERS_SIZE';

/**
 * Loads uWebSockets.js. Rejects if it is not installed or has no binary for this Node.js.
 * `headerBytes` becomes its limit on request line and header fields, which it reads from the environment once,
 * while it loads; its own default is 4 KiB.
 */
export async function importUws(headerBytes: number): Promise<UwsLibrary> {
  process.env[HEADER_BYTES_VARIABLE] ??= String(headerBytes);
  return (await import(PACKAGE)) as UwsLibrary;
}

/** Writes the status and the headers of a reply. */
export function writeUwsHead(res: UwsResponse, { status, headers }: Reply): void {
  res.writeStatus(`${status} ${STATUS_CODES[status] ?? 'Status'}`);
  for (const [name, value] of headers) res.writeHeader(name, value);
}

/** Ends the head of a last response without a body: the value includes the empty line. See `uws-last.ts`. */
export function endLastHead(res: UwsResponse): void {
  res.writeHeader('Connection', 'close\r\n');
}

/** Ends the chunks of a last response: the name includes the last chunk, the value the line after the trailer. */
export function endLastChunks(res: UwsResponse): void {
  res.writeHeader('\r\n0\r\nX-Complete', 'true\r\n');
}
