import { Button, Stack, Text, Timeline, Title } from '@mantine/core';
import { useState } from 'react';
import { duration } from '../../format/duration.js';
import { clockTime, moment } from '../../format/time.js';
import { usePreferences } from '../../gateway/preferences.js';
import { Name } from '../../shell/name.js';
import { State } from '../../shell/state.js';
import { Since } from '../../shell/time.js';
import classes from './alerts.module.css';
import { daysOf, type Entry } from './timeline.js';
import { words } from './words.js';

const step = 100;

/** Activations by day, the latest first; as many as somebody wants to see. */
export function Activations({ entries }: { readonly entries: readonly Entry[] }) {
  const { zone } = usePreferences();
  const [limit, setLimit] = useState(step);
  const hidden = entries.length - limit;
  return (
    <Stack gap="lg">
      {daysOf(entries.slice(0, limit), (at) => moment(at, zone).slice(0, 10)).map(
        ({ date, entries: inside }) => (
          <section key={date}>
            <Title order={2} mb="sm">
              {date}
            </Title>
            <Timeline bulletSize={12} lineWidth={2} active={-1}>
              {inside.map((entry) => (
                <Timeline.Item key={`${entry.name} ${entry.inTime}`}>
                  <Activated entry={entry} />
                </Timeline.Item>
              ))}
            </Timeline>
          </section>
        ),
      )}
      {hidden > 0 && (
        <Button variant="default" onClick={() => setLimit(limit + step)}>
          {words.more(Math.min(step, hidden))}
        </Button>
      )}
    </Stack>
  );
}

function Activated({ entry }: { readonly entry: Entry }) {
  const { zone } = usePreferences();
  const { name, owner, inTime, outTime, message, emailSent } = entry;
  return (
    <>
      <Text size="sm">
        <span className="figure">{clockTime(inTime, zone)}</span> <Name>{name}</Name>{' '}
        {outTime === undefined ? (
          <>
            <State state={words.goesOn} kind="failed" /> <Since at={inTime} />
          </>
        ) : (
          <span className="figure">{duration(outTime - inTime)}</span>
        )}
      </Text>
      <Text size="sm" className={`soft ${classes['text']}`} dir="auto">
        {[message, words.of(owner), emailSent ? words.mailSent : words.mailNotSent]
          .filter((part) => part !== '')
          .join(' · ')}
      </Text>
    </>
  );
}
