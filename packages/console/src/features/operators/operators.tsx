import { Button, TextInput } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useWindowMillis } from '../../gateway/use-window-millis.js';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { Part } from '../../shell/part.js';
import { OperatorList } from './list.js';
import { lagsOf, shownRows } from './rows.js';
import { useLogical } from './use-operators.js';
import { words } from './words.js';

export default function Operators() {
  const { id } = useParams({ from: '/framed/apps/$id/operators' });
  const { q } = useSearch({ from: '/framed/apps/$id/operators' });
  const navigate = useNavigate({ from: '/apps/$id/operators' });
  const { query, operators } = useLogical(id);
  const width = useWindowMillis(id);
  const shown = useMemo(() => shownRows(operators, q), [operators, q]);
  const lags = useMemo(() => lagsOf(operators, width), [operators, width]);
  const filter = (text: string) => void navigate({ search: text === '' ? {} : { q: text }, replace: true });
  return (
    <Part
      title={words.title}
      actions={
        <TextInput
          data-filter
          aria-label={words.filter}
          placeholder={words.filter}
          value={q ?? ''}
          onChange={({ currentTarget }) => filter(currentTarget.value)}
          w={280}
        />
      }
    >
      <Loaded query={query} what={words.title} lines={8}>
        {() =>
          operators.length === 0 ? (
            <Empty title={words.none}>{words.noneHint}</Empty>
          ) : shown.length === 0 ? (
            <Empty
              title={words.noMatch}
              action={
                <Button variant="default" onClick={() => filter('')}>
                  {words.showAll}
                </Button>
              }
            >
              {words.noMatchHint(operators.length)}
            </Empty>
          ) : (
            <OperatorList appid={id} rows={shown} lags={lags} />
          )
        }
      </Loaded>
    </Part>
  );
}
