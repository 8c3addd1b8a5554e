import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { z } from 'zod';
import { holds, type Line, type Report } from './report.js';

// What a run measured, as JSON: `bench/results.json` is the run that docs/performance.md tells of.

const machineShape = z.strictObject({
  processor: z.string(),
  cores: z.int(),
  memoryGB: z.number(),
  node: z.string(),
  system: z.string(),
});

const goalShape = z.union([z.strictObject({ atLeast: z.number() }), z.strictObject({ atMost: z.number() })]);

const lineShape = z.strictObject({
  what: z.string(),
  /** `null` where nothing could be measured. */
  figure: z.number().nullable(),
  unit: z.string().optional(),
  peer: z.string().optional(),
  goal: goalShape.optional(),
  /** With a goal alone. */
  isMet: z.boolean().optional(),
});

const benchShape = z.strictObject({
  date: z.iso.date(),
  seconds: z.int(),
  /** The code or signal that it ended with, where it broke. */
  broke: z.string().optional(),
  tables: z.array(z.strictObject({ title: z.string(), lines: z.array(lineShape) })),
});

const resultsShape = z.strictObject({ machine: machineShape, benches: z.record(z.string(), benchShape) });

export type SavedLine = z.infer<typeof lineShape>;
export type BenchResult = z.infer<typeof benchShape>;
export type Results = z.infer<typeof resultsShape>;

export const parseResults = (text: string): Results => resultsShape.parse(JSON.parse(text));

/** Memory in GB of 10^9 bytes. */
export const thisMachine = (): Results['machine'] => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGB: Math.round(totalmem() / 1e8) / 10,
  node: process.version,
  system: `${type()} ${release()}`,
});

/** A figure in five digits: more say nothing of a measurement. */
const saved = ({ figure, ...line }: Line): SavedLine => ({
  ...line,
  figure: Number.isFinite(figure) ? Number(figure.toPrecision(5)) : null,
  ...(line.goal ? { isMet: holds({ ...line, figure }) } : {}),
});

export const savedTable = ({ title, lines }: Report): BenchResult['tables'][number] => ({
  title,
  lines: lines.map(saved),
});

/**
 * The results with those of one more bench, in place of what it measured before. Benches of one file were all run on one
 * machine.
 */
export function withBench(results: Results, name: string, bench: BenchResult): Results {
  const benches = Object.entries({ ...results.benches, [name]: bench });
  return { ...results, benches: Object.fromEntries(benches.toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

/** What a run on this machine adds to: the results of the file, if it is there. Those of another machine throw. */
export function resultsToExtend(path: string): Results {
  const machine = thisMachine();
  if (!existsSync(path)) return { machine, benches: {} };
  const results = parseResults(readFileSync(path, 'utf8'));
  if (JSON.stringify(results.machine) === JSON.stringify(machine)) return results;
  throw new Error(
    `${path} has the results of another machine (${JSON.stringify(results.machine)}): remove it`,
  );
}

export const writeResults = (path: string, results: Results): void =>
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
