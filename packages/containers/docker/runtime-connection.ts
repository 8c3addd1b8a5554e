import { defaultAddress, parseAddress, type RuntimeAddress } from './address.js';
import { type Containers, createContainers } from './containers.js';
import { createHttp, type Http } from './http.js';
import type { DockerLimits } from './options.js';

export interface Connection {
  readonly address: RuntimeAddress;
  readonly http: Http;
  readonly containers: Containers;
}

/** The runtime that is spoken to: of the options, one that was chosen since, or the machine's own. */
interface RuntimeConnection {
  address(): RuntimeAddress;
  /** To the address that is in use now; the socket of the runtime's own may be another one after it was installed anew. */
  current(): Connection;
  /** `undefined`: again the one of the options. Throws `BadRequest` for what is no address. */
  use(url: string | undefined): void;
  close(): void;
}

export function createRuntimeConnection({
  host,
  limits,
  ownerOf,
}: {
  readonly host: string | undefined;
  readonly limits: DockerLimits;
  readonly ownerOf: () => string;
}): RuntimeConnection {
  const ownAddress = host === undefined ? undefined : parseAddress(host);
  let chosen = ownAddress;
  let connection: Connection | undefined;
  const address = () => chosen ?? defaultAddress();
  return {
    address,
    current() {
      const wanted = address();
      if (connection?.address.url === wanted.url) return connection;
      connection?.http.close();
      const http = createHttp(wanted, limits);
      connection = { address: wanted, http, containers: createContainers(http, wanted, ownerOf) };
      return connection;
    },
    use(url) {
      chosen = url === undefined ? ownAddress : parseAddress(url);
    },
    close() {
      connection?.http.close();
      connection = undefined;
    },
  };
}
