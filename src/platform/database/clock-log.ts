// Logs one line when the clocks of service and database differ too much, and one when they no longer do.
import { CLOCK_SKEW_MS_MAX } from '../values/clock-skew.ts';

interface Log {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

export function watchClock(logger: Log, onMeasured: (seconds: number) => void): (skew_ms: number) => void {
  let isWrong = false;
  return (skew_ms) => {
    const seconds = Math.round(skew_ms / 100) / 10;
    onMeasured(Math.abs(seconds));
    if (isWrong === Math.abs(skew_ms) > CLOCK_SKEW_MS_MAX) return;
    isWrong = !isWrong;
    if (isWrong)
      logger.warn(
        { seconds },
        'the clock of this machine differs from that of the database: signed requests may be refused, and times are wrong. Synchronize both clocks (NTP)',
      );
    else logger.info({ seconds }, 'the clocks of this machine and of the database agree again');
  };
}
