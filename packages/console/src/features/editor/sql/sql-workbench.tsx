import { Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ProblemList } from '../problem-list.js';
import { type Problem, problemsToShow } from '../problems.js';
import type { WorkbenchProps } from '../workbench-props.js';
import { About } from './about.js';
import { Sample } from './sample.js';
import classes from './sql.module.css';
import { StatementList } from './statement-list.js';
import { placeOfStatement, statementProblems } from './statements.js';

/** Statements in their order, what a launch is to know besides, and rows of what they define. */
export default function SqlWorkbench({ app, kept, editor, isReadOnly, selection, select }: WorkbenchProps) {
  const { definition, isChanged } = editor;
  const problems = useMemo(
    () => problemsToShow(kept.problems, statementProblems(definition), isChanged),
    [kept.problems, definition, isChanged],
  );
  const [asked, setAsked] = useState(0);
  const change = isReadOnly ? undefined : editor.change;
  const choose = ({ path }: Problem) => {
    const place = placeOfStatement(path);
    setAsked((before) => before + 1);
    select(place === undefined ? undefined : `statement:${place}`);
  };
  return (
    <div className={classes['workbench']}>
      <Stack gap="md" className={classes['main'] ?? ''}>
        <ProblemList problems={problems} onChoose={choose} />
        <StatementList
          definition={definition}
          problems={problems}
          selected={placeOfStatement(selection)}
          asked={asked}
          change={change}
          onSelect={(place) => select(place === undefined ? undefined : `statement:${place}`)}
        />
        <Sample app={app} isChanged={isChanged} hasProblems={problems.length > 0} />
      </Stack>
      <About definition={definition} problems={problems} change={change} />
    </div>
  );
}
