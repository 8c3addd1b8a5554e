import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root, sourcesIn } from './sources.js';

/** A place of a source file that makes something which may fail by itself: a stream, a socket, a request, a process. */
export interface Maker {
  readonly file: string;
  readonly line: number;
  /** As it stands there: `spawn`, `Readable.from`, `file.createWriteStream`. */
  readonly name: string;
  readonly isOwned: boolean;
}

/** What is imported from these makes such things, unless it is named in `harmless`. */
const makingModules = new Set(
  ['stream', 'net', 'tls', 'http', 'https', 'http2', 'dgram', 'zlib', 'child_process', 'worker_threads']
    .concat('readline', 'readline/promises', 'tty', 'fs')
    .map((name) => `node:${name}`)
    .concat('ws', 'undici'),
);

const harmless = new Set([
  // They join, watch and compute; what they are given was made elsewhere.
  ...[
    'pipeline',
    'finished',
    'addAbortSignal',
    'isIP',
    'isIPv6',
    'BlockList',
    'SocketAddress',
    'createSecureContext',
    'rootCertificates',
    'Agent',
  ],
  ...[
    'SecureAgent',
    'validateHeaderName',
    'validateHeaderValue',
    'crc32',
    'inflateRaw',
    'inflateRawSync',
    'deflateRaw',
    'gunzip',
  ],
  // A port has no `error`; the numbers and data of a thread are none.
  ...['MessageChannel', 'parentPort', 'threadId', 'workerData'],
]);
const harmlessFs = /^(?!create(Read|Write)Stream$)/;

/** `owned` takes anything that fails, `ownedProcess` a process with its channels. */
const owners = new Set(['owned', 'ownedProcess']);

export function makersIn(folders: readonly string[]): Maker[] {
  return sourcesIn(folders)
    .sort()
    .flatMap((file) => makersOf(file, readFileSync(join(root, file), 'utf8')));
}

export function makersOf(file: string, text: string): Maker[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const imported = importedMakers(source);
  const found: Maker[] = [];
  const look = (node: ts.Node): void => {
    const made = ts.isCallExpression(node) || ts.isNewExpression(node) ? node.expression : undefined;
    const isAlias = ts.isIdentifier(node) && isPassedOn(node, imported);
    if (isAlias || (made && isMaker(made, imported))) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      const name = isAlias ? node.text : (made?.getText() ?? '');
      found.push({ file, line: line + 1, name, isOwned: !isAlias && isOwned(node) });
    }
    ts.forEachChild(node, look);
  };
  look(source);
  return found;
}

/** Local names. Where an `import type` or a type is meant, nobody calls it. */
function importedMakers(source: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const module = statement.moduleSpecifier.text;
    if (!makingModules.has(module)) continue;
    const { importClause } = statement;
    const bindings = importClause?.namedBindings;
    if (importClause?.name) names.add(importClause.name.text);
    if (bindings && ts.isNamespaceImport(bindings)) names.add(bindings.name.text);
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    for (const { name, propertyName } of bindings.elements) {
      const original = (propertyName ?? name).text;
      const isHarmless = harmless.has(original) || (module === 'node:fs' && harmlessFs.test(original));
      if (!isHarmless) names.add(name.text);
    }
  }
  return names;
}

/** Classes of streams by their name too: they may come in another way, as from `import('ws')`. */
const everywhere = /^(createReadStream|createWriteStream)$/;
const classes = /^(Readable|Writable|Duplex|Transform|PassThrough|Socket|WebSocket|WebSocketServer|Worker)$/;

function isMaker(made: ts.Expression, imported: ReadonlySet<string>): boolean {
  if (ts.isIdentifier(made)) return imported.has(made.text) || classes.test(made.text);
  if (!ts.isPropertyAccessExpression(made)) return false;
  if (everywhere.test(made.name.text)) return true;
  // Of the web, which has no emitters; it listens to what it is made of.
  if (made.name.text === 'toWeb') return false;
  return ts.isIdentifier(made.expression) && imported.has(made.expression.text);
}

/** A function that makes something, under another name: what is made by that could not be told. */
const isPassedOn = (node: ts.Identifier, imported: ReadonlySet<string>): boolean =>
  imported.has(node.text) &&
  /^[a-z]/.test(node.text) &&
  !ts.isImportSpecifier(node.parent) &&
  !ts.isNamespaceImport(node.parent) &&
  !(ts.isCallExpression(node.parent) && node.parent.expression === node) &&
  !(ts.isPropertyAccessExpression(node.parent) || ts.isPropertyAssignment(node.parent)) &&
  !(
    ts.isTypeQueryNode(node.parent) ||
    ts.isPropertySignature(node.parent) ||
    ts.isMethodDeclaration(node.parent)
  );

/** At once: as the argument of an owner, or as one of two that are. */
function isOwned({ parent }: ts.Node): boolean {
  if (ts.isConditionalExpression(parent) || ts.isParenthesizedExpression(parent)) return isOwned(parent);
  return (
    ts.isCallExpression(parent) && ts.isIdentifier(parent.expression) && owners.has(parent.expression.text)
  );
}
