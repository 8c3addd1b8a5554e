import type { DoubleApplication, DoubleOperator, DoublePort } from './application.js';

/** A recording as a container writes it. */
export class Recorded {
  endedAt: number | undefined;
  readonly #folder: string;
  readonly #ports: readonly DoublePort[];
  #tuples = 0;
  #first: bigint | undefined;
  #last: bigint | undefined;
  readonly #startTime = Date.now();

  constructor(
    readonly application: DoubleApplication,
    readonly operator: DoubleOperator,
    readonly port: DoublePort | undefined,
    readonly id: string,
    readonly windows: number | undefined,
  ) {
    this.#ports = port ? [port] : application.portsOf(operator);
    this.#folder = `${application.folder}/recordings/${operator.id}/${id}`;
    const head = {
      startTime: String(this.#startTime),
      appId: application.id,
      properties: { name: operator.name },
    };
    const lines = [
      '1.2',
      JSON.stringify(head),
      ...this.#ports.map(({ name, type }, i) =>
        JSON.stringify({ name, streamName: `${operator.id}.${name}`, type, id: String(i) }),
      ),
    ];
    const { files } = application;
    files.write(`${this.#folder}/meta.txt`, `${lines.join('\n')}\n`);
    files.write(`${this.#folder}/index.txt`, '');
    files.write(`${this.#folder}/part0.txt`, '');
  }

  /** Whole windows, each with a tuple for every port; also those that went by while the machine was busy. */
  tick(window: bigint): void {
    for (let next = this.#last === undefined ? window : this.#last + 1n; next <= window; next++) {
      if (this.endedAt !== undefined) return;
      this.#write(next);
    }
  }

  #write(window: bigint): void {
    const now = Date.now();
    const ports = this.#ports.map((_, i) => i);
    const lines = [
      `B:${now}:${window}`,
      ...ports.map((i) => `C:${now}:${i}:16:{"type":"BEGIN"}`),
      ...ports.map((i) => `T:${now}:${i}:${8}:{"n":"1"}`),
      `E:${now}:${window}`,
    ];
    this.application.files.append(`${this.#folder}/part0.txt`, lines.map((line) => `${line}\n`).join(''));
    this.#tuples += 1;
    this.#first ??= window;
    this.#last = window;
    if (this.windows !== undefined && this.#tuples >= this.windows) this.end();
  }

  end(): void {
    if (this.endedAt !== undefined) return;
    this.endedAt = Date.now();
    const counts = JSON.stringify(
      Object.fromEntries(this.#ports.map((_, i) => [String(i), String(this.#tuples)])),
    );
    const total = this.#tuples * this.#ports.length;
    const range = `${this.#first ?? 0n}-${this.#last ?? 0n}`;
    this.application.files.append(
      `${this.#folder}/index.txt`,
      `F:part0.txt:${this.#startTime}-${Date.now()}:${total}:T:${range}:${counts.length}:${counts}\nE\n`,
    );
  }
}
