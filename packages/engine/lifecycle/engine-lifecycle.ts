import { Conflict, NotReady } from 'headgate/driver-kit';
import type { Engine } from './engine.js';

/** Which engine a driver has at the moment: none, one that is open, or one that is about to close. */
interface EngineLifecycle {
  /** Throws `NotReady` unless it is open. */
  engine(): Engine;
  /** Open, and not about to close. */
  readonly isOpen: boolean;
  /** It is closed or about to be. */
  readonly isClosing: boolean;
  /** Rejects with `Conflict` when one is open already. */
  open(make: () => Promise<Engine>): Promise<void>;
  /** `end` is what has to be done while it is still there. Idempotent. */
  close(end: (engine: Engine) => Promise<void>): Promise<void>;
}

export function createEngineLifecycle(): EngineLifecycle {
  let engine: Engine | undefined;
  let closing: Promise<void> | undefined;

  async function close(end: (engine: Engine) => Promise<void>): Promise<void> {
    if (!engine) return;
    await end(engine);
    await engine.close();
    engine = undefined;
  }

  return {
    engine() {
      if (!engine) throw new NotReady('The local engine is not open');
      return engine;
    },
    get isOpen() {
      return engine !== undefined && closing === undefined;
    },
    get isClosing() {
      return closing !== undefined;
    },
    async open(make) {
      if (engine) throw new Conflict('DRIVER_OPEN', 'The local engine is open already');
      const next = await make();
      closing = undefined;
      engine = next;
    },
    close(end) {
      closing ??= close(end);
      return closing;
    },
  };
}
