// What the server is asked and answers: docs/reference/language-server.md.

export interface Range { start: { line: number; character: number }; end: { line: number; character: number } }
export interface Reason { signal: string; text: string; share: number }
export interface Result {
  uri: string; path: string; root: string; range: Range | null; fragment: string; title: string; kind: string;
  score: number; reasons: Reason[]; snippet?: string;
}
export interface Answer { results: Result[]; total: number; notes: string[]; commit: string | null }
export interface Step {
  uri: string; path: string; range: Range | null; fragment: string; relation: string; symbol: string;
  direction: 'in' | 'out'; cycle: boolean; children: Step[];
}
export interface Root {
  uri: string; name: string; state: 'ready' | 'indexing' | 'waiting' | 'failed'; message: string;
  commit: string | null; head: string | null; artifacts: number; changed: number; percent: number | null;
}

/** Asks the server; a failure is told by `undefined`, and shown where it belongs by `told`. */
export type Ask = <T>(method: string, params: object, told?: (message: string) => void) => Promise<T | undefined>;

/** The best reasons on one line: those that hint come last. */
export function because(reasons: Reason[], most = 2): string {
  const vague = new Set(['path', 'text', 'names', 'recency', 'walk']);
  const good = reasons.filter((reason) => reason.share > 0);
  good.sort((a, b) => Number(vague.has(a.signal)) - Number(vague.has(b.signal)) || b.share - a.share);
  return [...new Set(good.map((reason) => reason.text))].slice(0, most).join('; ');
}
