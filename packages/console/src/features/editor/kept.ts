import { queryOptions } from '@tanstack/react-query';
import { parseExact, writeExact } from '../../format/exact-json.js';
import { isRecord } from '../../forms/property-values.js';
import { client } from '../../gateway/client.js';

export interface AppRef {
  readonly owner: string;
  readonly name: string;
  readonly version: string;
  readonly appName: string;
}

/** A definition as the package has it. */
export interface Kept {
  readonly text: string;
  /** Of the whole package: also what others change in it makes another. */
  readonly etag: string;
  readonly displayName: string;
  readonly isJson: boolean;
  /** What a launch takes from the package's own properties, by their names, as the gateway tells it. */
  readonly packageProperties: unknown;
  /** What the gateway says is wrong with it, a line each. */
  readonly problems: string;
}

export async function readKept(params: AppRef, signal?: AbortSignal): Promise<Kept> {
  const response = await client.responseOf('getPackageApplication', {
    params,
    ...(signal ? { signal } : {}),
  });
  const found = parseExact(await response.text());
  const { fileContent, type, displayName, defaultProperties, error, errorStackTrace } = isRecord(found)
    ? found
    : {};
  return {
    // What is no JSON comes as the text that it is.
    text: typeof fileContent === 'string' ? fileContent : `${writeExact(fileContent ?? {})}\n`,
    etag: response.headers.get('etag') ?? '',
    displayName: String(displayName ?? params.appName),
    isJson: type === 'json',
    packageProperties: defaultProperties,
    problems: String(errorStackTrace ?? error ?? ''),
  };
}

export const keptQuery = (params: AppRef) =>
  queryOptions<Kept, Error>({
    queryKey: ['getPackageApplication', { params }, 'kept'],
    queryFn: ({ signal }) => readKept(params, signal),
    // What is being edited is read anew when it is saved, and not under the hands of who edits.
    refetchOnWindowFocus: false,
  });
