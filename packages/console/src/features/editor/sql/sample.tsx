import { Group, Input, NumberInput, Stack, Text, Title } from '@mantine/core';
import { useId, useRef, useState } from 'react';
import { Code } from '../../../forms/code.js';
import { both, unless, useMay } from '../../../gateway/capabilities.js';
import { client } from '../../../gateway/client.js';
import { Do } from '../../../shell/do.js';
import { useDraft } from '../../../shell/draft.js';
import { Failure } from '../../../shell/failure.js';
import { useWork } from '../../../shell/use-work.js';
import type { AppRef } from '../kept.js';
import { words } from '../words.js';
import { statementLanguage } from './language.js';
import { type Sampled, SampleRows } from './sample-rows.js';

interface Props {
  readonly app: AppRef;
  /** What is sampled is what the package has. */
  readonly isChanged: boolean;
  readonly hasProblems: boolean;
}

interface Draft {
  readonly query: string;
  readonly rows: number | string;
}

const first: Draft = { query: '', rows: 20 };
const mostRows = 1000;

/** Rows of a query over the tables that the statements define. */
export function Sample({ app, isChanged, hasProblems }: Props) {
  const id = useId();
  const may = useMay()('samplePackageApplication');
  const { draft = first, setDraft } = useDraft<Draft>(`sample ${JSON.stringify(Object.values(app))}`);
  const { isWorking, error, run } = useWork();
  const [sampled, setSampled] = useState<Sampled>();
  const asking = useRef<AbortController>(undefined);
  const { query, rows } = draft;
  const maySample = both(
    may,
    unless(isChanged, words.sampleUnsaved),
    unless(hasProblems, words.cannotSample),
    unless(query.trim() === '', words.noQuery),
    unless(typeof rows !== 'number', words.noRows),
  );
  const sample = () =>
    run(async () => {
      const controller = new AbortController();
      asking.current = controller;
      setSampled(undefined);
      try {
        const body = { query, rows: Number(rows) };
        setSampled(await client.samplePackageApplication({ params: app, body, signal: controller.signal }));
      } catch (thrown) {
        if (!controller.signal.aborted) throw thrown;
      }
    });
  return (
    <Stack component="section" className="panel" gap="sm" aria-labelledby={id}>
      <Title order={2} id={id}>
        {words.sample}
      </Title>
      <Text size="sm" className="soft">
        {may.ok ? words.sampleHint : may.reason}
      </Text>
      {may.ok && (
        <div>
          <Input.Label component="div">{words.query}</Input.Label>
          <Code
            label={words.query}
            value={query}
            extensions={statementLanguage}
            minHeight={48}
            maxHeight={240}
            onChange={(next) => setDraft({ ...draft, query: next })}
          />
        </div>
      )}
      <Group gap="sm" align="end">
        {may.ok && (
          <NumberInput
            label={words.rows}
            value={rows}
            min={1}
            max={mostRows}
            clampBehavior="strict"
            allowDecimal={false}
            onChange={(next) => setDraft({ ...draft, rows: next })}
            w={120}
          />
        )}
        <Do may={maySample} onClick={sample} loading={isWorking}>
          {words.takeSample}
        </Do>
        {isWorking && (
          <Do may={{ ok: true }} onClick={() => asking.current?.abort()}>
            {words.stopSample}
          </Do>
        )}
      </Group>
      {error && <Failure error={error} what={words.sample} />}
      {sampled && <SampleRows sampled={sampled} />}
    </Stack>
  );
}
