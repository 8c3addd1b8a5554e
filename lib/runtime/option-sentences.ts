/** What it is, without its value, which may be a secret. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') {
    const kind = isClass(value) ? 'class' : 'function';
    return value.name === '' ? `a ${kind}` : `the ${kind} ${value.name}`;
  }
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (isPromise(value)) return 'a promise: write `await` in front of it';
  const name = value.constructor?.name ?? 'Object';
  return name === 'Object' ? 'an object' : `an object of the class ${name}`;
}

/** With the value of what is short and plain. */
export function shown(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}

const isPromise = (value: object): boolean => typeof Reflect.get(value, 'then') === 'function';
const isClass = (value: object): boolean => /^class\b/.test(Function.prototype.toString.call(value));

/** What is wrong with something that must have these methods, `documents.get` for example. */
export function instanceProblem(
  value: unknown,
  { caller, path }: { readonly caller: string; readonly path: string },
  methods: readonly string[],
  by: string,
): string | undefined {
  const lacking = methods.filter((name) => typeof memberOf(value, name.split('.')) !== 'function');
  if (lacking.length === 0) return undefined;
  const what = `${caller}: ${path}`;
  if (typeof value === 'function') {
    // A function without a name gets that of the option.
    const name = value.name === path.split('.').at(-1) ? '' : value.name;
    if (isClass(value)) return `${what} is the class ${name}: write ${path}: new ${name}(...)`;
    return name === ''
      ? `${what} is a function: give what it returns, ${by}`
      : `${what} is the function ${name}: call it, ${path}: ${name}(...)`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `${what} must be ${by}, not ${kindOf(value)}`;
  if (isPromise(value)) return `${what} is a promise: write \`await\` in front of what makes it: ${by}`;
  const names = lacking.map((name) => `\`${name}\``).join(', ');
  return `${what} lacks the ${lacking.length === 1 ? 'method' : 'methods'} ${names}: give ${by}`;
}

function memberOf(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return undefined;
  return memberOf(Reflect.get(value, name), rest);
}
