/** Asks the language model for a definition, has it checked, lets the model mend it once. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import type { Failure } from '../core/failure';
import type { ComposedAgent, LanguageModel, TemplateRequest } from '../ports/language-model';

/** Faults that are told in a failure; the rest are counted. */
const SHOWN = 5;

const failed = (message: string): Either<Failure, never> => left({ kind: 'peer_failed', message });

const listed = (errors: readonly string[]): string =>
  errors.slice(0, SHOWN).join('; ') + (errors.length > SHOWN ? ` and ${errors.length - SHOWN} more` : '');

/**
 * A definition that `check` finds nothing wrong with. A model that fails, or whose repaired definition still has faults, is a `peer_failed` that
 * says why. `check` returns what is wrong, in words.
 */
export const composeAgent = async (
  model: LanguageModel,
  request: TemplateRequest,
  check: (definition: ComposedAgent['definition']) => readonly string[],
): Promise<Either<Failure, ComposedAgent>> => {
  const compose: LanguageModel['compose'] = async (...asked) => {
    try {
      return await model.compose(...asked);
    } catch (error) {
      return left(error instanceof Error ? error.message : String(error));
    }
  };
  const first = await compose(request);
  if (isLeft(first)) return failed(`The agent could not be generated: ${first.left}`);
  const errors = check(first.right.definition);
  if (errors.length === 0) return first;
  const second = await compose(request, { definition: first.right.definition, errors });
  if (isLeft(second)) return failed(`The generated agent could not be repaired: ${second.left}`);
  const remaining = check(second.right.definition);
  return remaining.length === 0
    ? right(second.right)
    : failed(`The language model wrote an agent that is not valid, and its repair is not either: ${listed(remaining)}`);
};
