import { InputOperator } from '@headgate/operators';
import * as z from 'zod';
import { Random } from './parts/random.mjs';

const pages = [
  '/',
  '/products',
  '/products/42',
  '/cart',
  '/search?q=weir',
  '/products/7',
  '/account',
  '/help',
];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A web server's access log, as it is being written: combined format, with the seconds that each answer took. */
export class AccessLines extends InputOperator {
  static className = 'demo.logs.AccessLines';
  static title = 'Access lines';
  static description = 'Makes the lines of a busy web server’s access log.';
  static tags = ['input', 'simulation'];
  static properties = z.object({
    linesPerSecond: z.number().min(0).max(100_000).default(50).describe('How many requests there are'),
    failurePercent: z.number().min(0).max(100).default(1).describe('How many of them fail with a 5xx status'),
    seed: z.number().int().default(1).describe('The same seed gives the same requests'),
  });
  static outputs = { output: { type: 'string', description: 'One tuple per line' } };

  #random;
  #lines = 0;
  /** What was emitted since `#since`, which begins anew with each rate. */
  #emitted = 0;
  #since = 0;

  setup() {
    this.#random = new Random(this.properties.seed + this.context.partition.index);
    this.#beginRate();
  }

  propertiesChanged() {
    this.#beginRate();
  }

  emitTuples(limit) {
    const due = Math.floor(((performance.now() - this.#since) * this.properties.linesPerSecond) / 1000);
    const count = Math.min(limit, due - this.#emitted);
    for (let index = 0; index < count; index++) this.emit('output', this.#line());
    this.#emitted += Math.max(0, count);
    return Math.max(0, count);
  }

  checkpoint() {
    return { random: this.#random.state, lines: this.#lines };
  }

  restore({ random, lines }) {
    this.#random.state = random;
    this.#lines = lines;
  }

  counters() {
    return { lines: this.#lines };
  }

  #beginRate() {
    this.#since = performance.now();
    this.#emitted = 0;
  }

  #line() {
    const random = this.#random;
    const page = random.early(pages);
    const fails = random.next() * 100 < this.properties.failurePercent;
    const status = fails ? 503 : random.next() < 0.03 ? 404 : 200;
    const bytes = status === 200 ? 500 + Math.floor(random.next() * 40_000) : 180;
    // Most answers are fast; those that fail have waited.
    const seconds = fails ? 1 + random.next() : 0.002 + 0.2 * random.next() ** 6;
    const client = `203.0.113.${1 + Math.floor(random.next() * 250)}`;
    this.#lines++;
    return `${client} - - [${stamp(new Date())}] "GET ${page} HTTP/1.1" ${status} ${bytes} ${seconds.toFixed(3)}`;
  }
}

function stamp(time) {
  const [date, clock] = time.toISOString().slice(0, 19).split('T');
  const [year, month, day] = date.split('-');
  return `${day}/${months[Number(month) - 1]}/${year}:${clock} +0000`;
}
