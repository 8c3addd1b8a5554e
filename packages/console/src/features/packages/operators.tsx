import { Grid, List, NavLink, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { read } from '../../gateway/queries.js';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { Remark } from '../../shell/remark.js';
import { OperatorDocumentation } from './operator-documentation.js';
import type { PackageRef } from './rows.js';
import type { OperatorClass } from './shapes.js';
import { words } from './words.js';

/** Classes that applications of this package can be made of, with their documentation. */
export function Operators({ of }: { readonly of: PackageRef }) {
  const query = useQuery(read('listPackageOperators', { params: of }));
  return (
    <Loaded query={query} what={words.parts.operators} lines={8}>
      {({ operatorClasses, problems = [] }) => (
        <Stack>
          {problems.length > 0 && (
            <List size="sm" aria-label={words.problems}>
              {problems.map(({ file, message }) => (
                <List.Item key={`${file} ${message}`}>
                  <Remark kind="warning">{file}</Remark> {message}
                </List.Item>
              ))}
            </List>
          )}
          {operatorClasses.length === 0 ? (
            <Empty title={words.noOperator}>{words.noOperatorHint}</Empty>
          ) : (
            <Browse classes={operatorClasses} of={of} />
          )}
        </Stack>
      )}
    </Loaded>
  );
}

function Browse({ classes, of }: { readonly classes: readonly OperatorClass[]; readonly of: PackageRef }) {
  const { q = '', open } = useSearch({ from: '/framed/packages/$owner/$name/$version' });
  const navigate = useNavigate({ from: '/packages/$owner/$name/$version' });
  const shown = useMemo(() => found(classes, q), [classes, q]);
  const chosen = classes.find(({ name }) => name === open) ?? shown[0];
  return (
    <Grid>
      <Grid.Col span={{ base: 12, sm: 4 }}>
        <TextInput
          data-filter
          mb="sm"
          aria-label={words.filterOperators}
          placeholder={words.filterOperators}
          value={q}
          onChange={({ currentTarget: { value } }) =>
            void navigate({
              search: ({ q: _, ...others }) => (value === '' ? others : { ...others, q: value }),
              replace: true,
            })
          }
        />
        <ScrollArea.Autosize mah={560} viewportProps={{ tabIndex: 0 }} type="auto">
          {shown.map(({ name, title, category }) => (
            <NavLink
              key={name}
              component="button"
              label={title ?? name}
              description={category}
              active={name === chosen?.name}
              aria-pressed={name === chosen?.name}
              onClick={() => void navigate({ search: (before) => ({ ...before, open: name }) })}
            />
          ))}
        </ScrollArea.Autosize>
        {shown.length === 0 && <Text className="soft">{words.noMatchHint(classes.length)}</Text>}
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 8 }}>
        {chosen && <OperatorDocumentation key={chosen.name} known={chosen} of={of} />}
      </Grid.Col>
    </Grid>
  );
}

function found(classes: readonly OperatorClass[], q: string): readonly OperatorClass[] {
  const wanted = q.trim().toLowerCase();
  return classes.filter(({ name, title = '', shortDesc = '', category = '', tags = [] }) =>
    [name, title, shortDesc, category, ...tags].some((text) => text.toLowerCase().includes(wanted)),
  );
}
