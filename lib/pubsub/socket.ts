/** What the hub needs of a socket; a host adapter brings it. No member may throw. */
export interface HubSocket {
  /** Sends whole frames, at once and in this order. Returns `bufferedAmount` as it is then. */
  write(frames: readonly Buffer[]): number;
  /** Bytes written that the operating system has not taken yet. */
  readonly bufferedAmount: number;
  /** Stops and resumes reading, so that a client that sends too fast is slowed down by TCP. */
  pause(): void;
  resume(): void;
  /** A ping frame. */
  ping(): void;
  /** Sends a close frame and ends the socket soon after, whether the other side answers or not. */
  close(code: number, reason: string): void;
  /** Ends the socket at once. */
  terminate(): void;
}

/** What the adapter tells the hub about a socket. Nothing may be called after `closed`. */
export interface HubConnection {
  /** A whole text message in UTF-8, found to be well-formed. The bytes may be kept. */
  receive(bytes: Buffer): void;
  /** The socket has sent everything it had. */
  drained(): void;
  /** A sign of life besides messages: a pong. */
  alive(): void;
  closed(): void;
}

/** RFC 6455, 7.4.1, and the registry it opens. */
export const closeCodes = { goingAway: 1001, policy: 1008, restart: 1012, tryAgainLater: 1013 } as const;
