import { Stack, Text, Title } from '@mantine/core';
import { duration } from '../../format/duration.js';
import { Failure } from '../../shell/failure.js';
import { State } from '../../shell/state.js';
import { ActivationStrip } from './activation-strip.js';
import classes from './alerts.module.css';
import type { useVerdict, Verdict } from './use-verdict.js';
import { words } from './words.js';

interface Props {
  readonly isEmpty: boolean;
  readonly verdict: ReturnType<typeof useVerdict>;
}

/** What a condition gives now, what it reads, and how often it would have been active. */
export function VerdictPanel({ isEmpty, verdict: { query, isBehind } }: Props) {
  const { data, error, refetch } = query;
  return (
    <Stack className="panel" gap="md" component="section" aria-label={words.now}>
      <div>
        <Title order={2} mb="xs">
          {words.now}
        </Title>
        {isEmpty ? (
          <Text size="sm" className="soft">
            {words.typeFirst}
          </Text>
        ) : (
          <>
            {error && !isBehind && <Failure error={error} retry={refetch} />}
            <div aria-live="polite" className={isBehind ? 'stale' : ''}>
              {data && !isBehind ? (
                <Answer verdict={data} />
              ) : (
                !error && <Text size="sm">{words.checking}</Text>
              )}
            </div>
          </>
        )}
      </div>
      {data?.fields && data.fields.length > 0 && !isEmpty && <Readings fields={data.fields} />}
      {data?.backtest && !isEmpty && <Past backtest={data.backtest} />}
    </Stack>
  );
}

function Answer({ verdict }: { readonly verdict: Verdict }) {
  const { valid, result, error, line, column, missingTopics } = verdict;
  const [state, kind] = valid
    ? result
      ? ([words.isTrue, 'warning'] as const)
      : ([error === undefined ? words.isFalse : words.countsAsFalse, 'running'] as const)
    : ([line === undefined ? words.throws : words.noScript(line, column), 'failed'] as const);
  return (
    <Stack gap={2}>
      <Text size="sm" fw={600}>
        <State state={state} kind={kind} />
      </Text>
      {error !== undefined && (
        <Text size="sm" className={`mono ${classes['text']}`} dir="auto">
          {error}
        </Text>
      )}
      {missingTopics.length > 0 && (
        <Text size="sm" className={`soft ${classes['text']}`}>
          {words.missingTopics(missingTopics)}
        </Text>
      )}
    </Stack>
  );
}

function Readings({ fields }: { readonly fields: NonNullable<Verdict['fields']> }) {
  return (
    <div>
      <Title order={3} size="sm" mb="xs">
        {words.readings}
      </Title>
      <dl className={classes['readings']}>
        {fields.map(({ topic, path, value = words.nothingThere }) => {
          const name = [topic, ...path].join(' ');
          return (
            <div key={name} style={{ display: 'contents' }}>
              <dt dir="auto">
                {topic}
                {path.map((step) => ` › ${step}`)}
              </dt>
              <dd className="mono" dir="auto">
                {value}
              </dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}

function Past({ backtest }: { readonly backtest: NonNullable<Verdict['backtest']> }) {
  const { from, to, evaluations, errors, activations } = backtest;
  return (
    <div>
      <Title order={3} size="sm" mb="xs">
        {words.hour}
      </Title>
      {from === undefined || to === undefined || evaluations === 0 ? (
        <>
          <Text size="sm">{words.nothingRecorded}</Text>
          <Text size="sm" className="soft">
            {words.nothingRecordedHint}
          </Text>
        </>
      ) : (
        <>
          <ActivationStrip
            activations={activations}
            from={from}
            to={to}
            label={(times) => words.would(duration(to - from), times)}
          />
          <Text size="sm">{words.would(duration(to - from), activations.length)}</Text>
          {errors > 0 && (
            <Text size="sm" className="soft">
              {words.errors(errors, evaluations)}
            </Text>
          )}
        </>
      )}
    </div>
  );
}
