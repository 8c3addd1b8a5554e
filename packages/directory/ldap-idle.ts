export interface Poolable {
  readonly isAlive: boolean;
  close(): Promise<void>;
}

export interface Kept<Connection> {
  readonly connection: Connection;
  readonly madeAt: number;
  timer?: NodeJS.Timeout;
}

/** Connections that nobody uses now, and that are good for the next. */
interface IdleConnections<Connection> {
  take(): Kept<Connection> | undefined;
  /** Closes it instead when it is not good any more. */
  keep(kept: Kept<Connection>): void;
  /** Closes all that are there now. */
  clear(): Promise<void>;
  /** The same, and what comes back later is closed then. */
  close(): Promise<void>;
}

export function createIdleConnections<Connection extends Poolable>(
  limits: { readonly idleMillis: number; readonly ageMillis: number },
  monotonic: () => number,
): IdleConnections<Connection> {
  /** The one that was used last comes last, and is lent first: so those that are not needed grow old. */
  const idle: Kept<Connection>[] = [];
  let isClosed = false;

  const isGood = ({ connection, madeAt }: Kept<Connection>): boolean =>
    connection.isAlive && monotonic() - madeAt < limits.ageMillis;

  function take(): Kept<Connection> | undefined {
    for (let kept = idle.pop(); kept; kept = idle.pop()) {
      clearTimeout(kept.timer);
      if (isGood(kept)) return kept;
      void kept.connection.close();
    }
    return undefined;
  }

  function keep(kept: Kept<Connection>): void {
    if (isClosed || limits.idleMillis === 0 || !isGood(kept)) {
      void kept.connection.close();
      return;
    }
    kept.timer = setTimeout(() => {
      idle.splice(idle.indexOf(kept), 1);
      void kept.connection.close();
    }, limits.idleMillis).unref();
    idle.push(kept);
  }

  async function clear(): Promise<void> {
    const all = idle.splice(0);
    for (const { timer } of all) clearTimeout(timer);
    await Promise.all(all.map(({ connection }) => connection.close()));
  }

  return {
    take,
    keep,
    clear,
    close() {
      isClosed = true;
      return clear();
    },
  };
}
