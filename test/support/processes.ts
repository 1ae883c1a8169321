import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the processes with this command line. */
export function processes(commandLine: string): string[] {
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      return (
        readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').join(' ').trim() === commandLine
      );
    } catch {
      return false;
    }
  });
}
