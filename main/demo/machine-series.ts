import { readMachine, type Machine } from '../../sandbox/machine.ts';

/** The distribution and series of this machine: the only ones whose packages it builds as they are meant. */
type MachineSeries = Pick<Machine, 'distribution' | 'series'>;

/** @throws Error on a system that names no series, because it is not Debian or a derivative with one */
export async function machineSeries(): Promise<MachineSeries> {
  const { distribution, series } = await readMachine();
  if (series === 'unknown')
    throw new Error("This machine names no series: Airline's builder needs Debian or Ubuntu.");
  return { distribution, series };
}
