// The theme: teal and greys. Every colour pair below passes WCAG AA in the light and the dark scheme.
import {
  createTheme,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type OptionsFilter,
} from '@mantine/core';
import { matches } from '../i18n/matches.ts';

const water: MantineColorsTuple = [
  '#e8f6f5',
  '#d3ebea',
  '#a8d8d5',
  '#78c3bf',
  '#4fb0ac',
  '#33a09d',
  '#1c8a88',
  '#117372',
  '#0b6062',
  '#084a4d',
];
/** Greys with a slight teal tint. */
const gray: MantineColorsTuple = [
  '#f5f8f8',
  '#ecf1f1',
  '#dfe6e7',
  '#cdd7d8',
  '#b2bfc1',
  '#8d9c9f',
  '#66767a',
  '#4b5a5e',
  '#344145',
  '#1f2a2d',
];
const dark: MantineColorsTuple = [
  '#d7e0e1',
  '#b8c5c7',
  '#9aaaad',
  '#71848a',
  '#3f5257',
  '#2a3a3f',
  '#1c2a2e',
  '#142024',
  '#0e181b',
  '#091113',
];

const FONTS =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Apple SD Gothic Neo', 'Malgun Gothic', 'Noto Sans KR', 'Noto Sans CJK KR', sans-serif";
const MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'D2Coding', 'Noto Sans Mono', monospace";

/** Korean search by initial consonants: ㅁㅈ finds 민준. */
const filter: OptionsFilter = ({ options, search }) =>
  options.filter((option) => 'group' in option || matches(option.label, search));

export const theme = createTheme({
  primaryColor: 'water',
  primaryShade: { light: 8, dark: 7 },
  colors: { water, gray, dark },
  black: '#152024',
  autoContrast: true,
  luminanceThreshold: 0.19,
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '16px' },
  fontFamily: FONTS,
  fontFamilyMonospace: MONO,
  headings: {
    fontFamily: FONTS,
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.125rem', lineHeight: '1.4' },
      h3: { fontSize: '1rem', lineHeight: '1.45' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // A click outside a dialog does not close it, so that input is not lost.
    // Mantine's header is a landmark of the page: a second banner. A dialog has its own name instead.
    Modal: {
      defaultProps: {
        centered: true,
        closeOnClickOutside: false,
        attributes: { header: { role: 'presentation' } },
      },
      styles: { title: { fontWeight: 650, lineHeight: 1.35, overflowWrap: 'anywhere' } },
    },
    // The placeholder is a hidden first child that is not a menu item, which confuses screen readers.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Tooltip: {
      defaultProps: { withArrow: true, openDelay: 300, events: { hover: true, focus: true, touch: true } },
    },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 600 } },
    Paper: { defaultProps: { withBorder: true, p: 'md' } },
    // Mantine's scroll area cannot be reached by keyboard.
    Select: {
      defaultProps: { allowDeselect: false, checkIconPosition: 'right', withScrollArea: false, filter },
      styles: { options: { maxHeight: 260, overflowY: 'auto' } },
    },
    NumberInput: { defaultProps: { thousandSeparator: ',', hideControls: true } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f5f8f8',
    '--mantine-color-dimmed': '#54646a',
    '--mantine-color-placeholder': '#66767a',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-success': '#0b6062',
    '--mantine-color-default-border': '#b2bfc1',
    '--mantine-color-red-filled': '#b3261e',
    '--mantine-color-red-filled-hover': '#942019',
    '--mantine-color-red-text': '#b3261e',
    // Mantine's default text colours have too little contrast on their light backgrounds.
    '--mantine-color-yellow-light-color': '#6b4400',
    '--mantine-color-orange-light-color': '#8a3206',
    '--mantine-color-green-light-color': '#1b5e2a',
    '--mantine-color-teal-light-color': '#055a41',
    '--mantine-color-lime-light-color': '#3b5a0c',
    '--focus': '#0b6062',
    '--surface': '#ffffff',
    '--line': '#dfe6e7',
    '--nav': '#0b3539',
    '--nav-text': '#c9dfde',
    '--nav-hover': '#124449',
    '--nav-current': '#17555a',
    '--good': '#0b6b43',
    '--warn': '#8a4b00',
    '--bad': '#b3261e',
    '--chart-1': '#117372',
    '--chart-2': '#c2571a',
    '--chart-3': '#4a5fb8',
    '--chart-4': '#8c6d00',
    '--chart-5': '#a23b72',
    '--chart-6': '#4c7a2b',
    '--chart-7': '#6b4fa0',
    '--chart-8': '#5d6d73',
  },
  dark: {
    '--mantine-color-body': '#0e181b',
    '--mantine-color-dimmed': '#9fb0b3',
    '--mantine-color-placeholder': '#8a9da1',
    '--mantine-color-error': '#ff9d94',
    '--mantine-color-success': '#78c3bf',
    '--mantine-color-default': '#142024',
    '--mantine-color-default-border': '#3f5257',
    '--mantine-color-red-text': '#ff9d94',
    '--mantine-color-red-filled': '#c9382e',
    '--mantine-color-red-filled-hover': '#b3261e',
    '--mantine-color-red-light-color': '#ffc9c4',
    '--mantine-color-water-light': '#12464a',
    '--mantine-color-water-light-hover': '#17555a',
    '--mantine-color-gray-light': '#2a3a3f',
    '--mantine-color-gray-light-hover': '#34474d',
    '--focus': '#78c3bf',
    '--surface': '#142024',
    '--line': '#2a3a3f',
    '--nav': '#0a1416',
    '--nav-text': '#b8c5c7',
    '--nav-hover': '#142529',
    '--nav-current': '#17383c',
    '--good': '#7fd1a8',
    '--warn': '#f0b45c',
    '--bad': '#ff9d94',
    '--chart-1': '#4fb0ac',
    '--chart-2': '#ef8f56',
    '--chart-3': '#8fa2f0',
    '--chart-4': '#d9b13b',
    '--chart-5': '#e387b8',
    '--chart-6': '#93c46a',
    '--chart-7': '#b39ce6',
    '--chart-8': '#9fb0b3',
  },
});
