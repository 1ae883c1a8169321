import asyncHooks from 'node:async_hooks';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import Runtime from 'jest-runtime';
import './typescript.js';

const require = createRequire(import.meta.url);

const REPLAY = require.resolve('@temporalio/worker/lib/workflow/vm-shared.js');

const MODULE_MOCKS = ['mock', 'doMock', 'setMock', 'unstable_mockModule'];

/** They would do nothing: Node loads the modules. */
function refuseModuleMock() {
  throw new Error('Modules cannot be mocked: docs/decisions/0002-test-runner.md says why.');
}

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
    const storages = this.#storages;
    const property = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage');
    const value = class extends asyncHooks.AsyncLocalStorage {
      constructor() {
        super();
        storages.push(this);
      }
    };
    // From Node 22 on it has a getter alone, and takes no other value by `=`.
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { configurable: true, value });
    try {
      return require(path);
    } finally {
      Object.defineProperty(asyncHooks, 'AsyncLocalStorage', property);
    }
  }

  /**
   * Node copies every storage that is on to every promise, and calls every hook: left on, each file would make every
   * `await` of the later ones slower. Temporal's replay hooks into all promises of its process, and leaves it so.
   */
  teardown() {
    for (const storage of this.#storages) storage.disable();
    require.cache[REPLAY]?.exports.globalHandlers.uninstall();
    super.teardown();
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    globalThis.jest = this.requireModuleOrMock(path, '@jest/globals').jest;
    for (const name of MODULE_MOCKS) globalThis.jest[name] = refuseModuleMock;
    await import(pathToFileURL(path).href);
  }
}
