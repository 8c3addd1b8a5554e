import type { FromContainer } from '../protocol/protocol.js';

export interface Reports {
  send(message: FromContainer, sent?: () => void): void;
}

export function createReports(): Reports {
  return {
    send(message, sent) {
      if (process.connected) process.send?.(message, undefined, {}, () => sent?.());
      else sent?.();
    },
  };
}
