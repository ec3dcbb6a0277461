/** The carriers that exist, by the provider that a configuration names. */
import type { Carrier } from '../ports/carrier';
import type { AriOptions } from './ari';
import { ariCarrier } from './ari';

export interface CarriersOptions {
  readonly ari: AriOptions;
}

export const carriers = (options: CarriersOptions): ReadonlyMap<string, Carrier> =>
  new Map([ariCarrier(options.ari)].map((carrier) => [carrier.provider, carrier]));
