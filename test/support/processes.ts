import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** In `/proc/net/tcp`. */
const LISTENING = '0A';

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

/** The TCP ports that a process listens on. */
export function listeningPorts(pid: number): number[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = '']) => state === LISTENING && sockets.has(inode))
      .map(([, local = '']) => Number.parseInt(local.split(':')[1] ?? '', 16)),
  );
}
