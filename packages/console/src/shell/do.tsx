import { Button, type ButtonProps, Menu, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { May } from '../gateway/capabilities.js';

interface DoProps {
  readonly may: May;
  readonly onClick: () => unknown;
  readonly children: ReactNode;
}

/**
 * A button for something that may be refused. Refused, it stays where it is and says why: a button that is `disabled` takes no
 * focus, and its tooltip would reach nobody who works by keyboard.
 */
export function Do({ may, onClick, children, ...props }: DoProps & ButtonProps) {
  if (may.ok)
    return (
      <Button variant="default" {...props} onClick={() => onClick()}>
        {children}
      </Button>
    );
  return (
    <Tooltip label={may.reason} multiline maw={320}>
      <Button
        variant="default"
        {...props}
        aria-disabled
        data-disabled
        aria-description={may.reason}
        onClick={(event) => event.preventDefault()}
      >
        {children}
      </Button>
    </Tooltip>
  );
}

/** The same as a line of a menu. */
export function DoItem({ may, onClick, children, danger = false }: DoProps & { readonly danger?: boolean }) {
  const color = danger ? { color: 'red' } : {};
  if (may.ok)
    return (
      <Menu.Item {...color} onClick={() => onClick()}>
        {children}
      </Menu.Item>
    );
  return (
    <Tooltip label={may.reason} multiline maw={320} position="left">
      <Menu.Item
        {...color}
        aria-disabled
        data-disabled
        aria-description={may.reason}
        closeMenuOnClick={false}
      >
        {children}
      </Menu.Item>
    </Tooltip>
  );
}
