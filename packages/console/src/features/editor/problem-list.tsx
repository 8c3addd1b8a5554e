import { Button, Collapse, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Remark } from '../../shell/remark.js';
import type { Problem } from './problems.js';
import { words } from './words.js';

interface Props {
  readonly problems: readonly Problem[];
  readonly onChoose: (problem: Problem) => void;
}

export function ProblemList({ problems, onChoose }: Props) {
  const [isOpen, { toggle }] = useDisclosure(true);
  const { length } = problems;
  const title = <Remark kind={length === 0 ? 'running' : 'warning'}>{words.problems(length)}</Remark>;
  if (length === 0)
    return (
      <Text size="sm" role="status">
        {title}
      </Text>
    );
  return (
    <section aria-label={words.problems(length)}>
      <Button variant="subtle" size="compact-sm" onClick={toggle} aria-expanded={isOpen}>
        {title}
      </Button>
      <Collapse expanded={isOpen}>
        {problems.map((problem) => (
          <NavLink
            key={`${problem.path} ${problem.message}`}
            component="button"
            label={problem.message}
            description={problem.path}
            onClick={() => onChoose(problem)}
            py={4}
          />
        ))}
      </Collapse>
    </section>
  );
}
