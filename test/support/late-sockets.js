import { Socket } from 'node:net';

/*
 * Preloaded, it makes what a process sends late, at random:
 * `NODE_OPTIONS='--import ./test/support/late-sockets.js' npm test`. A test that passes only because one side is faster
 * than the other fails then, sooner or later.
 */

const { _writeGeneric: writeNow, _destroy: destroyNow } = Socket.prototype;
const startTimer = globalThis.setTimeout;
/** By socket: sends what is late. */
const lateWrites = new WeakMap();

/** Most writes are on time, some are a little late, few are very late. */
function pauseMs() {
  const chance = Math.random();
  if (chance < 0.8) return 0;
  return Math.random() * (chance < 0.97 ? 40 : 400);
}

Socket.prototype._writeGeneric = function writeLate(writev, data, encoding, done) {
  const ms = pauseMs();
  // A pipe is written at once, so that a process that ends has said all.
  if (ms === 0 || this._handle?.constructor.name !== 'TCP')
    return writeNow.call(this, writev, data, encoding, done);
  const send = () => {
    lateWrites.delete(this);
    clearTimeout(timer);
    writeNow.call(this, writev, data, encoding, done);
  };
  const timer = startTimer(send, ms);
  lateWrites.set(this, send);
};

Socket.prototype._destroy = function destroyLate(error, done) {
  lateWrites.get(this)?.();
  return destroyNow.call(this, error, done);
};
