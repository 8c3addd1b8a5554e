import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import type { Backlog } from './backlog.js';
import type { Channel, Channels } from './channels.js';
import type { Client } from './client.js';
import { textFrame } from './frame.js';
import type { Heartbeat } from './heartbeat.js';
import { inTime } from './in-time.js';
import type { HubLimits } from './limits.js';
import { bytesMessage } from './message.js';
import { type ClientMessage, parseMessage, readMessage } from './messages.js';
import type { Outbox } from './outbox.js';
import type { Peer } from './peer.js';
import type { Pending } from './pending.js';
import { take, waitOf } from './rate.js';
import type { Recent } from './recent.js';
import { countSuffix, isCount, latestTopicsName } from './reserved.js';
import type { Caller, Rights } from './rights.js';
import type { Slices } from './slices.js';
import { closeCodes, type HubConnection, type HubSocket } from './socket.js';

/** What all connections of a hub share. */
export interface ConnectionContext {
  readonly channels: Channels;
  readonly outbox: Outbox;
  readonly rights: Rights;
  readonly heartbeat: Heartbeat;
  readonly slices: Slices;
  readonly recent: Recent;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: HubLimits;
  readonly onClosed: (connection: Connection) => void;
}

/** One socket. A class, because thousands of them share its methods: as closures they would double its memory. */
export class Connection implements Client, HubConnection {
  // The outbox's.
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

