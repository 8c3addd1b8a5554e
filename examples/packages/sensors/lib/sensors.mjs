import { InputOperator } from '@headgate/operators';
import * as z from 'zod';

/** Temperatures that follow a day of two minutes, each sensor with a place and a noise of its own. */
export class Sensors extends InputOperator {
  static className = 'demo.sensors.Sensors';
  static title = 'Sensors';
  static description = 'Makes the readings of a greenhouse’s thermometers.';
  static tags = ['input', 'simulation'];
  static properties = z.object({
    count: z.number().int().min(1).max(1000).default(12).describe('How many sensors there are'),
    intervalMillis: z
      .number()
      .int()
      .min(10)
      .default(500)
      .describe('Time between two readings of a sensor, milliseconds'),
    mean: z.number().default(20).describe('Mean temperature of a day, degrees Celsius'),
    swing: z.number().min(0).default(10).describe('How far noon and midnight are from it'),
  });
  static outputs = { output: { type: 'Reading', description: '{sensor, time, celsius}' } };

  #round = 0;
  #next = 0;

  emitTuples(limit) {
    const { count, intervalMillis } = this.properties;
    const now = Date.now();
    if (now < this.#next || limit < count) return 0;
    // Rounds that were missed while nothing ran are not made up for.
    this.#next = now + intervalMillis;
    for (let sensor = 0; sensor < count; sensor++)
      this.emit('output', { sensor: `s${sensor + 1}`, time: now, celsius: this.#celsius(sensor) });
    this.#round++;
    return count;
  }

  checkpoint() {
    return this.#round;
  }

  restore(round) {
    this.#round = round;
  }

  #celsius(sensor) {
    const { count, mean, swing, intervalMillis } = this.properties;
    const day = Math.sin((this.#round * intervalMillis * Math.PI) / 60_000);
    const noise = Math.sin(this.#round * (sensor + 1) * 12.9898) * 1.5;
    return Math.round((mean + swing * day + (4 * sensor) / count - 2 + noise) * 10) / 10;
  }
}
