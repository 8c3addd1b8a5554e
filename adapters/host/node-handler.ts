import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway } from '../../lib/index.js';
import { NodeRequest } from './incoming.js';
import { urlBelow } from './mount.js';
import { lingering, writeResponse } from './outgoing.js';

/**
 * Answers what is the gateway's. For the rest it calls `next`, at once and in the same turn, or resolves `false` and has
 * touched nothing. Never rejects.
 */
export type HttpHandler = (
  req: IncomingMessage & { readonly body?: unknown; readonly originalUrl?: string },
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => Promise<boolean>;

/** `prefix`: well formed. */
export function handlerAt(prefix: string, gateway: Gateway): HttpHandler {
  const below = urlBelow(prefix);
  return async (req, res, next) => {
    const url = below(req.url ?? '');
    if (url === undefined || !gateway.owns(url)) {
      next?.();
      return false;
    }
    try {
      const request = new NodeRequest(req, res, {
        url,
        originalUrl: req.originalUrl,
        raw: req,
        parsedBody: req.body,
      });
      const answer = await gateway.handle(request);
      if (answer) writeResponse(req, res, lingering(request, answer));
      else next?.();
      return answer !== undefined;
    } catch (error) {
      // A header that can't be sent, or a host that answered meanwhile.
      if (next && !res.headersSent) next(error);
      else res.destroy();
      return true;
    }
  };
}
