// `docs/decisions.md`, Topics that only the gateway writes, and what an application may write all the same.

export const countSuffix = '.numSubscribers';
export const latestTopicsName = '_latestTopics';

/** The topic whose count a name tells; the name itself when it is no count. */
export function countedTopic(name: string): string {
  let base = name;
  while (base.endsWith(countSuffix)) base = base.slice(0, -countSuffix.length);
  return base;
}

export const isCount = (name: string): boolean => name.endsWith(countSuffix);

/** Topics between engine and gateway; no client reads them. */
export const isInternal = (name: string): boolean => name.startsWith('_internal.');

/** Only the gateway writes these. */
export const isReserved = (name: string): boolean =>
  name === 'applications' ||
  name.startsWith('applications.') ||
  name.startsWith('cluster.') ||
  name === 'audit' ||
  name === latestTopicsName ||
  isInternal(name) ||
  isCount(name);

export const eventsOf = (application: string): string => `applications.${application}.events`;

/** The application that alone can say something on a topic of clients. */
export function writerOf(name: string): string | undefined {
  const [, application] = isCount(name)
    ? []
    : (/^applications\.([^.]+)\.(?:events$|tupleRecorder\.)/.exec(name) ?? []);
  return application;
}

/** What an application may write about itself: its events, its recorded tuples and the index of its files. */
export function isWrittenBy(application: string, name: string): boolean {
  const own = `applications.${application}.`;
  if (name.startsWith(own)) {
    const rest = name.slice(own.length);
    return rest === 'events' || (rest.startsWith('tupleRecorder.') && !isCount(rest));
  }
  // `_internal.lastIndex.event.{path of the application}/events`
  return name.startsWith('_internal.lastIndex.') && !isCount(name) && name.split('/').includes(application);
}

/** What an application's own connection may read: what it writes, to know how many listen. */
export const isReadBy = (application: string, name: string): boolean =>
  !isInternal(name) && isWrittenBy(application, name);
