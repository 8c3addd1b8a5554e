#!/usr/bin/env node
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { makeKeys, showLicense, signFile } from './license-files.js';

// What a vendor does with licenses: docs/licenses.md.

const usage = `Usage:
  headgate-license keys [--out NAME]
      makes a key pair: NAME.pem, which stays with you, and NAME.pub.pem for licensing.publicKeys (default: license-key)
  headgate-license sign TERMS.json --key NAME.pem [--days N] [--out FILE]
      signs a license; --days sets its end, from its first day on (default of --out: standard output)
  headgate-license show FILE --key NAME.pub.pem
      tells what a license says, when that key signed it
`;

const { positionals, values } = parsed();
const [command, file] = positionals;
try {
  process.stdout.write(run());
} catch (error) {
  process.stderr.write(`headgate-license: ${sentenceOf(error)}\n`);
  process.exitCode = 1;
}

function run(): string {
  if (values.help) return usage;
  if (command === 'keys' && file === undefined) return makeKeys(values.out ?? 'license-key');
  if (command === 'sign') {
    const days = values.days === undefined ? undefined : z.coerce.number().positive().parse(values.days);
    return signFile({
      file: needed(file, 'TERMS.json'),
      key: needed(values.key, '--key'),
      days,
      out: values.out,
    });
  }
  if (command === 'show') return showLicense(needed(file, 'FILE'), needed(values.key, '--key'));
  throw new Error(`say what to do\n${usage}`);
}

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        key: { type: 'string' },
        out: { type: 'string' },
        days: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    process.stderr.write(`headgate-license: ${sentenceOf(error)}\n${usage}`);
    process.exit(2);
  }
}

function needed(value: string | undefined, name: string): string {
  if (value !== undefined) return value;
  throw new Error(`${name} is missing\n${usage}`);
}

function sentenceOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  return error instanceof Error ? error.message : String(error);
}
