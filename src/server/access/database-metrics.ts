import type { Metrics } from '../../telemetry/index.js';
import type { Node } from './node.js';

/** Measures the use of the database. */
export function measureDatabase(
  metrics: Metrics,
  { database, session }: Pick<Node, 'database' | 'session'>,
): void {
  const { databaseConnections, databaseStatements, nodes } = metrics.instruments;
  metrics.beforeScrape(() => {
    const { open, used } = database.connections;
    databaseConnections.set({ state: 'open' }, open);
    databaseConnections.set({ state: 'used' }, used);
    databaseStatements.reset();
    for (const [statement, count] of database.statements) databaseStatements.inc({ statement }, count);
    nodes.set(session.nodes);
  });
}
