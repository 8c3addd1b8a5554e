import type { GatewayRequest } from './request.js';

/** Who waits for an answer, and may leave before it has come. */
export type Waiting = Pick<GatewayRequest, 'signal' | 'onHangUp'>;

/** Calls `gone` once when the client hangs up, at once if that has happened; returns what takes that back. */
export function onHangUp(client: Waiting, gone: () => void): () => void {
  if (client.onHangUp) return client.onHangUp(gone);
  const { signal } = client;
  if (signal.aborted) gone();
  else signal.addEventListener('abort', gone, { once: true });
  return () => signal.removeEventListener('abort', gone);
}
