// Loaded before node:test. To know to which test a promise belongs, node:test has a hook called for each promise of the
// process, also for those of the services under test; that took a tenth of the processor time of the test processes.
// AsyncLocalStorage says the same at no cost for a promise. What node:test does with it stays as it is: `after` inside of
// a test belongs to that test, and an error that nobody catches fails the test that caused it (test/cheap-hooks.test.ts).
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

// Not the import, whose names cannot be changed; node:test reads them from this object when it is loaded.
const hooks = process.getBuiltinModule('node:async_hooks');
const { createHook, executionAsyncId } = hooks;

/** The id of its resource. */
const runningTest = new AsyncLocalStorage<number>();
let testHook: Parameters<typeof createHook>[0] = {};

hooks.executionAsyncId = () => runningTest.getStore() ?? executionAsyncId();
// node:test makes the first.
hooks.createHook = (callbacks) => {
  testHook = callbacks;
  hooks.createHook = createHook;
  const hook = { enable: () => hook, disable: () => hook };
  return hook;
};

/** The classes of node:test; each is a resource, in whose scope its function runs. */
const TESTS = new Set(['Test', 'TestHook', 'Suite']);
const NO_TRIGGER = -1;

// oxlint-disable-next-line typescript/unbound-method -- called with its object below
const { runInAsyncScope } = AsyncResource.prototype;
AsyncResource.prototype.runInAsyncScope = function runAsTest(work, thisArg, ...args) {
  if (!TESTS.has(this.constructor.name))
    return Reflect.apply(runInAsyncScope, this, [work, thisArg, ...args]);
  const id = this.asyncId();
  testHook.init?.(id, this.constructor.name, NO_TRIGGER, this);
  const inside = (...given: unknown[]): unknown =>
    runningTest.run(id, () => Reflect.apply(work, thisArg, given) as unknown);
  return Reflect.apply(runInAsyncScope, this, [inside, undefined, ...args]) as ReturnType<typeof work>;
};
