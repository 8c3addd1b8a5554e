import type { Client } from './client.js';
import type { HubLimits } from './limits.js';

/** Pings quiet sockets and ends the silent ones, with one timer for all of them. */
export interface Heartbeat<C extends Client = Client> {
  add(client: C): void;
  remove(client: C): void;
  /** A sign of life. */
  heard(client: C): void;
  close(): void;
}

export interface HeartbeatOptions<C extends Client> {
  readonly limits: Pick<HubLimits, 'pingMs' | 'pongMs'>;
  readonly onTick: () => void;
  readonly onSilent: (client: C) => void;
}

/** A wheel: a socket sits in one slot, and each slot comes round once in `pingMs`. */
const slotCount = 25;

export function createHeartbeat<C extends Client>(options: HeartbeatOptions<C>): Heartbeat<C> {
  const { limits, onTick, onSilent } = options;
  const tickMs = limits.pingMs / slotCount;
  const pongTicks = Math.min(slotCount - 1, Math.max(1, Math.ceil(limits.pongMs / tickMs)));
  const slots = Array.from({ length: slotCount }, () => new Set<C>());
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  let tick = slotCount;

  function beat(): void {
    tick++;
    onTick();
    for (const client of slotAt(tick)) if (client.heardAt <= tick - slotCount) ping(client);
    const pingedAt = tick - pongTicks;
    for (const client of slotAt(pingedAt)) {
      if (client.pingedAt === pingedAt && isSilent(client)) onSilent(client);
    }
  }

  function ping(client: Client): void {
    client.pingedAt = tick;
    client.unsentAtPing = client.socket.bufferedAmount;
    client.socket.ping();
  }

  /** A socket with a backlog is the outbox's business; a slow one that still takes bytes has not seen the ping yet. */
  const isSilent = (client: Client): boolean =>
    client.heardAt < client.pingedAt &&
    client.backlog === undefined &&
    !client.isHeld &&
    client.socket.bufferedAmount >= client.unsentAtPing;

  const slotAt = (at: number): Set<C> => slots[at % slotCount] ?? new Set();

  return {
    add(client) {
      client.slot = tick % slotCount;
      client.heardAt = tick;
      slotAt(client.slot).add(client);
      count++;
      timer ??= setInterval(beat, tickMs).unref();
    },
    remove(client) {
      if (slotAt(client.slot).delete(client)) count--;
      if (count > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
    heard(client) {
      client.heardAt = tick;
    },
    close() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
