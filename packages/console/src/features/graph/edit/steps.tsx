import { ActionIcon, Stack, Text } from '@mantine/core';
import classes from '../graph.module.css';
import type { Obstacle, PlanRequest } from '../plan-draft.js';
import { markOf, obstacleInWords, sentenceOf, words } from '../words.js';

interface Props {
  readonly requests: readonly PlanRequest[];
  readonly obstacles: readonly (Obstacle | undefined)[];
  /** What the gateway said to each, by its number. */
  readonly refusals: ReadonlyMap<number, string>;
  readonly onUndo: (step: number) => void;
}

export function Steps({ requests, obstacles, refusals, onUndo }: Props) {
  return (
    <Stack component="ol" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
      {requests.map((request, step) => {
        const mark = markOf(request);
        const sentence = sentenceOf(request);
        const obstacle = obstacles[step];
        const problem = obstacle ? obstacleInWords(obstacle) : refusals.get(step);
        return (
          <li key={`${step} ${sentence}`} className={classes['step']} data-mark={mark}>
            <span>
              <span className={classes['mark']} title={words.marks[mark]}>
                {words.signs[mark]}
              </span>{' '}
              <bdi className={classes['sentence']}>{sentence}</bdi>
              {problem !== undefined && (
                <Text size="xs" data-state="failed">
                  ✖ {problem}
                </Text>
              )}
            </span>
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              c="var(--mantine-color-text)"
              aria-label={words.undo(sentence)}
              onClick={() => onUndo(step)}
            >
              ↶
            </ActionIcon>
          </li>
        );
      })}
    </Stack>
  );
}
