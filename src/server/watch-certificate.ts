import { statSync } from 'node:fs';
import { type Clock, DAY_MS, StartError } from '../base/index.js';
import { type Certificate, type HttpServer, TlsError, type TlsFiles, tryCertificate } from '../http/index.js';
import type { Settings } from '../settings/index.js';
import type { Log } from '../telemetry/index.js';

/** How often the files of a certificate are checked. */
const POLL_MS = 5_000;
/** Failures in a row before they are reported: between the writes of the two files, these do not match for a moment. */
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

type CertificateListener = Pick<HttpServer, 'host' | 'port' | 'renew'>;

interface WatchOptions {
  /** What all listeners use. */
  readonly current: Certificate;
  readonly listeners: readonly CertificateListener[];
  readonly clock: Pick<Clock, 'after' | 'monotonic' | 'now'>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

/**
 * Replaces a certificate when its files change. While they cannot be used, the old one stays. Once a day, it is checked
 * whether the certificate expires soon.
 */
export class CertificateWatch {
  readonly #options: WatchOptions;
  readonly #used: Map<CertificateListener, Certificate>;
  #current: Certificate;
  /** Empty, so that the first look reads the files: they may have changed since `current` was read. */
  #seen = '';
  #failures = 0;
  #expiryChecked: number;
  #cancel = () => {};
  #checking: Promise<void> = Promise.resolve();

  constructor(options: WatchOptions) {
    const { current, listeners, clock } = options;
    this.#options = options;
    this.#used = new Map(listeners.map((listener) => [listener, current]));
    this.#current = current;
    this.#expiryChecked = clock.monotonic();
    this.#wait();
  }

  /** Settles when no check of the files is in progress. */
  get settled(): Promise<void> {
    return this.#checking;
  }

  /**
   * Reads the files, and tries their certificate. Resolves with a function that gives it to the listeners that have another
   * one, and returns whether there were any. Rejects with TlsError if the files cannot be used. The function throws it if a
   * listener does not accept the certificate: that one keeps its own, and gets the new one with the next call that succeeds.
   */
  async prepare(): Promise<() => boolean> {
    const next = await tryCertificate(this.#current.files);
    return () => {
      if (!this.#renew(next)) return false;
      this.#current = next;
      const expires = new Date(next.expires).toISOString();
      this.#options.log.info({ expires }, 'the TLS certificate was renewed');
      this.#checkExpiry();
      return true;
    };
  }

  stop(): void {
    this.#cancel();
  }

  #renew(next: Certificate): boolean {
    const outdated = [...this.#used].filter(([, used]) => !isSame(used, next));
    const refusals: string[] = [];
    for (const [listener] of outdated) {
      try {
        listener.renew(next);
        this.#used.set(listener, next);
      } catch (error) {
        refusals.push(`${listener.host}:${listener.port}: ${(error as Error).message}`);
      }
    }
    if (refusals.length > 0) throw new TlsError(refusals.join(' '));
    return outdated.length > 0;
  }

  #wait(): void {
    this.#cancel = this.#options.clock.after(POLL_MS, () => {
      this.#checking = this.#check();
      if (this.#options.clock.monotonic() - this.#expiryChecked >= DAY_MS) this.#checkExpiry();
      this.#wait();
    });
  }

  async #check(): Promise<void> {
    const found = marks(this.#current.files);
    try {
      if (found !== this.#seen) (await this.prepare())();
      this.#seen = found;
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      const { message } = error as Error;
      if (this.#failures === FAILURES_REPORTED)
        this.#options.log.error({}, `the TLS certificate was not renewed: ${message}`);
    }
  }

  #checkExpiry(): void {
    const { clock, log } = this.#options;
    this.#expiryChecked = clock.monotonic();
    const warning = expiryWarning(this.#current, clock.now());
    if (warning !== null) log.warn({}, warning);
  }
}

const isSame = (one: Certificate, other: Certificate) =>
  one.cert.equals(other.cert) && one.key.equals(other.key);

/** What changes when a file is written or replaced, also behind a symbolic link. */
const marks = ({ cert, key }: TlsFiles) => `${markOf(cert)}, ${markOf(key)}`;

/** Never throws: the code of an error serves as the mark, and reading the file then reports the error. */
function markOf(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino} ${size} ${mtimeMs}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
