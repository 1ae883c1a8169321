import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findGo } from '../../../main/embedded/go-program.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

it('fetches the Go that the module asks for, where the one that is here is too old to do so', async () => {
  const projectDir = temporaryDirectory();
  const directory = join(projectDir, 'work');
  for (const [module, version] of [
    ['tools', '1.20'],
    ['tools/newer', '1.99.1'],
  ] as const) {
    mkdirSync(join(projectDir, module), { recursive: true });
    writeFileSync(join(projectDir, module, 'go.mod'), `module example\n\ngo ${version}\n`);
  }
  const bin = join(projectDir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'go'), '#!/bin/sh\necho go version go1.19.8 linux/amd64\n');
  chmodSync(join(bin, 'go'), 0o755);

  const { file } = await findGo(
    {
      projectDir,
      module: 'tools/newer',
      directory,
      environment: { PATH: `${bin}:/usr/bin:/bin` },
    },
    {
      signal: new AbortController().signal,
      note: () => undefined,
      run: async ({ args }) => {
        mkdirSync(join(directory, args.at(-1) ?? '', 'bin'), { recursive: true });
      },
    },
  );
  expect(file).toContain('-go1.99.1.linux-');
});
