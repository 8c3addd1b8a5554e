import { ActionIcon, type ActionIconProps, Group, Text, Tooltip } from '@mantine/core';
import { useId } from 'react';
import { Code } from '../../../forms/code.js';
import { Remark } from '../../../shell/remark.js';
import type { Problem } from '../problems.js';
import { words } from '../words.js';
import { statementLanguage } from './language.js';

/** Of those beside a statement. */
export type StatementButton = 'up' | 'down' | 'insert' | 'remove';

interface Props {
  readonly sql: string;
  readonly place: number;
  readonly isLast: boolean;
  readonly problems: readonly Problem[];
  /** Absent: it can be read only. */
  readonly onChange?: (sql: string) => void;
  readonly onInsert: () => void;
  readonly onRemove: () => void;
  readonly onMove: (by: 1 | -1) => void;
}

export function Statement({ sql, place, isLast, problems, onChange, onInsert, onRemove, onMove }: Props) {
  const number = place + 1;
  const id = useId();
  return (
    <li>
      <div role="group" aria-labelledby={id} className="panel">
        <Group justify="space-between" gap="sm" mb="xs" wrap="nowrap">
          <Text fw={600} id={id} component="h3" fz="sm">
            {words.statement(number)}
            {isLast && <span className="soft"> {words.makesJob}</span>}
          </Text>
          {onChange && (
            <Group gap={2} wrap="nowrap">
              <Button
                on="up"
                label={words.moveUp(number)}
                sign="↑"
                isOff={place === 0}
                act={() => onMove(-1)}
              />
              <Button
                on="down"
                label={words.moveDown(number)}
                sign="↓"
                isOff={isLast}
                act={() => onMove(1)}
              />
              <Button on="insert" label={words.insertBefore(number)} sign="+" act={onInsert} />
              <Button on="remove" label={words.removeStatement(number)} sign="✕" act={onRemove} />
            </Group>
          )}
        </Group>
        <Code
          label={words.sql}
          value={sql}
          extensions={statementLanguage}
          minHeight={48}
          maxHeight={320}
          {...(onChange ? { onChange } : {})}
        />
        {problems.map(({ message }) => (
          <Text key={message} size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
            <Remark kind="failed">{message}</Remark>
          </Text>
        ))}
      </div>
    </li>
  );
}

interface ButtonProps extends ActionIconProps {
  readonly on: StatementButton;
  readonly label: string;
  readonly sign: string;
  /** There is nowhere to go; it keeps the keyboard all the same. */
  readonly isOff?: boolean;
  readonly act: () => void;
}

const Button = ({ on, label, sign, isOff = false, act, ...props }: ButtonProps) => (
  <Tooltip label={label}>
    <ActionIcon
      variant="subtle"
      color="gray"
      c="var(--mantine-color-text)"
      {...props}
      data-on={on}
      aria-label={label}
      {...(isOff ? { 'aria-disabled': true, 'data-disabled': true } : {})}
      onClick={() => {
        if (!isOff) act();
      }}
    >
      {sign}
    </ActionIcon>
  </Tooltip>
);
