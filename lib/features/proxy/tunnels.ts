import type { Duplex } from 'node:stream';
import type { Principal } from '../../http/principal.js';
import { TooManyRequests } from '../../model/errors.js';

export interface TunnelLimits {
  /** WebSockets through the proxies, in all. Default: 1000. */
  readonly tunnels: number;
  /** Of one user. Default: 60. */
  readonly tunnelsPerUser: number;
}

export const defaultTunnelLimits: TunnelLimits = { tunnels: 1000, tunnelsPerUser: 60 };

/** WebSockets to services that are open, and for whom: rights that end, end them. */
export interface Tunnels {
  /** A place for one more, before it is opened. Returns what gives it back. Throws `TooManyRequests`. */
  reserve(user: Principal): Place;
  sessionEnded(sessionId: string): void;
  /** Of one user, or of everybody; who still may opens another one. */
  rightsChanged(userName?: string): void;
  closeAll(): void;
}

interface Place {
  /** The place is given back when the socket closes. */
  opened(socket: Duplex): void;
  giveBack(): void;
}

export function createTunnels(limits: TunnelLimits): Tunnels {
  interface Tunnel {
    readonly user: Principal;
    socket: Duplex | undefined;
    isOver: boolean;
  }
  const open = new Set<Tunnel>();
  const end = (which: (tunnel: Tunnel) => boolean) => {
    for (const tunnel of [...open]) {
      if (!which(tunnel)) continue;
      tunnel.isOver = true;
      tunnel.socket?.destroy();
    }
  };

  return {
    reserve(user) {
      const own = [...open].filter((tunnel) => tunnel.user.userName === user.userName).length;
      if (open.size >= limits.tunnels || own >= limits.tunnelsPerUser) {
        throw new TooManyRequests('Too many WebSockets to services are open', 10);
      }
      const tunnel: Tunnel = { user, socket: undefined, isOver: false };
      open.add(tunnel);
      const giveBack = () => {
        open.delete(tunnel);
      };
      return {
        giveBack,
        opened(socket) {
          tunnel.socket = socket;
          socket.once('close', giveBack);
          // While it was being opened.
          if (tunnel.isOver) socket.destroy();
        },
      };
    },
    sessionEnded: (sessionId) => end(({ user }) => user.identity.sessionId === sessionId),
    rightsChanged: (userName) => end(({ user }) => userName === undefined || user.userName === userName),
    closeAll: () => end(() => true),
  };
}
