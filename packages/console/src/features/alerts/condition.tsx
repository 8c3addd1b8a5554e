import { Input } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Code } from '../../forms/code.js';
import { createScript, type ScriptProblem } from '../../forms/code-script.js';
import { completionsAt } from './completion.js';
import type { TopicData } from './topic-values.js';
import { words } from './words.js';

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly data: TopicData;
  readonly problem: ScriptProblem | undefined;
}

/** The editor of a condition, which knows the topics and their values as they are now. */
export function Condition({ value, onChange, data, problem }: Props) {
  const latest = useRef(data);
  latest.current = data;
  const [script] = useState(() =>
    createScript((before, after) => completionsAt(before, after, latest.current)),
  );
  useEffect(() => script.mark(problem), [script, problem]);
  return (
    <div>
      <Input.Label component="div">{words.condition}</Input.Label>
      <Input.Description mb={4}>{words.conditionHint}</Input.Description>
      <Code
        label={words.condition}
        value={value}
        onChange={onChange}
        extensions={script.extensions}
        minHeight={160}
      />
    </div>
  );
}
