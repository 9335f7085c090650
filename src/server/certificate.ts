import { statSync } from 'node:fs';
import { type Clock, DAY_MS } from '../base/index.js';
import { type Certificate, readCertificate, type TlsFiles } from '../http/index.js';
import type { Settings } from '../settings/index.js';
import type { Log } from '../telemetry/index.js';
import { StartError } from './dependencies.js';

/** How often the files of a certificate are looked at. */
const LOOK_MS = 5_000;
/** Between the writes of both files, they do not fit; so one failure is no fault. */
const FAILURES_REPORTED = 2;
/** A certificate that ends earlier should have been renewed. */
const RENEWAL_DUE_MS = 14 * DAY_MS;

/** The files of the settings; null: no TLS. Throws StartError if only one is set. */
export function tlsFiles({ cert, key }: Settings['tls']): TlsFiles | null {
  if (cert === '' && key === '') return null;
  const [set, unset] = cert === '' ? ['tls.key', 'tls.cert'] : ['tls.cert', 'tls.key'];
  if (cert !== '' && key !== '') return { cert, key };
  throw new StartError(`${set} is set and ${unset} is not. Set both, or neither.`);
}

/** Why a certificate needs attention; null: it does not. `now`: milliseconds since 1970. */
export function expiryWarning({ files, expires }: Certificate, now: number): string | null {
  if (expires - now > RENEWAL_DUE_MS) return null;
  const day = new Date(expires).toISOString();
  if (expires <= now) return `${files.cert} expired at ${day}: clients refuse it. Renew it.`;
  return `${files.cert} expires at ${day}. Renew it; the server reads the new files by itself.`;
}

interface WatchOptions {
  readonly current: Certificate;
  /** Gives new connections another certificate. Throws if it is not accepted. */
  readonly renew: (certificate: Certificate) => void;
  readonly clock: Pick<Clock, 'after' | 'now'>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

/** Replaces a certificate when its files change. While they cannot be used, the old one stays. */
export class CertificateWatch {
  readonly #options: WatchOptions;
  #used: Certificate;
  #seen: string;
  #failures = 0;
  #cancel = () => {};

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#used = options.current;
    this.#seen = marks(options.current.files);
    this.#wait();
  }

  /**
   * Reads the files and uses them if their content is new. Returns whether it was. Throws TlsError, with nothing changed,
   * if they cannot be used.
   */
  reload(): boolean {
    const { clock, log, renew } = this.#options;
    const next = readCertificate(this.#used.files);
    if (next.cert.equals(this.#used.cert) && next.key.equals(this.#used.key)) return false;
    renew(next);
    this.#used = next;
    log.info({ expires: new Date(next.expires).toISOString() }, 'the TLS certificate was renewed');
    const warning = expiryWarning(next, clock.now());
    if (warning !== null) log.warn({}, warning);
    return true;
  }

  stop(): void {
    this.#cancel();
  }

  #wait(): void {
    this.#cancel = this.#options.clock.after(LOOK_MS, () => {
      this.#look();
      this.#wait();
    });
  }

  #look(): void {
    const found = marks(this.#used.files);
    if (found === this.#seen) return;
    try {
      this.reload();
      this.#seen = found;
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      const { message } = error as Error;
      if (this.#failures === FAILURES_REPORTED)
        this.#options.log.error({}, `the TLS certificate was not renewed: ${message}`);
    }
  }
}

/** What changes when a file is written or replaced, also behind a symbolic link. */
function marks({ cert, key }: TlsFiles): string {
  return [cert, key]
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found === undefined ? 'missing' : `${found.ino} ${found.size} ${found.mtimeMs}`;
    })
    .join(', ');
}
