import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Where jest-circus keeps its handlers of events on the global object. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/**
 * Runs tests in the global scope of jest's worker, as the product runs in its own: there is one `Error` and one copy
 * of each package. What a test file changes in its process is put back when the file ends.
 */
export default class NativeEnvironment {
  global = globalThis;
  fakeTimers = null;
  moduleMocker = new ModuleMocker(globalThis);
  #console = globalThis.console;
  #exit = process.exit;
  #directory = process.cwd();
  #variables = { ...process.env };

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // Node names the lines of the sources, by what the TypeScript loader leaves in the modules; jest would not.
    process.setSourceMapsEnabled(true);
    delete Error.prepareStackTrace;
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    delete globalThis[EVENT_HANDLERS];
    globalThis.console = this.#console;
    process.exit = this.#exit;
    process.chdir(this.#directory);
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, this.#variables);
  }

  exportConditions() {
    return [];
  }

  /** There is none; jest insists on the method. */
  getVmContext() {
    return null;
  }
}
