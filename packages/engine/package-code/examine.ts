import { writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { OperatorClass, Port } from '@headgate/operators';
import { isOperatorClass } from '@headgate/operators/engine';
import * as z from 'zod';
import { ancestorsOf } from '../operators/ancestors.js';
import { DescribedClass, type ExamineAnswer, type ExamineOrder } from './answers.js';

// The process that looks at one module of a package, and ends. Its order comes on the standard input; its answer is one
// line on this descriptor, so that what the module prints is in nobody's way.
const answerDescriptor = 3;

const Order = z.object({
  module: z.string(),
  check: z.array(z.object({ className: z.string(), properties: z.unknown() })),
});

async function run(): Promise<void> {
  const order: ExamineOrder = Order.parse(JSON.parse(await text(process.stdin)));
  const answer = await examine(order).catch((error): ExamineAnswer => ({ fault: short(told(error)) }));
  const line = Buffer.from(`${JSON.stringify(answer)}\n`);
  for (let sent = 0; sent < line.length; ) sent += writeSync(answerDescriptor, line, sent);
  process.exit(0);
}

async function examine({ module, check }: ExamineOrder): Promise<ExamineAnswer> {
  const exported: Record<string, unknown> = await import(module);
  const classes = [...new Set(Object.values(exported).filter(isOperatorClass))];
  if (classes.length === 0) return { fault: 'it exports no operator class' };
  if (check.length > 0) return { issues: check.flatMap((one, index) => issuesOf(one, index, classes)) };
  const described: DescribedClass[] = [];
  const problems: string[] = [];
  for (const found of classes) {
    try {
      described.push(DescribedClass.parse(describe(found)));
    } catch (error) {
      problems.push(short(`${found.className} can't be described: ${told(error)}`));
    }
  }
  return { classes: described, problems };
}

function describe(type: OperatorClass): DescribedClass {
  const { className, title = '', description = '', tags = [], reaches = {}, dataSources = {} } = type;
  return {
    className,
    title,
    description,
    tags: [...tags],
    ancestors: [...ancestorsOf(type)],
    inputs: portsOf(type.inputs),
    outputs: portsOf(type.outputs),
    // What is left of it by JSON is a plain schema; the engine takes of it what it knows.
    properties: JSON.parse(
      JSON.stringify(
        z.toJSONSchema(type.properties, { io: 'input', unrepresentable: 'any', reused: 'inline' }),
      ),
    ),
    reaches: { ...reaches },
    dataSources: { ...dataSources },
  };
}

const portsOf = (ports: Readonly<Record<string, Port>> = {}): DescribedClass['inputs'] =>
  Object.fromEntries(
    Object.entries(ports).map(([name, { optional, type, description, unifier }]) => [
      name,
      {
        ...(optional === undefined ? {} : { optional }),
        ...(type === undefined ? {} : { type }),
        ...(description === undefined ? {} : { description }),
        ...(unifier === undefined ? {} : { unifier }),
      },
    ]),
  );

function issuesOf(
  { className, properties }: ExamineOrder['check'][number],
  index: number,
  classes: readonly OperatorClass[],
) {
  const type = classes.find((known) => known.className === className);
  if (!type) return [{ index, path: '', message: `there is no class ${className} in its module any more` }];
  const { error } = type.properties.safeParse(properties);
  return (error?.issues ?? []).map(({ path, message }) => ({
    index,
    path: path.join('.'),
    message: short(message),
  }));
}

function told(error: unknown): string {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  return error instanceof Error ? `${error.name}: ${error.message}` : `it threw ${String(error)}`;
}

const short = (text: string): string => (text.length > 1000 ? `${text.slice(0, 1000)}...` : text);

run().catch(() => process.exit(1));
