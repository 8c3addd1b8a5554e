import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import type { StepScheduler } from '../runtime/step-scheduler.js';
import { withTimeout } from '../runtime/with-timeout.js';
import { type Asker, complain } from './asker.js';
import type { Backlog } from './backlog.js';
import type { Channels } from './channels.js';
import { type Audience, audienceOf } from './client.js';
import type { Heartbeat } from './heartbeat.js';
import { Inbox } from './inbox.js';
import type { HubLimits } from './limits.js';
import { parseMessage, readMessage } from './messages.js';
import type { Peer } from './peer.js';
import type { Pending } from './pending.js';
import { take, waitOf } from './rate.js';
import type { Requests } from './requests.js';
import type { RightChecks } from './right-checks.js';
import type { Caller } from './rights.js';
import type { SendQueue } from './send-queue.js';
import { closeCodes, type HubConnection, type HubSocket } from './socket.js';
import type { TurnSlice } from './turn-slice.js';

/** What all connections of a hub share. */
export interface ConnectionContext {
  readonly channels: Channels;
  readonly sendQueue: SendQueue;
  readonly requests: Requests;
  readonly checks: RightChecks;
  readonly heartbeat: Heartbeat;
  readonly slices: StepScheduler;
  /** Of what is read as it comes in; slices have their own. */
  readonly reading: TurnSlice;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: HubLimits;
  readonly counts: { received: number; tooSlow: number };
  readonly onClosed: (connection: Connection) => void;
}

/** One socket. A class, because thousands of them share its methods: as closures they would double its memory. */
export class Connection implements Asker, HubConnection {
  // The send queue's.
  pending: Pending | undefined = undefined;
  backlog: Backlog | undefined = undefined;
  isHeld = false;
  isClosed = false;
  unsentBytes = 0;
  movedAt = 0;
  // The heartbeat's.
  slot = 0;
  heardAt = 0;
  pingedAt = 0;
  unsentAtPing = 0;

  // Those of `Subscriptions` and `Requests`.
  asking: Map<string, { isWanted: boolean }> | undefined = undefined;
  isListing = false;
  hadTooMany = false;

  caller: Caller;
  epoch = 0;
  audiences: readonly Audience[] = [];
  /** Of the rate at which it may send. */
  private fullAt = 0;
  private rateTimer: NodeJS.Timeout | undefined = undefined;
  private inbox: Inbox | undefined = undefined;
  private isChecking = false;
  private isReading = false;

  constructor(
    readonly socket: HubSocket,
    readonly peer: Peer,
    private readonly hub: ConnectionContext,
  ) {
    this.caller = peer.caller;
    hub.heartbeat.add(this);
  }

  receive(bytes: Buffer): void {
    if (this.isClosed) return;
    this.hub.counts.received++;
    this.alive();
    this.peer.onUse();
    const { clock, limits } = this.hub;
    const now = clock.monotonic();
    this.fullAt = take(this.fullAt, limits, now);
    if (!this.rateTimer && waitOf(this.fullAt, limits, now) > 0) this.slowDown();
    if (this.isClosed) return;
    if (this.isBusy) this.keep(bytes);
    else if (this.hub.reading.isOver(now)) this.readLater(bytes);
    else this.read(bytes);
  }

  alive(): void {
    this.hub.heartbeat.heard(this);
  }

  drained(): void {
    this.hub.sendQueue.drained(this);
  }

  closed(): void {
    if (this.isClosed) return;
    const { sendQueue, heartbeat, channels, onClosed } = this.hub;
    clearTimeout(this.rateTimer);
    sendQueue.forget(this);
    heartbeat.remove(this);
    for (const audience of this.audiences) channels.leave(this, audience);
    onClosed(this);
  }

  close(code: number, reason: string): void {
    if (this.isClosed) return;
    this.closed();
    this.socket.close(code, reason);
  }

  /** It takes less than what is published for it. */
  tooSlow(reason: string): void {
    const { counts, logger } = this.hub;
    counts.tooSlow++;
    logger.warn(
      { event: 'hub.socket_too_slow', reason, unsentBytes: this.socket.bufferedAmount },
      'A socket was too slow and is closed',
    );
    this.close(closeCodes.tryAgainLater, `Too slow: ${reason}`);
  }

  /** It gives no sign of life. */
  silent(): void {
    this.hub.logger.debug({ event: 'hub.socket_silent' }, 'A socket gave no sign and is ended');
    this.closed();
    this.socket.terminate();
  }

  /** Nothing reaches or leaves this client before its rights are known anew. */
  recheck(): void {
    this.epoch++;
    // The check that runs starts again by itself.
    if (this.isChecking) return;
    this.isChecking = true;
    this.hub.sendQueue.hold(this);
    this.socket.reading?.pause();
    this.checkRights().catch((error: unknown) => {
      this.hub.logger.warn(
        { event: 'hub.rights_check_failed', err: error },
        'The rights of a socket can not be checked',
      );
      this.close(closeCodes.tryAgainLater, 'Your rights can not be checked now');
    });
  }

