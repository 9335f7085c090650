import { test } from 'tap';
import { listSettings, loadSettings, SETTINGS, serviceLinksNotice } from '../../src/settings/index.js';

/** The variables that kubelet sets for a service with these ports (pkg/kubelet/envvars). */
function linksOf(service: string, address: string, ports: readonly [port: number, protocol: string][]) {
  const name = service.toUpperCase().replaceAll('-', '_');
  const host = address.includes(':') ? `[${address}]` : address;
  const links: Record<string, string> = {};
  ports.forEach(([port, protocol], at) => {
    const url = `${protocol}://${host}:${port}`;
    if (at === 0) {
      links[`${name}_SERVICE_HOST`] = address;
      links[`${name}_SERVICE_PORT`] = String(port);
      links[`${name}_PORT`] = url;
    }
    links[`${name}_SERVICE_PORT_HTTP_${at}`] = String(port);
    const prefix = `${name}_PORT_${port}_${protocol.toUpperCase()}`;
    links[prefix] = url;
    links[`${prefix}_PROTO`] = protocol;
    links[`${prefix}_PORT`] = String(port);
    links[`${prefix}_ADDR`] = address;
  });
  return links;
}

/** Services whose variables have the names of every setting, and others. */
const SERVICES = [
  'decider',
  'decider-x',
  'decider-0',
  ...listSettings(SETTINGS).flatMap(({ variable }) => {
    const service = variable.toLowerCase().replaceAll('_', '-');
    return [service, service.replace(/-port$/, '')];
  }),
];

test('service links of any service and address are ignored, alone and together', async (t) => {
  const defaults = loadSettings({}, undefined);
  for (const service of SERVICES) {
    for (const address of ['10.96.0.12', 'fd00:10:96::c']) {
      const links = linksOf(service, address, [
        [8080, 'tcp'],
        [9464, 'udp'],
        [5000, 'sctp'],
      ]);
      t.strictSame(loadSettings(links, undefined), defaults, service);
      for (const [name, value] of Object.entries(links)) {
        if (JSON.stringify(loadSettings({ [name]: value }, undefined)) !== JSON.stringify(defaults))
          t.fail(`${name}=${value}`);
      }
    }
  }
});

test('settings beside service links are read', async (t) => {
  const links = linksOf('decider', '10.96.0.12', [[8080, 'tcp']]);
  const read = loadSettings({ ...links, DECIDER_HOST: '::', DECIDER_OPERATOR_PORT: '9464' }, undefined);
  t.match(read, { host: '::', port: 8080, operator: { port: 9464 } });
});

test('a wrong value that is not a link, and an unknown variable, stay errors', async (t) => {
  const wrong = {
    DECIDER_PORT: [
      'x',
      '80800',
      'tcp://',
      'tcp://decider:8080',
      'http://10.96.0.12:8080',
      'tcp://10.96.0.12',
      'tcp://10.96.0.300:80',
      'tcp://fd00::1:80',
      'tcp://[10.96.0.12]:80',
    ],
    DECIDER_GATEWAY_PORT: ['10.96.0.12:8080'],
    DECIDER_SERVICE_HOST: ['decider', '10.96.0'],
    DECIDER_SERVICE_PORT: ['http', '-1'],
    DECIDER_PORT_8080_TCP_ADDR: ['x'],
    DECIDER_PORT_8080_TCP_PROTO: ['http'],
    DECIDER_PORTS: ['tcp://10.96.0.12:8080'],
    DECIDER_HOST_PORT: ['8080'],
    DECIDER_X_NAME: ['10.96.0.12'],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      t.throws(() => loadSettings({ [name]: value }, undefined), {
        name: 'SettingsError',
        message: new RegExp(name),
      });
    }
  }
});

test('the notice names a few of the variables and the remedy, in one line', async (t) => {
  t.equal(serviceLinksNotice({ DECIDER_PORT: '8080', PATH: 'tcp://10.0.0.1:80' }), null);
  const links = linksOf('decider', '10.96.0.12', [[8080, 'tcp']]);
  const notice = serviceLinksNotice(links);
  t.match(notice, /: DECIDER_PORT, DECIDER_PORT_8080_TCP, DECIDER_PORT_8080_TCP_ADDR and 5 more\. /);
  t.match(notice, /enableServiceLinks: false/);
  t.match(serviceLinksNotice({ DECIDER_PORT: 'tcp://10.0.0.1:80' }), /: DECIDER_PORT\. /);
});
