import { json } from '@codemirror/lang-json';
import { useMemo } from 'react';
import { Code } from '../../forms/code.js';
import { type Definition, operatorsIn, streamsIn } from './definition.js';
import type { Problem } from './problems.js';
import { placeOf } from './text-place.js';
import { words } from './words.js';

interface Props {
  readonly text: string;
  readonly definition: Definition;
  readonly problems: readonly Problem[];
  readonly selection: string | undefined;
  /** Absent: it can be read only. */
  readonly onChange?: (text: string) => void;
}

const language = [json()];

/** The definition as it is saved. What is selected in the picture is selected here, too. */
export function TextPane({ text, definition, problems, selection, onChange }: Props) {
  const marks = useMemo(
    () =>
      problems.flatMap(({ path, message }) => {
        const place = path === '' ? undefined : placeOf(text, path);
        return place ? [{ ...place, message }] : [];
      }),
    [problems, text],
  );
  // Only another selection moves the text: typing does not.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as it was when it was selected.
  const reveal = useMemo(() => {
    const path = pathOf(selection, definition);
    return path === undefined ? undefined : placeOf(text, path);
  }, [selection]);
  return (
    <Code
      label={words.text}
      value={text}
      extensions={language}
      marks={marks}
      reveal={reveal}
      minHeight={200}
      maxHeight={400}
      {...(onChange ? { onChange } : {})}
    />
  );
}

function pathOf(selection: string | undefined, definition: Definition): string | undefined {
  const [, kind, name] = /^(operator|stream):(.*)$/s.exec(selection ?? '') ?? [];
  if (kind === undefined) return undefined;
  const list = kind === 'operator' ? operatorsIn(definition) : streamsIn(definition);
  const at = list.findIndex((one) => one.name === name);
  return at < 0 ? undefined : `${kind}s.${at}`;
}