  /** Stops reading when there were too many messages, until there is room again; who can't be stopped is closed. */
  private slowDown(): void {
    const { limits, clock } = this.hub;
    const wait = waitOf(this.fullAt, limits, clock.monotonic());
    if (wait === 0) {
      this.resume();
      return;
    }
    if (!this.socket.reading) {
      this.close(
        closeCodes.tryAgainLater,
        `You send more than ${limits.messagesPerSecond} messages a second`,
      );
      return;
    }
    this.socket.reading.pause();
    this.rateTimer = setTimeout(() => {
      this.rateTimer = undefined;
      // What had been read already was served meanwhile, and taken into account.
      this.slowDown();
    }, wait).unref();
  }

  private get isBusy(): boolean {
    return this.isChecking || this.isReading;
  }

  /** The socket is not read while there are too many messages, or while they could not be served. */
  private resume(): void {
    if (!this.isClosed && !this.rateTimer && !this.isBusy) this.socket.reading?.resume();
  }

  private keep(bytes: Buffer): void {
    this.inbox ??= new Inbox();
    this.inbox.add(bytes);
    const { hardLimitBytes } = this.hub.limits;
    if (!this.socket.reading && this.inbox.bytes > hardLimitBytes) {
      this.close(closeCodes.tryAgainLater, `More than ${hardLimitBytes} bytes of yours wait to be read`);
    }
  }

  /** Serves what waits, in its order, as far as that is possible now. */
  private serve(): void {
    while (!this.isClosed && !this.isBusy) {
      const bytes = this.inbox?.next();
      if (bytes === undefined) {
        this.inbox = undefined;
        this.resume();
        return;
      }
      this.read(bytes);
    }
  }

  private read(bytes: Buffer): void {
    const { requests, limits } = this.hub;
    if (bytes.length > sliceBytes) this.readInSlices(bytes);
    else requests.obey(this, parseMessage(bytes, limits));
  }

  /** This turn has had its time: what came is read in the next ones, a message each time. */
  private readLater(bytes: Buffer): void {
    this.keep(bytes);
    this.isReading = true;
    this.socket.reading?.pause();
    this.hub.slices.run(() => {
      if (this.isClosed) return false;
      this.isReading = false;
      const next = this.isChecking ? undefined : this.inbox?.next();
      if (next) this.read(next);
      // A socket that is busy now goes on by itself.
      if (this.isClosed || this.isBusy) return false;
      if (this.inbox && !this.inbox.isEmpty) {
        this.isReading = true;
        return true;
      }
      this.serve();
      return false;
    });
  }

  /** What comes after it waits for it. */
  private readInSlices(bytes: Buffer): void {
    const { slices, requests, limits } = this.hub;
    const reader = readMessage(bytes, limits);
    this.isReading = true;
    this.socket.reading?.pause();
    slices.run(() => {
      if (this.isClosed) return false;
      if (reader.step(sliceBytes)) return true;
      this.isReading = false;
      // Who sent it may have lost the right to meanwhile: it is read again when that is known.
      if (this.isChecking) {
        this.inbox ??= new Inbox();
        this.inbox.putBack(bytes);
      } else requests.obey(this, reader.message());
      this.serve();
      return false;
    });
  }

  private async checkRights(): Promise<void> {
    const { checks, limits } = this.hub;
    for (;;) {
      const checkedIn = this.epoch;
      const caller = await withTimeout(limits.checkMs, 'Who the peer is', undefined, () =>
        this.peer.refresh(),
      );
      if (this.isClosed) return;
      if (caller === undefined) {
        this.close(closeCodes.policy, 'Your session has ended');
        return;
      }
      this.caller = caller;
      const names = this.audiences.map(({ name }) => name);
      const answers = await Promise.all(names.map((name) => checks.mayRead(this.caller, name)));
      if (this.isClosed) return;
      if (checkedIn !== this.epoch) continue;
      this.goOn(new Set(names.filter((_, index) => !answers[index])));
      return;
    }
  }

  private goOn(revoked: ReadonlySet<string>): void {
    const { channels, sendQueue } = this.hub;
    for (const name of revoked) {
      const audience = audienceOf(this, name);
      if (audience) channels.leave(this, audience);
    }
    sendQueue.release(this, (topic) => !revoked.has(topic));
    for (const topic of revoked) {
      const message = 'You may not listen to this topic any more';
      complain(sendQueue, this, { topic, code: 'FORBIDDEN', message });
    }
    this.isChecking = false;
    this.serve();
  }
}

/** Bytes of a message that are read without a look at the clock: some milliseconds at most. */
const sliceBytes = 256 * 1024;
