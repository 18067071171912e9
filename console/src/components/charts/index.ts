export { StackedBars } from './stacked-bars.tsx';
export { StepLine } from './step-line.tsx';
