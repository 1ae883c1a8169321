import asyncHooks from 'node:async_hooks';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';
import Runtime from 'jest-runtime';
import './typescript.js';

const require = createRequire(import.meta.url);

/** How to take a hook out of all promises of the process. Temporal's replay puts one in, and never takes it out. */
const stopPromiseHooks = [];
const { createHook } = v8.promiseHooks;
v8.promiseHooks.createHook = (callbacks) => {
  const stop = createHook(callbacks);
  stopPromiseHooks.push(stop);
  return stop;
};

/**
 * Loads tests, and what they import, as Node loads the product: as ES modules, once for a process. jest's own runtime
 * would compile them to CommonJS, and load every package again for each test file.
 */
export default class NativeRuntime extends Runtime {
  /** What jest-circus has made to follow the test that runs. */
  #storages = [];

  /** jest-circus, afresh for each test file: it keeps what the file declares. */
  requireInternalModule(path) {
    delete require.cache[path];
    const { AsyncLocalStorage } = asyncHooks;
    const storages = this.#storages;
    asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
      constructor() {
        super();
        storages.push(this);
      }
    };
    try {
      return require(path);
    } finally {
      asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
    }
  }

  /**
   * Node copies every storage that is on to every promise, and calls every hook: left on, each file would make every
   * `await` of the later ones slower.
   */
  teardown() {
    for (const storage of this.#storages) storage.disable();
    for (const stop of stopPromiseHooks.splice(0)) stop();
    super.teardown();
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    globalThis.jest = this.requireModuleOrMock(path, '@jest/globals').jest;
    await import(pathToFileURL(path).href);
  }
}
