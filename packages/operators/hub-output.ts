import * as z from 'zod';
import { Operator, type Port, type Tuple } from './operator.js';
import { windowTime } from './window-time.js';

const HubOutputProperties = z.object({
  topic: z
    .string()
    .min(1)
    .max(200)
    .describe("Topic to publish on; not one of the gateway's own, such as applications.*"),
  mode: z
    .enum(['each', 'last', 'window'])
    .default('each')
    .describe(
      'each: every tuple at once; last: the last tuple of a window, at its end; window: one message per window, {windowId, time, tuples, dropped}',
    ),
  maxPerWindow: z
    .int()
    .min(1)
    .max(10_000)
    .default(1_000)
    .describe('Most tuples of a window that are published; the others are counted as dropped'),
});

export class HubOutput extends Operator<typeof HubOutputProperties> {
  static override readonly className = 'headgate.io.HubOutput';
  static override readonly title = 'Hub';
  static override readonly description =
    "Publishes tuples on a topic of the gateway's hub, for WebSocket clients.";
  static override readonly tags = ['output', 'hub', 'websocket', 'publish'];
  static override readonly properties = HubOutputProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = {
    input: { type: 'any', description: 'Tuples that have a JSON form' },
  };

  #windowId = '';
  #tuples: Tuple[] = [];
  #inWindow = 0;
  #dropped = 0;

  override beginWindow(windowId: string): void {
    this.#windowId = windowId;
    this.#tuples = [];
    this.#inWindow = 0;
  }

  override process(_port: string, tuple: Tuple): void {
    const { topic, mode, maxPerWindow } = this.properties;
    this.#inWindow += 1;
    if (mode === 'last') this.#tuples[0] = tuple;
    else if (this.#inWindow > maxPerWindow) this.#dropped += 1;
    else if (mode === 'each') this.context.publish(topic, tuple);
    else this.#tuples.push(tuple);
  }

  override endWindow(): void {
    const { topic, mode, maxPerWindow } = this.properties;
    if (mode === 'each') return;
    if (mode === 'last') {
      if (this.#inWindow > 0) this.context.publish(topic, this.#tuples[0]);
      return;
    }
    this.context.publish(topic, {
      windowId: this.#windowId,
      time: windowTime(this.#windowId, this.context.windowMillis),
      tuples: this.#tuples,
      dropped: Math.max(0, this.#inWindow - maxPerWindow),
    });
  }

  override checkpoint(): unknown {
    return { dropped: this.#dropped };
  }

  override restore(state: unknown): void {
    this.#dropped = z.object({ dropped: z.number() }).parse(state).dropped;
  }

  override counters(): Readonly<Record<string, number>> {
    return { dropped: this.#dropped };
  }
}
