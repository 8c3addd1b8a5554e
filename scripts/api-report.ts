import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * What the package offers at each of its doors, as Markdown: a line for each exported name, values with their types.
 * Read from the declarations in `dist`, so `npm run build` comes first.
 */
export function apiReport(root: string): string {
  const { exports }: { exports: Record<string, { types?: string }> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const doors = Object.entries(exports).flatMap(([door, { types }]) =>
    types === undefined ? [] : [{ door: door.replace(/^\./, 'headgate'), file: join(root, types) }],
  );
  const program = ts.createProgram(
    doors.map(({ file }) => file),
    {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
    },
  );
  const checker = program.getTypeChecker();
  const sections = doors.map(({ door, file }) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    const lines = module ? checker.getExportsOfModule(module).map((symbol) => lineOf(checker, symbol)) : [];
    return `## \`${door}\`\n\n${lines
      .toSorted()
      .map((line) => `- \`${line}\``)
      .join('\n')}\n`;
  });
  return sections.join('\n');
}

/** Functions and classes with their shapes; of types and other values the name, since docstrings say the rest. */
function lineOf(checker: ts.TypeChecker, exported: ts.Symbol): string {
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
  const { name } = exported;
  const isType = exported.declarations?.some(ts.isTypeOnlyExportDeclaration) ?? false;
  if (!isType && symbol.flags & ts.SymbolFlags.Class) return `class ${name}`;
  if (!isType && symbol.flags & ts.SymbolFlags.Value) {
    const type = checker.getTypeOfSymbol(symbol);
    const [signature] = type.getCallSignatures();
    return signature ? `function ${name}${checker.signatureToString(signature)}` : `const ${name}`;
  }
  return symbol.flags & ts.SymbolFlags.Interface ? `interface ${name}` : `type ${name}`;
}
