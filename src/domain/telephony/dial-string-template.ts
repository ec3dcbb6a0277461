/** How an ARI configuration turns a number into what Asterisk dials. */
import { mapped, refine } from '../../core/codec';
import { text } from './bounded';

export const DEFAULT_TEMPLATE = 'PJSIP/{number}';

const fault = (template: string): string | null => {
  const placeholders = template.match(/\{[^{}]*\}/g) ?? [];
  if (placeholders.some((p) => p !== '{number}') || /[{}]/.test(template.replaceAll('{number}', '')))
    return 'The dial string template may hold no placeholder but {number}';
  if (placeholders.length === 0) return 'The dial string template must hold {number}';
  if (!/^[A-Za-z][A-Za-z0-9]*\//.test(template))
    return 'The dial string template must begin with a channel technology, such as PJSIP/{number}@trunk or Local/{number}@from-internal';
  return null;
};

/** Trimmed; blank becomes `PJSIP/{number}`. */
export const DialStringTemplate = refine(
  mapped(text({ description: '`{number}` is replaced by the number' }), (typed) => typed.trim() || DEFAULT_TEMPLATE),
  fault,
);
