import type { Case, Request } from './case.js';

/** Tries at most, each of which is a request or two. */
const TRIES_MAX = 400;

/** A smaller case that fails as well, or the same where none was found. `fails` sends it. */
export async function shrink(one: Case, fails: (smaller: Case) => Promise<boolean>): Promise<Case> {
  let tries = TRIES_MAX;
  let best = one;
  const attempt = async (smaller: Case): Promise<boolean> => {
    if (tries === 0) return false;
    tries -= 1;
    if (!(await fails(smaller))) return false;
    best = smaller;
    return true;
  };
  if (one.kind === 'request') {
    await withoutCuts(one.request, attempt);
    await withoutHeaders(() => (best as { request: Request }).request, attempt);
    await shorter(
      () => (best as { request: Request }).request.body,
      (body) => attempt({ kind: 'request', request: { ...(best as { request: Request }).request, body } }),
    );
  } else {
    await shorter(
      () => (best as { bytes: Buffer }).bytes,
      (bytes) => attempt(one.kind === 'raw' ? { kind: 'raw', bytes, cuts: [] } : { kind: 'leaving', bytes }),
    );
  }
  return best;
}

type Attempt = (smaller: Case) => Promise<boolean>;

async function withoutCuts(request: Request, attempt: Attempt): Promise<void> {
  if (request.cuts.length > 0) await attempt({ kind: 'request', request: { ...request, cuts: [] } });
}

async function withoutHeaders(request: () => Request, attempt: Attempt): Promise<void> {
  for (let at = request().headers.length - 1; at >= 0; at -= 1) {
    const headers = request().headers.filter((_, index) => index !== at);
    await attempt({ kind: 'request', request: { ...request(), headers } });
  }
}

/** Leaves out pieces, first large ones. */
async function shorter(bytes: () => Buffer, attempt: (smaller: Buffer) => Promise<boolean>): Promise<void> {
  for (let size = Math.ceil(bytes().length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < bytes().length; ) {
      const all = bytes();
      const gone = await attempt(Buffer.concat([all.subarray(0, at), all.subarray(at + size)]));
      if (!gone) at += size;
    }
  }
}
