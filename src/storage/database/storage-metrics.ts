import type { Metrics } from '../../telemetry/index.js';
import type { Node } from './node.js';

/** Measures the use of the database. */
export function measureDatabase(
  metrics: Metrics,
  node: Pick<Node, 'connections' | 'statements' | 'session'>,
): void {
  const { databaseConnections, databaseStatements, nodes, sessionFailures } = metrics.instruments;
  const { databaseClockAhead, databaseClockJump } = metrics.instruments;
  metrics.beforeScrape(() => {
    const { open, used } = node.connections;
    databaseConnections.set({ state: 'open' }, open);
    databaseConnections.set({ state: 'used' }, used);
    databaseStatements.reset();
    for (const [statement, count] of node.statements) databaseStatements.inc({ statement }, count);
    nodes.set(node.session.nodes);
    sessionFailures.reset();
    sessionFailures.inc(node.session.failures);
    databaseClockAhead.set(node.session.skew.ms / 1_000);
    databaseClockJump.set(node.session.calendar.jumpMs / 1_000);
  });
}
