import { Alert, Stack } from '@mantine/core';
import { useMemo } from 'react';
import { Canvas } from './canvas.js';
import { addOperator, connect, disconnect, moveOperator, removeOperator } from './changes.js';
import { operatorsIn, type Place } from './definition.js';
import classes from './editor.module.css';
import type { Kept } from './kept.js';
import { Palette } from './palette.js';
import { ProblemList } from './problem-list.js';
import { type Problem, problemsIn, problemsToShow, selectionOf } from './problems.js';
import { Properties } from './properties.js';
import { TextPane } from './text-pane.js';
import { type Classes, useClasses } from './use-classes.js';
import type { Editor } from './use-editor.js';
import { words } from './words.js';
import type { WorkbenchProps } from './workbench-props.js';

/** Palette, picture and text of the same definition, properties of what is selected. */
export default function Workbench({ app, kept, editor, isReadOnly, selection, select }: WorkbenchProps) {
  const { definition, unreadable } = editor;
  const found = useClasses(app, definition);
  const problems = useProblems(editor, kept, found);
  const counts = useMemo(() => countsOf(problems, definition), [problems, definition]);
  const canDraw = !isReadOnly && unreadable === undefined;
  const add = (className: string, place: Place) => {
    const { definition: next, name } = addOperator(definition, className, place);
    editor.change(() => next);
    select(`operator:${name}`);
  };
  return (
    <div className={classes['editor']}>
      <Palette
        known={found.known}
        isReadOnly={!canDraw}
        onAdd={(className) =>
          add(className, besides(operatorsIn(definition).flatMap(({ place }) => place ?? [])))
        }
      />
      <div className={classes['middle']}>
        <Stack gap="sm">
          {unreadable !== undefined && (
            <Alert color="var(--state-warning)" variant="outline" title={words.stalePicture}>
              {unreadable}
            </Alert>
          )}
          <Canvas
            definition={definition}
            portsOf={found.portsOf}
            problems={counts}
            selection={selection}
            isReadOnly={!canDraw}
            onSelect={select}
            onMove={(name, place) => editor.change((now) => moveOperator(now, name, place))}
            onConnect={(source, sink) => editor.change((now) => connect(now, source, sink))}
            onRemove={(operators, sinks) =>
              editor.change((now) => operators.reduce(removeOperator, sinks.reduce(disconnect, now)))
            }
            onDrop={add}
          />
          <ProblemList problems={problems} onChoose={(problem) => select(selectionOf(problem, definition))} />
        </Stack>
        <TextPane
          text={editor.text}
          definition={definition}
          problems={problems}
          selection={selection}
          {...(isReadOnly ? {} : { onChange: editor.setText })}
        />
      </div>
      <Properties
        selection={selection}
        definition={definition}
        classes={found}
        packageProperties={kept.packageProperties}
        change={canDraw ? editor.change : undefined}
        select={select}
      />
    </div>
  );
}

function useProblems(editor: Editor, kept: Kept, { portsOf, isWhole }: Classes): readonly Problem[] {
  const { definition, unreadable, isChanged } = editor;
  return useMemo(() => {
    if (unreadable !== undefined) return [{ path: '', message: unreadable }];
    const local = problemsIn(definition, portsOf, isWhole);
    return problemsToShow(kept.problems, local, isChanged);
  }, [definition, unreadable, isChanged, kept.problems, portsOf, isWhole]);
}

function countsOf(
  problems: readonly Problem[],
  definition: Editor['definition'],
): ReadonlyMap<string, number> {
  const operators = operatorsIn(definition);
  const counts = new Map<string, number>();
  for (const { path } of problems) {
    const [, index] = /^operators\.(\d+)/.exec(path) ?? [];
    const name = index === undefined ? undefined : operators[Number(index)]?.name;
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** To the right of those that have been placed; below them where the row is long. */
const besides = (places: readonly Place[]): Place =>
  places.length === 0
    ? { x: 0, y: 160 }
    : { x: Math.max(...places.map(({ x }) => x)) + 260, y: Math.max(...places.map(({ y }) => y)) };
