/** `vault rotate`: the vault's keys under a new master key. Answers its exit code. */
import type { Config } from '../config';
import { rotateVault } from '../main';
import { throttled, type Print } from './print';

export const rotateCommand = async (config: Config, print: Print): Promise<number> => {
  const now = throttled(print, 1000);
  const done = await rotateVault(config, ({ rewrapped, remaining }) =>
    now(`${rewrapped} keys wrapped anew, ${remaining} to go`),
  );
  if (done === null) {
    print(
      'the embedded vault has no master key: there is nothing to rotate (VAULT_MASTER_KEY with MONGO_URL is not set)',
    );
    return 2;
  }
  print(`${done.rewrapped} keys wrapped anew, ${done.remaining} left under an older master key`);
  if (done.remaining === 0) {
    print('every key is wrapped by VAULT_MASTER_KEY; VAULT_PREVIOUS_MASTER_KEYS may be forgotten');
    return 0;
  }
  print(
    'a process that does not know the new master key is still writing: start it with both keys, then run this again',
  );
  return 1;
};
