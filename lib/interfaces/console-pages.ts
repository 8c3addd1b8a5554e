import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** Pages that the gateway serves below `/console/`, on every host: `streamConsole()` of `@headgate/console`. */
export interface ConsolePages {
  /** Never rejects for what is asked: a path without a page is answered with 404. */
  answer(request: PageRequest): Promise<PageAnswer>;
}

export interface PageRequest {
  /** Below `/console/`, as it came on the wire: `apps/app_1`, or the name of a file; empty for the first page. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Destroyed where nobody reads it: `HEAD`, a browser that went away. */
  readonly body: string | Readable;
}
