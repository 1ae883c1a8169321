import type { LinkFault } from '../blow.ts';

/** A fault of the link of one machine. */
export type FaultyLink = { machine: string; fault: LinkFault };

const TABLE = 'bridge chaos';

/**
 * The nftables script that makes the switch's rules anew, all at once.
 *
 * @param portOf the switch's port of a machine
 */
export function describeRules(
  faults: readonly FaultyLink[],
  portOf: (machine: string) => string,
): string {
  const set = (machines: readonly string[]) =>
    `{ ${machines.map((machine) => `"${portOf(machine)}"`).join(', ')} }`;
  const rules = faults.flatMap(({ machine, fault }): string[] => {
    const from = `iifname "${portOf(machine)}"`;
    const to = `oifname "${portOf(machine)}"`;
    switch (fault.kind) {
      case 'cut':
        return [`${from} drop`, `${to} drop`];
      case 'mute':
        return [`${from} drop`];
      case 'deaf':
        return [`${to} drop`];
      case 'split': {
        const side = set([machine, ...fault.others]);
        return [
          `iifname ${side} oifname != ${side} drop`,
          `iifname != ${side} oifname ${side} drop`,
        ];
      }
      case 'lossy':
        return [from, to].map((way) => `${way} numgen random mod 100 < ${fault.percent} drop`);
      case 'slow':
        // Its queue is a matter of the devices.
        return [];
    }
  });
  return [
    `add table ${TABLE}`,
    `delete table ${TABLE}`,
    `table ${TABLE} {`,
    '  chain forward {',
    '    type filter hook forward priority 0; policy accept;',
    ...rules.map((rule) => `    ${rule}`),
    '  }',
    '}',
    '',
  ].join('\n');
}

/** The machines that do not reach all others as they should. */
export function machinesWith(faults: readonly FaultyLink[]): Set<string> {
  return new Set(
    faults.flatMap(({ machine, fault }) => [
      machine,
      ...(fault.kind === 'split' ? fault.others : []),
    ]),
  );
}
