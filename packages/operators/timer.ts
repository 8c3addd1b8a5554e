import * as z from 'zod';
import { InputOperator, type Port } from './operator.js';

const TimerProperties = z.object({
  intervalMillis: z
    .int()
    .min(1)
    .max(86_400_000)
    .default(1_000)
    .describe('Time between two ticks, milliseconds'),
  ticks: z.int().min(1).optional().describe('After so many ticks the input ends; without it never'),
});

const State = z.object({ emitted: z.number() });

export class Timer extends InputOperator<typeof TimerProperties> {
  static override readonly className = 'headgate.io.Timer';
  static override readonly title = 'Timer';
  static override readonly description =
    'Emits a tick in regular intervals, the first one at once. Ticks that were missed while nothing ran are not made up for.';
  static override readonly tags = ['input', 'timer'];
  static override readonly properties = TimerProperties;
  static override readonly outputs: Readonly<Record<string, Port>> = {
    output: { type: 'Tick', description: '{tick, time}: number from 1, epoch milliseconds' },
  };

  #emitted = 0;
  #due = 0;

  override setup(): void {
    this.#due = performance.now();
  }

  override propertiesChanged(): void {
    this.#due = Math.min(this.#due, performance.now() + this.properties.intervalMillis);
  }

  override emitTuples(limit: number): number | undefined {
    const { intervalMillis, ticks } = this.properties;
    if (ticks !== undefined && this.#emitted >= ticks) return undefined;
    const now = performance.now();
    if (limit < 1 || now < this.#due) return 0;
    this.#emitted += 1;
    this.emit('output', { tick: this.#emitted, time: Date.now() });
    // In step with the first tick, however late this one was.
    this.#due += Math.max(1, Math.ceil((now - this.#due) / intervalMillis)) * intervalMillis;
    return 1;
  }

  override checkpoint(): unknown {
    return { emitted: this.#emitted };
  }

  override restore(state: unknown): void {
    this.#emitted = State.parse(state).emitted;
  }
}
