import { existsSync } from 'node:fs';
import { BadRequest } from 'headgate/driver-kit';

/** Where the runtime listens. */
export interface RuntimeAddress {
  /** As it is shown. */
  readonly url: string;
  /** For a request of `node:http`. */
  readonly connection: { readonly socketPath: string } | { readonly host: string; readonly port: number };
  /** Where ports are that it publishes on its machine, for the gateway. */
  readonly machine: string;
  readonly isLocal: boolean;
}

const ownSockets = ['/var/run/docker.sock', '/run/podman/podman.sock'];

/** Throws `BadRequest` for what is no address of a runtime. */
export function parseAddress(text: string): RuntimeAddress {
  const refuse = () =>
    new BadRequest(
      'ADDRESS_NOT_VALID',
      `${JSON.stringify(text)} is no address of a container runtime: give unix:///path/of/the.sock or http://host:port`,
    );
  if (!URL.canParse(text)) throw refuse();
  const { protocol, pathname, hostname, port, host, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '' || search !== '' || hash !== '') throw refuse();
  if (protocol === 'unix:') {
    const socketPath = decodeURIComponent(pathname);
    // The path of a socket has 107 bytes at most.
    if (host !== '' || !/^\/./.test(socketPath) || Buffer.byteLength(socketPath) > 107) throw refuse();
    return { url: `unix://${socketPath}`, connection: { socketPath }, machine: '127.0.0.1', isLocal: true };
  }
  if (protocol !== 'http:' || hostname === '' || pathname !== '/') throw refuse();
  const machine = hostname.replace(/^\[|\]$/g, '');
  return {
    url: `http://${host}`,
    connection: { host: machine, port: port === '' ? 80 : Number(port) },
    machine,
    isLocal: /^(localhost|127\..*|::1)$/.test(machine),
  };
}

/** The runtime's own socket; which one it is may change with every call. */
export function defaultAddress(): RuntimeAddress {
  const path = ownSockets.find((socket) => existsSync(socket)) ?? ownSockets[0];
  return parseAddress(`unix://${path}`);
}
