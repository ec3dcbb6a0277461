/** Phone numbers, SIP URIs and extensions of a configuration, in the one form by which they are compared. */

export type AddressType = 'pstn' | 'sip_uri' | 'sip_extension';

export interface Address {
  readonly address_normalized: string;
  readonly address_type: AddressType;
}

/** Country calling codes (ITU-T E.164) by ISO 3166-1 code. */
const DIAL_CODES: Readonly<Record<string, string>> = {
  US: '1',
  CA: '1',
  GB: '44',
  IN: '91',
  AU: '61',
  DE: '49',
  FR: '33',
  BR: '55',
  MX: '52',
  IT: '39',
  ES: '34',
  NL: '31',
  SE: '46',
  NO: '47',
  DK: '45',
  FI: '358',
  CH: '41',
  AT: '43',
  BE: '32',
  LU: '352',
  IE: '353',
};

/** Scheme, user, host (an IPv6 literal in brackets too), port, parameters, headers of RFC 3261 section 19.1. */
const SIP = /^(sips?):(?:(.*)@)?(\[[0-9a-f:.]+\]|[^@:;?[\]\s]+)(?::(\d+))?((?:;[^?]*)?)((?:\?.*)?)$/i;
const DEFAULT_PORT: Readonly<Record<string, string>> = { sip: '5060', sips: '5061' };

const normalizeSip = (address: string): string | null => {
  const parts = SIP.exec(address);
  if (parts === null) return null;
  const [, scheme = '', user, host = '', port, parameters = '', headers = ''] = parts;
  const lower = scheme.toLowerCase();
  const shownPort = port === undefined || port === DEFAULT_PORT[lower] ? '' : `:${port}`;
  return `${lower}:${user === undefined ? '' : `${user}@`}${host.toLowerCase()}${shownPort}${parameters.toLowerCase()}${headers}`;
};

/** What people put into numbers to read them better. */
const withoutSpacing = (address: string): string => address.replace(/[\s\-()[\]]/g, '');

/** 8 to 15 digits without a plus sign: a number whose country is not said. */
export const lacksCountry = (address: string): boolean => /^\d{8,15}$/.test(withoutSpacing(address.trim()));

const withCountry = (digits: string, country: string | null): string => {
  const code = country === null ? undefined : DIAL_CODES[country.toUpperCase()];
  if (code === undefined) return digits;
  const national = digits.replace(/^0+/, '');
  if (national.startsWith(code)) return national.length >= 8 ? national : digits;
  const whole = code + national;
  return whole.length >= 8 && whole.length <= 15 ? whole : digits;
};

/**
 * Numbers become `+` and 8 to 15 digits (the country's dial code goes before a number without plus sign), SIP URIs lose the case of
 * scheme, host and parameters and a default port, anything else is an extension in lower case. Normalizing twice changes nothing.
 */
export const normalizeAddress = (address: string, country: string | null = null): Address => {
  const typed = address.trim();
  if (/^sips?:/i.test(typed)) {
    const uri = normalizeSip(typed);
    if (uri !== null) return { address_normalized: uri, address_type: 'sip_uri' };
  }
  const bare = withoutSpacing(typed);
  if (/^\+\d{8,15}$/.test(bare)) return { address_normalized: bare, address_type: 'pstn' };
  if (/^\d{8,15}$/.test(bare)) return { address_normalized: `+${withCountry(bare, country)}`, address_type: 'pstn' };
  return { address_normalized: typed.toLowerCase(), address_type: 'sip_extension' };
};
