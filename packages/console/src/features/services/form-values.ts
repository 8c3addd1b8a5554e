import { words } from './words.js';

/** What the form holds: texts, as people type them. */
export interface FormValues {
  readonly name: string;
  readonly type: 'container' | 'engine';
  readonly description: string;
  readonly enabled: boolean;
  readonly run: string;
  readonly exec: string;
  readonly srcUrl: string;
  readonly appName: string;
  readonly address: string;
  readonly followRedirect: boolean;
  readonly requiredServices: string[];
  readonly metadata: string;
  readonly launchArgs: string;
}

/** A service as it is read; what the form has no place for stays as it is when it is sent back. */
export interface ReadService {
  readonly name: string;
  readonly type: 'container' | 'engine';
  readonly description?: string | undefined;
  readonly enabled: boolean;
  readonly srcUrl?: string | undefined;
  readonly requiredServices: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly proxy?:
    | ({ readonly address: string; readonly followRedirect: boolean } & Readonly<Record<string, unknown>>)
    | undefined;
  readonly container?: { readonly run: string; readonly exec?: string | undefined } | undefined;
  readonly engine?:
    | { readonly appName: string; readonly launchArgs: Readonly<Record<string, string>> }
    | undefined;
}

export const emptyForm: FormValues = {
  name: '',
  type: 'container',
  description: '',
  enabled: true,
  run: '',
  exec: '',
  srcUrl: '',
  appName: '',
  address: '',
  followRedirect: true,
  requiredServices: [],
  metadata: '',
  launchArgs: '',
};

export const formOf = (service: ReadService): FormValues => ({
  name: service.name,
  type: service.type,
  description: service.description ?? '',
  enabled: service.enabled,
  run: service.container?.run ?? '',
  exec: service.container?.exec ?? '',
  srcUrl: service.srcUrl ?? '',
  appName: service.engine?.appName ?? '',
  address: service.proxy?.address ?? '',
  followRedirect: service.proxy?.followRedirect ?? true,
  requiredServices: [...service.requiredServices],
  metadata: linesOf(service.metadata),
  launchArgs: linesOf(service.engine?.launchArgs ?? {}),
});

/** `name=value`, a line each. */
export const linesOf = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/** What lines of `name=value` say; a value may hold `=`. `problem`: the first line that says nothing. */
export function valuesOfLines(lines: string): {
  readonly values: Record<string, string>;
  readonly problem?: string;
} {
  const values: Record<string, string> = {};
  for (const [index, line] of lines.split('\n').entries()) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    if (at < 1) return { values, problem: words.lineProblem(index + 1) };
    values[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return { values };
}

/** By field: what keeps the form from being sent. */
export function problemsOf(form: FormValues): Partial<Record<keyof FormValues, string>> {
  const { type } = form;
  const needed: readonly (keyof FormValues)[] =
    type === 'container' ? ['name', 'run'] : ['name', 'srcUrl', 'appName'];
  const empty = needed.filter((field) => String(form[field]).trim() === '');
  const metadata = valuesOfLines(form.metadata).problem;
  const launchArgs = type === 'engine' ? valuesOfLines(form.launchArgs).problem : undefined;
  return {
    ...Object.fromEntries(empty.map((field) => [field, words.needed])),
    ...(metadata === undefined ? {} : { metadata }),
    ...(launchArgs === undefined ? {} : { launchArgs }),
  };
}

/** What is sent for it. `before`: the service that is changed, for what the form does not show. */
export function inputOf(form: FormValues, before?: ReadService) {
  const text = (value: string) => (value.trim() === '' ? undefined : value.trim());
  const [description, srcUrl, exec, address] = [form.description, form.srcUrl, form.exec, form.address].map(
    text,
  );
  const common = {
    ...(description === undefined ? {} : { description }),
    enabled: form.enabled,
    requiredServices: form.requiredServices,
    metadata: valuesOfLines(form.metadata).values,
    ...(address === undefined
      ? {}
      : { proxy: { ...before?.proxy, address, followRedirect: form.followRedirect } }),
  };
  if (form.type === 'engine')
    return {
      type: form.type,
      ...common,
      srcUrl: form.srcUrl.trim(),
      engine: { appName: form.appName.trim(), launchArgs: valuesOfLines(form.launchArgs).values },
    };
  return {
    type: form.type,
    ...common,
    ...(srcUrl === undefined ? {} : { srcUrl }),
    container: { run: form.run.trim(), ...(exec === undefined ? {} : { exec }) },
  };
}
