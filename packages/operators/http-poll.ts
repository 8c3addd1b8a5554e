import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { BoundedBuffer } from './bounded-buffer.js';
import { httpGet } from './http-get.js';
import { InputOperator, type Port, type Reach } from './operator.js';
import { HttpUrl } from './properties.js';
import { messageOf } from './record.js';

const HttpPollProperties = z.object({
  url: HttpUrl.describe('What to get: http or https; the host decides which addresses may be connected to'),
  intervalMillis: z
    .int()
    .min(10)
    .max(86_400_000)
    .default(10_000)
    .describe('Time from the start of one request to the start of the next, milliseconds; one at a time'),
  timeoutMillis: z
    .int()
    .min(10)
    .max(600_000)
    .default(10_000)
    .describe('Time for a whole answer, milliseconds'),
  maxBodyBytes: z
    .int()
    .min(1)
    .max(64 * 1024 * 1024)
    .default(1024 * 1024)
    .describe('A larger body is an error'),
  headers: z.record(z.string(), z.string()).default({}).describe('Headers to send'),
});

const State = z.object({ requests: z.number(), failures: z.number() });

type Result = { readonly port: 'output' | 'errors'; readonly tuple: unknown };

const limits = { items: 100, weight: 16 * 1024 * 1024 };

export class HttpPoll extends InputOperator<typeof HttpPollProperties> {
  static override readonly className = 'headgate.io.HttpPoll';
  static override readonly title = 'HTTP poll';
  static override readonly description =
    'Gets a URL in regular intervals and emits each answer, whatever its status. Redirects are not followed.';
  static override readonly tags = ['input', 'http'];
  static override readonly properties = HttpPollProperties;
  static override readonly outputs: Readonly<Record<string, Port>> = {
    output: { type: 'HttpAnswer', description: '{time, status, contentType, body, durationMillis}' },
    errors: { type: 'HttpError', description: '{time, message} when there was no answer', optional: true },
  };
  static override readonly reaches: Readonly<Record<string, Reach>> = { url: 'url' };

  readonly #abort = new AbortController();
  #request = new AbortController();
  #url = '';
  /** Ends the wait for the next request. */
  #wake = new AbortController();
  readonly #results = new BoundedBuffer<Result>(limits);
  #polling: Promise<void> | undefined;
  #requests = 0;
  #failures = 0;
  #told = '';

  override setup(): void {
    if (this.context.partition.count > 1) {
      throw new Error(`${this.context.operatorName}: each partition would get the same URL`);
    }
  }

  /** Another URL is got at once, and a request for the earlier one given up; the rest counts from the next request on. */
  override propertiesChanged(): void {
    if (this.#url !== this.properties.url) this.#request.abort();
    this.#wake.abort();
  }

  override emitTuples(limit: number): number {
    this.#polling ??= this.#poll();
    let emitted = 0;
    while (emitted < limit) {
      const result = this.#results.shift();
      if (!result) break;
      this.emit(result.port, result.tuple);
      emitted += 1;
    }
    return emitted;
  }

  override checkpoint(): unknown {
    return { requests: this.#requests, failures: this.#failures };
  }

  override restore(state: unknown): void {
    const { requests, failures } = State.parse(state);
    this.#requests = requests;
    this.#failures = failures;
  }

  override counters(): Readonly<Record<string, number>> {
    return { requests: this.#requests, failures: this.#failures };
  }

  override async teardown(): Promise<void> {
    this.#abort.abort();
    this.#request.abort();
    this.#wake.abort();
    this.#results.close();
    await this.#polling;
  }

  async #poll(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      const started = performance.now();
      await this.#get();
      await this.#results.room();
      await this.#rest(started, signal);
    }
  }

  async #rest(started: number, closed: AbortSignal): Promise<void> {
    while (!closed.aborted) {
      const rest = this.properties.intervalMillis - (performance.now() - started);
      if (rest <= 0 || this.#url !== this.properties.url) return;
      this.#wake = new AbortController();
      await delay(rest, undefined, { signal: this.#wake.signal }).catch(() => {});
    }
  }

  /** Once for a row of the same failures. The address may hold a secret: its host says enough. */
  #tell(message: string): void {
    const text = `${new URL(this.#url).host}: ${message}`;
    if (text !== this.#told) this.context.log.warn(text);
    this.#told = text;
  }

  async #get(): Promise<void> {
    this.#request = new AbortController();
    const { signal } = this.#request;
    this.#url = this.properties.url;
    const time = Date.now();
    const started = performance.now();
    this.#requests += 1;
    try {
      const { access } = this.context;
      const answer = await httpGet(this.#url, { ...this.properties, access, signal });
      const durationMillis = performance.now() - started;
      const tuple = { time, ...answer, durationMillis };
      this.#told = '';
      this.#results.push({ port: 'output', tuple }, answer.body.length);
    } catch (error) {
      if (signal.aborted) return;
      this.#failures += 1;
      const message = messageOf(error);
      this.#tell(message);
      this.#results.push({ port: 'errors', tuple: { time, message } }, message.length);
    }
  }
}
