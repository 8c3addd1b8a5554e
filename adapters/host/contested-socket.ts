import type { Duplex } from 'node:stream';

/**
 * Tells of a socket that is ours, each time before it is answered, whether somebody else in the process has done so since:
 * that happens where upgrades are emitted past `server.emit`, or by who has set it after us. `onLost` is then called.
 */
export function watchAnswers(socket: Duplex, onLost: () => void): () => boolean {
  const written = bytesWritten(socket);
  return () => {
    const isLost = socket.writableEnded || bytesWritten(socket) !== written || isDestroyedHere(socket);
    if (isLost) onLost();
    return !isLost;
  };
}

const bytesWritten = (socket: Duplex): number => ('bytesWritten' in socket ? Number(socket.bytesWritten) : 0);

/** And not because its client is gone. */
const isDestroyedHere = ({ destroyed, errored, readableEnded }: Duplex): boolean =>
  destroyed && errored === null && !readableEnded;
