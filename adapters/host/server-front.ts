import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import { Duplex } from 'node:stream';
import { answerAsRequest } from './unclaimed-upgrade.js';

type HostServer = Server | SecureServer;

/** Answers a request, or calls `next` and has touched nothing. */
type RequestClaim = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<unknown>;

interface UpgradeClaim {
  /** Takes the upgrade, or says `false` and has touched nothing. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Answers an upgrade that none in front has taken, so that the host does not see it. */
  readonly refuse?: (socket: Duplex) => void;
}

/** Asked before the server's own listeners of `request`; of several the latest first. Returns what ends that. */
export const requestsInFront = (server: HostServer, claim: RequestClaim): (() => void) =>
  frontOf(server).addRequests(claim);

/** The same for `upgrade`. */
export const upgradesInFront = (server: HostServer, claim: UpgradeClaim): (() => void) =>
  frontOf(server).addUpgrades(claim);

interface Front {
  addRequests(claim: RequestClaim): () => void;
  addUpgrades(claim: UpgradeClaim): () => void;
}

/** One for each server, however many gateways it has. */
const fronts = new WeakMap<HostServer, Front>();

function frontOf(server: HostServer): Front {
  const known = fronts.get(server);
  if (known) return known;
  const front = createFront(server);
  fronts.set(server, front);
  return front;
}

/** Lasts until the last claim is taken back. */
function createFront(server: HostServer): Front {
  let requests: readonly RequestClaim[] = [];
  let upgrades: readonly UpgradeClaim[] = [];

  function passRequest(req: IncomingMessage, res: ServerResponse, toHost: () => void): void {
    const asked = requests;
    const askFrom = (at: number) => {
      const claim = asked[at];
      if (!claim) toHost();
      else void claim(req, res, (error) => (error === undefined ? askFrom(at + 1) : res.destroy()));
    };
    askFrom(0);
  }

  function offerUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (upgrades.some((claim) => claim.take(request, socket, head))) return true;
    const refuse = upgrades.find((claim) => claim.refuse)?.refuse;
    refuse?.(socket);
    return refuse !== undefined;
  }

  /** Without it Node emits no `upgrade`. It is called with what nobody in front took, and with what was emitted past us. */
  function onUpgrade(...args: unknown[]): void {
    const upgrade = upgradeIn(args);
    if (upgrade) offerUpgrade(...upgrade);
  }

  const uninstall = replaceEmit(server, (event, args, toHost) => {
    const request = event === 'request' && requests.length > 0 ? requestIn(args) : undefined;
    if (request) {
      passRequest(...request, toHost);
      return true;
    }
    const upgrade = event === 'upgrade' && upgrades.length > 0 ? upgradeIn(args) : undefined;
    if (!upgrade) return toHost();
    if (offerUpgrade(...upgrade)) return true;
    if (server.listenerCount('upgrade') > 1) return toHost();
    const [ignored, socket] = upgrade;
    answerAsRequest(server, ignored, socket);
    return true;
  });

  function endIfUnused(): void {
    if (upgrades.length === 0) server.off('upgrade', onUpgrade);
    if (upgrades.length + requests.length > 0) return;
    uninstall();
    fronts.delete(server);
  }

  return {
    addRequests(claim) {
      requests = [claim, ...requests];
      return () => {
        if (!requests.includes(claim)) return;
        requests = requests.filter((one) => one !== claim);
        endIfUnused();
      };
    },
    addUpgrades(claim) {
      if (upgrades.length === 0) server.on('upgrade', onUpgrade);
      upgrades = [claim, ...upgrades];
      return () => {
        if (!upgrades.includes(claim)) return;
        upgrades = upgrades.filter((one) => one !== claim);
        endIfUnused();
      };
    },
  };
}

type Interceptor = (event: string | symbol, args: readonly unknown[], toHost: () => boolean) => boolean;

/** The listeners of the host stay where they are: ones that come later, or go, are Node's business (docs/decisions.md). */
function replaceEmit(server: HostServer, intercept: Interceptor): () => void {
  const before = Object.getOwnPropertyDescriptor(server, 'emit');
  const emit = server.emit;
  const emitBehindUs = (event: string | symbol, ...args: unknown[]): boolean =>
    intercept(event, args, () => Reflect.apply(emit, server, [event, ...args]));
  Object.defineProperty(server, 'emit', { value: emitBehindUs, configurable: true, writable: true });
  return () => {
    // Somebody else's stays, and calls ours, which passes everything on.
    if (server.emit !== emitBehindUs) return;
    if (before) Object.defineProperty(server, 'emit', before);
    else Reflect.deleteProperty(server, 'emit');
  };
}

/** Hosts emit what is only similar, too: the requests that tests inject. */
const requestIn = ([req, res]: readonly unknown[]): [IncomingMessage, ServerResponse] | undefined =>
  req instanceof IncomingMessage && res instanceof ServerResponse ? [req, res] : undefined;

type Upgrade = [request: IncomingMessage, socket: Duplex, head: Buffer];

const upgradeIn = ([request, socket, head]: readonly unknown[]): Upgrade | undefined =>
  request instanceof IncomingMessage && socket instanceof Duplex
    ? [request, socket, Buffer.isBuffer(head) ? head : Buffer.alloc(0)]
    : undefined;
