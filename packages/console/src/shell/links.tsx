import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type Link<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>;

/** A place of this console as a button, and in a sentence: with the types of its path and its query. */
export const ButtonLink = createLink((props: Link<ButtonProps>) => <Button component="a" {...props} />);
export const TextLink = createLink((props: Link<AnchorProps>) => <Anchor size="sm" {...props} />);
