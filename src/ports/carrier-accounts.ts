/** What a carrier's account is asked when a configuration or a number is saved. No call is ever placed through this port. */
import type { Either } from 'fp-ts/Either';

/** Why a carrier did not do what it was asked. */
export type AccountFailure =
  /** It answered, and says no: wrong credentials, a number that the account does not own. */
  { readonly kind: 'refused'; readonly message: string } | { readonly kind: 'unreachable'; readonly message: string };

export interface AccountRequest {
  readonly provider: string;
  /** The variant's fields, readable. */
  readonly credentials: Readonly<Record<string, unknown>>;
}

export interface CarrierAccounts {
  /** Whether the carrier takes the credentials; answers what else of the account a configuration keeps, null: nothing. Never rejects. */
  check(account: AccountRequest): Promise<Either<AccountFailure, Readonly<Record<string, string>> | null>>;
  /** Makes the application that calls and webhooks of a configuration go through; answers its name or id. Never rejects. */
  createApplication(account: AccountRequest): Promise<Either<AccountFailure, string>>;
  /** Whether the account owns a number (E.164). Never rejects. */
  ownsNumber(account: AccountRequest, address: string): Promise<Either<AccountFailure, null>>;
  /** Points a number's inbound calls at us, or away from us. Never rejects. */
  routeNumber(account: AccountRequest, address: string, attached: boolean): Promise<Either<AccountFailure, null>>;
}
