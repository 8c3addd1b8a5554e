import {
  type CSSVariablesResolver,
  createTheme,
  darken,
  lighten,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from '@mantine/core';
import { words } from './words.js';

const defaultAccent = '#1b6ec2';

/** Ten shades of one colour, the given one as the seventh: that is where buttons take theirs. */
const shadesOf = (accent: string): MantineColorsTuple => [
  lighten(accent, 0.92),
  lighten(accent, 0.84),
  lighten(accent, 0.68),
  lighten(accent, 0.5),
  lighten(accent, 0.34),
  lighten(accent, 0.16),
  accent,
  darken(accent, 0.12),
  darken(accent, 0.24),
  darken(accent, 0.36),
];

export const themeWith = (accent = defaultAccent): MantineThemeOverride =>
  createTheme({
    colors: { accent: shadesOf(accent) },
    primaryColor: 'accent',
    primaryShade: { light: 7, dark: 7 },
    defaultRadius: 'sm',
    autoContrast: true,
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
    fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
    fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
    spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
    headings: {
      sizes: { h1: { fontSize: '20px', lineHeight: '28px' }, h2: { fontSize: '16px', lineHeight: '24px' } },
    },
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: {
      Tooltip: { defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: true } } },
      Modal: {
        defaultProps: {
          centered: true,
          overlayProps: { backgroundOpacity: 0.5 },
          closeButtonProps: { 'aria-label': words.close },
          // Otherwise it is another banner of the page.
          attributes: { header: { role: 'none' } },
        },
      },
    },
  });

/** Colours that carry a meaning; contrast of each text at least 5.7 on the grounds it stands on. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--state-running': '#006b4f',
    '--state-waiting': '#0059a3',
    '--state-warning': '#8a5200',
    '--state-failed': '#b3261e',
    '--state-ended': '#4a5560',
    '--state-unknown': '#4a5560',
    '--ground': '#ffffff',
    '--ground-panel': '#ffffff',
    '--ground-rail': '#f1f3f5',
    '--ground-line': '#f4f6f8',
    '--ground-current': '#fff4cc',
    '--ground-hit': '#ffe08a',
    '--line': '#d3d8dd',
    '--text-soft': '#4a5560',
    '--mantine-color-dimmed': '#4a5560',
    '--mantine-color-placeholder': '#5c6670',
    '--series-1': '#0072b2',
    '--series-2': '#d55e00',
    '--series-3': '#009e73',
    '--series-4': '#cc79a7',
    '--series-5': '#56b4e9',
    '--series-6': '#e69f00',
  },
  dark: {
    '--state-running': '#4fd1a5',
    '--state-waiting': '#7ab8ff',
    '--state-warning': '#ffb454',
    '--state-failed': '#ff8a80',
    '--state-ended': '#a7b0ba',
    '--state-unknown': '#a7b0ba',
    '--ground': '#1b1b1b',
    '--ground-panel': '#242424',
    '--ground-rail': '#202020',
    '--ground-line': '#2a2d30',
    '--ground-current': '#3a3416',
    '--ground-hit': '#5c4a00',
    '--line': '#404448',
    '--text-soft': '#a7b0ba',
    '--mantine-color-dimmed': '#a7b0ba',
    '--mantine-color-placeholder': '#98a1ab',
    '--series-1': '#56b4e9',
    '--series-2': '#ff8c42',
    '--series-3': '#2fc79a',
    '--series-4': '#e3a3c6',
    '--series-5': '#9ad4f5',
    '--series-6': '#f5b933',
  },
});
