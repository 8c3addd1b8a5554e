import { Text } from '@mantine/core';
import { age } from '../../format/duration.js';
import { useNow } from '../../shell/ticker.js';
import { type Feed, useFeed } from './feed.js';
import type { Widget } from './layout.js';
import { fieldNames, isNumeric, type Source } from './protocol.js';
import { Bars, BigValue, Lines, RowTable } from './views.js';
import { words } from './words.js';

/** Results come with each window; after so long it is told that none came. */
const silentMillis = 10_000;

export function WidgetContent({ widget, source }: { readonly widget: Widget; readonly source: Source }) {
  const feed = useFeed(source);
  const { rows, fields } = feed;
  if (!rows) return <Waiting feed={feed} />;
  if (rows.length === 0)
    return (
      <Text size="sm" className="soft">
        {words.noRows}
      </Text>
    );
  return (
    <>
      <Silence feed={feed} />
      <Picture widget={widget} names={fieldNames(fields, rows)} feed={feed} rows={rows} />
    </>
  );
}

function Picture({
  widget: { kind, label, value },
  names,
  feed,
  rows,
}: {
  readonly widget: Widget;
  readonly names: readonly string[];
  readonly feed: Feed;
  readonly rows: NonNullable<Feed['rows']>;
}) {
  if (kind === 'table') return <RowTable names={names} rows={rows} />;
  if (value === undefined || (kind !== 'value' && !rows.some((row) => isNumeric(row[value]))))
    return (
      <Text size="sm" className="soft">
        {words.noNumber(value ?? words.value)}
      </Text>
    );
  if (kind === 'line') return <Lines rows={rows} at={feed.receivedAt ?? 0} label={label} value={value} />;
  if (kind === 'bar') return <Bars rows={rows} label={label} value={value} />;
  return <BigValue row={rows[0] ?? {}} label={label} value={value} />;
}

function Waiting({ feed: { topic, since } }: { readonly feed: Feed }) {
  useNow();
  return (
    <Text size="sm" className="soft" style={{ overflowWrap: 'anywhere' }}>
      {words.waiting(topic, age(Date.now() - since))}
    </Text>
  );
}

/** Figures that are not told any more must not look as if they were. */
function Silence({ feed: { receivedAt = 0 } }: { readonly feed: Feed }) {
  useNow();
  const silent = Date.now() - receivedAt;
  if (silent < silentMillis) return null;
  return (
    <Text size="xs" className="stale">
      {words.silent(age(silent))}
    </Text>
  );
}
