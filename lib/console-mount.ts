import { pathOf } from './http/dispatch.js';
import type { GatewayRequest, GatewayResponse } from './http/request.js';
import type { ConsolePages } from './interfaces/console-pages.js';
import type { Logger } from './interfaces/logger.js';

/** What a gateway with a console answers besides its operations. */
interface ConsoleMount {
  owns(url: string): boolean;
  /** Of a URL that it owns. Never rejects. */
  handle(request: GatewayRequest): Promise<GatewayResponse>;
}

const place = '/console';

/** Nothing is asked of whoever wants a file: the pages hold no secret, and what they call asks for a login. */
export const consoleAt = (pages: ConsolePages, logger: Logger): ConsoleMount => ({
  owns(url) {
    const path = pathOf(url);
    return path.startsWith(place) && (path.length === place.length || path[place.length] === '/');
  },
  async handle({ method, url, headers }) {
    if (method !== 'GET' && method !== 'HEAD') {
      return { status: 405, headers: { allow: 'GET, HEAD', 'content-length': '0' }, body: '' };
    }
    const path = pathOf(url);
    // Relative: what stands in front of it only the browser knows.
    if (path === place)
      return { status: 308, headers: { location: `console/${url.slice(path.length)}` }, body: '' };
    try {
      return await pages.answer({ path: path.slice(place.length + 1), headers });
    } catch (err) {
      logger.error({ event: 'pages.unreadable', path, err }, 'a page of the console could not be read');
      return { status: 500, headers: { 'content-type': 'text/plain' }, body: 'The page could not be read\n' };
    }
  },
});
