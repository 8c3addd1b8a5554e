import { isSecretName, mask } from '../../../formats/secret-names.js';
import { InvalidInput } from '../../../model/errors.js';
import type { ServiceDefinition } from '../schema.js';

/** A part of a text that is not told; `key` says which one it is when the text comes back. */
interface Part {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly shown: string;
}

const word = /(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+/gs;
const closedQuotes = /"(?:\\.|[^"\\])*"|'[^']*'|\\./gs;
const userInfo = /:\/\/([^\s/?#"']+)@([^\s/?#"'@]*)/g;
const onlyVariable = /^["']?\$\{[^{}]*\}["']?$/;

/** `DB_PASSWORD=...` to the end of its word, and what stands before the `@` of a URL. */
function partsOf(text: string): readonly Part[] {
  const found: Part[] = [];
  for (const { 0: raw, index: at } of text.matchAll(word)) {
    const named = secretIn(raw);
    const begin = named?.begin ?? raw.length;
    for (const { 1: info = '', 2: host = '', index } of raw.slice(0, begin).matchAll(userInfo)) {
      const start = at + index + 3;
      found.push({ key: `@${host}`, start, end: start + info.length, shown: mask });
    }
    if (!named || onlyVariable.test(raw.slice(begin))) continue;
    const [quote = ''] = /["']/.exec(raw.slice(0, begin).replace(closedQuotes, '')) ?? [];
    found.push({ key: named.name, start: at + begin, end: at + raw.length, shown: mask + quote });
  }
  return found;
}

const maxNameLength = 128;

/**
 * The first secret name before a `=` of a word, and where its value begins. Names are read backwards from each `=`: forwards
 * each letter of a long word might begin one.
 */
function secretIn(raw: string): { readonly name: string; readonly begin: number } | undefined {
  for (let end = raw.indexOf('='); end >= 0; end = raw.indexOf('=', end + 1)) {
    let start = end;
    while (start > 0 && end - start < maxNameLength && /[\w.-]/.test(raw.charAt(start - 1))) start--;
    const [name = ''] = /[A-Za-z_].*/s.exec(raw.slice(start, end)) ?? [];
    if (isSecretName(name)) return { name, begin: end + 1 };
  }
  return undefined;
}

function replaced(text: string, parts: readonly Part[], by: (part: Part) => string): string {
  let done = '';
  let at = 0;
  for (const part of parts) {
    done += text.slice(at, part.start) + by(part);
    at = part.end;
  }
  return done + text.slice(at);
}

const maskedText = (text: string): string => replaced(text, partsOf(text), ({ shown }) => shown);

/** `undefined` where a mask stands for nothing. */
function unmaskedText(text: string, kept: string | undefined): string | undefined {
  if (!text.includes(mask)) return text;
  if (kept !== undefined && text === maskedText(kept)) return kept;
  const before = new Map(
    partsOf(kept ?? '').map(({ key, start, end }) => [key, kept?.slice(start, end)] as const),
  );
  let isWhole = true;
  const whole = replaced(text, partsOf(text), ({ key, start, end }) => {
    const raw = text.slice(start, end);
    if (!raw.startsWith(mask)) return raw;
    const secret = before.get(key);
    if (secret === undefined) isWhole = false;
    return secret ?? raw;
  });
  return isWhole ? whole : undefined;
}

type Hide = (text: string, path: string) => string;

/** `whole`: for values that are a secret from end to end; `within`: for texts that may hold one. */
function mapped(definition: ServiceDefinition, whole: Hide, within: Hide): ServiceDefinition {
  const byName = (values: Readonly<Record<string, string>>, path: string, all = false) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        (all || isSecretName(name) ? whole : within)(value, `${path}.${name}`),
      ]),
    );
  const { proxy } = definition;
  const common = {
    metadata: byName(definition.metadata, 'metadata'),
    ...(proxy?.requestHeaders
      ? { proxy: { ...proxy, requestHeaders: byName(proxy.requestHeaders, 'proxy.requestHeaders', true) } }
      : {}),
  };
  if (definition.type === 'engine') {
    const { engine, srcUrl } = definition;
    const launchArgs = byName(engine.launchArgs, 'engine.launchArgs');
    return { ...definition, ...common, srcUrl: within(srcUrl, 'srcUrl'), engine: { ...engine, launchArgs } };
  }
  const { srcUrl, container } = definition;
  return {
    ...definition,
    ...common,
    ...(srcUrl === undefined ? {} : { srcUrl: within(srcUrl, 'srcUrl') }),
    container: {
      run: within(container.run, 'container.run'),
      ...(container.exec === undefined ? {} : { exec: within(container.exec, 'container.exec') }),
    },
  };
}

const maskedWhole = (value: string): string => (onlyVariable.test(value) ? value : mask);

/** As it may be told: without values of headers, of secret names, and without what lets into a URL. */
export const masked = (definition: ServiceDefinition): ServiceDefinition =>
  mapped(definition, maskedWhole, maskedText);

/** Values that were told apart from a definition. */
export const maskedValues = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isSecretName(name) ? maskedWhole(value) : maskedText(value),
    ]),
  );

/** What was told and comes back is what was kept. Throws `InvalidInput` for a mask that stands for nothing. */
export function unmasked(
  definition: ServiceDefinition,
  kept: ServiceDefinition | undefined,
  at: string,
): ServiceDefinition {
  const before = new Map<string, string>();
  if (kept) {
    const note: Hide = (text, path) => {
      before.set(path, text);
      return text;
    };
    mapped(kept, note, note);
  }
  const nothing = (path: string) =>
    new InvalidInput([{ path: `${at}.${path}`, message: `${mask} stands for nothing that is kept here` }]);
  return mapped(
    definition,
    (value, path) => {
      if (value !== mask) return value;
      const secret = before.get(path);
      if (secret === undefined) throw nothing(path);
      return secret;
    },
    (text, path) => {
      const whole = unmaskedText(text, before.get(path));
      if (whole === undefined) throw nothing(path);
      return whole;
    },
  );
}
