// The view of related artifacts: it follows the active editor.

import * as vscode from 'vscode';
import { Answer, Ask, because, Range, Result } from './protocol';

const REST = 250; // milliseconds a text must rest before the view asks again

export function openCommand(uri: string, range: Range | null): vscode.Command {
  const at = range ? new vscode.Range(range.start.line, 0, range.start.line, 0) : undefined;
  return { command: 'vscode.open', title: 'Open', arguments: [vscode.Uri.parse(uri), { selection: at, preview: true }] };
}

export class Related implements vscode.TreeDataProvider<Result> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly view: vscode.TreeView<Result>;
  private uri: vscode.Uri | undefined;
  private rows: Result[] = [];
  private timer: NodeJS.Timeout | undefined;
  private asked = 0;

  constructor(private readonly ask: Ask, subscriptions: { dispose(): unknown }[]) {
    this.view = vscode.window.createTreeView('oracl.relatedView', { treeDataProvider: this });
    subscriptions.push(
      this.view, this.changed,
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor?.document.uri)),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document.uri.toString() === this.uri?.toString()) this.soon(REST);
      }),
      this.view.onDidChangeVisibility(() => this.soon(0)),
    );
  }

  /** Show what goes with a file; what is no file of a folder leaves the view as it is. */
  follow(uri: vscode.Uri | undefined): void {
    if (uri?.scheme !== 'file') return;
    this.uri = uri;
    this.soon(0);
  }

  soon(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), milliseconds);
  }

  async refresh(): Promise<void> {
    if (!this.uri || !this.view.visible) return;
    const uri = this.uri;
    const number = ++this.asked;
    let said: string | undefined;
    const answer = await this.ask<Answer>('oracl/related', { uri: uri.toString() }, (message) => { said = message; });
    if (number !== this.asked) return; // another file, or another text, was asked about since
    this.rows = answer?.results ?? [];
    this.view.description = vscode.workspace.asRelativePath(uri);
    this.view.message = said ?? answer?.notes[0] ?? (this.rows.length ? undefined : 'Nothing is related.');
    this.changed.fire();
  }

  getChildren(element?: Result): Result[] {
    return element ? [] : this.rows;
  }

  getTreeItem(row: Result): vscode.TreeItem {
    const item = new vscode.TreeItem(vscode.Uri.parse(row.uri));
    item.label = row.path.split('/').pop() + (row.fragment ? ':' + (row.range!.start.line + 1) : '');
    item.description = because(row.reasons);
    item.tooltip = [row.path, ...row.reasons.map((r) => `${r.share.toFixed(2)}  ${r.text}`)].join('\n');
    item.command = openCommand(row.uri, row.range);
    return item;
  }
}
