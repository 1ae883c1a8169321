import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import Runtime from 'jest-runtime';
import './typescript.js';

const require = createRequire(import.meta.url);

/**
 * Loads tests, and what they import, as Node loads the product: as ES modules, once for a process. jest's own runtime
 * would compile them to CommonJS, and load every package again for each test file.
 */
export default class NativeRuntime extends Runtime {
  /** jest-circus, afresh for each test file: it keeps what the file declares. */
  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    globalThis.jest = this.requireModuleOrMock(path, '@jest/globals').jest;
    await import(pathToFileURL(path).href);
  }
}
