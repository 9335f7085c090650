import { OperatorError } from '../../base/index.js';
import { changedSettings, type Settings } from '../../settings/index.js';
import type { Log } from '../../telemetry/index.js';

/** What takes over settings while the server runs. */
interface Parts {
  /** Checks other settings; the returned function uses them and cannot fail. Throws OperatorError. */
  prepare(next: Settings): () => void;
  /**
   * Reads the certificate again. Returns whether it is a new one. Throws OperatorError; only endpoints that accept the new
   * one have changed then.
   */
  reloadTls(): boolean;
  readonly log: Pick<Log, 'level'>;
}

/** Takes over settings that are read again: all changes, or none. */
export class Reloader {
  constructor(
    private settings: Settings,
    private readonly parts: Parts,
  ) {}

  /** The settings in use. */
  get current(): Settings {
    return this.settings;
  }

  /**
   * Takes over `next`. Returns the keys of what has changed, `tls` for a new certificate. Throws OperatorError, with
   * no setting changed, if one needs a restart or cannot be used, or if an endpoint does not accept a new certificate.
   */
  reload(next: Settings): string[] {
    const changed = changedSettings(this.settings, next);
    const fixed = changed.filter(({ reloads }) => !reloads).map(({ key }) => key);
    if (fixed.length > 0) throw new OperatorError(`${fixed.join(', ')}: a change needs a restart.`);
    const use = this.parts.prepare(next);
    // The last step that can fail.
    const isRenewed = this.parts.reloadTls();
    use();
    this.parts.log.level = next.log.level;
    this.settings = next;
    return [...changed.map(({ key }) => key), ...(isRenewed ? ['tls'] : [])];
  }
}
