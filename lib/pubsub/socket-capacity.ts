import { NotReady, TooManyRequests } from '../model/errors.js';
import type { HubLimits } from './limits.js';

/** The sockets of one user, application or address. */
export interface SocketAccount {
  readonly name: string;
  sockets: number;
}

/** Counts the sockets that are open, in all and of each account. */
interface SocketCapacity {
  /** Takes a place among all, for somebody who is not known yet. Throws `NotReady` when there is none. */
  reserve(): void;
  /** Gives a place back that nobody came to have. */
  cancel(): void;
  /** Counts a reserved place under this name, up to this number. Throws `TooManyRequests` beyond it. */
  enter(name: string, most: number): SocketAccount;
  /** Gives the place back. */
  leave(account: SocketAccount): void;
}

export function createSocketCapacity(limits: Pick<HubLimits, 'connections'>): SocketCapacity {
  const accounts = new Map<string, SocketAccount>();
  let open = 0;
  return {
    reserve() {
      if (open >= limits.connections) {
        throw new NotReady('The gateway has no room for another WebSocket');
      }
      open++;
    },
    cancel() {
      open--;
    },
    enter(name, most) {
      const account = accounts.get(name) ?? { name, sockets: 0 };
      if (account.sockets >= most) {
        throw new TooManyRequests(`${most} WebSockets are open for you already`, 10);
      }
      account.sockets++;
      accounts.set(name, account);
      return account;
    },
    leave(account) {
      open--;
      account.sockets--;
      if (account.sockets === 0) accounts.delete(account.name);
    },
  };
}
