import type { Settings } from '../settings/index.js';
import type { HostSetting } from './exposure.js';

/** An address on which a server with certain settings listens. */
export interface Address {
  /** The settings of the address, for messages. */
  readonly keys: { readonly host: HostSetting; readonly port: string };
  readonly host: string;
  readonly port: number;
}

/** The addresses of all endpoints and of the operator listener, the base endpoint first. */
export function addressesOf({
  host,
  port,
  gateway,
  operator,
}: Pick<Settings, 'host' | 'port' | 'gateway' | 'operator'>): Address[] {
  const address = (setting: HostSetting, at: { readonly host: string; readonly port: number }): Address => ({
    keys: { host: setting, port: setting.replace(/host$/, 'port') },
    host: at.host,
    port: at.port,
  });
  const optional = [address('gateway.host', gateway), address('operator.host', operator)];
  return [address('host', { host, port }), ...optional.filter((each) => each.port !== 0)];
}
