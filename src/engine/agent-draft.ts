/** A conversation in a few words (what a language model, or the offline composer, writes) and the definition that it stands for. */
import type { JsonObject } from '../core/event';

export interface DraftNode {
  readonly id: string;
  readonly type: 'startCall' | 'agentNode' | 'endCall' | 'globalNode';
  readonly name: string;
  readonly prompt: string;
  /** Of the start only; null: the agent begins by its prompt. */
  readonly greeting: string | null;
}

export interface DraftEdge {
  readonly source: string;
  readonly target: string;
  readonly label: string;
  readonly condition: string;
}

export interface AgentDraft {
  readonly nodes: readonly DraftNode[];
  readonly edges: readonly DraftEdge[];
}

/** Distance between neighbours in the editor, pixels. */
const COLUMN = 420;
const ROW = 220;

/** How many edges away from the start each node is; what the start does not lead to stands in the first column. */
const columns = ({ nodes, edges }: AgentDraft): ReadonlyMap<string, number> => {
  const found = new Map<string, number>();
  let front = nodes.filter((n) => n.type === 'startCall').map((n) => n.id);
  for (let column = 0; front.length > 0; column++) {
    for (const id of front) found.set(id, column);
    front = [...new Set(edges.filter((e) => front.includes(e.source) && !found.has(e.target)).map((e) => e.target))];
  }
  return found;
};

/** Nodes in columns by their distance from the start, with the flags and ids that editors expect. Deterministic. */
export const definitionOf = (draft: AgentDraft): JsonObject => {
  const column = columns(draft);
  const rows = new Map<number, number>();
  const nodes = draft.nodes.map(({ id, type, name, prompt, greeting }) => {
    const x = column.get(id) ?? 0;
    const y = rows.get(x) ?? 0;
    rows.set(x, y + 1);
    return {
      id,
      type,
      position: { x: x * COLUMN, y: y * ROW },
      data: {
        name,
        prompt,
        ...(type === 'startCall' && greeting !== null && greeting !== '' ? { greeting_type: 'text', greeting } : {}),
        ...(type === 'startCall' ? { is_start: true, allow_interrupt: false, add_global_prompt: true } : {}),
        ...(type === 'agentNode' ? { allow_interrupt: true, add_global_prompt: true } : {}),
        ...(type === 'endCall' ? { is_end: true, add_global_prompt: false } : {}),
      },
    };
  });
  const edges = draft.edges.map(({ source, target, label, condition }, i) => ({
    id: `edge-${i + 1}`,
    source,
    target,
    data: { label, condition },
  }));
  return { nodes, edges, viewport: { x: 0, y: 0, zoom: 1 } };
};
