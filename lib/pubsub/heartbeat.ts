import type { Subscriber } from './client.js';
import type { HubLimits } from './limits.js';

/**
 * Pings quiet sockets and ends those that give no sign for long, with one timer for all of them. Those of applications are
 * never ended here: the engine's own client answers no pings, and may have nothing to say for hours. Nor are those that can't
 * be pinged.
 */
export interface Heartbeat<C extends Subscriber = Subscriber> {
  add(client: C): void;
  remove(client: C): void;
  /** A sign of life. */
  heard(client: C): void;
  close(): void;
}

interface HeartbeatOptions<C extends Subscriber> {
  readonly limits: Pick<HubLimits, 'pingMs' | 'pongMs'>;
  readonly onTick: () => void;
  readonly onSilent: (client: C) => void;
}

/** A wheel: a socket sits in one slot, and each slot comes round once in `pingMs`. */
const slotCount = 25;

export function createHeartbeat<C extends Subscriber>(options: HeartbeatOptions<C>): Heartbeat<C> {
  const { limits, onTick, onSilent } = options;
  const tickMs = limits.pingMs / slotCount;
  const pongTicks = Math.max(1, Math.ceil(limits.pongMs / tickMs));
  const slots = Array.from({ length: slotCount }, () => new Set<C>());
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  let tick = slotCount;

  function beat(): void {
    tick++;
    onTick();
    for (const client of slotAt(tick)) if (client.heardAt <= tick - slotCount) ping(client);
    const pingedAt = tick - pongTicks;
    if (pingedAt < 0) return;
    for (const client of slotAt(pingedAt)) {
      if (client.pingedAt <= pingedAt && isSilent(client)) onSilent(client);
    }
  }

  function ping(client: Subscriber): void {
    const { socket } = client;
    if (!socket.ping) return;
    // The first one that is not answered counts; those after it keep the way open.
    if (client.heardAt >= client.pingedAt) {
      client.pingedAt = tick;
      client.unsentAtPing = socket.bufferedAmount;
    }
    socket.ping();
  }

  /** A socket with a backlog is the send queue's business; a slow one that still takes bytes has not seen the ping yet. */
  const isSilent = (client: Subscriber): boolean =>
    client.heardAt < client.pingedAt &&
    client.caller.application === undefined &&
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
