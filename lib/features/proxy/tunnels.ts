import type { Duplex } from 'node:stream';
import type { Principal } from '../../http/principal.js';
import type { GatewayResponse } from '../../http/request.js';
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
  /**
   * Counts one more from before `open` is called until its socket closes, or until there is none. Rejects with
   * `TooManyRequests`, and as `open` does.
   */
  open(user: Principal, open: () => Promise<GatewayResponse>): Promise<GatewayResponse>;
  sessionEnded(sessionId: string): void;
  /** Of one user, or of everybody; who still may opens another one. */
  rightsChanged(userName?: string): void;
  closeAll(): void;
}

interface Tunnel {
  readonly user: Principal;
  /** Absent while it is being opened. */
  socket?: Duplex;
  isOver: boolean;
}

export function createTunnels(limits: TunnelLimits): Tunnels {
  const all = new Set<Tunnel>();
  const end = (which: (tunnel: Tunnel) => boolean) => {
    for (const tunnel of [...all]) {
      if (!which(tunnel)) continue;
      tunnel.isOver = true;
      tunnel.socket?.destroy();
    }
  };

  function attach(tunnel: Tunnel, socket: Duplex): void {
    tunnel.socket = socket;
    socket.once('close', () => all.delete(tunnel));
    // While it was being opened.
    if (tunnel.isOver) socket.destroy();
  }

  return {
    async open(user, open) {
      const own = [...all].filter((tunnel) => tunnel.user.userName === user.userName).length;
      if (all.size >= limits.tunnels || own >= limits.tunnelsPerUser) {
        throw new TooManyRequests('Too many WebSockets to services are open', 10);
      }
      const tunnel: Tunnel = { user, isOver: false };
      all.add(tunnel);
      try {
        const response = await open();
        if (response.tunnel) attach(tunnel, response.tunnel);
        else all.delete(tunnel);
        return response;
      } catch (error) {
        all.delete(tunnel);
        throw error;
      }
    },
    sessionEnded: (sessionId) => end(({ user }) => user.identity.sessionId === sessionId),
    rightsChanged: (userName) => end(({ user }) => userName === undefined || user.userName === userName),
    closeAll: () => end(() => true),
  };
}
