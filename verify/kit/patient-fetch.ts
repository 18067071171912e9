// fetch gives up on a connection after 10 s, which is less than a connection takes on an overloaded machine.
const CONNECT_MS_MAX = 120_000;

/** For every fetch of this process. Node does not export the class of its dispatcher, only an instance. */
export function patientFetch(): void {
  const key = Symbol.for('undici.globalDispatcher.1');
  const holder = globalThis as unknown as Record<symbol, { constructor: unknown }>;
  // Any use of fetch's classes creates that instance.
  void new Headers();
  void new Request('http://127.0.0.1');
  const Agent = holder[key]?.constructor as new (options: object) => object;
  holder[key] = new Agent({ connect: { timeout: CONNECT_MS_MAX } });
}
