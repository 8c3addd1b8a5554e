import { Operator } from '@headgate/operators';
import * as z from 'zod';

/** An alarm begins outside of the range and ends well inside of it, so that one at the edge does not flicker. */
export class Alarms extends Operator {
  static className = 'demo.sensors.Alarms';
  static title = 'Alarms';
  static description = 'Tells which sensors are out of their range.';
  static tags = ['monitoring'];
  static properties = z
    .object({
      low: z.number().default(5).describe('An alarm begins below so many degrees'),
      high: z.number().default(35).describe('An alarm begins above so many degrees'),
      calm: z.number().min(0).default(1).describe('It ends so many degrees inside of the range'),
    })
    .refine(({ low, high, calm }) => low + calm < high - calm, {
      path: ['high'],
      message: 'low and high must be further apart',
    });
  static inputs = { input: { type: 'Reading' } };
  static outputs = {
    output: { type: 'Alarms', description: '{active: [{sensor, celsius, since}]} at the end of each window' },
    changes: { type: 'Change', description: '{sensor, celsius, alarm} when one begins or ends' },
  };

  #active = new Map();
  #begun = 0;

  process(_port, { sensor, time, celsius }) {
    const { low, high, calm } = this.properties;
    const alarm = this.#active.get(sensor);
    if (alarm) {
      alarm.celsius = celsius;
      if (celsius > low + calm && celsius < high - calm) this.#change(sensor, celsius, false);
    } else if (celsius < low || celsius > high) {
      this.#active.set(sensor, { sensor, celsius, since: time });
      this.#begun++;
      this.#change(sensor, celsius, true);
    }
  }

  endWindow() {
    this.emit('output', { active: [...this.#active.values()].map((alarm) => ({ ...alarm })) });
  }

  checkpoint() {
    return { active: this.#active, begun: this.#begun };
  }

  restore({ active, begun }) {
    this.#active = active;
    this.#begun = begun;
  }

  counters() {
    return { active: this.#active.size, begun: this.#begun };
  }

  #change(sensor, celsius, alarm) {
    if (!alarm) this.#active.delete(sensor);
    this.emit('changes', { sensor, celsius, alarm });
  }
}
