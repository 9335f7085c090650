/**
 * What a node holds of its session contradicts itself or the database: the books do not add up, or the database refused
 * what the node must write. Trying again would fail again. The session ends, what it held is dropped, and the node
 * registers another one; see `Session.fail`.
 */
export class SessionDefect extends Error {
  override readonly name = 'SessionDefect';

  /** @param message without values, which may be callers' data */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** Throws a SessionDefect, with the message, unless something holds that always must. */
export function ensure(holds: boolean, message: string): asserts holds {
  if (!holds) throw new SessionDefect(message);
}

/** The SessionDefect for an error after which a session must not go on. */
export const defectOf = (error: unknown): SessionDefect =>
  error instanceof SessionDefect
    ? error
    : new SessionDefect('the database, or a part of the program, refused a change of this node', {
        cause: error,
      });
