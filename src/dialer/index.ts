import type { Platform } from '../engine/platform';
import type { DialerHandle } from './handle';
import { dialerLoop } from './loop';
import type { DialerOptions } from './options';

export type { DialerHandle, DialerStatus } from './handle';
export type { DialerOptions } from './options';
export type { Gate, GateName } from './gates';

/** The dialer of this process. Any number of them may run on one ledger: nobody is called twice, no limit is exceeded. */
export const createDialer = (platform: Platform, options: DialerOptions): DialerHandle => dialerLoop(platform, options);
