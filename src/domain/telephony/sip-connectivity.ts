/** Where a SIP carrier takes calls from us and sends them from; only Cloudonix has it. */
import type { JsonObject } from '../../core/event';
import type { Provider } from './events';

export interface SipConnectivity {
  readonly provider_display_name: string;
  readonly regions: readonly {
    readonly region: string;
    readonly inbound_transports: readonly {
      readonly transport: string;
      readonly hostname: string;
      readonly port: number;
      readonly uri: string;
    }[];
    readonly outbound_origin_ip: string;
  }[];
}

const REGIONS = [
  { region: 'India', suffix: 'in.dimi.tel', plain: 9060, tls: 9443, ip: '128.199.27.19' },
  { region: 'UAE', suffix: 'uae.dimi.tel', plain: 9081, tls: 9443, ip: '20.233.60.70' },
  { region: 'Global', suffix: 'sip.cloudonix.net', plain: 5060, tls: 443, ip: '18.219.128.166' },
] as const;

/** Names of Cloudonix's regions, as trunks spell them. */
export const cloudonixRegions: readonly string[] = REGIONS.map((r) => r.region);

/** null for other carriers, and while the domain's id at the carrier (`domain_uuid`) is not known. */
export const sipConnectivity = (provider: Provider, credentials: JsonObject): SipConnectivity | null => {
  const domain = credentials['domain_uuid'];
  if (provider !== 'cloudonix' || typeof domain !== 'string' || domain === '') return null;
  return {
    provider_display_name: 'Cloudonix',
    regions: REGIONS.map(({ region, suffix, plain, tls, ip }) => {
      const hostname = `${domain}.${suffix}`;
      return {
        region,
        inbound_transports: [
          { transport: 'UDP', hostname, port: plain, uri: `${hostname}:${plain}` },
          { transport: 'TCP', hostname, port: plain, uri: `${hostname}:${plain};transport=tcp;` },
          { transport: 'TLS', hostname, port: tls, uri: `${hostname}:${tls};transport=tls;` },
        ],
        outbound_origin_ip: ip,
      };
    }),
  };
};
