import { Connection, type ConnectionContext } from './connection.js';
import type { Peer } from './peer.js';
import { closeCodes, type HubSocket } from './socket.js';

/** The open sockets of a hub, and what befalls all of them or some. */
interface Connections {
  add(socket: HubSocket, peer: Peer): Connection;
  /** Of one user when it is named. */
  rightsChanged(userName: string | undefined): void;
  /** Closes those that live by this session. */
  sessionEnded(sessionId: string): void;
  /** Grows with each change of rights and each ended session. */
  readonly epoch: number;
  readonly size: number;
  closeAll(code: number): void;
}

export function createConnections(
  shared: Omit<ConnectionContext, 'onClosed'>,
  onClosed: (connection: Connection) => void,
): Connections {
  const connections = new Set<Connection>();
  let epoch = 0;
  const context: ConnectionContext = {
    ...shared,
    onClosed(connection) {
      connections.delete(connection);
      onClosed(connection);
    },
  };

  return {
    add(socket, peer) {
      const connection = new Connection(socket, peer, context);
      connections.add(connection);
      return connection;
    },
    rightsChanged(userName) {
      epoch++;
      for (const connection of connections) {
        const { principal } = connection.caller;
        if (userName === undefined || principal?.userName === userName) connection.recheck();
      }
    },
    sessionEnded(sessionId) {
      epoch++;
      for (const connection of connections) {
        if (connection.peer.sessionId === sessionId)
          connection.close(closeCodes.policy, 'Your session has ended');
      }
    },
    get epoch() {
      return epoch;
    },
    get size() {
      return connections.size;
    },
    closeAll(code) {
      for (const connection of connections) connection.close(code, 'The gateway closes');
    },
  };
}
