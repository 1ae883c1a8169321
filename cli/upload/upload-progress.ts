import { sizeText } from '../../domain/text/quantity-text.ts';
import { shortened } from '../../domain/text/shortened.ts';
import type { Output } from '../output/output.ts';
import type { CommandEnvironment } from '../environment.ts';

/** Tells how far uploads are. */
export type UploadProgress = {
  /** @returns what is told how many bytes of the file were sent */
  start: (name: string, sizeBytes: number) => (sentBytes: number) => void;
  end: () => void;
};

const NAME_WIDTH = 40;

/** A bar for each file on a terminal, else a line for each. */
export async function createUploadProgress(
  { stderr }: CommandEnvironment,
  out: Output,
): Promise<UploadProgress> {
  if (out.form !== 'human' || stderr.isTTY !== true)
    return {
      start: (name, sizeBytes) => {
        out.notice(`storing ${name} (${sizeText(sizeBytes)})`);
        return () => undefined;
      },
      end: () => undefined,
    };
  const { default: bars } = await import('cli-progress');
  const multi = new bars.MultiBar(
    {
      stream: stderr,
      format: '  {name} {bar} {percentage}% {size}',
      barCompleteChar: '█',
      barIncompleteChar: '░',
      barsize: 20,
      hideCursor: true,
      emptyOnZero: true,
    },
    bars.Presets.shades_classic,
  );
  return {
    start: (name, sizeBytes) => {
      const bar = multi.create(sizeBytes, 0, {
        name: shortened(name, NAME_WIDTH).padEnd(NAME_WIDTH),
        size: sizeText(sizeBytes),
      });
      return (sentBytes) => bar.update(sentBytes);
    },
    end: () => multi.stop(),
  };
}
