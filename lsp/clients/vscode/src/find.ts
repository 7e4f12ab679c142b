// The picker: free text in, files out, while one types.

import * as vscode from 'vscode';
import { Answer, Ask, because, Result } from './protocol';

const REST = 120; // milliseconds between the last key and the question

interface Item extends vscode.QuickPickItem { result: Result }

export function find(ask: Ask): vscode.QuickPick<Item> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.placeholder = 'Where is this? Any words; type:tests, lang:py, -word, since 2024-03 …';
  pick.matchOnDescription = pick.matchOnDetail = true;
  let timer: NodeJS.Timeout | undefined;
  let asked = 0;

  async function look(query: string): Promise<void> {
    const number = ++asked;
    if (!query.trim()) {
      pick.items = [];
      return;
    }
    pick.busy = true;
    let said: string | undefined;
    const answer = await ask<Answer>('oracl/search', { query }, (message) => { said = message; });
    if (number !== asked) return;
    pick.busy = false;
    pick.title = said ?? answer?.notes[0] ?? `${answer?.results.length ?? 0} of ${answer?.total ?? 0}`;
    pick.items = (answer?.results ?? []).map((result) => ({
      label: result.path + (result.range ? `:${result.range.start.line + 1}` : ''),
      description: result.title, detail: because(result.reasons, 3), alwaysShow: true, result,
    }));
  }

  pick.onDidChangeValue((value) => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(value), REST);
  });
  pick.onDidAccept(() => {
    const chosen = pick.activeItems[0]?.result;
    pick.hide();
    if (!chosen) return;
    const line = chosen.range?.start.line ?? 0;
    void vscode.window.showTextDocument(vscode.Uri.parse(chosen.uri), { selection: new vscode.Range(line, 0, line, 0) });
  });
  pick.onDidHide(() => pick.dispose());
  pick.show();
  return pick;
}
