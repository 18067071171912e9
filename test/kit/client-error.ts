// The error of a call of the TypeScript client that must fail.
import assert from 'node:assert/strict';
import { SluiceError } from '../../clients/typescript/src/index.ts';

export const clientErrorOf = (call: Promise<unknown>): Promise<SluiceError> =>
  call.then(
    () => assert.fail('the call succeeded'),
    (error: unknown) => {
      assert.ok(error instanceof SluiceError, String(error));
      return error;
    },
  );
