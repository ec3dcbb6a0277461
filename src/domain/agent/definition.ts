/** Whether a definition can be saved as a draft, or published: every fault at once. */
import { left, right, type Either } from 'fp-ts/Either';
import type { JsonObject } from '../../core/event';
import type { Failure } from '../../core/failure';
import type { WorkflowError } from './graph';
import { degreeErrors, instanceErrors, transitionErrors } from './graph-rules';
import { shapeErrors } from './shape';
import { takenPathErrors, triggerPathErrors } from './trigger-paths';

/** `complete`: all rules, for what gets published. `draft`: only what could never be right, so that unfinished work can be saved. */
export type Checks = 'complete' | 'draft';

export const definitionErrors = (definition: JsonObject, checks: Checks): readonly WorkflowError[] =>
  checks === 'draft'
    ? [...triggerPathErrors(definition), ...instanceErrors(definition, false), ...transitionErrors(definition)]
    : [
        ...shapeErrors(definition),
        ...triggerPathErrors(definition),
        ...instanceErrors(definition, true),
        ...degreeErrors(definition),
        ...transitionErrors(definition),
      ];

/** As a rule of a command. `taken`: trigger paths of other agents; when they are all that is wrong, the failure says so. */
export const checkDefinition = (
  definition: JsonObject,
  checks: Checks,
  taken: ReadonlySet<string> = new Set(),
): Either<Failure, null> => {
  const errors = definitionErrors(definition, checks);
  const clashes = takenPathErrors(definition, taken);
  if (errors.length === 0 && clashes.length === 0) return right(null);
  return left({ kind: 'invalid_definition', errors: [...errors, ...clashes], taken: errors.length === 0 });
};

/** A fault in one line, for whoever is to mend the definition. */
export const describeError = ({ kind, id, field, message }: WorkflowError): string =>
  [
    [kind === 'workflow' ? null : `${kind} ${id ?? ''}`.trim(), field].filter((part) => part !== null).join(', '),
    message,
  ]
    .filter((part) => part !== '')
    .join(': ');

export { type WorkflowError } from './graph';
