import { Gauge } from 'prom-client';
import type { Database } from '../../models/database.ts';

/** A gauge of one figure, which is read whenever somebody asks. It belongs to no registry yet. */
export function gaugeOf(name: string, help: string, read: () => number): Gauge {
  return new Gauge({
    name,
    help,
    registers: [],
    collect() {
      this.set(read());
    },
  });
}

/** The connections of a process to the database. It belongs to no registry yet. */
export function connectionGauge({ connectionCounts }: Pick<Database, 'connectionCounts'>): Gauge {
  return new Gauge({
    name: 'airline_database_connections',
    help: 'Connections to the database, and statements that wait for one, by state.',
    labelNames: ['state'],
    registers: [],
    collect() {
      for (const [state, count] of Object.entries(connectionCounts())) this.set({ state }, count);
    },
  });
}