  caller: Caller;
  channels: readonly Channel[] = [];
  /** Of the rate at which it may send. */
  private fullAt = 0;
  private rateTimer: NodeJS.Timeout | undefined = undefined;
  /** Subscriptions whose right is being asked for; `isWanted` turns false when they were taken back meanwhile. */
  private asking: Map<string, { isWanted: boolean }> | undefined = undefined;
  /** Messages that wait: for rights to be known anew, or for a long one before them. */
  private inbox: Buffer[] | undefined = undefined;
  private isChecking = false;
  private isReading = false;
  private epoch = 0;
  private isListing = false;

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
    this.alive();
    this.peer.onUse();
    const { clock, limits } = this.hub;
    const now = clock.monotonic();
    this.fullAt = take(this.fullAt, limits, now);
    if (!this.rateTimer && waitOf(this.fullAt, limits, now) > 0) this.slowDown();
    if (this.isBusy) this.keep(bytes);
    else this.read(bytes);
  }

  alive(): void {
    this.hub.heartbeat.heard(this);
  }

  drained(): void {
    this.hub.outbox.drained(this);
  }

  closed(): void {
    if (this.isClosed) return;
    const { outbox, heartbeat, channels, onClosed } = this.hub;
    clearTimeout(this.rateTimer);
    outbox.forget(this);
    heartbeat.remove(this);
    for (const channel of this.channels) channels.leave(this, channel);
    onClosed(this);
  }

  close(code: number, reason: string): void {
    if (this.isClosed) return;
    this.closed();
    this.socket.close(code, reason);
  }

  /** Nothing reaches or leaves this client before its rights are known anew. */
  recheck(): void {
    this.epoch++;
    // The check that runs starts again by itself.
    if (this.isChecking) return;
    this.isChecking = true;
    this.hub.outbox.hold(this);
    this.socket.pause();
    this.checkRights().catch((error: unknown) => {
      this.hub.logger.warn({ err: error }, 'The rights of a socket can not be checked');
      this.close(closeCodes.tryAgainLater, 'Your rights can not be checked now');
    });
  }

  /** Stops reading when there were too many messages, until there is room again. */
  private slowDown(): void {
    const { limits, clock } = this.hub;
    const wait = waitOf(this.fullAt, limits, clock.monotonic());
    if (wait === 0) {
      this.resume();
      return;
    }
    this.socket.pause();
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
    if (!this.isClosed && !this.rateTimer && !this.isBusy) this.socket.resume();
  }

  private keep(bytes: Buffer): void {
    this.inbox ??= [];
    this.inbox.push(bytes);
  }

  /** Serves what waits, in its order, as far as that is possible now. */
  private serve(): void {
    while (!this.isClosed && !this.isBusy) {
      const bytes = this.inbox?.shift();
      if (bytes === undefined) {
        this.inbox = undefined;
        this.resume();
        return;
      }
      this.read(bytes);
    }
  }

  private read(bytes: Buffer): void {
    if (bytes.length > sliceBytes) this.readInSlices(bytes);
    else this.obey(parseMessage(bytes, this.hub.limits));
  }

  /** What comes after it waits for it. */
  private readInSlices(bytes: Buffer): void {
    const { slices, limits } = this.hub;
    const reader = readMessage(bytes, limits);
    this.isReading = true;
    this.socket.pause();
    slices.run(() => {
      if (this.isClosed) return false;
      if (reader.step(sliceBytes)) return true;
      this.isReading = false;
      // Who sent it may have lost the right to meanwhile: it is read again when that is known.
      if (this.isChecking) this.inbox = [bytes, ...(this.inbox ?? [])];
      else this.obey(reader.message());
      this.serve();
      return false;
    });
  }

  /** What goes wrong here must not reach the host's process. */
  private obey(message: ClientMessage | undefined): void {
    try {
      if (message) this.handle(message);
      else this.complain('', 'BAD_MESSAGE', 'This is not a message of the protocol; it was ignored');
    } catch (error) {
      this.hub.logger.error({ err: error }, 'A message of a client could not be handled');
    }
  }

  private handle(message: ClientMessage): void {
    switch (message.type) {
      case 'publish':
        this.publish(message.topic, message.data);
        break;
      case 'subscribe':
        this.subscribe(message.topic);
        break;
      case 'unsubscribe':
        this.unsubscribe(message.topic);
        break;
      case 'subscribeNumSubscribers':
        this.subscribe(message.topic + countSuffix);
        break;
      case 'unsubscribeNumSubscribers':
        this.unsubscribe(message.topic + countSuffix);
        break;
      case 'getLatestTopics':
        void this.listTopics();
    }
  }

  private publish(topic: string, data: Buffer): void {
    const { rights, recent, channels } = this.hub;
    if (!rights.mayPublish(this.caller, topic)) {
      this.complain(topic, 'FORBIDDEN', 'You may not publish to this topic');
      return;
    }
    recent.add(topic);
    channels.publish(topic, bytesMessage(data));
  }

  private subscribe(topic: string): void {
    const { channels, limits } = this.hub;
    if (this.channelOf(topic)) {
      if (isCount(topic)) channels.sendCount(this, topic);
      return;
    }
    const running = this.asking?.get(topic);
    if (running) {
      running.isWanted = true;
      return;
    }
    if (this.channels.length + (this.asking?.size ?? 0) >= limits.subscriptions) {
      this.complain(topic, 'TOO_MANY', `A socket listens to at most ${limits.subscriptions} topics`);
      return;
    }
    const answer = this.mayRead(topic);
    if (typeof answer === 'boolean') this.admit(topic, answer);
    else void this.ask(topic, answer);
  }

  private async ask(topic: string, answer: Promise<boolean>): Promise<void> {
    this.asking ??= new Map();
    const entry = { isWanted: true };
    this.asking.set(topic, entry);
    const { epoch, caller } = this;
    const isAllowed = await inTime(this.hub.limits.checkMs, answer).catch((error: unknown) => {
      this.hub.logger.warn({ topic, err: error }, 'The right to a topic can not be checked');
      return false;
    });
    this.asking.delete(topic);
    if (this.isClosed || !entry.isWanted) return;
    // Rights changed meanwhile: the answer is about yesterday.
    if (epoch !== this.epoch || caller !== this.caller) this.subscribe(topic);
    else this.admit(topic, isAllowed);
  }

  private admit(topic: string, isAllowed: boolean): void {
    if (isAllowed) this.hub.channels.join(this, topic);
    else this.complain(topic, 'FORBIDDEN', 'You may not listen to this topic, or there is none of this name');
  }

  private unsubscribe(topic: string): void {
    const running = this.asking?.get(topic);
    if (running) running.isWanted = false;
    const channel = this.channelOf(topic);
    if (channel) this.hub.channels.leave(this, channel);
  }

  /** One at a time: asking again while an answer is under way changes nothing. */
  private async listTopics(): Promise<void> {
    if (this.isListing) return;
    this.isListing = true;
    const { recent, limits, outbox } = this.hub;
    const names = recent.list();
    const answers = await Promise.all(
      names.map((name) => inTime(limits.checkMs, this.mayRead(name)).catch(() => false)),
    );
    this.isListing = false;
    if (this.isClosed) return;
    const data = JSON.stringify(names.filter((_, index) => answers[index]));
    outbox.send(
      this,
      textFrame(latestTopicsName, `{"type":"data","topic":"${latestTopicsName}","data":${data}}`),
    );
  }

  private complain(topic: string, code: string, message: string): void {
    if (!this.peer.wantsErrors) return;
    const { outbox } = this.hub;
    outbox.send(this, textFrame('', JSON.stringify({ type: 'error', topic, code, message })));
  }

  private channelOf(topic: string): Channel | undefined {
    return this.channels.find(({ name }) => name === topic);
  }

  /** What is thrown at once becomes a rejection too. */
  private mayRead(topic: string): Promise<boolean> | boolean {
    try {
      return this.hub.rights.mayRead(this.caller, topic);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  private async checkRights(): Promise<void> {
    const { checkMs } = this.hub.limits;
    for (;;) {
      const checkedIn = this.epoch;
      const caller = await inTime(checkMs, this.peer.refresh());
      if (this.isClosed) return;
      if (caller === undefined) {
        this.close(closeCodes.policy, 'Your session has ended');
        return;
      }
      this.caller = caller;
      const names = this.channels.map(({ name }) => name);
      const answers = await Promise.all(names.map((name) => inTime(checkMs, this.mayRead(name))));
      if (this.isClosed) return;
      if (checkedIn !== this.epoch) continue;
      this.goOn(new Set(names.filter((_, index) => !answers[index])));
      return;
    }
  }

  private goOn(revoked: ReadonlySet<string>): void {
    for (const name of revoked) {
      const channel = this.channelOf(name);
      if (channel) this.hub.channels.leave(this, channel);
    }
    this.hub.outbox.release(this, (topic) => !revoked.has(topic));
    for (const name of revoked) this.complain(name, 'FORBIDDEN', 'You may not listen to this topic any more');
    this.isChecking = false;
    this.serve();
  }
}

/** Bytes of a message that are read without a look at the clock: some milliseconds at most. */
const sliceBytes = 256 * 1024;
