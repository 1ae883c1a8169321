import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { packageCommand } from './cli-package/package-command.ts';

// `npm run package:cli`: the command as packages that need no clone, in dist/packages/.

const FOLDER = fileURLToPath(new URL('../dist/packages', import.meta.url));

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
const { tarball, dsc } = await packageCommand(FOLDER);
console.log(`npm: ${tarball}\nDebian source package: ${dsc}`);
