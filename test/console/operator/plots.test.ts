import { SAMPLES_MAX } from '../../../src/console/operator/overview/samples.js';
import { setVisible } from '../../support/console/open-tab.js';
import { enterOperator, operatorTest } from '../../support/console/operator.js';
import { until } from '../../support/until.js';

operatorTest(
  'plots move while requests are answered, and rest while the tab is hidden',
  async (t, tab, world) => {
    const { page } = tab;
    await page.clock.install();
    await enterOperator(tab, world);
    const answered = page.getByText('Requests answered').locator('..').locator('dd');
    const number = async () => Number((await answered.textContent())?.replaceAll(',', ''));
    const before = await number();
    await Promise.all(Array.from({ length: 8 }, () => world.ask(world.token)));
    const lane = page.getByRole('region', { name: 'Lane 1' });
    const calls = () => tab.requests.filter((each) => each.endsWith('/api/live')).length;
    const line = page.locator('polyline').first();
    const points = async () => (await line.getAttribute('points'))?.split(' ').length ?? 0;
    await until(async () => {
      await page.clock.fastForward(1_000);
      return (await number()) >= before + 8 && (await points()) > 2;
    });
    t.ok((await lane.locator('rect').count()) > 0, 'the waves are drawn');
    t.match(await lane.textContent(), /Wave fill\d+\.\d %/);
    t.match(await lane.textContent(), /32 wavestop 100\.0 %/);
    // The pointer shows the value before the last one.
    const rate = page.locator('.plot', { hasText: 'Requests per second' });
    const { width = 0 } = (await rate.locator('svg').boundingBox()) ?? {};
    await rate.locator('svg').hover({ position: { x: (width * (SAMPLES_MAX - 1.5)) / SAMPLES_MAX, y: 10 } });
    // After a pause of the machine, the plot begins again.
    await until(async () => {
      await page.clock.fastForward(1_000);
      return (await rate.getByText(/^\d+\.\d \/s$/).count()) === 1;
    });
    await page.mouse.move(0, 0);

    // Half a minute passes in the page. Requests arrive in order, so those of the plots come before the last one.
    const halfMinute = async () => {
      const known = calls();
      for (let at = 0; at < 3; at += 1) await page.clock.fastForward(10_000);
      await page.evaluate("fetch('/console').then(() => true)");
      return calls() - known;
    };
    await setVisible(page, false);
    // A call may have been in progress.
    await halfMinute();
    t.equal(await halfMinute(), 0, 'nothing is called');
    const again = page.waitForResponse('**/api/live');
    await setVisible(page, true);
    await again;
  },
);
