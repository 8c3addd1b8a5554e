import { type Client, createClient } from 'headgate/client';
import { connectionSaid } from './connection.js';
import { gatewayUrl } from './place.js';
import { readClockOf } from './server-clock.js';
import { refused } from './session.js';
import { type Progress, uploading } from './upload.js';

const watched =
  (send: (url: string, init: RequestInit) => Promise<Response>) => async (url: string, init: RequestInit) => {
    const response = await send(url, init);
    readClockOf(response);
    // A wrong password at the login is no lost session: that operation says so itself.
    if (response.status === 401 && !url.endsWith('/login')) refused();
    return response;
  };

export const client: Client = createClient({
  baseUrl: gatewayUrl,
  fetch: watched((url, init) => fetch(url, init)),
  live: { onState: connectionSaid },
});

/** The same operations, for one upload that tells how far it is. */
export const uploadClient = (onProgress: Progress): Client =>
  createClient({ baseUrl: gatewayUrl, fetch: watched(uploading(onProgress)) });
