/**
 * Messages for a socket, in the order of publishing. Sockets that are to get the same messages get the same object: what a host
 * adapter makes of it for one of them, it may keep for the others. Nobody may change the bytes.
 */
export interface HubBatch {
  /** The JSON text of each message, in UTF-8. There may be line ends in it. */
  readonly messages: readonly Buffer[];
  /** All of it as text frames of a WebSocket server (RFC 6455), for adapters that write to the raw socket. Made when first asked for. */
  readonly frames: readonly Buffer[];
}

/** What the hub needs of a socket; a host adapter brings it. No member may throw. */
export interface HubSocket {
  /** Sends messages, at once and in this order. Returns `bufferedAmount` as it is then. */
  send(batch: HubBatch): number;
  /** Bytes sent that the operating system has not taken yet. */
  readonly bufferedAmount: number;
  /**
   * Stops and resumes reading, so that a client that sends too fast is slowed down by TCP: a `ws`, or a stream, as it is. Without
   * it such a client is closed with 1013. A host that only sends has none.
   */
  readonly reading?: { pause(): void; resume(): void } | undefined;
  /** Asks the client for a sign of life, which `alive` tells. Without it no socket is ended for its silence. */
  ping?(): void;
  /**
   * Tells the client why, by a close frame where there is one, and ends the socket soon after, whether the other side answers
   * or not.
   */
  close(code: number, reason: string): void;
  /** Ends the socket at once, as the other side does not answer; `close` where a host has nothing else. */
  terminate(): void;
}

/** What the adapter tells the hub about a socket. Nothing may be called after `closed`. */
export interface HubConnection {
  /**
   * A whole text message in UTF-8, found to be well-formed. The bytes may be kept. An adapter whose clients can't send says here
   * what they listen to.
   */
  receive(bytes: Buffer): void;
  /** The socket has sent everything it had. Where nobody tells the adapter that, the hub looks about once a second. */
  drained(): void;
  /** A sign of life besides messages: a pong. */
  alive(): void;
  closed(): void;
}

/** RFC 6455, 7.4.1, and the registry it opens. */
export const closeCodes = { goingAway: 1001, policy: 1008, restart: 1012, tryAgainLater: 1013 } as const;
