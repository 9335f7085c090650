import { isIPv4 } from 'node:net';
import { StartError } from '../base/index.js';
import type { Catalog } from '../engine/index.js';
import { chooseTransport, tryCertificate } from '../http/index.js';
import type { Settings } from '../settings/index.js';
import { type Address, addressesOf } from './addresses.js';
import { pricesByBuild } from './build-prices.js';
import { requireGatewayModel } from './endpoints.js';
import { exposureOf } from './exposure.js';
import { requireOperatorToken } from './operator/token.js';
import { requireTraces } from './request-traces.js';
import { tlsFiles } from './watch-certificate.js';

/**
 * What a server needs beyond settings that are valid one by one, by the name of the check of `decider doctor`. Each changes
 * nothing, and returns what doctor prints; it throws OperatorError if the server cannot start. Exposed addresses and the
 * certificate are not among them: doctor warns of more.
 */
export const SETTINGS_CHECKS: Readonly<Record<string, (settings: Settings) => string | Promise<string>>> = {
  ports: checkPorts,
  transport: checkTransport,
  traces(settings) {
    requireTraces(settings);
    return settings.traces.url === '' ? 'none' : "OpenTelemetry's SDK is installed";
  },
  'operator token'(settings) {
    requireOperatorToken(settings);
    if (settings.operator.port === 0) return 'not needed: operator.port is 0';
    return settings.operator.token === '' ? 'in the data folder' : 'the setting operator.token';
  },
};

/** As `SETTINGS_CHECKS`, of settings and the models of the manifest. */
export const MODEL_CHECKS: Readonly<Record<string, (settings: Settings, catalog: Catalog) => string>> = {
  prices({ billing }, catalog) {
    pricesByBuild(billing, catalog);
    return `${billing.currency} for ${[...billing.prices.keys()].join(', ')}`;
  },
  gateway(settings, catalog) {
    requireGatewayModel(settings, catalog);
    return settings.gateway.port === 0 ? 'none' : settings.gateway.model;
  },
};

/** Throws OperatorError if a server with these settings cannot start, whatever its models are. */
export async function requireStartable(settings: Settings): Promise<void> {
  for (const { keys, host } of addressesOf(settings)) exposureOf(keys.host, host, settings);
  const files = tlsFiles(settings.tls);
  if (files !== null) await tryCertificate(files);
  for (const check of Object.values(SETTINGS_CHECKS)) await check(settings);
}

/** Throws OperatorError if a server with these settings cannot serve these models. */
export function requireModels(settings: Settings, catalog: Catalog): void {
  for (const check of Object.values(MODEL_CHECKS)) check(settings, catalog);
}

/** `auto` always finds one. */
async function checkTransport({ http: { transport } }: Settings): Promise<string> {
  if (transport !== 'auto') await chooseTransport(transport, new AbortController().signal);
  return transport;
}

/** Names of hosts are compared as they are: two that are one address fail when the second one listens. */
function checkPorts(settings: Settings): string {
  const addresses = addressesOf(settings).filter(({ port }) => port !== 0);
  for (const [index, address] of addresses.entries()) {
    const other = addresses.slice(0, index).find((before) => isSame(before, address));
    if (other === undefined) continue;
    const { keys, port } = address;
    throw new StartError(
      `${keys.port} is ${port}, and so is ${other.keys.port}. Set another port for one of them.`,
    );
  }
  return addressesOf(settings)
    .map(({ keys, port }) => `${keys.port} ${port}`)
    .join(', ');
}

/** An IPv6 socket for all addresses also takes those of IPv4. */
const isSame = (one: Address, other: Address): boolean =>
  one.port === other.port &&
  (one.host === other.host || isForAll(one.host, other.host) || isForAll(other.host, one.host));

const isForAll = (host: string, other: string): boolean =>
  host === '::' || (host === '0.0.0.0' && (isIPv4(other) || other === '::'));
