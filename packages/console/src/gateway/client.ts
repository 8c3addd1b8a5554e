import { type Client, createClient } from 'headgate/client';
import { answered, connectionSaid, unanswered } from './connection.js';
import { gatewayUrl } from './place.js';
import { readClockOf } from './server-clock.js';
import { forbidden, refused } from './session.js';
import { type Progress, uploading } from './upload.js';

const watched =
  (send: (url: string, init: RequestInit) => Promise<Response>) => async (url: string, init: RequestInit) => {
    const response = await send(url, init).catch((error: unknown) => {
      if (!init.signal?.aborted) unanswered(String(error));
      throw error;
    });
    answered();
    readClockOf(response);
    // A wrong password at the login is no lost session: that operation says so itself.
    if (response.status === 401 && !url.endsWith('/login')) refused();
    if (response.status === 403) forbidden();
    return response;
  };

export const client: Client = createClient({
  baseUrl: gatewayUrl,
  fetch: watched((url, init) => fetch(url, init)),
  // Somebody looks at it: a gateway that is back should not be missed for long.
  live: { onState: connectionSaid, maxRetryMillis: 5000 },
});

/** The same operations, for one upload that tells how far it is. */
export const uploadClient = (onProgress: Progress): Client =>
  createClient({ baseUrl: gatewayUrl, fetch: watched(uploading(onProgress)) });
