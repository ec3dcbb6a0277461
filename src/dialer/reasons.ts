/** Texts that stand in the ledger beside a call that was given back or closed. */
export const WITHDRAWN_TOO_OLD = 'it could not be sent in time';
export const WITHDRAWN_ABANDONED = 'its process ended before it was claimed';
