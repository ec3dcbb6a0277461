/** Writes a first agent definition from two texts. */
import type { Either } from 'fp-ts/Either';

export interface TemplateRequest {
  readonly callType: 'inbound' | 'outbound';
  readonly useCase: string;
  readonly activityDescription: string;
}

export interface ComposedAgent {
  readonly name: string;
  /** Nodes and edges; not validated yet. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** Who wrote it: `offline-composer` or the model's name. */
  readonly generatedBy: string;
}

export interface LanguageModel {
  /** `repair` carries a definition of before and what was wrong with it. Left: why the model failed, in words for the user. */
  compose(
    request: TemplateRequest,
    repair?: { readonly definition: unknown; readonly errors: readonly string[] },
  ): Promise<Either<string, ComposedAgent>>;
}
