import { IdleConnections } from './idle-connections.js';
import { RequestMemory } from './request-memory.js';

/** Bounds of the connections of all endpoints of a server. */
export interface ConnectionBounds {
  /** With uWebSockets.js unused: the library does not list its connections. */
  readonly idle: IdleConnections;
  readonly requests: RequestMemory;
}

export const createConnectionBounds = (): ConnectionBounds => ({
  idle: new IdleConnections(),
  requests: new RequestMemory(),
});
