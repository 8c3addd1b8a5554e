import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * What the packages offer at each of their entry points, as Markdown: a line for each exported name, values with their types.
 * Read from the declarations in `dist`, so `npm run build` comes first.
 */
export function apiReport(root: string): string {
  const folders = ['.', ...readdirSync(join(root, 'packages')).map((name) => join('packages', name))];
  const entryPoints = folders.flatMap((folder) => entryPointsOf(join(root, folder)));
  const program = ts.createProgram(
    entryPoints.map(({ file }) => file),
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
  const sections = entryPoints.map(({ entryPoint, file }) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    const lines = module ? checker.getExportsOfModule(module).map((symbol) => lineOf(checker, symbol)) : [];
    return `## \`${entryPoint}\`\n\n${lines
      .toSorted()
      .map((line) => `- \`${line}\``)
      .join('\n')}\n`;
  });
  return sections.join('\n');
}

/** What of the core is for the packages beside it, and promised to nobody else. */
const betweenPackages = './zod';

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly types?: string }>>;
}

function entryPointsOf(folder: string): { entryPoint: string; file: string }[] {
  const { name, exports }: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.entries(exports).flatMap(([entryPoint, { types }]) =>
    types === undefined || entryPoint === betweenPackages
      ? []
      : [{ entryPoint: entryPoint.replace(/^\./, name), file: join(folder, types) }],
  );
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
