import { test } from 'tap';
import { inWorkingFolder, workingFolder } from '../../src/settings/working-folder.js';

const inHome = {
  current: '/srv',
  bundle: '/opt/decider',
  environment: {},
  home: () => '/var/lib/ops',
};

test('the working folder is the current one, also for a bundle that lies elsewhere', async (t) => {
  t.equal(workingFolder({ ...inHome, bundle: null }), '.');
  t.equal(workingFolder({ ...inHome, current: '/opt/decider', bundle: null }), '.');
  for (const current of ['/srv', '/opt', '/opt/decider-2', '/opt/..decider', '/'])
    t.equal(workingFolder({ ...inHome, current }), '.', current);
});

test('in the folder of a bundle, it is the folder for the state of the user', async (t) => {
  for (const current of ['/opt/decider', '/opt/decider/docs', '/opt/decider/..docs']) {
    t.equal(workingFolder({ ...inHome, current }), '/var/lib/ops/.local/state/decider', current);
  }
  const current = '/opt/decider';
  const withState = (XDG_STATE_HOME: string) => ({ ...inHome, current, environment: { XDG_STATE_HOME } });
  t.equal(workingFolder(withState('/var/state')), '/var/state/decider');
  t.equal(
    workingFolder(withState('state')),
    '/var/lib/ops/.local/state/decider',
    'a relative one is ignored',
  );
  const home = () => {
    throw new Error('no home folder');
  };
  t.equal(workingFolder({ ...inHome, current, home }), null);
  t.throws(() => inWorkingFolder('models', null), { message: /Set models \(DECIDER_MODELS\)\.$/ });
  t.equal(inWorkingFolder('models', '.'), './models');
});
