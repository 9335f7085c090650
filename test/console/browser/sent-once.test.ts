import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { consoleTest, enter } from '../../support/console/console.js';
import type { Owner } from '../../support/owner.js';

// A browser sends a request again by itself if a connection that it has used before closes without a response.

/** A relay to a server that loses the response to each decision: it closes the connection in place of it. */
async function lossyRelay(t: Owner, url: string) {
  let decisions = 0;
  const relay = createServer((caller) => {
    const server = connect(Number(new URL(url).port), '127.0.0.1');
    let isLost = false;
    caller.on('data', (bytes) => {
      if (bytes.toString('latin1').startsWith('POST /v1/decide ')) {
        decisions += 1;
        isLost = true;
      }
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (isLost) caller.resetAndDestroy();
      else caller.write(bytes);
    });
    for (const [one, other] of [
      [caller, server],
      [server, caller],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  t.teardown(() => relay.close());
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    decisions: () => decisions,
  };
}

consoleTest(
  'a decision whose response is lost is sent once',
  async (t, tab, world) => {
    const { page } = tab;
    const relay = await lossyRelay(t, world.url);
    await enter(tab, { ...world, url: relay.url });
    for (let asked = 1; asked <= 3; asked += 1) {
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByText('The server did not answer.').waitFor();
      t.equal(relay.decisions(), asked);
      // A call that uses a connection, in case there is one that stays open.
      await page.evaluate("fetch('/health', { credentials: 'omit', cache: 'no-store' }).then(() => true)");
      await page.reload();
      await page.getByRole('button', { name: 'Forget the key' }).waitFor();
    }
  },
  { otherSites: true },
);
